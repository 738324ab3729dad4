import { contextProjections } from '../../src/context/fold.ts'
import type { Log } from '../../src/log/log.ts'
import { openSqliteStore } from '../../src/log/sqlite.ts'
import type { SqliteStore } from '../../src/log/sqlite-store.ts'
import { StoreLog } from '../../src/log/store-log.ts'
import { dump } from '../model/dump.ts'

/** A log at one moment: where it ends, and all its rows. */
export interface State {
  readonly end: number
  readonly rows: string
}

type Saw = (state: Promise<State>) => void

/** Another process that has the same file open for reading, and looks at any moment. */
export class Onlooker {
  readonly #file: string
  #log: Log | undefined
  #saw: Saw | undefined

  constructor(file: string) {
    this.#file = file
  }

  /** Looks now; only the answer comes later. */
  look(): Promise<State> {
    return this.#read((state) => state())
  }

  /** Looks at every event and every flush of a commit, before the commit is complete. */
  lookDuring(commit: () => void, saw: Saw): void {
    this.#saw = saw
    try {
      commit()
    } finally {
      this.#saw = undefined
    }
  }

  /** Looks before and after a commit, within one read. */
  lookAcross(commit: () => void, saw: Saw): void {
    let outcome: { readonly error?: unknown } | undefined
    const looked = this.#read((state) => {
      saw(Promise.resolve(state()))
      outcome = tried(commit)
      return state()
    })
    saw(looked)
    // If the look itself fails, the writer still goes on.
    outcome ??= tried(commit)
    if ('error' in outcome) throw outcome.error
  }

  /** SQLite calls us in the middle of the writer's transactions. */
  standBehind({ db }: SqliteStore): void {
    db.function('look', () => {
      this.#saw?.(this.look())
      return null
    })
    db.exec(`
      CREATE TEMP TRIGGER look_at_event AFTER INSERT ON event BEGIN SELECT look(); END;
      CREATE TEMP TRIGGER look_at_flush AFTER UPDATE ON projection BEGIN SELECT look(); END;
    `)
  }

  /** The next look opens the log again. */
  async close(): Promise<void> {
    const log = this.#log
    this.#log = undefined
    await log?.close()
  }

  #read(work: (state: () => State) => State): Promise<State> {
    this.#log ??= new StoreLog(
      openSqliteStore({ file: this.#file, projections: contextProjections }),
      contextProjections,
    )
    const read = this.#log.read((reader) => work(() => ({ end: reader.end, rows: dump(reader) })))
    // Whoever waits for the answer gets the failure; nobody may be waiting yet.
    read.catch(() => undefined)
    return read
  }
}

function tried(commit: () => void): { readonly error?: unknown } {
  try {
    commit()
    return {}
  } catch (error) {
    return { error }
  }
}
