import { momentOf, MOMENT_FORMS } from '../../base/iso-time.ts'
import {
  firstWord,
  optionalMark,
  optionalText,
  quotable,
  required,
  type Entries,
  type Reading,
} from './arguments.ts'

/** Commands about the conversation and what the model sees of it. */
export const talkEntries = {
  mark: {
    usage: ['NAME', 'NAME at POSITION'],
    help: 'set a mark here, to come back to',
    more: `Names this place in the conversation; /rewind NAME comes back to it. Using a
name again moves its mark. 'at' sets it behind an earlier message, by its
position in the log, which /recall shows. Without a name, /mark lists the
marks.`,
    example: '/mark BEFORE_REFACTOR',
    when: 'step-end',
    read: markArguments,
  },
  clear: {
    usage: ['[MARK]'],
    help: 'empty the context, or rewind it to MARK',
    more: `Without a mark, removes everything said so far from what the model sees. With
a mark, removes what came after it. The log keeps everything; /undo restores
it.`,
    example: '/clear BEFORE_REFACTOR',
    when: 'turn-end',
    offers: ['MARK'],
    read: optionalMark,
  },
  rewind: {
    usage: ['[MARK]'],
    help: 'rewind to MARK, or to the newest mark',
    more: `Removes what came after the mark from what the model sees. Later marks go too;
the mark itself stays. /undo restores it all.`,
    example: '/rewind BEFORE_REFACTOR',
    when: 'turn-end',
    offers: ['MARK'],
    read: optionalMark,
  },
  undo: {
    help: 'undo the last change to the context',
    more: `Undoes the last clear, rewind or other change to this context, no matter who
made it. Messages since then stay. The answer says what was undone, and what
another /undo would undo.`,
    when: 'turn-end',
  },
  redo: {
    help: 'restore what /undo undid',
    more: `Redoes one step after an /undo. A clear, rewind or compaction is not redone
once the conversation has gone on: use that command again instead.`,
    when: 'turn-end',
  },
  note: {
    usage: ['TEXT'],
    help: 'add a text without asking for an answer',
    more: `The model reads the text the next time it is called. Text between /mark NAME
and /fork NAME in one message becomes a note by itself.`,
    example: '/note The deadline is Friday.',
    when: 'step-end',
    read: required('text'),
  },
  new: {
    help: 'start over with an empty context',
    more: `The next message starts with an empty context, as after /clear. The log keeps
everything; /undo restores it.`,
    when: 'turn-end',
  },
  context: {
    usage: ['', 'policy managed|explicit'],
    help: 'what the model sees now',
    more: `Lists the parts of the next prompt with their tokens, the ranges of messages
in it, the marks, and what is summarized. 'policy managed' summarizes old
messages automatically; 'policy explicit' changes nothing without a command.`,
    example: '/context policy explicit',
    offers: [
      ['policy managed', 'summarize old messages automatically'],
      ['policy explicit', 'change nothing without a command'],
    ],
    read: contextArguments,
  },
  compact: {
    usage: ['[FOCUS]'],
    help: 'summarize the older messages now',
    more: `Replaces all but the newest messages with a summary. FOCUS names what the
summary must keep. /expand or /undo restores the messages.`,
    example: '/compact the travel plans',
    when: 'turn-end',
    read: optionalText,
  },
  expand: {
    usage: ['[POSITION]'],
    help: 'open a summary again (the newest)',
    more: `Restores the messages behind the newest summary, word for word, or behind the
one at POSITION of the log. /undo closes it again. Nothing is summarized
automatically for a while.`,
    when: 'turn-end',
    read: expandArguments,
  },
  attach: {
    usage: ['PATH [TEXT]'],
    help: 'send a file from this computer',
    more: `PATH is absolute, begins with ~/, or is relative to the folder you are in or to
the workspace; put quotes around a path with spaces. The model sees images, and
reads the text of documents and, if a transcriber is set, of voice recordings.
Only in a terminal: elsewhere, send the file itself.`,
    example: '/attach ~/Desktop/bill.pdf What do I owe?',
    read: attachArguments,
  },
  recall: {
    usage: ['WORDS', '[--since DATE] [--until DATE] [--by WHO] [--limit N] [--why] WORDS'],
    help: 'search everything ever said',
    more: `Finds what was said, including what the model no longer sees: who said it,
when, and where it is in the log. WHO is me, you or a name; a DATE is
2026-03-01, 2026-03, or 3d for three days ago. --why explains the order.`,
    example: '/recall --since 2026-03 the dentist',
    offers: [
      ['--since', 'only from this date on'],
      ['--until', 'only up to this date'],
      ['--by', 'only what me, you or a name said'],
      ['--limit', 'how many to show'],
      ['--why', 'explain the order'],
    ],
    read: recallArguments,
  },
  stop: {
    help: 'interrupt the running turn',
    more: `Ends the running turn of this conversation. What it said and did so far stays.`,
  },
  retry: {
    help: 'ask for the last answer again',
    more: `Takes the last answer out of the context and asks the model again, with the
current settings; tools that ran are not run again. A message that failed or
was stopped is sent again. /undo restores the earlier answer.`,
    when: 'turn-end',
  },
  edit: {
    usage: ['TEXT'],
    help: 'send TEXT in place of your last message',
    more: `Takes your last message and its answer out of the context and sends TEXT. What
the answer did stays done. Works if that message was written here and is not
summarized. /undo restores both.`,
    example: '/edit Two nights in Porto, not three',
    when: 'turn-end',
    read: required('text'),
  },
} as const satisfies Entries

