import { capital } from '../../base/words.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Place } from './place.ts'
import { HELLO, HELP, NOT_IN_FORK, STAND_IN } from './talk.ts'

/** A call to make, or a text to say. */
export type Wish =
  | { readonly kind: 'call'; readonly tool: string; readonly args: JsonObject }
  | { readonly kind: 'say'; readonly text: string }

type Slots = Readonly<Partial<Record<'name' | 'text' | 'id' | 'when', string>>>

/**
 * Plain words for one wish. A form is a regular expression for a whole sentence without its politeness, in which NAME,
 * TEXT, ID and WHEN are slots. They fill the same words in the arguments of a call.
 */
interface Row {
  /** An open row may match a whole message of several sentences; only a question may end with a question mark. */
  readonly kind: 'order' | 'question' | 'open' | 'in fork'
  /** Undefined: the sentence means something else. */
  readonly wish: Wish | ((slots: Slots) => Wish | undefined)
  readonly patterns: readonly RegExp[]
}

const LEAD =
  "(?:(?:please|ok|okay|hey|hi|hello|and|then|now|so|also|just|great|right|alright|all right|yes|thanks|mainstem)\\b[\\s,:!–-]*)*(?:(?:can|could|would|will) (?:you|we) |i(?:'d| would) like (?:you )?to |i (?:want|need) (?:you )?to |let's |let us |let me )?(?:please )?"

const SLOT = /\b(?:NAME|TEXT|ID|WHEN)\b/g
const SLOTS: Readonly<Record<string, string>> = {
  NAME: String.raw`["'“]?(?<name>[\p{L}\p{N}][\p{L}\p{N}_.-]*)["'”]?`,
  TEXT: String.raw`["“']?(?<text>\S.*?)["”']?`,
  ID: String.raw`(?<id>(?=[a-z]*\d)[a-z\d]{6})`,
  WHEN: String.raw`(?<when>\S.*?)`,
}

const order = rowsOf('order')
const question = rowsOf('question')
const open = rowsOf('open')
const inFork = rowsOf('in fork')

function rowsOf(kind: Row['kind']) {
  return (wish: Row['wish'], ...forms: string[]): Row => ({ kind, wish, patterns: forms.map(patternOf) })
}

