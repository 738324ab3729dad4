import { callsOf } from '../../agent/turn/call-prompt.ts'
import { turnNumberTable, turnTable } from '../../agent/state/tables.ts'
import { turnsIn } from '../../agent/state/turn-number.ts'
import { turnIdSchema, type BranchId } from '../../event/id.ts'
import type { EventOf } from '../../event/event.ts'
import type { Reader, RowOf } from '../../event/table.ts'
import { CommandError, UsageError } from '../frame/command.ts'

/** A turn, its number in its branch, and the model calls that it made. */
export type CalledTurn = ReturnType<typeof findTurnByWord>

type TurnRow = RowOf<typeof turnTable>

const ENDING_MIN = 6
const PAGE = 1_000

/** The turn a person named on the command line: its number in the branch, its id or the end of it, or `last`. */
export function findTurnByWord(reader: Reader, word: string, branch: () => BranchId) {
  const row =
    word === 'last'
      ? lastTurn(reader, branch())
      : (turnNumbered(reader, word, branch) ?? turnNamed(reader, word.toLowerCase()))
  const started = reader.event(row.position) as EventOf<'turn-started'>
  const calls = callsOf(reader, started.turn)
  if (calls.length === 0)
    throw new CommandError(`The turn ${started.turn} ended before a model was called, so it has no prompt`)
  return { number: row.number, started, calls }
}

function turnNumbered(reader: Reader, word: string, branch: () => BranchId): TurnRow | undefined {
  if (!/^\d{1,9}$/.test(word)) return undefined
  const row = reader.row(turnNumberTable, [branch(), Number(word)])
  return row && reader.row(turnTable, [row.turn])
}

/** The newest turn of the branch that called a model. */
function lastTurn(reader: Reader, branch: BranchId): TurnRow {
  for (let number = turnsIn(reader, branch); number > 0; number--) {
    const row = turnNumbered(reader, String(number), () => branch)
    if (row !== undefined && callsOf(reader, row.turn).length > 0) return row
  }
  throw new CommandError('No model was called in this branch yet')
}

function turnNamed(reader: Reader, word: string): TurnRow {
  const whole = turnIdSchema.safeParse(word)
  if (!whole.success && word.length < ENDING_MIN)
    throw new UsageError(
      `There is no turn '${word}' here. Give its number in the branch, its id or the last ${ENDING_MIN} characters of it, or 'last'`,
    )
  const one = whole.success ? reader.row(turnTable, [whole.data]) : undefined
  const found = one === undefined ? turnsEnding(reader, word) : [one]
  const [first, second] = found
  if (first === undefined)
    throw new CommandError(
      `There is no turn '${word}' in this log. 'mainstem log --kind turn-started --json' lists the turns`,
    )
  if (second !== undefined)
    throw new CommandError(
      `'${word}' matches several turns: ${found.map((row) => row.turn).join(', ')}. Give more of the id`,
    )
  return first
}

const CANDIDATES_MAX = 10

function turnsEnding(reader: Reader, word: string): TurnRow[] {
  const found: TurnRow[] = []
  for (const row of turnsFromNewest(reader)) {
    if (row.turn.endsWith(word)) found.push(row)
    if (found.length === CANDIDATES_MAX) break
  }
  return found
}

/** Turn ids begin with their time, so they sort by it. */
function* turnsFromNewest(reader: Reader): Generator<TurnRow> {
  for (let before: string | undefined; ;) {
    const to = before === undefined ? {} : { to: before }
    const rows = reader.rows(turnTable, { prefix: [], ...to, order: 'down', limit: PAGE })
    for (const row of rows) if (row.turn !== before) yield row
    if (rows.length < PAGE) return
    before = rows.at(-1)?.turn
  }
}
