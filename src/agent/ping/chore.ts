import type { BranchId, Position } from '../../event/id.ts'
import type { Reader, Writing } from '../../event/table.ts'
import type { AgentSettings } from '../state/settings.ts'

/** Something the host does on its own at its time, without a model. */
export interface Chore {
  /** When it has something to do, which may be now. Undefined: nothing is known. */
  dueAt(reader: Reader, look: KeepLook): number | undefined
  /** Does everything that is due, in one transaction, and returns the branches to wake. */
  keep(writing: Writing, look: KeepLook): readonly BranchId[]
}

export interface KeepLook {
  readonly now: number
  readonly settings: AgentSettings
  /** The channels of this process. */
  readonly channels: ReadonlySet<string>
  /** A process for one question sends nothing that was open before this position. Null: the process stays. */
  readonly passingSince: Position | null
  /** Deliveries that are being sent right now, with an unknown outcome. */
  readonly sending: ReadonlySet<Position>
}

export function soonest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

/** Whether this process should send a ping of this position. */
export function isOurs({ passingSince }: Pick<KeepLook, 'passingSince'>, position: Position): boolean {
  return passingSince === null || position > passingSince
}
