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

/** A check of a chain that works in this branch, with everything its follow-up inherits. */
export interface ChainHere extends Omit<Reminder, 'kind' | 'id' | 'runAt' | 'timezone' | 'snoozeOf'> {
  readonly chain: Chain
  /** The id of the reminder that runs. */
  readonly job: string
  /** Where its work began. */
  readonly since: Position
  /** Null: in a main session. */
  readonly run: Run | null
}

/** The chains that a branch works on: one in a run, and as many in a main session as its turn took. */
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

/** A run's title is its description, or else the beginning of its task. */
function descriptionOf(reader: Reader, run: Run, { source, text }: Admitted): string {
  if (source.from === 'host' && source.chain !== undefined) return source.chain.description
  const { title } = getBranch(reader, run.branch)
  return title === null || title === run.job || title === shorten(oneLine(text), TITLE_COLUMNS) ? '' : title
}

/** Defaults for logs that do not record these fields. */
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

/** Everything that the running turn of the branch took from its inbox. */
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
