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
 * TEXT, ID and WHEN are slots.
 */
interface Row {
  readonly forms: readonly string[]
  /** May end with a question mark. */
  readonly isQuestion?: true
  /** Its TEXT may contain several sentences. */
  readonly isOpen?: true
  /** Undefined: the sentence means something else. */
  readonly wish: (slots: Slots, place: Place) => Wish | undefined
}

const slash = (command: string, args?: string): Wish =>
  call('slash', { command, ...(args !== undefined && { args }) })

const ROWS: readonly Row[] = [
  {
    forms: [
      'mark (this|here|it|this spot|this place|this point)( as|:)? NAME',
      '(set|create|make|add|drop) a (mark|checkpoint|bookmark)( called| named|:| as)? NAME',
      '(remember|bookmark) this( spot| place| point)? as NAME',
      'checkpoint NAME',
    ],
    wish: ({ name = '' }) => (name.toLowerCase() === 'done' ? undefined : slash('mark', name)),
  },
  row(['mark (this|here)', 'set a (mark|checkpoint)'], 'What should I call it? Say "mark this as PLAN".'),
  {
    forms: ['(rewind|roll back|revert)( everything)? to( the (mark|checkpoint))?( called| named)? NAME'],
    wish: ({ name }) => slash('clear', name),
  },
  {
    forms: [
      '(go|jump|take me) back to( the (mark|checkpoint))? NAME',
      'return to( the (mark|checkpoint))? NAME',
    ],
    // "Go back to sleep" is not a wish: marks are mostly written in capitals.
    wish: ({ name = '' }) => (/^[^\p{Ll}]*\p{Lu}[^\p{Ll}]*$/u.test(name) ? slash('clear', name) : undefined),
  },
  row(['rewind', 'go back'], 'Where to? Say "rewind to PLAN", or type `/rewind` for the newest mark.'),
  {
    forms: [
      'clear( everything| all| it all| the context| the conversation| this conversation| the history)?',
      '(forget|wipe|reset)( everything| the context| the conversation| this conversation)',
      'start (over|afresh|from scratch|a new conversation)',
    ],
    wish: () => slash('clear'),
  },
  {
    forms: [
      'fork( this| it)?( and| to|:| --) TEXT',
      '(start|spawn|create) (a|another) (child|helper|agent|sub-?agent)( to| that| and| for|:) TEXT',
      'have (a child|another agent|a helper|someone|somebody) TEXT',
      'delegate( this)?:? TEXT',
    ],
    isOpen: true,
    wish: ({ text }) => slash('fork', `-- ${text}`),
  },
  {
    forms: ['fork from NAME( and| to|:| --) TEXT'],
    isOpen: true,
    wish: ({ name, text }) => slash('fork', `${name} -- ${text}`),
  },
  {
    forms: [
      'fork( this)?',
      '(open|start) (a|another) (fork|tangent|side conversation)',
      '(open|start) (a|another) (fork|tangent|side conversation)( about| on|:| to talk about) TEXT',
      '(talk|chat) about TEXT (on the side|aside|separately|in a fork)',
      'discuss TEXT (on the side|aside|separately|in a fork)',
    ],
    wish: ({ text }) => call('enter_fork', text === undefined ? {} : { topic: text }),
  },
  inFork(
    [
      'save (this|it|this fork|the fork|this conversation)( to main)?',
      'merge (this|it|this fork)( into main)?',
    ],
    () => call('save_context', {}),
  ),
  inFork(['(tell main|report|let main know)( that|:| to main that| to main:) TEXT'], ({ text = '' }) =>
    call('report_updates', { message: capital(text) }),
  ),
  inFork(['report( this| it)?( back)?( to main)?', 'tell main( about (this|it))?'], () =>
    call('report_updates', {}),
  ),
  inFork(
    ['(leave|exit|close|drop|end|discard) (this|the) (fork|tangent)', '((go|take me) )?back to main'],
    () => call('exit_fork', {}),
  ),
  {
    forms: [
      'any( new)? (mail|messages)',
      '(check|read|show)( me)?( my| the)? (mail|messages|mailbox|inbox)',
      "do i have( any)?( new)? (mail|messages)|is there( any)?( new)? mail|what('s| is) in my (mailbox|inbox)",
    ],
    isQuestion: true,
    wish: () => slash('check-mail'),
  },
  {
    forms: ['(tell|message|mail|write to|send)( agent| child)? ID( that|:| --)? TEXT'],
    isOpen: true,
    wish: ({ id, text }) => slash('send', `${id} ${text}`),
  },
  { forms: ['(stop|kill|end|cancel)( agent| child)? ID'], wish: ({ id }) => slash('kill', id) },
  {
    forms: [
      '(list|show)( me)?( all)?( my| the)? reminders',
      '(what|which)( are( my| the)?)? reminders( do i have| are set)?',
      '(any|my) reminders|do i have( any)? reminders',
    ],
    isQuestion: true,
    wish: () => call('list_reminders', {}),
  },
  {
    forms: [
      '(cancel|delete|remove|drop) (the|my) reminder( to| about| for| called| of|:) TEXT',
      '(cancel|delete|remove|drop) (the|my) TEXT reminder',
    ],
    // Reminders are named after their text: `call-mum`.
    wish: ({ text = '' }) =>
      call('cancel_reminder', { id: text.replace(/^(?:the|my) /i, '').replaceAll(/\s+/g, '-') }),
  },
  {
    forms: [
      "what('s| is) on my( to-?do| todo| shopping)? list",
      '(list|show)( me)? my (list|to-?do list|to-?dos|shopping list)',
      'what do i have to do( today)?|my to-?dos?( list)?',
    ],
    isQuestion: true,
    wish: () => call('todo', { action: 'list' }),
  },
  {
    forms: ['(add|put) TEXT (to|on|onto) my( to-?do| todo| shopping)? list', '(to-?do): TEXT'],
    wish: ({ text = '' }) => call('todo', { action: 'add', text }),
  },
  {
    forms: ['(add|put) TEXT (to|on|onto) my( to-?do| todo| shopping)? list (by|for|due) WHEN'],
    wish: ({ text = '', when = '' }) => call('todo', { action: 'add', text, due: when }),
  },
  {
    forms: [
      "(i'm |i am )?done with TEXT",
      '(tick|check|cross) off TEXT',
      '(tick|check|cross) TEXT off( my list)?',
      'mark TEXT as done',
    ],
    wish: (slots) => change('done', slots),
  },
  {
    forms: ['(remove|delete|take|drop) TEXT (from|off) my( to-?do| todo| shopping)? list'],
    wish: (slots) => change('delete', slots),
  },
  {
    forms: [
      "(remember|keep in mind|don't forget|do not forget|note)( this)?: TEXT",
      "(remember|keep in mind|don't forget|do not forget) that TEXT",
      'add TEXT to (my|your) memory',
    ],
    wish: ({ text = '' }) => (/\s/.test(text) ? call('remember', { line: capital(text) }) : undefined),
  },
  {
    forms: [
      'compact( this| the conversation)?',
      '(sum up|summari[sz]e) (this|the|our) conversation( so far)?',
    ],
    wish: () => call('compact_session', {}),
  },
  row(['undo( that| this| it)?'], 'Only you can undo. Type `/undo`; `/redo` restores it.'),
  row(['redo( that| this| it)?'], 'Only you can do that. Type `/redo`.'),
  row(["(what('s| is)|show)( me)? my( ping)? budget"], '`/ping-budget` shows it.'),
  row(
    [
      'what do you (remember|know)( about me)?',
      "show( me)?( my| your) memory|what('s| is) in( my| your) memory",
    ],
    '`/memory` shows what is always remembered, and `/recall WORDS` finds what was said.',
  ),
  row(
    [
      "(do not|don't|stop) (disturb|ping|pinging|bother|bothering)( me)?( TEXT)?",
      'pause( everything| all jobs)?( TEXT)?',
    ],
    "I can't pause anything myself, so jobs and pings go on. `/pause all 2h` stops them, `/resume` ends the pause.",
  ),
  row(['snooze( it| this| that)?( TEXT)?'], '`/snooze N 1h` does that, with the number of the message.'),
  row(
    ['(list|show)( me)?( my| the)? marks', 'what( do you| does the model) see( now)?'],
    '`/context` shows the marks and everything the model sees.',
  ),
  row(['(list|show)( me)?( my| the)? (forks|children|agents)'], '`/agents` shows them.'),
  row(
    ['(list|show)( me)?( my| the)? routines|what routines( do i have| are there)'],
    '`/routines` shows them.',
  ),
  row(
    ['(list|show)( me)?( my| the)? (tools|skills)|(what|which) (tools|skills)( do you have| are there)'],
    '`/tools` and `/skills` list them.',
  ),
  row(
    [
      '(switch|change)( the)? model( to TEXT)?',
      '(connect|use)( a| the)?( real| another| different)? (model|claude|gpt|gemini|ollama)',
    ],
    'Only you can change the model. `/model` lists the providers, and `/model NAME` chooses one.',
  ),
  row(['(hi|hello|hey|good (morning|afternoon|evening))( there| again| mainstem)?', 'are you there'], HELLO),
  row(['(thanks|thank you|thx|cheers)( a lot| so much| very much)?'], "You're welcome."),
  row(['(bye|goodbye|good night|see you)( later| soon| tomorrow)?'], 'Goodbye! The log keeps everything.'),
  row(
    ['how are you( doing)?( today)?'],
    "Fine, thanks. I'm only the offline stand-in, so I'm always the same.",
  ),
  row(['(who|what) are you|are you (an ai|a bot|human|real)'], STAND_IN),
  row(['help( me)?', 'what can (you do|i say|i ask|i type)|how does this work'], HELP),
  row(['(ok|okay|yes|no|sure|fine|great|cool|nice|got it|i see|never ?mind|forget it)'], 'OK.'),
]

