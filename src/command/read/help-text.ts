import { quotable } from './arguments.ts'
import { catalogue, commandNamed, nearestCommand, usageOf } from './catalogue.ts'
import type { CommandEntry } from './command-entry.ts'

const GROUPS: Readonly<Record<CommandEntry['group'], string>> = {
  context: 'Talk and context',
  branches: 'Branches and mail',
  rights: 'Tools and memory',
  background: 'Jobs and pings',
  settings: 'Settings and help',
}

const WAITS: Readonly<Record<CommandEntry['when'], readonly string[]>> = {
  'at-once': [],
  'step-end': ['While a turn runs, it waits for the end of the running step.'],
  'turn-end': ['While a turn runs, it waits for the end of the turn; /stop interrupts that.'],
}

/** All commands in groups, or how one of them is used; in lines of at most 78 columns. */
export function helpText(command?: string): string {
  if (command === undefined) return overview()
  const word = command.replace(/^\//, '')
  const entry = commandNamed(word)
  return entry === undefined ? unknown(word) : about(entry)
}

function overview(): string {
  const width = Math.max(...catalogue.map((entry) => firstUsage(entry).length))
  const groups = Object.entries(GROUPS).map(([group, title]) => {
    const entries = catalogue.filter((entry) => entry.group === group)
    return [title, ...entries.map((entry) => `  ${firstUsage(entry).padEnd(width)}  ${entry.help}`)]
  })
  const end = [
    '/help COMMAND tells more about one of them.',
    'A text that begins with a command is read line by line, one command a line.',
    'A text that is to begin with a slash begins with two: //text.',
  ]
  return [...groups, end].map((lines) => lines.join('\n')).join('\n\n')
}

function firstUsage(entry: CommandEntry): string {
  return usageOf(entry)[0] ?? ''
}

function about(entry: CommandEntry): string {
  const also = entry.aliases.map((alias) => `/${alias}`).join(', ')
  return [
    ...usageOf(entry),
    '',
    entry.more,
    ...WAITS[entry.when],
    ...(also === '' ? [] : [`Also: ${also}`]),
    '',
    `Example: ${entry.example}`,
  ].join('\n')
}

function unknown(word: string): string {
  const near = nearestCommand(word)
  const instead = near === undefined ? '' : ` Did you mean /${near}?`
  return `Unknown command '/${quotable(word)}'.${instead} /help lists the commands.`
}
