import { isByHost, pendingUpdates, shownBy, updateAt } from '../agent/state/updates.ts'
import { mainAbove } from '../agent/state/person.ts'
import { updateTable } from '../agent/state/tables.ts'
import { isoIn } from '../base/time-text.ts'
import { handleOf, type BranchId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import { newestPage, type Page } from './page.ts'

/** An update as people and programs are shown it. Times are ISO in the person's zone; programs rely on the names. */
export type UpdateView = ReturnType<typeof updatesView>['updates'][number]

export type WhichUpdates = 'pending' | 'all'

export interface UpdatesLook extends Partial<Page> {
  readonly branch: BranchId
  readonly which: WhichUpdates
  readonly zone: string
}

const STATES = { message: 'told', count: 'counted', save: 'saved' } as const

/** What main gets with its next turn, or everything it ever got; the newest last. */
export function updatesView(reader: Reader, { branch, which, zone, before, limit }: UpdatesLook) {
  const main = mainAbove(reader, branch)
  const page = { before, limit: limit ?? Number.MAX_SAFE_INTEGER - 1 }
  const { rows, next } =
    main === undefined
      ? { rows: [], next: null }
      : which === 'all'
        ? newestPage(reader, updateTable, { prefix: [main], ...page })
        : pendingPage(reader, main, page)
  const updates = rows.toReversed().map((row) => {
    const update = updateAt(reader, row.position)
    const shown = shownBy(reader, row)
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
  return { updates, next }
}

function pendingPage(reader: Reader, main: BranchId, { before = Infinity, limit }: Page) {
  const older = pendingUpdates(reader, main).filter((position) => position < before)
  const rows = older.slice(-limit).map((position) => ({ position, settled: null }))
  return { rows: rows.toReversed(), next: older.length > limit ? (rows[0]?.position ?? null) : null }
}