function call(tool: string, args: JsonObject): Wish {
  return { kind: 'call', tool, args }
}

function row(forms: readonly string[], text: string): Row {
  return { forms, isQuestion: true, wish: () => ({ kind: 'say', text }) }
}

function inFork(forms: readonly string[], wish: (slots: Slots) => Wish): Row {
  const other: Wish = { kind: 'say', text: NOT_IN_FORK }
  return { forms, isOpen: true, wish: (slots, { kind }) => (kind === 'fork' ? wish(slots) : other) }
}

const POINTS = /^(?:it|this|that|these|you|him|her|them|everything|all)\b/i

function change(action: 'done' | 'delete', { text = '' }: Slots): Wish | undefined {
  const item = text.replace(/^(?:the|my) /i, '')
  return POINTS.test(item) ? undefined : call('todo', { action, item })
}

const LEAD =
  "(?:(?:please|ok|okay|hey|hi|hello|and|then|now|so|also|just|great|right|alright|all right|yes|thanks|mainstem)\\b[\\s,:!–-]*)*(?:(?:can|could|would|will) (?:you|we) |i(?:'d| would) like (?:you )?to |i (?:want|need) (?:you )?to |let's |let us |let me )?(?:please )?"
const REQUEST = /\b(?:can|could|would|will) (?:you|we)\b/i
const ENDING = /(?:[\s,]+(?:please|pls|thanks|thank you|now|then))*[\s.!?…]*$/i

