import { contextProjections } from '../../src/context/fold.ts'
import { pragma, sqlName } from '../../src/log/sqlite-schema.ts'
import type { SqliteStore } from '../../src/log/sqlite-store.ts'
import type { Batch } from '../../src/log/store.ts'

/** More text than any simulated file has free pages for. */
const BALLAST_BYTES = 1_000_000

/** The room that a commit finds: this many pages, and after this many rows something else takes far more. */
export interface Room {
  readonly pagesLeft: number
  readonly rowsLeft: number
}

/** Makes SQLite itself run out of room in the middle of a commit. */
export class TightDisk {
  readonly #store: SqliteStore
  #rowsLeft = Infinity

  constructor(store: SqliteStore) {
    this.#store = store
    const derived = contextProjections.flatMap(({ tables }) => tables.map(sqlName))
    store.db.function('is_crowded', () => (this.#rowsLeft-- <= 0 ? 1 : 0))
    const ballast = `INSERT INTO meta VALUES ('ballast', hex(zeroblob(${BALLAST_BYTES / 2})))`
    for (const what of ['INSERT ON event', 'UPDATE ON projection', ...derived.map(insertOn)]) {
      const name = `crowd_${what.replaceAll(' ', '_')}`
      store.db.exec(`CREATE TEMP TRIGGER ${name} AFTER ${what} WHEN is_crowded() BEGIN ${ballast}; END`)
    }
  }

  commit(batch: Batch, { pagesLeft, rowsLeft }: Room): void {
    const { db } = this.#store
    const pagesMax = pragma(db, 'max_page_count')
    db.exec(`PRAGMA max_page_count = ${pragma(db, 'page_count') + pagesLeft}`)
    this.#rowsLeft = rowsLeft
    try {
      this.#store.commit(batch)
    } finally {
      this.#rowsLeft = Infinity
      db.exec(`PRAGMA max_page_count = ${pagesMax}`)
    }
  }
}

function insertOn(table: string): string {
  return `INSERT ON ${table}`
}