function markArguments(text: string): Reading<{ readonly mark: string | null; readonly place?: number }> {
  const [, name = text, place] = /^(\S+)\s+at\s+(\d{1,15})$/i.exec(text) ?? []
  const read = optionalMark(name)
  return typeof read === 'string' || place === undefined ? read : { ...read, place: Number(place) }
}

function expandArguments(text: string): Reading<{ readonly summary?: number }> {
  if (text === '') return {}
  return /^\d{1,15}$/.test(text) ? { summary: Number(text) } : 'takes the position of a summary or nothing.'
}

function contextArguments(text: string): Reading<{ readonly policy: 'managed' | 'explicit' | null }> {
  if (text === '') return { policy: null }
  const [, policy] = /^policy\s+(managed|explicit)$/i.exec(text) ?? []
  if (policy === undefined) return `takes 'policy managed', 'policy explicit' or nothing.`
  return { policy: policy.toLowerCase() as 'managed' | 'explicit' }
}

interface RecallArguments {
  readonly words: string
  /** As typed: a day begins where the person is. */
  readonly since: string | null
  readonly until: string | null
  readonly by: string | null
  readonly limit: number | null
  readonly why: boolean
}

const OPTION = /^(?:--|[–—])(?=\p{L})/u
const RECALL_LIMIT_MAX = 50

/** Options stand anywhere among the words; after `--` there are none. */
function recallArguments(text: string): Reading<RecallArguments> {
  const words: string[] = []
  const found: RecallArguments = { words: '', since: null, until: null, by: null, limit: null, why: false }
  for (let rest = text; rest !== '';) {
    const [word, after] = firstWord(rest)
    if (!OPTION.test(word)) {
      words.push(word === '--' ? after : word)
      rest = word === '--' ? '' : after
      continue
    }
    const [value, behind] = quotedWord(after)
    const option = recallOption(word.replace(OPTION, '').toLowerCase(), value)
    if (typeof option === 'string') return option
    Object.assign(found, option)
    rest = option.why === true ? after : behind
  }
  const wanted = words.join(' ').trim()
  return wanted === '' ? 'needs words to search for.' : { ...found, words: wanted }
}

function recallOption(name: string, value: string): Reading<Partial<RecallArguments>> {
  if (name === 'why') return { why: true }
  if (name !== 'since' && name !== 'until' && name !== 'by' && name !== 'limit')
    return `has no option '--${quotable(name)}'; to search for that, put '--' and a space before it.`
  if (value === '') return `needs something after '--${name}'.`
  if (name === 'by') return { by: value }
  if (name === 'limit')
    return /^[1-9]\d?$/.test(value) && Number(value) <= RECALL_LIMIT_MAX
      ? { limit: Number(value) }
      : `takes a number from 1 to ${RECALL_LIMIT_MAX} after '--limit'.`
  // Whether a text is a time does not depend on the zone or on now.
  return momentOf(value, { zone: 'UTC', now: 0, edge: 'start' }) === undefined
    ? `takes a time after '--${name}': ${MOMENT_FORMS}.`
    : { [name]: value }
}

function attachArguments(text: string): Reading<{ readonly path: string; readonly message: string }> {
  const [path, message] = quotedWord(text)
  return path === '' ? 'needs the path of a file.' : { path, message }
}

/** A name of several words stands in quotes. */
function quotedWord(text: string): readonly [word: string, rest: string] {
  const [, double, single, rest] = /^(?:["“](.*?)["”]|'(.*?)')(?:\s+|$)(.*)$/su.exec(text) ?? []
  // Terminals put single quotes around a file that is dropped on them.
  const inside = double ?? single
  return inside === undefined ? firstWord(text) : [inside.trim(), rest ?? '']
}
