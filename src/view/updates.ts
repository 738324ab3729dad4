import { isByHost, pendingUpdates, shownBy, updateAt, updatesOf } from '../agent/state/updates.ts'
import { isoIn } from '../base/time-text.ts'
import { handleOf, type BranchId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import { mainAbove } from '../agent/state/person.ts'

/** An update as people and programs are shown it. Times are ISO in the person's zone; programs rely on the names. */
export type UpdateView = ReturnType<typeof updatesView>[number]

export type WhichUpdates = 'pending' | 'all'

export interface UpdatesLook {
  readonly branch: BranchId
  readonly which: WhichUpdates
  readonly zone: string
  /** Only updates from before this position, and of them the newest; left out: all. */
  readonly before?: number | undefined
  readonly limit?: number
}

const STATES = { message: 'told', count: 'counted', save: 'saved' } as const

/** What main gets with its next turn, or everything it ever got; the newest last. */
export function updatesView(
  reader: Reader,
  { branch, which, zone, before = Infinity, limit = Infinity }: UpdatesLook,
) {
  const main = mainAbove(reader, branch)
  if (main === undefined) return []
  const states =
    which === 'all'
      ? updatesOf(reader, main)
      : pendingUpdates(reader, main).map((position) => ({ position, settled: null }))
  const older = states.filter(({ position }) => position < before)
  return older.slice(-limit).map((state) => {
    const update = updateAt(reader, state.position)
    const shown = shownBy(reader, state)
    return {
      ts: isoIn(update.at, zone),
      message: update.text,
      source: update.source,
      state: shown === null ? ('pending' as const) : STATES[shown.by],
      position: update.position,
      from: update.from === null ? null : handleOf(update.from),
      byHost: isByHost(update),
      /** Null: it waits. */
      told: shown && {
        ts: isoIn(shown.at, zone),
        position: shown.position,
        saved: shown.saved === null ? null : handleOf(shown.saved),
      },
    }
  })
}
