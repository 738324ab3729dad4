import { nothing, optionalText, optionalWord, requiredText } from './arguments.ts'
import { approveArguments, denyArguments, optionalNumber, skillsArguments } from './arguments-rights.ts'
import type { CommandEntry } from './command-entry.ts'

/** The commands about what the model may do, and what it always knows. */
export const rightEntries = [
  {
    name: 'approve',
    aliases: [],
    group: 'rights',
    usage: ['[N] [always]', 'N YOUR WORDS'],
    help: 'say yes to what waits for you',
    more: `The number can be left out where only one waits. 'always' also allows such
calls from now on. For a line to be remembered, words behind the number are
remembered in its place. /approvals lists what waits.`,
    example: '/approve 3 always',
    when: 'at-once',
    offers: [],
    read: approveArguments,
  },
  {
    name: 'deny',
    aliases: [],
    group: 'rights',
    usage: ['[N] [WHY]'],
    help: 'say no to what waits for you',
    more: `Nothing is changed. The model is told, and reads why if you say so. The number
can be left out where only one waits.`,
    example: '/deny 3 not before Friday',
    when: 'at-once',
    offers: [],
    read: denyArguments,
  },
  {
    name: 'approvals',
    aliases: [],
    group: 'rights',
    usage: ['[N]'],
    help: 'what waits for you; N: all of that one',
    more: `Lists what the model wants to do and may not do without you: calls, changes of
AGENTS.md and of skills, lines to remember.`,
    example: '/approvals 3',
    when: 'at-once',
    offers: [],
    read: optionalNumber,
  },
  {
    name: 'allow',
    aliases: [],
    group: 'rights',
    usage: ['[PATTERN]'],
    help: 'allow calls; alone: what is allowed',
    more: `A pattern is the name of a tool, or TOOL(GLOB), where * stands for anything:
write(notes/*), web_fetch(https://example.com/*). It holds until /disallow,
after a restart too, and ends by itself when the tool becomes another one.`,
    example: '/allow web_fetch(https://example.com/*)',
    when: 'at-once',
    offers: ['TOOL'],
    read: optionalText,
  },
  {
    name: 'disallow',
    aliases: [],
    group: 'rights',
    usage: ['PATTERN'],
    help: 'take back what /allow allowed',
    more: `The pattern as /allow lists it.`,
    example: '/disallow web_fetch(https://example.com/*)',
    when: 'at-once',
    offers: ['GRANT'],
    read: requiredText,
  },
  {
    name: 'permissions',
    aliases: [],
    group: 'rights',
    usage: ['[MODE]'],
    help: 'show or change how calls are decided',
    more: `dontAsk: what is built in runs, anything else only if you allowed it.
default: you are asked before files are written, the web is reached or a
program runs. acceptEdits: the same, but files may be written.
bypassPermissions: everything runs; only from the terminal.`,
    example: '/permissions default',
    when: 'at-once',
    offers: ['dontAsk', 'default', 'acceptEdits', 'bypassPermissions'],
    read: optionalWord('mode', 'one of dontAsk, default, acceptEdits, bypassPermissions'),
  },
  {
    name: 'tools',
    aliases: [],
    group: 'rights',
    usage: ['[NAME]'],
    help: 'what the model can do, and may',
    more: `Lists the tools with where they come from and whether a call would run, be
asked about or be refused. With a name, all about one tool.`,
    example: '/tools web_fetch',
    when: 'at-once',
    offers: ['TOOL'],
    read: optionalWord('tool', 'the name of one tool'),
  },
  {
    name: 'skills',
    aliases: [],
    group: 'rights',
    usage: ['', 'allow NAME'],
    help: 'skills, and why one is not loaded',
    more: `Lists the skills that were found and those that come along and can be added.
'allow' lets all tools of one skill run, as they are now.`,
    example: '/skills allow git',
    when: 'at-once',
    offers: ['allow'],
    read: skillsArguments,
  },
  {
    name: 'memory',
    aliases: [],
    group: 'rights',
    usage: [''],
    help: 'what is always remembered',
    more: `Shows the lines of memory.md, which stand in every prompt and beat what is
recalled. Edit the file and type /reload, or use /remember.`,
    example: '/memory',
    when: 'at-once',
    offers: [],
    read: nothing,
  },
  {
    name: 'remember',
    aliases: [],
    group: 'rights',
    usage: ['TEXT'],
    help: 'write a line into memory.md',
    more: `The line is in every prompt from now on.`,
    example: '/remember My dentist is Dr. Ono.',
    when: 'at-once',
    offers: [],
    read: requiredText,
  },
] as const satisfies readonly CommandEntry[]
