import { capital, cutText, singleSpaced } from '../../base/words.ts'
import type { JsonObject } from '../../base/json.ts'

/** A call to make, or a text to say. */
export type Wish = { readonly tool: string; readonly args: JsonObject } | string

/** Said in every answer that a real model would have given better. */
export const STAND_IN =
  'I\'m the offline stand-in: a few fixed rules, not a language model. A real model would answer you here. To connect one, set its key (such as ANTHROPIC_API_KEY) and type `/model anthropic/MODEL`, or say "help" to see what I understand.'

export const HELLO =
  'Hello! I\'m the offline stand-in: a few fixed rules, not a language model. Say "help" to see what I understand.'

export const HELP = [
  "I'm the offline stand-in, and these are the things I understand:",
  '- mark this as PLAN; rewind to PLAN; forget everything',
  '- fork this and compare the two drafts (a child does it)',
  '- let\'s talk about the garden on the side; then "save this", "report back" or "leave this fork"',
  '- any mail?; tell k3f9ab that the deadline moved; stop k3f9ab',
  '- remind me to call mum tomorrow at 9; what are my reminders?; cancel the reminder to call mum',
  "- add milk to my to-do list; what's on my list?; done with milk",
  '- what did I say about the dentist?; remember that I like tea',
  // Markdown takes a line right behind a list as part of its last item.
  '',
  '`/help` lists every command, and `/model` connects a real model.',
].join('\n')

export const IN_FORK =
  'We\'re in a fork now, and main doesn\'t see it. "save this", "report back" or "leave this fork" ends it.'

/** Tools that models call for a command: what they do, in words for people, and what people type instead. */
export const FORK_TOOLS: Readonly<Record<string, readonly [says: string, typed: string]>> = {
  enter_fork: ["I'll take you into a fork.", '/fork'],
  save_context: ["I'll save this fork.", '/save'],
  report_updates: ["I'll report this to main.", '/report'],
  exit_fork: ["I'll leave this fork.", '/exit'],
}

/** The answer of a child or a run with a task. */
export function cannotDo(task: string): string {
  const what =
    task === '' ? 'I found no task here' : `I couldn't do this task: "${cutText(singleSpaced(task), 160)}"`
  return `${what}. I'm the offline stand-in, a few fixed rules and not a language model. Connect a real model with \`/model\` and ask again.`
}

function call(tool: string, args: JsonObject = {}): Wish {
  return { tool, args }
}

function slash(command: string, args?: string): Wish {
  return call('slash', { command, ...(args !== undefined && { args }) })
}

/**
 * What plain words do: the wish, then regular expressions for a whole sentence without its politeness. Slots in capitals
 * fill the same words in the arguments. REST may be several sentences; only what begins with `?` may be a question.
 */
const TABLE: readonly (readonly [Wish, ...string[]])[] = [
  [
    slash('mark', 'NAME'),
    'mark (this|here|it)( spot| place| point)?( as|:)? (?!\\W?done\\W?$)NAME',
    '(set|create|make|add) a (mark|checkpoint|bookmark)( called| named|:| as)? NAME',
    '(remember|bookmark) this( spot| place| point)? as NAME',
  ],
  [slash('clear', 'NAME'), '(rewind|roll back|revert)( everything)? to( the (mark|checkpoint))? NAME'],
  // "Go back to sleep" is not a wish: marks are mostly written in capitals.
  [slash('clear', 'MARK'), '(go|jump|take me) back to( the (mark|checkpoint))? MARK'],
  [
    slash('clear'),
    'clear( everything| all| the context| (the|this) conversation| the history)?',
    '(forget|wipe|reset)( everything| the context| (the|this) conversation)',
    'start (over|afresh|from scratch|a new conversation)',
  ],
  [
    slash('fork', '-- REST'),
    'fork( this| it)?( and| to|:| --) REST',
    '(start|create) (a|another) (child|helper|agent)( to| that| and| for|:) REST',
    'have (a child|another agent|a helper|someone|somebody) REST',
  ],
  [slash('fork', 'NAME -- REST'), 'fork from NAME( and| to|:| --) REST'],
  [call('enter_fork'), 'fork( this)?', '(open|start) (a|another) (fork|side conversation)'],
  [
    call('enter_fork', { topic: 'TEXT' }),
    '(open|start) (a|another) (fork|side conversation)( about| on|:) TEXT',
    '(talk|chat) about TEXT (on the side|aside|separately|in a fork)',
  ],
  [call('save_context'), '(save|merge) (this|it|(this|the) fork)( (in)?to main)?'],
  [call('report_updates', { message: 'LINE' }), '(tell main|report)( that|:| to main( that|:)) LINE'],
  [call('report_updates'), 'report( this| it)?( back)?( to main)?', 'tell main( about (this|it))?'],
  [call('exit_fork'), '(leave|exit|close|end|discard) (this|the) fork', '((go|take me) )?back to main'],
  [
    slash('check-mail'),
    '?any( new)? (mail|messages)|(check|read|show)( me)?( my| the)? (mail|messages|mailbox|inbox)',
    '?do i have( any)?( new)? (mail|messages)',
  ],
  [slash('send', 'ID REST'), '(tell|message|mail|write to|send)( agent| child)? ID( that|:| --)? REST'],
  [slash('kill', 'ID'), '(stop|kill|end|cancel)( agent| child)? ID'],
  [
    call('list_reminders'),
    '?(list|show)( me)?( all)?( my| the)? reminders|(any|my) reminders|do i have( any)? reminders',
    '?(what|which)( are( my| the)?)? reminders( do i have| are set)?',
  ],
  [
    call('cancel_reminder', { id: 'SLUG' }),
    '(cancel|delete|remove) (the|my) reminder( to| about| for| called|:)( the| my)? SLUG',
    '(cancel|delete|remove) (the|my) SLUG reminder',
  ],
  [
    call('todo', { action: 'list' }),
    "?what('s| is) on my( to-?do| shopping)? list|(list|show)( me)? my (list|to-?do list|to-?dos)",
  ],
  [
    call('todo', { action: 'add', text: 'TEXT', due: 'WHEN' }),
    '(add|put) TEXT (to|on) my( to-?do| shopping)? list (by|for|due) WHEN',
  ],
  [call('todo', { action: 'add', text: 'TEXT' }), '(add|put) TEXT (to|on) my( to-?do| shopping)? list'],
  [
    call('todo', { action: 'done', item: 'ITEM' }),
    "(i'm |i am )?done with ITEM",
    '(tick|check|cross) off ITEM',
    'mark ITEM as done',
  ],
  [
    call('todo', { action: 'delete', item: 'ITEM' }),
    '(remove|delete|take) ITEM (from|off) my( to-?do| shopping)? list',
  ],
  [
    call('remember', { line: 'LINE' }),
    "(remember|keep in mind|don't forget|do not forget)( this)?(:| that) LINE",
  ],
  [call('compact_session'), 'compact( this| the conversation)?', 'summari[sz]e (this|the|our) conversation'],
  [
    'You can type that as a command: `/undo`, `/pause`, `/memory`, `/context`; `/help` lists them all.',
    "(undo|redo|pause|mark|rewind)( that| this| it| everything)?|(do not|don't|stop) (disturb|ping|bother)(ing)?( me)?( TEXT)?",
    "?what do you (remember|know)( about me)?|(list|show|which|what('s| is| are)?)( me)?( my| the)? (marks|forks|agents|routines|tools|skills|(ping )?budget)( do you have| are there)?",
  ],
  [HELLO, '?(hi|hello|hey|good (morning|afternoon|evening))( there| again| mainstem)?|are you there'],
  ["You're welcome.", '(thanks|thank you|thx|cheers)( a lot| so much| very much)?'],
  [STAND_IN, '?(who|what) are you|are you (an ai|a bot|human|real)|how are you( doing)?( today)?'],
  [HELP, '?help( me)?|what can (you do|i say|i ask|i type)|how does this work'],
  [
    'OK.',
    '(bye|goodbye|good night|ok|okay|yes|no|sure|fine|great|cool|nice|got it|i see|never ?mind|forget it)',
  ],
]

