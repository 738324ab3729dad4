import { handleOf, type BranchId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import type { Address } from '../event/work.ts'
import type { Writing } from '../log/log.ts'
import { personNear } from './asker.ts'
import type { Written } from './summariser.ts'
import { bindingTable } from './tables.ts'

/** `62 older messages are summed up in 480 tokens, by extract. …` */
export function sayCompaction({
  messages,
  summaries,
}: {
  readonly messages: number
  readonly summaries: readonly Written[]
}): string {
  const what = messages === 1 ? '1 older message is' : `${messages} older messages are`
  const tokens = summaries.reduce((sum, one) => sum + one.tokens, 0)
  const why = summaries.find(({ insteadOf }) => insteadOf !== undefined)?.insteadOf
  const instead = why === undefined ? '' : ` (no model could: ${why.message})`
  return `${what} summed up in ${tokens} tokens, by ${writersOf(summaries)}${instead}.`
}

export function writersOf(summaries: readonly Written[]): string {
  return [...new Set(summaries.map(({ writer }) => writer))].join(', ')
}

export const HOW_TO_EXPAND = '/expand or /undo brings them back.'

/** In the terminal always; other channels are told with a later answer. */
export function tellTerminal(
  writing: Writing,
  { branch, at, text }: { branch: BranchId; at: number; text: string },
): void {
  const to = personNear(writing, branch)
  if (to?.channel !== 'terminal') return
  const words = isTalkedTo(writing, to, branch)
    ? `${text} ${HOW_TO_EXPAND}`
    : `In ${handleOf(branch)} ${text} /switch ${handleOf(branch)}, and ${HOW_TO_EXPAND}`
  const intent = { to, form: 'notice', text: words, turn: null } as const
  writing.append({ kind: 'delivery-intended', branch, at, v: 1, ...intent })
}

/** The commands that are named act where the person is. */
function isTalkedTo(reader: Reader, { channel, conversation }: Address, branch: BranchId): boolean {
  return reader.row(bindingTable, [channel, conversation])?.['branch'] === branch
}