const SLOTS: Readonly<Record<string, string>> = {
  NAME: String.raw`["'“]?(?<name>[\p{L}\p{N}][\p{L}\p{N}_.-]*)["'”]?`,
  TEXT: String.raw`["“']?(?<text>\S.*?)["”']?`,
  ID: String.raw`(?<id>(?=[a-z]*\d)[a-z\d]{6})`,
  WHEN: String.raw`(?<when>\S.*?)`,
}

const TABLE = ROWS.map((one) => ({ ...one, patterns: one.forms.map(patternOf) }))

function patternOf(form: string): RegExp {
  const filled = form
    .replaceAll('(', '(?:')
    .replaceAll(/\b(?:NAME|TEXT|ID|WHEN)\b/g, (slot) => SLOTS[slot] ?? slot)
  return new RegExp(`^${LEAD}(?:${filled})$`, 'isu')
}

/** The first row that matches a sentence; or a whole message, for rows with an open TEXT. */
export function commandIn(words: string, place: Place, isWhole = false): Wish | undefined {
  const text = words.replaceAll('’', "'").trim()
  const bare = text.replace(ENDING, '')
  const isQuestion = text.endsWith('?') && !REQUEST.test(text)
  for (const { patterns, wish, ...row } of TABLE) {
    if ((isQuestion && !row.isQuestion) || (isWhole && !row.isOpen)) continue
    const found = patterns.map((pattern) => pattern.exec(bare)).find((one) => one !== null)
    const meant = found && wish(found.groups ?? {}, place)
    if (meant !== undefined) return meant
  }
  return undefined
}