const LEAD =
  "(?:(?:please|ok|okay|hey|hi|hello|and|then|now|so|also|just|great|right|yes|thanks|mainstem)\\b[\\s,:!–-]*)*(?:(?:can|could|would|will) (?:you|we) |i(?:'d| would) like (?:you )?to |i (?:want|need) (?:you )?to |let's |let us |let me )?(?:please )?"
const ENDING = /(?:[\s,]+(?:please|pls|thanks|thank you|now|then))*[\s.!?…]*$/i
const REQUEST = /\b(?:can|could|would|will) (?:you|we)\b/i

const SLOTS: Readonly<Record<string, string>> = {
  NAME: String.raw`["'“]?(?<NAME>[\p{L}\p{N}][\p{L}\p{N}_.-]*)["'”]?`,
  MARK: String.raw`(?<MARK>(?-i:\p{Lu}[\p{Lu}\p{N}_.-]*))`,
  ID: String.raw`(?<ID>(?=[a-z]*\d)[a-z\d]{6})`,
  ITEM: String.raw`(?!(?:it|this|that|these|you|him|her|them|everything|all)\b)(?:(?:the|my) )?(?<ITEM>\S.*?)`,
  LINE: String.raw`(?<LINE>\S+\s.*?)`,
}
const SLOT = /\b(?:NAME|MARK|TEXT|REST|LINE|ITEM|SLUG|ID|WHEN)\b/g

const rows = TABLE.map(([wish, ...forms]) => ({
  wish,
  forms: forms.map((form) => ({
    pattern: patternOf(form),
    mayAsk: form.startsWith('?'),
    isOpen: /\bREST\b/.test(form),
  })),
}))

function patternOf(form: string): RegExp {
  const bare = form.replace(/^\?/, '').replaceAll(/\((?!\?)/g, '(?:')
  const filled = bare.replaceAll(SLOT, (slot) => SLOTS[slot] ?? String.raw`["“']?(?<${slot}>\S.*?)["”']?`)
  return new RegExp(`^${LEAD}(?:${filled})$`, 'isu')
}

/** The first row that fits a sentence; `isWhole`: a message of several, for forms with a REST. */
export function commandIn(words: string, isWhole = false): Wish | undefined {
  const text = words.replaceAll('’', "'").trim()
  const bare = text.replace(ENDING, '')
  const isQuestion = text.endsWith('?') && !REQUEST.test(text)
  for (const { wish, forms } of rows) {
    for (const { pattern, mayAsk, isOpen } of forms) {
      const found = (isQuestion && !mayAsk) || (isWhole && !isOpen) ? null : pattern.exec(bare)
      if (found !== null)
        return typeof wish === 'string' ? wish : { ...wish, args: filled(wish.args, found.groups) }
    }
  }
  return undefined
}

function filled(args: JsonObject, slots: Readonly<Record<string, string | undefined>> = {}): JsonObject {
  const fill = (slot: string): string => {
    const words = slots[slot] ?? slot
    if (slot === 'LINE') return capital(words)
    // Reminders are named after their text: `call-mum`.
    return slot === 'SLUG' ? words.replaceAll(/\s+/g, '-') : words
  }
  const entries = Object.entries(args).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.replaceAll(SLOT, fill) : value,
  ])
  return Object.fromEntries(entries)
}
