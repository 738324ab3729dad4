import {
  firstWord,
  nothing,
  numberIn,
  optionalText,
  optionalWord,
  requiredText,
  type CommandEntry,
  type Reading,
} from './arguments.ts'

/** The commands about what the model may do, and what it always knows. */
export const rightEntries = [
  {
    name: 'approve',
    group: 'rights',
    usage: ['[N] [always]', 'N YOUR WORDS'],
    help: 'approve what waits for you',
    more: `You can omit the number if only one waits. 'always' also allows such calls
from now on. For a line to remember, words after the number replace it.
/approvals lists what waits.`,
    example: '/approve 3 always',
    read: approveArguments,
  },
  {
    name: 'deny',
    group: 'rights',
    usage: ['[N] [WHY]'],
    help: 'deny what waits for you',
    more: `Nothing changes. The model is told, with your reason if you give one. You can
omit the number if only one waits.`,
    example: '/deny 3 not before Friday',
    read: denyArguments,
  },
  {
    name: 'approvals',
    group: 'rights',
    usage: ['[N]'],
    help: 'what waits for you; with N: one in full',
    more: `Lists what the model wants to do and may not do without you: calls, changes to
AGENTS.md and to skills, lines to remember.`,
    example: '/approvals 3',
    read: optionalNumber,
  },
  {
    name: 'allow',
    group: 'rights',
    usage: ['[PATTERN]'],
    help: 'allow calls, or list what is allowed',
    more: `A pattern is the name of a tool, or TOOL(GLOB), where * matches anything:
write(notes/*), web_fetch(https://example.com/*). It holds until /disallow,
across restarts, and ends when the tool itself changes.`,
    example: '/allow web_fetch(https://example.com/*)',
    offers: ['TOOL'],
    read: optionalText,
  },
  {
    name: 'disallow',
    group: 'rights',
    usage: ['PATTERN'],
    help: 'undo an /allow',
    more: `Takes the pattern as /allow lists it.`,
    example: '/disallow web_fetch(https://example.com/*)',
    offers: ['GRANT'],
    read: requiredText,
  },
  {
    name: 'permissions',
    group: 'rights',
    usage: ['[MODE]'],
    help: 'show or change how calls are decided',
    more: `dontAsk: built-in tools run, others only if you allowed them.
default: asks before writing files, reaching the web or running a program.
acceptEdits: the same, but files may be written without asking.
bypassPermissions: everything runs; only from the terminal.`,
    example: '/permissions default',
    offers: ['dontAsk', 'default', 'acceptEdits', 'bypassPermissions'],
    read: optionalWord('mode', 'one of dontAsk, default, acceptEdits, bypassPermissions'),
  },
  {
    name: 'tools',
    group: 'rights',
    usage: ['[NAME]'],
    help: 'the tools, and whether they may run',
    more: `Lists the tools with where they come from and whether a call would run, be
asked about or be refused. With a name, everything about one tool.`,
    example: '/tools web_fetch',
    offers: ['TOOL'],
    read: optionalWord('tool', 'the name of one tool'),
  },
  {
    name: 'skills',
    group: 'rights',
    usage: ['', 'allow NAME'],
    help: 'the skills, and why one is not loaded',
    more: `Lists the skills that were found, and the bundled ones you can add. 'allow'
allows all tools of one skill, as they are now.`,
    example: '/skills allow git',
    offers: ['allow'],
    read: skillsArguments,
  },
  {
    name: 'memory',
    group: 'rights',
    help: 'what is always remembered',
    more: `Shows the lines of memory.md, which are part of every prompt. To change them,
edit the file and type /reload, or use /remember.`,
    example: '/memory',
    read: nothing,
  },
  {
    name: 'remember',
    group: 'rights',
    usage: ['TEXT'],
    help: 'add a line to memory.md',
    more: `The line is part of every prompt from now on.`,
    example: '/remember My dentist is Dr. Ono.',
    read: requiredText,
  },
] as const satisfies readonly CommandEntry[]

export interface ApproveArguments {
  /** Null: the newest that waits. */
  readonly number: number | null
  readonly always: boolean
  /** In place of the line that is to be remembered. */
  readonly words: string | null
}

/** `3`, `always`, `3 always`, `3 -- other words`, `3 other words`. */
export function approveArguments(text: string): Reading<ApproveArguments> {
  const [first, rest] = firstWord(text)
  const number = numberIn(first) ?? null
  const behind = (number === null ? text : rest).trim()
  if (/^always$/i.test(behind)) return { fits: { number, always: true, words: null } }
  const words = behind.replace(/^(?:--|[–—])\s+/, '')
  if (words === '') return { fits: { number, always: false, words: null } }
  if (number === null) return { misfit: "takes the number of what waits, and then 'always' or your words." }
  return { fits: { number, always: false, words } }
}

export function optionalNumber(text: string): Reading<{ readonly number: number | null }> {
  if (text === '') return { fits: { number: null } }
  const number = numberIn(text)
  return number === undefined
    ? { misfit: 'takes the number of one that waits, or nothing.' }
    : { fits: { number } }
}

export interface DenyArguments {
  readonly number: number | null
  /** Why, for the model to read. */
  readonly why: string | null
}

export function denyArguments(text: string): Reading<DenyArguments> {
  const [first, rest] = firstWord(text)
  const number = numberIn(first) ?? null
  const why = (number === null ? text : rest).replace(/^(?:--|[–—])\s+/, '').trim()
  return { fits: { number, why: why === '' ? null : why } }
}

export function skillsArguments(text: string): Reading<{ readonly allow: string | null }> {
  if (text === '') return { fits: { allow: null } }
  const [, name] = /^allow\s+(\S.*)$/i.exec(text) ?? []
  return name === undefined ? { misfit: "takes 'allow NAME' or nothing." } : { fits: { allow: name } }
}
