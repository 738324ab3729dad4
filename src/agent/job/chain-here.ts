import { getBranch } from '../../context/branch.ts'
import { messagesIn, rangeOf } from '../../context/message-index.ts'
import type { BranchId, Position } from '../../event/id.ts'
import type { Chain } from '../../event/run.ts'
import type { Reader } from '../../event/table.ts'
import { oneLine, shorten } from '../../base/width.ts'
import type { Reminder } from '../../schedule/definition.ts'
import { admittedAt, type Admitted } from '../state/inbox.ts'
import { runAbove, type Run } from '../state/run.ts'
import { inboundTable } from '../state/tables.ts'

/** A check of a chain that is at work here, with what its follow-up takes over. */
export interface ChainHere extends Omit<Reminder, 'kind' | 'id' | 'runAt' | 'timezone' | 'snoozeOf'> {
  readonly chain: Chain
  /** The reminder that is at work. */
  readonly job: string
  /** Where it began. */
  readonly since: Position
  /** Null: in a main session. */
  readonly run: Run | null
}

/** Those that a branch works on: of a run one, and in a main session as many as its turn took. */
export function chainsIn(reader: Reader, branch: BranchId): ChainHere[] {
  const run = runAbove(reader, branch)
  if (run === undefined) return takenHere(reader, branch).flatMap(inMain)
  const chain = run.chain !== undefined && run.chain.max > 0 ? ofRun(reader, run, run.chain) : undefined
  return chain === undefined ? [] : [chain]
}

function ofRun(reader: Reader, run: Run, chain: Chain): ChainHere | undefined {
  const [row] = reader.rows(inboundTable, {
    prefix: [run.branch],
    from: run.position,
    order: 'up',
    limit: 1,
  })
  if (row === undefined) return undefined
  const admitted = admittedAt(reader, row.position)
  const { isolated, model, thinking, reporting, allowPing, tools, skills } = run
  const rights = { isolated, model, thinking, reporting, allowPing, tools, skills }
  return {
    ...rights,
    chain,
    job: run.job,
    since: run.position,
    run,
    person: run.person ?? null,
    description: descriptionOf(reader, run, admitted),
    background: true,
    body: admitted.text,
  }
}

const TITLE_COLUMNS = 60

/** What a run is called is its description, or else the beginning of its task. */
function descriptionOf(reader: Reader, run: Run, { source, text }: Admitted): string {
  if (source.from === 'host' && source.chain !== undefined) return source.chain.description
  const { title } = getBranch(reader, run.branch)
  return title === null || title === run.job || title === shorten(oneLine(text), TITLE_COLUMNS) ? '' : title
}

/** Where nobody says anything. */
const PLAIN = {
  isolated: false,
  model: null,
  thinking: 'adaptive',
  reporting: 'on_ping',
  tools: [],
} as const

function inMain({ position, source, text }: Admitted): ChainHere[] {
  if (source.from !== 'host' || source.chain === undefined || source.chain.max === 0) return []
  const { description, skills, manner = PLAIN, ...chain } = source.chain
  return [
    {
      ...manner,
      allowPing: source.allowPing ?? true,
      skills,
      chain,
      description,
      job: source.id ?? chain.parent,
      since: position,
      run: null,
      person: source.person ?? null,
      background: false,
      body: text,
    },
  ]
}

/** What was admitted and is part of the work that runs in the branch. */
function takenHere(reader: Reader, branch: BranchId): Admitted[] {
  const { state } = getBranch(reader, branch)
  if (state.kind !== 'running') return []
  const range = rangeOf(reader, branch, { from: state.since, to: Number.MAX_SAFE_INTEGER })
  if (range === undefined) return []
  return messagesIn(reader, range).flatMap(({ position }) => {
    const message = reader.event(position)
    return message.kind === 'message-added' && message.took !== undefined
      ? admittedAt(reader, message.took)
      : []
  })
}
