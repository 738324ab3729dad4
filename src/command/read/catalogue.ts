import { branchEntries } from './catalogue-branches.ts'
import { jobEntries } from './catalogue-jobs.ts'
import { pingEntries } from './catalogue-pings.ts'
import { rightEntries } from './catalogue-rights.ts'
import type { CommandEntry } from './command-entry.ts'
import { nearest } from '../../base/nearest.ts'
import {
  contextArguments,
  flag,
  nothing,
  optionalMark,
  optionalText,
  optionalWord,
  recallArguments,
  requiredText,
  thinking,
  type ArgumentReader,
} from './arguments.ts'

export const catalogue = [
  {
    name: 'mark',
    aliases: [],
    group: 'context',
    usage: ['NAME'],
    help: 'set a mark here, to come back to',
    more: `Names this place in the conversation; /rewind NAME comes back to it. A name
that is used again moves its mark. Without a name you get the list of marks.`,
    example: '/mark BEFORE_REFACTOR',
    when: 'step-end',
    offers: [],
    read: optionalMark,
  },
  {
    name: 'clear',
    aliases: [],
    group: 'context',
    usage: ['[MARK]'],
    help: 'empty the context, or rewind it to MARK',
    more: `Alone, it takes all that was said so far out of what the model sees. With a
mark, it takes out what came after the mark. The log keeps everything, and
/undo brings it back.`,
    example: '/clear BEFORE_REFACTOR',
    when: 'turn-end',
    offers: ['MARK'],
    read: optionalMark,
  },
  {
    name: 'rewind',
    aliases: [],
    group: 'context',
    usage: ['[MARK]'],
    help: 'rewind to MARK, or to the newest mark',
    more: `Takes what came after the mark out of what the model sees. Later marks go
with it; the mark itself stays. /undo brings it all back.`,
    example: '/rewind BEFORE_REFACTOR',
    when: 'turn-end',
    offers: ['MARK'],
    read: optionalMark,
  },
  {
    name: 'undo',
    aliases: [],
    group: 'context',
    usage: [''],
    help: 'take back the last change of the context',
    more: `Takes back the last clear, rewind or other change of this branch's context,
whoever made it. What was said since then stays. The answer names what was
taken back and what the next /undo would take back.`,
    example: '/undo',
    when: 'turn-end',
    offers: [],
    read: nothing,
  },
  {
    name: 'redo',
    aliases: [],
    group: 'context',
    usage: [''],
    help: 'do again what /undo took back',
    more: `Goes one step the other way after an /undo. What was said since then stays.`,
    example: '/redo',
    when: 'turn-end',
    offers: [],
    read: nothing,
  },
  {
    name: 'note',
    aliases: [],
    group: 'context',
    usage: ['TEXT'],
    help: 'add a text without asking for an answer',
    more: `The model reads the text when it is called next. What stands between
/mark NAME and /fork NAME in one text becomes a note by itself.`,
    example: '/note The deadline is Friday.',
    when: 'step-end',
    offers: [],
    read: requiredText,
  },
  {
    name: 'new',
    aliases: [],
    group: 'context',
    usage: [''],
    help: 'start with a clean history, as /clear does',
    more: `The next message starts with an empty context. The log keeps everything,
and /undo brings it back.`,
    example: '/new',
    when: 'turn-end',
    offers: [],
    read: nothing,
  },
  {
    name: 'context',
    aliases: [],
    group: 'context',
    usage: ['', 'policy managed|explicit'],
    help: 'what the model sees now',
    more: `Lists the parts of the next prompt with their tokens, the ranges of messages
in it, the marks, and what is summarised. With a policy, it sets how this
branch's context is kept: managed sums up old messages by itself, explicit
never changes anything but by command.`,
    example: '/context policy explicit',
    when: 'at-once',
    offers: ['policy managed', 'policy explicit'],
    read: contextArguments,
  },
  {
    name: 'compact',
    aliases: [],
    group: 'context',
    usage: ['[FOCUS]'],
    help: 'sum up the older messages now',
    more: `Puts a summary in place of all but the newest messages. What you name as
focus is kept above all. /expand or /undo brings the messages back.`,
    example: '/compact the travel plans',
    when: 'turn-end',
    offers: [],
    read: optionalText,
  },
  {
    name: 'expand',
    aliases: [],
    group: 'context',
    usage: [''],
    help: 'open the newest summary again',
    more: `Puts back what the newest summary stands for, word for word. /undo takes that
back; for a while nothing is summed up by itself.`,
    example: '/expand',
    when: 'turn-end',
    offers: [],
    read: nothing,
  },
  {
    name: 'recall',
    aliases: [],
    group: 'context',
    usage: ['WORDS', '[--since DATE] [--until DATE] [--by WHO] [--limit N] [--why] WORDS'],
    help: 'search all that was ever said',
    more: `Finds what was said, also what the model does not see any more, with who said
it, when, and where it stands in the log. WHO is me, you or a name; a DATE is
2026-03-01, 2026-03, or 3d for three days ago. --why explains the order.`,
    example: '/recall --since 2026-03 the dentist',
    when: 'at-once',
    offers: ['--since', '--until', '--by', '--limit', '--why'],
    read: recallArguments,
  },
  {
    name: 'stop',
    aliases: [],
    group: 'context',
    usage: [''],
    help: 'interrupt the running turn',
    more: `Ends the turn that runs in this branch. What was finished before stays in the
conversation.`,
    example: '/stop',
    when: 'at-once',
    offers: [],
    read: nothing,
  },
  {
    name: 'retry',
    aliases: [],
    group: 'context',
    usage: [''],
    help: 'try again the message that failed',
    more: `A message that could not be answered is kept as failed. This brings it back
and asks the model again, with the settings of now.`,
    example: '/retry',
    when: 'turn-end',
    offers: [],
    read: nothing,
  },
  ...branchEntries,
  ...rightEntries,
  ...jobEntries,
  ...pingEntries,
  {
    name: 'model',
    aliases: [],
    group: 'settings',
    usage: ['[NAME]'],
    help: 'show or change the model',
    more: `The new model answers from the next call on. A name is PROVIDER/MODEL, or
offline.`,
    example: '/model anthropic/claude-sonnet-4-5',
    when: 'at-once',
    offers: [],
    read: optionalWord('model', 'one name of a model, such as anthropic/claude-sonnet-4-5'),
  },
  {
    name: 'thinking',
    aliases: [],
    group: 'settings',
    usage: ['[off|adaptive|TOKENS]'],
    help: 'how much the model thinks first',
    more: `'adaptive' leaves it to the model; a number is the most tokens it may think
for. It holds from the next call on.`,
    example: '/thinking adaptive',
    when: 'at-once',
    offers: ['off', 'adaptive'],
    read: thinking,
  },
  {
    name: 'system',
    aliases: [],
    group: 'settings',
    usage: [''],
    help: 'show the system text',
    more: `Shows the text that opens every prompt, as the model gets it.`,
    example: '/system',
    when: 'at-once',
    offers: [],
    read: nothing,
  },
  {
    name: 'cost',
    aliases: [],
    group: 'settings',
    usage: ['[allow]'],
    help: `what was spent; allow: pass today's limit`,
    more: `Shows what was spent and how much of the day's limit is left. 'allow' lets the
spending limit be passed for the rest of today.`,
    example: '/cost allow',
    when: 'at-once',
    offers: ['allow'],
    read: flag('allow'),
  },
  {
    name: 'reload',
    aliases: [],
    group: 'settings',
    usage: [''],
    help: 'read AGENTS.md and other files anew',
    more: `Reads the files that make up the system text again and shows what changed in
it.`,
    example: '/reload',
    when: 'turn-end',
    offers: [],
    read: nothing,
  },
  {
    name: 'help',
    aliases: ['?'],
    group: 'settings',
    usage: ['[COMMAND]'],
    help: 'this list, or more about one command',
    more: `With a name, it tells how that command is used.`,
    example: '/help fork',
    when: 'at-once',
    offers: ['COMMAND'],
    read: optionalWord('about', 'the name of one command'),
  },
] as const satisfies readonly CommandEntry[]