function patternOf(form: string): RegExp {
  const filled = form.replaceAll(/\((?!\?)/g, '(?:').replaceAll(SLOT, (slot) => SLOTS[slot] ?? slot)
  return new RegExp(`^${LEAD}(?:${filled})$`, 'isu')
}

function call(tool: string, args: JsonObject = {}): Wish {
  return { kind: 'call', tool, args }
}

function slash(command: string, args?: string): Wish {
  return call('slash', { command, ...(args !== undefined && { args }) })
}

function say(text: string, ...forms: string[]): Row {
  return question({ kind: 'say', text }, ...forms)
}

const ROWS: readonly Row[] = [
  order(
    slash('mark', 'NAME'),
    'mark (this|here|it|this spot|this place|this point)( as|:)? (?!\\W?done\\W?$)NAME',
    '(set|create|make|add|drop) a (mark|checkpoint|bookmark)( called| named|:| as)? NAME',
    '(remember|bookmark) this( spot| place| point)? as NAME',
    'checkpoint NAME',
  ),
  say('What should I call it? Say "mark this as PLAN".', 'mark (this|here)', 'set a (mark|checkpoint)'),
  order(
    slash('clear', 'NAME'),
    '(rewind|roll back|revert)( everything)? to( the (mark|checkpoint))?( called| named)? NAME',
  ),
  order(
    // "Go back to sleep" is not a wish: marks are mostly written in capitals.
    ({ name = '' }) => (/^[^\p{Ll}]*\p{Lu}[^\p{Ll}]*$/u.test(name) ? slash('clear', name) : undefined),
    '(go|jump|take me) back to( the (mark|checkpoint))? NAME',
    'return to( the (mark|checkpoint))? NAME',
  ),
  say('Where to? Say "rewind to PLAN", or type `/rewind` for the newest mark.', 'rewind', 'go back'),
  order(
    slash('clear'),
    'clear( everything| all| it all| the context| the conversation| this conversation| the history)?',
    '(forget|wipe|reset)( everything| the context| the conversation| this conversation)',
    'start (over|afresh|from scratch|a new conversation)',
  ),
  open(
    slash('fork', '-- TEXT'),
    'fork( this| it)?( and| to|:| --) TEXT',
    '(start|spawn|create) (a|another) (child|helper|agent|sub-?agent)( to| that| and| for|:) TEXT',
    'have (a child|another agent|a helper|someone|somebody) TEXT',
    'delegate( this)?:? TEXT',
  ),
  open(slash('fork', 'NAME -- TEXT'), 'fork from NAME( and| to|:| --) TEXT'),
  order(call('enter_fork'), 'fork( this)?', '(open|start) (a|another) (fork|tangent|side conversation)'),
  order(
    call('enter_fork', { topic: 'TEXT' }),
    '(open|start) (a|another) (fork|tangent|side conversation)( about| on|:| to talk about) TEXT',
    '(talk|chat) about TEXT (on the side|aside|separately|in a fork)',
    'discuss TEXT (on the side|aside|separately|in a fork)',
  ),
  inFork(
    call('save_context'),
    'save (this|it|this fork|the fork|this conversation)( to main)?',
    'merge (this|it|this fork)( into main)?',
  ),
  inFork(
    ({ text = '' }) => call('report_updates', { message: capital(text) }),
    '(tell main|report|let main know)( that|:| to main that| to main:) TEXT',
  ),
  inFork(call('report_updates'), 'report( this| it)?( back)?( to main)?', 'tell main( about (this|it))?'),
  inFork(
    call('exit_fork'),
    '(leave|exit|close|drop|end|discard) (this|the) (fork|tangent)',
    '((go|take me) )?back to main',
  ),
  question(
    slash('check-mail'),
    'any( new)? (mail|messages)',
    '(check|read|show)( me)?( my| the)? (mail|messages|mailbox|inbox)',
    "do i have( any)?( new)? (mail|messages)|is there( any)?( new)? mail|what('s| is) in my (mailbox|inbox)",
  ),
  open(slash('send', 'ID TEXT'), '(tell|message|mail|write to|send)( agent| child)? ID( that|:| --)? TEXT'),
  order(slash('kill', 'ID'), '(stop|kill|end|cancel)( agent| child)? ID'),
  question(
    call('list_reminders'),
    '(list|show)( me)?( all)?( my| the)? reminders',
    '(what|which)( are( my| the)?)? reminders( do i have| are set)?',
    '(any|my) reminders|do i have( any)? reminders',
  ),
  order(
    // Reminders are named after their text: `call-mum`.
    ({ text = '' }) =>
      call('cancel_reminder', { id: text.replace(/^(?:the|my) /i, '').replaceAll(/\s+/g, '-') }),
    '(cancel|delete|remove|drop) (the|my) reminder( to| about| for| called| of|:) TEXT',
    '(cancel|delete|remove|drop) (the|my) TEXT reminder',
  ),
  question(
    call('todo', { action: 'list' }),
    "what('s| is) on my( to-?do| todo| shopping)? list",
    '(list|show)( me)? my (list|to-?do list|to-?dos|shopping list)',
    'what do i have to do( today)?|my to-?dos?( list)?',
  ),
  order(
    call('todo', { action: 'add', text: 'TEXT' }),
    '(add|put) TEXT (to|on|onto) my( to-?do| todo| shopping)? list',
    '(to-?do): TEXT',
  ),
  order(
    call('todo', { action: 'add', text: 'TEXT', due: 'WHEN' }),
    '(add|put) TEXT (to|on|onto) my( to-?do| todo| shopping)? list (by|for|due) WHEN',
  ),
  order(
    (slots) => change('done', slots),
    "(i'm |i am )?done with TEXT",
    '(tick|check|cross) off TEXT',
    '(tick|check|cross) TEXT off( my list)?',
    'mark TEXT as done',
  ),
  order(
    (slots) => change('delete', slots),
    '(remove|delete|take|drop) TEXT (from|off) my( to-?do| todo| shopping)? list',
  ),
  order(
    ({ text = '' }) => (/\s/.test(text) ? call('remember', { line: capital(text) }) : undefined),
    "(remember|keep in mind|don't forget|do not forget|note)( this)?: TEXT",
    "(remember|keep in mind|don't forget|do not forget) that TEXT",
    'add TEXT to (my|your) memory',
  ),
  order(
    call('compact_session'),
    'compact( this| the conversation)?',
    '(sum up|summari[sz]e) (this|the|our) conversation( so far)?',
  ),
  say('Only you can undo. Type `/undo`; `/redo` restores it.', 'undo( that| this| it)?'),
  say('Only you can do that. Type `/redo`.', 'redo( that| this| it)?'),
  say('`/ping-budget` shows it.', "(what('s| is)|show)( me)? my( ping)? budget"),
  say(
    '`/memory` shows what is always remembered, and `/recall WORDS` finds what was said.',
    'what do you (remember|know)( about me)?',
    "show( me)?( my| your) memory|what('s| is) in( my| your) memory",
  ),
  say(
    "I can't pause anything myself, so jobs and pings go on. `/pause all 2h` stops them, `/resume` ends the pause.",
    "(do not|don't|stop) (disturb|ping|pinging|bother|bothering)( me)?( TEXT)?",
    'pause( everything| all jobs)?( TEXT)?',
  ),
  say('`/snooze N 1h` does that, with the number of the message.', 'snooze( it| this| that)?( TEXT)?'),
  say(
    '`/context` shows the marks and everything the model sees.',
    '(list|show)( me)?( my| the)? marks',
    'what( do you| does the model) see( now)?',
  ),
  say('`/agents` shows them.', '(list|show)( me)?( my| the)? (forks|children|agents)'),
  say(
    '`/routines` shows them.',
    '(list|show)( me)?( my| the)? routines|what routines( do i have| are there)',
  ),
  say(
    '`/tools` and `/skills` list them.',
    '(list|show)( me)?( my| the)? (tools|skills)|(what|which) (tools|skills)( do you have| are there)',
  ),
  say(
    'Only you can change the model. `/model` lists the providers, and `/model NAME` chooses one.',
    '(switch|change)( the)? model( to TEXT)?',
    '(connect|use)( a| the)?( real| another| different)? (model|claude|gpt|gemini|ollama)',
  ),
  say(HELLO, '(hi|hello|hey|good (morning|afternoon|evening))( there| again| mainstem)?', 'are you there'),
  say("You're welcome.", '(thanks|thank you|thx|cheers)( a lot| so much| very much)?'),
  say('Goodbye! The log keeps everything.', '(bye|goodbye|good night|see you)( later| soon| tomorrow)?'),
  say(
    "Fine, thanks. I'm only the offline stand-in, so I'm always the same.",
    'how are you( doing)?( today)?',
  ),
  say(STAND_IN, '(who|what) are you|are you (an ai|a bot|human|real)'),
  say(HELP, 'help( me)?', 'what can (you do|i say|i ask|i type)|how does this work'),
  say('OK.', '(ok|okay|yes|no|sure|fine|great|cool|nice|got it|i see|never ?mind|forget it)'),
]

const POINTS = /^(?:it|this|that|these|you|him|her|them|everything|all)\b/i

function change(action: 'done' | 'delete', { text = '' }: Slots): Wish | undefined {
  const item = text.replace(/^(?:the|my) /i, '')
  return POINTS.test(item) ? undefined : call('todo', { action, item })
}

const REQUEST = /\b(?:can|could|would|will) (?:you|we)\b/i
const ENDING = /(?:[\s,]+(?:please|pls|thanks|thank you|now|then))*[\s.!?…]*$/i

/** The first row that matches a sentence; or a whole message, for rows with an open TEXT. */
export function commandIn(words: string, place: Place, isWhole = false): Wish | undefined {
  const text = words.replaceAll('’', "'").trim()
  const bare = text.replace(ENDING, '')
  const isQuestion = text.endsWith('?') && !REQUEST.test(text)
  for (const { kind, wish, patterns } of ROWS) {
    if (isQuestion && kind !== 'question') continue
    if (isWhole && kind !== 'open' && kind !== 'in fork') continue
    const found = patterns.map((pattern) => pattern.exec(bare)).find((one) => one !== null)
    if (found === undefined) continue
    if (kind === 'in fork' && place.kind !== 'fork') return { kind: 'say', text: NOT_IN_FORK }
    const slots: Slots = found.groups ?? {}
    const meant = typeof wish === 'function' ? wish(slots) : filled(wish, slots)
    if (meant !== undefined) return meant
  }
  return undefined
}

function filled(wish: Wish, slots: Slots): Wish {
  if (wish.kind === 'say') return wish
  const fill = (text: string) =>
    text.replaceAll(SLOT, (slot) => slots[slot.toLowerCase() as keyof Slots] ?? slot)
  const values = Object.entries(wish.args).map(([name, value]) => [
    name,
    typeof value === 'string' ? fill(value) : value,
  ])
  return { ...wish, args: Object.fromEntries(values) }
}
