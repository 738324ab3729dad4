import { branchEntries } from './catalogue-branches.ts'
import { jobEntries } from './catalogue-jobs.ts'
import { pingEntries } from './catalogue-pings.ts'
import { rightEntries } from './catalogue-rights.ts'
import { talkEntries } from './catalogue-talk.ts'
import { nearest } from '../../base/nearest.ts'
import {
  flag,
  optionalWord,
  type ArgumentReader,
  type CommandEntry,
  type Entries,
  type Reading,
} from './arguments.ts'

const settingEntries = {
  model: {
    usage: ['[NAME]'],
    help: 'show or change the model',
    more: `The new model answers from its next call on. A name is PROVIDER/MODEL, or
offline.`,
    example: '/model anthropic/claude-sonnet-4-5',
    offers: ['MODEL'],
    read: optionalWord('model', 'one name of a model, such as anthropic/claude-sonnet-4-5'),
  },
  thinking: {
    usage: ['[off|adaptive|TOKENS]'],
    help: 'how much the model thinks first',
    more: `'adaptive' leaves it to the model; a number is the most tokens it may use for
thinking. Takes effect with the next call.`,
    example: '/thinking adaptive',
    offers: [
      ['off', 'answer without thinking first'],
      ['adaptive', 'as much as the model thinks it needs'],
    ],
    read: thinking,
  },
  system: {
    help: 'show the system text',
    more: `Shows the text that begins every prompt, as the model gets it.`,
  },
  cost: {
    usage: ['[allow]'],
    help: `what was spent; 'allow' lifts today's limit`,
    more: `Shows what was spent and how much of the daily limit is left. 'allow' lifts
the limit for the rest of today.`,
    example: '/cost allow',
    offers: [['allow', 'lift the limit for the rest of today']],
    read: flag('allow'),
  },
  reload: {
    help: 'read AGENTS.md and other files again',
    more: `Reads the files that make up the system text again and shows what changed.`,
    when: 'turn-end',
  },
  help: {
    aliases: ['?'],
    usage: ['[COMMAND|TOPIC]'],
    help: 'this list, or more about one command',
    more: `TOPIC is talk, forks, rights, jobs or settings.`,
    example: '/help fork',
    offers: ['COMMAND'],
    read: optionalWord('about', 'the name of one command or topic'),
  },
} as const satisfies Entries

type Typed = typeof talkEntries &
  typeof branchEntries &
  typeof rightEntries &
  typeof jobEntries &
  typeof pingEntries &
  typeof settingEntries
export type CommandName = keyof Typed

type ArgumentsOf<E> = E extends { readonly read: ArgumentReader<infer T> } ? T : object

/** A command with its arguments: `{ name: 'clear', mark: string | null }` and so on, by name. */
export type ParsedCommand = {
  readonly [N in CommandName]: { readonly name: N } & ArgumentsOf<Typed[N]>
}[CommandName]

export interface Entry extends Required<CommandEntry> {
  readonly name: CommandName
  readonly group: 'talk' | 'forks' | 'rights' | 'jobs' | 'settings'
}

const plain = { aliases: [], usage: [''], when: 'at-once', offers: [], read: nothing } as const

function entriesOf(group: Entry['group'], entries: Entries): Entry[] {
  return Object.entries(entries).map(([name, entry]) => ({
    ...plain,
    example: `/${name}`,
    ...entry,
    name: name as CommandName,
    group,
  }))
}

export const catalogue: readonly Entry[] = [
  ...entriesOf('talk', talkEntries),
  ...entriesOf('forks', branchEntries),
  ...entriesOf('rights', rightEntries),
  ...entriesOf('jobs', { ...jobEntries, ...pingEntries }),
  ...entriesOf('settings', settingEntries),
]

const byWord = new Map<string, Entry>(
  catalogue.flatMap((entry) => [entry.name, ...entry.aliases].map((word) => [word, entry] as const)),
)

/** The command of that name or alias, in capitals too: phones begin a line with one. */
export function commandNamed(word: string): Entry | undefined {
  return byWord.get(word.toLowerCase())
}

/** What guests may do with their own. Every other command is the owner's, and so is a new one. */
const GUESTS: ReadonlySet<string> = new Set<CommandName>([
  ...(['mark', 'clear', 'rewind', 'undo', 'redo', 'note', 'new', 'context', 'compact', 'expand'] as const),
  ...([
    'recall',
    'stop',
    'retry',
    'edit',
    'fork',
    'save',
    'report',
    'exit',
    'switch',
    'agents',
    'kill',
  ] as const),
  ...(['send', 'check-mail', 'updates', 'reply', 'reminders', 'todo', 'done', 'snooze', 'less'] as const),
  'here',
  ...(['approve', 'deny', 'approvals', 'tools', 'memory', 'remember', 'system', 'help'] as const),
  'timezone',
  'cost',
  'ping-budget',
])

/** Whether only the owner may use a command in this form. */
export function isForOwner(command: ParsedCommand): boolean {
  switch (command.name) {
    case 'approve':
      return command.always
    case 'timezone':
      return command.zone !== null
    case 'cost':
      return command.allow
    case 'ping-budget':
      return command.act === 'capacity' || command.act === 'refill'
    default:
      return !GUESTS.has(command.name)
  }
}

/** The commands that somebody may use in some form. */
export function commandsFor(role: 'owner' | 'guest'): readonly Entry[] {
  return role === 'owner' ? catalogue : catalogue.filter(({ name }) => GUESTS.has(name))
}

/** Every character is near a name of one character. */
const likely = [...byWord.keys()].filter((word) => word.length > 1)

export function nearestCommand(word: string): string | undefined {
  return nearest(word.toLowerCase(), likely)
}

/** `/fork [MARK] [-- GOAL]` and the other forms. */
export function usageOf({
  name,
  usage,
}: Pick<Entry, 'usage'> & { readonly name: string }): readonly string[] {
  return usage.map((form) => `/${name} ${form}`.trimEnd())
}

function nothing(text: string): Reading<object> {
  return text === '' ? {} : 'takes no arguments.'
}

function thinking(text: string): Reading<{ readonly thinking: 'off' | 'adaptive' | number | null }> {
  if (text === '') return { thinking: null }
  if (text === 'off' || text === 'adaptive') return { thinking: text }
  if (/^[1-9]\d{0,6}$/.test(text)) return { thinking: Number(text) }
  return `takes 'off', 'adaptive' or a number of tokens from 1 to 9999999.`
}