type Entry = (typeof catalogue)[number]
export type CommandName = Entry['name']

type CommandOf<E> = E extends { readonly name: infer N; readonly read: ArgumentReader<infer T> }
  ? { readonly name: N } & T
  : never

/** A command with what its arguments mean: `{ name: 'clear', mark: string | null }` and so on, by name. */
export type ParsedCommand = CommandOf<Entry>

const byWord = new Map<string, Entry>(
  catalogue.flatMap((entry) => [entry.name, ...entry.aliases].map((word) => [word, entry] as const)),
)

/** The command of that name or alias, in capitals too: phones begin a line with one. */
export function commandNamed(word: string): Entry | undefined {
  return byWord.get(word.toLowerCase())
}

const WORD_MAX = 32
/** Any sign is near to a name of one sign. */
const likely = [...byWord.keys()].filter((word) => word.length > 1)

export function nearestCommand(word: string): string | undefined {
  // A pasted line can be a megabyte without a space, and looking for what is near takes time for each letter.
  return word.length > WORD_MAX ? undefined : nearest(word.toLowerCase(), likely)
}

/** `/fork [MARK] [-- GOAL]` and the other forms. */
export function usageOf({ name, usage }: CommandEntry): readonly string[] {
  return usage.map((form) => `/${name} ${form}`.trimEnd())
}
