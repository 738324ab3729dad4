import {
  firstWord,
  numberIn,
  optionalText,
  optionalWord,
  required,
  type Entries,
  type Reading,
} from './arguments.ts'
import { permissionModes } from '../../permission/judge.ts'

/** Commands about tools, permissions and memory. */
export const rightEntries = {
  approve: {
    usage: ['[N] [always]', 'N YOUR WORDS'],
    help: 'approve what waits for you',
    more: `You can omit the number if only one waits. 'always' also allows such calls
from now on. For a line to remember, words after the number replace it.
/approvals lists what waits.`,
    example: '/approve 3 always',
    read: approveArguments,
  },
  deny: {
    usage: ['[N] [WHY]'],
    help: 'deny what waits for you',
    more: `Nothing changes. The model is told, with your reason if you give one. You can
omit the number if only one waits.`,
    example: '/deny 3 not before Friday',
    read: denyArguments,
  },
  approvals: {
    usage: ['[N]'],
    help: 'what waits for you; with N: one in full',
    more: `Lists what the model wants to do and may not do without you: calls, changes to
AGENTS.md and to skills, lines to remember.`,
    example: '/approvals 3',
    read: optionalNumber,
  },
  allow: {
    usage: ['[PATTERN]'],
    help: 'allow calls, or list what is allowed',
    more: `A pattern is the name of a tool, or TOOL(GLOB), where * matches anything:
write(notes/*), web_fetch(https://example.com/*). It holds until /disallow,
across restarts, and ends when the tool itself changes.`,
    example: '/allow web_fetch(https://example.com/*)',
    offers: ['TOOL'],
    read: optionalText,
  },
  disallow: {
    usage: ['PATTERN'],
    help: 'undo an /allow',
    more: `Takes the pattern as /allow lists it.`,
    example: '/disallow web_fetch(https://example.com/*)',
    offers: ['GRANT'],
    read: required('text'),
  },
  permissions: {
    usage: ['[MODE]'],
    help: 'show or change how calls are decided',
    more: `Without MODE, lists the modes.

  dontAsk            built-in tools run, others only if you allowed them
  default            asks before writing files, reaching the web or running
                     a program
  acceptEdits        the same, but files may be written without asking
  bypassPermissions  everything runs; only from the terminal`,
    example: '/permissions default',
    offers: [
      ['dontAsk', 'built-in tools run, others only if allowed'],
      ['default', 'asks before writing files, web or programs'],
      ['acceptEdits', 'as default, but files may be written'],
      ['bypassPermissions', 'everything runs without asking'],
    ],
    read: modeArgument,
  },
  tools: {
    usage: ['[NAME]'],
    help: 'the tools, and whether they may run',
    more: `Lists the tools with where they come from and whether a call would run, be
asked about or be refused. With a name, everything about one tool.`,
    example: '/tools web_fetch',
    offers: ['TOOL'],
    read: optionalWord('tool', 'the name of one tool'),
  },
  skills: {
    usage: ['', 'allow NAME'],
    help: 'the skills, and why one is not loaded',
    more: `Lists the skills that were found, and the bundled ones you can add. 'allow'
allows all tools of one skill, as they are now.`,
    example: '/skills allow git',
    offers: [['allow', 'allow all tools of a skill']],
    read: skillsArguments,
  },
  memory: {
    help: 'what is always remembered',
    more: `Shows the lines of memory.md, which are part of every prompt. To change them,
edit the file and type /reload, or use /remember.`,
  },
  remember: {
    usage: ['TEXT'],
    help: 'add a line to memory.md',
    more: `The line is part of every prompt from now on.`,
    example: '/remember My dentist is Dr. Ono.',
    read: required('text'),
  },
  pair: {
    usage: ['', 'approve CODE me', 'approve CODE NAME', 'refuse CODE'],
    help: `approve someone's pairing code`,
    more: `Someone new who writes to the assistant gets a code, which works for an hour.
Without arguments, lists who is waiting.

  approve CODE me    it is you, and that conversation talks to main
  approve CODE NAME  a guest, with a main session of their own
  refuse CODE        forgets the code`,
    example: '/pair approve ABCD-EFGH Ana',
    offers: [
      ['approve', 'approve a code'],
      ['refuse', 'forget a code'],
    ],
    read: pairArguments,
  },
  people: {
    usage: ['', 'remove NAME'],
    help: 'who can talk to the assistant',
    more: `Lists the people, where they write from and when they last did. 'remove' ends
a guest's conversations and jobs; to write again, they need a new code. NAME
can also be one account, such as telegram:12345, even yours.`,
    example: '/people remove Ana',
    offers: [['remove', 'remove a guest']],
    read: peopleArguments,
  },
} as const satisfies Entries

