import { filledLines, unbroken } from '../../base/width.ts'
import { hangingLines } from '../../channel/terminal/text/wrap.ts'
import { quotable } from './arguments.ts'
import { commandNamed, commandsFor, nearestCommand, usageOf, type Entry } from './catalogue.ts'

/** No topic has the name of a command: `/help talk` lists its commands. */
const TOPICS: Readonly<Record<Entry['group'], string>> = {
  talk: 'The conversation, and what the model sees of it',
  forks: 'Side conversations, children and background runs',
  rights: 'Tools, permissions, memory and people',
  jobs: 'Routines, reminders, to-dos and pings',
  settings: 'Model, cost and help',
}

const WAITS: Readonly<Record<Entry['when'], string>> = {
  'at-once': '',
  'step-end': '\nDuring a turn it waits for the end of the current step.',
  'turn-end': '\nDuring a turn it waits for the end of the turn; /stop interrupts the turn.',
}

/** All commands on one screen, the commands of a topic, or one command; in lines of at most 78 columns. */
export function helpText(about?: string, role: 'owner' | 'guest' = 'owner'): string {
  const entries = commandsFor(role)
  if (about === undefined) return overview(entries)
  const word = about.replace(/^\//, '').toLowerCase()
  const entry = commandNamed(word)
  if (entry !== undefined) return commandText(entry)
  const [topic, title] = Object.entries(TOPICS).find(([name]) => name === word) ?? []
  return topic === undefined
    ? unknown(word)
    : [title, ...topicLines(entries.filter(({ group }) => group === topic))].join('\n')
}

const INDENT = 12
const COLUMNS = 78

function overview(entries: readonly Entry[]): string {
  const topics = Object.entries(TOPICS).flatMap(([topic, title]) => {
    const names = entries.filter(({ group }) => group === topic).map(({ name }) => `/${name}`)
    const lines = filledLines(names, COLUMNS - INDENT).map((line) => ' '.repeat(INDENT) + line)
    return [`  ${topic.padEnd(INDENT - 2)}${title}`, ...lines]
  })
  return [
    'Type a message, or one of these commands:',
    '',
    ...topics,
    '',
    '/help TOPIC lists its commands, as in /help talk. /help COMMAND explains one.',
    'Commands can follow each other, one per line. To send a message that begins',
    'with a slash, type two: //text.',
  ].join('\n')
}

function topicLines(entries: readonly Entry[]): string[] {
  const width = Math.max(...entries.map((entry) => firstUsage(entry).length))
  return entries.map((entry) => `  ${firstUsage(entry).padEnd(width)}  ${entry.help}`)
}

function firstUsage(entry: Entry): string {
  return usageOf(entry)[0] ?? ''
}

function commandText(entry: Entry): string {
  const also = entry.aliases.map((alias) => `/${alias}`).join(', ')
  return [
    ...usageOf(entry),
    '',
    ...hangingLines(unbroken(entry.more + WAITS[entry.when]), COLUMNS).map(({ text }) => text),
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
