import { boundBranch } from '../agent/branch/binding.ts'
import { isOwners, oldestMain } from '../agent/state/person.ts'
import { modelCallTable, turnNumberTable, turnTable } from '../agent/state/tables.ts'
import { turnsIn } from '../agent/state/turn-number.ts'
import { callsOf } from '../agent/turn/call-prompt.ts'
import { limits } from '../base/limits.ts'
import { oneLine } from '../base/width.ts'
import { getBranch } from '../context/branch.ts'
import { branchNamed } from '../context/naming.ts'
import type { EventOf } from '../event/event.ts'
import { handleOf, turnIdSchema, type BranchId } from '../event/id.ts'
import type { Reader, RowOf } from '../event/table.ts'
import type { Address } from '../event/work.ts'

/** What was asked for does not exist, or was asked for in a wrong way. The message says what to do. */
export class LookError extends Error {
  override readonly name = 'LookError'
  readonly kind: 'missing' | 'wrong'
  constructor(kind: LookError['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

/** The branch of the owner's that a word names; without one, the branch that a conversation is bound to, or else main. */
export function branchAsked(reader: Reader, word: string | undefined, address: Address): BranchId {
  if (word !== undefined) return branchByWord(reader, word)
  const branch = boundBranch(reader, address) ?? oldestMain(reader)
  if (branch !== undefined) return branch
  throw new LookError('missing', "There is no branch in this log yet. 'mainstem' alone starts a conversation")
}

function branchByWord(reader: Reader, word: string): BranchId {
  const named = branchNamed(reader, word)
  switch (named.kind) {
    case 'found':
      return named.branch
    case 'too-short':
      throw new LookError(
        'wrong',
        `'${word}' is too short for a branch: give at least ${limits.handlePrefixMin} characters of its handle`,
      )
    case 'unknown':
      throw new LookError(
        'missing',
        `There is no branch '${word}' in this log. 'mainstem agents' lists the branches`,
      )
    case 'ambiguous': {
      const candidates = named.candidates.map((id) => described(reader, id)).join(', ')
      throw new LookError('missing', `'${word}' matches several branches: ${candidates}. Use a handle`)
    }
  }
}

function described(reader: Reader, id: BranchId): string {
  const { mode, title } = getBranch(reader, id)
  return `${handleOf(id)} (${mode}${title === null ? '' : ` '${oneLine(title)}'`})`
}

/** A turn, its number in its branch, and the model calls that it made. */
export type CalledTurn = ReturnType<typeof turnNamed>

type TurnRow = RowOf<typeof turnTable>

const ENDING_MIN = 6

/** The turn of the owner's that a word names: its number in the branch, its id or the end of it, or `last`. */
export function turnNamed(reader: Reader, word: string, branch: () => BranchId) {
  const row =
    word === 'last'
      ? lastTurn(reader, branch())
      : (turnNumbered(reader, word, branch) ?? turnWithId(reader, word.toLowerCase()))
  const started = reader.event(row.position) as EventOf<'turn-started'>
  const calls = callsOf(reader, started.turn)
  if (calls.length === 0)
    throw new LookError(
      'missing',
      `The turn ${started.turn} ended before a model was called, so it has no prompt`,
    )
  return { number: row.number, started, calls }
}

function turnNumbered(reader: Reader, word: string, branch: () => BranchId): TurnRow | undefined {
  if (!/^\d{1,9}$/.test(word)) return undefined
  const row = reader.row(turnNumberTable, [branch(), Number(word)])
  return row && reader.row(turnTable, [row.turn])
}

function lastTurn(reader: Reader, branch: BranchId): TurnRow {
  const row = turnUpTo(reader, branch, turnsIn(reader, branch))
  if (row !== undefined) return row
  throw new LookError('missing', 'No model was called in this branch yet')
}

/** Turns that called no model have no prompt; there are few in a row. */
const UNCALLED_MAX = 200

/** The newest turn of a branch, up to this number, that called a model. */
export function turnUpTo(reader: Reader, branch: BranchId, last: number): TurnRow | undefined {
  for (let number = last; number > Math.max(0, last - UNCALLED_MAX); number--) {
    const turn = reader.row(turnNumberTable, [branch, number])?.turn
    const [called] = turn ? reader.rows(modelCallTable, { prefix: [turn], order: 'up', limit: 1 }) : []
    if (called !== undefined) return reader.row(turnTable, [called.turn])
  }
  return undefined
}

function turnWithId(reader: Reader, word: string): TurnRow {
  const whole = turnIdSchema.safeParse(word)
  if (!whole.success && word.length < ENDING_MIN)
    throw new LookError(
      'wrong',
      `There is no turn '${word}' here. Give its number in the branch, its id or the last ${ENDING_MIN} characters of it, or 'last'`,
    )
  const one = whole.success ? reader.row(turnTable, [whole.data]) : undefined
  const found = one !== undefined && isOwners(reader, one.branch) ? [one] : turnsEnding(reader, word)
  const [first, second] = found
  if (first === undefined)
    throw new LookError(
      'missing',
      `There is no turn '${word}' in this log. 'mainstem log --kind turn-started --json' lists the turns`,
    )
  if (second !== undefined)
    throw new LookError(
      'missing',
      `'${word}' matches several turns: ${found.map((row) => row.turn).join(', ')}. Give more of the id`,
    )
  return first
}

const LOOKED_MAX = 20_000
const CANDIDATES_MAX = 10

/** The owner's among the newest turns, the newest first: turn ids begin with their time, so they sort by it. */
function turnsEnding(reader: Reader, word: string): TurnRow[] {
  return reader
    .rows(turnTable, { prefix: [], order: 'down', limit: LOOKED_MAX })
    .filter(({ turn, branch }) => turn.endsWith(word) && isOwners(reader, branch))
    .slice(0, CANDIDATES_MAX)
}