/** In the spelling of the settings, so that nothing about it is decided on another one (RIGHT1). */
function modeArgument(text: string): Reading<{ readonly mode: string | null }> {
  const read = optionalWord('mode', 'one of dontAsk, default, acceptEdits, bypassPermissions')(text)
  if (typeof read === 'string') return read
  const known = permissionModes.find((mode) => mode.toLowerCase() === read.mode?.toLowerCase())
  return { mode: known ?? read.mode }
}

/** `3`, `always`, `3 always`, `3 -- other words`, `3 other words`. */
function approveArguments(text: string): Reading<{
  /** Null: the only one that waits. */
  readonly number: number | null
  readonly always: boolean
  /** Replaces the line to remember. */
  readonly words: string | null
}> {
  const { number, words } = numberAndWords(text)
  if (/^(?:#?[1-9]\d{0,8}\s+)?always$/i.test(text)) return { number, always: true, words: null }
  if (number === null && words !== null)
    return "takes the number of what waits, and then 'always' or your words."
  return { number, always: false, words }
}

function denyArguments(
  text: string,
): Reading<{ readonly number: number | null; readonly why: string | null }> {
  const { number, words } = numberAndWords(text)
  return { number, why: words }
}

function numberAndWords(text: string): { readonly number: number | null; readonly words: string | null } {
  const [first, rest] = firstWord(text)
  const number = numberIn(first) ?? null
  const words = (number === null ? text : rest).replace(/^(?:--|[–—])\s+/, '').trim()
  return { number, words: words || null }
}

function optionalNumber(text: string): Reading<{ readonly number: number | null }> {
  const number = text === '' ? null : numberIn(text)
  return number === undefined ? 'takes the number of one that waits, or nothing.' : { number }
}

type PairArguments =
  | { readonly act: 'list' }
  | { readonly act: 'approve'; readonly code: string; readonly as: string }
  | { readonly act: 'refuse'; readonly code: string }

function pairArguments(text: string): Reading<PairArguments> {
  const [act, rest] = firstWord(text)
  const [code, as] = firstWord(rest)
  if (act === '') return { act: 'list' }
  if (/^refuse$/i.test(act) && code !== '' && as === '') return { act: 'refuse', code }
  if (!/^approve$/i.test(act) || as === '')
    return "takes 'approve CODE me', 'approve CODE NAME' or 'refuse CODE'."
  return as.length > NAME_MAX
    ? `takes a name of at most ${NAME_MAX} characters.`
    : { act: 'approve', code, as: as.toLowerCase() === 'me' ? 'me' : as }
}

const NAME_MAX = 40

function peopleArguments(text: string): Reading<{ readonly remove: string | null }> {
  if (text === '') return { remove: null }
  const [, name] = /^remove\s+(\S.*)$/i.exec(text) ?? []
  return name === undefined ? "takes 'remove NAME' or nothing." : { remove: name }
}

function skillsArguments(text: string): Reading<{ readonly allow: string | null }> {
  if (text === '') return { allow: null }
  const [, name] = /^allow\s+(\S.*)$/i.exec(text) ?? []
  return name === undefined ? "takes 'allow NAME' or nothing." : { allow: name }
}
