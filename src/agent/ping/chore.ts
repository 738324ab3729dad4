import type { BranchId, Position } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Writing } from '../../log/log.ts'
import type { AgentSettings } from '../state/settings.ts'

/** Something that the host does by itself when its time has come: no model is asked for it. */
export interface Chore {
  /** When it has something to do, which may be now; undefined: nobody knows of anything. */
  dueAt(reader: Reader, look: KeepLook): number | undefined
  /** Does all of it that is due, in one transaction; the branches that have something to do because of it. */
  keep(writing: Writing, look: KeepLook): readonly BranchId[]
}

export interface KeepLook {
  readonly now: number
  readonly settings: AgentSettings
  /** Names of the channels that this process has. */
  readonly channels: ReadonlySet<string>
  /** Nobody is told anything unasked that was there before; null: this process stays, and tells everything. */
  readonly passingSince: Position | null
  /** Deliveries that are with their platform at this moment: nobody knows yet what becomes of them. */
  readonly sending: ReadonlySet<Position>
}

export function soonest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

/** Whether a ping of this position is for this process to bring. */
export function isOurs({ passingSince }: Pick<KeepLook, 'passingSince'>, position: Position): boolean {
  return passingSince === null || position > passingSince
}
