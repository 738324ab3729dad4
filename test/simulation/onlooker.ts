import { contextProjections } from '../../src/context/projections.ts'
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

/** Another process that has the same file open to read, and looks at any moment. */
export class Onlooker {
  readonly #file: string
  readonly #during: Promise<State>[] = []
  #log: Log | undefined
  #isLooking = false

  constructor(file: string) {
    this.#file = file
  }

  /** What it sees now; only the answer comes later. */
  look(): Promise<State> {
    return this.#read((reader) => reader())
  }

  /** What it sees at every event and every flush that a commit writes, before the commit is complete. */
  lookDuring(commit: () => void): readonly Promise<State>[] {
    this.#isLooking = true
    try {
      commit()
    } finally {
      this.#isLooking = false
    }
    return this.#during.splice(0)
  }

  /** What it sees before and after a commit, both in one and the same look. */
  lookAcross(commit: () => void): readonly Promise<State>[] {
    let failure: { readonly error: unknown } | undefined
    const states: State[] = []
    const looked = this.#read((state) => {
      states.push(state())
      try {
        commit()
      } catch (error) {
        failure = { error }
      }
      return state()
    })
    if (failure !== undefined) throw failure.error
    return [...states.map((state) => Promise.resolve(state)), looked]
  }

  /** SQLite calls us in the middle of the writer's transactions. */
  standBehind({ db }: SqliteStore): void {
    db.function('look', () => {
      if (this.#isLooking) this.#during.push(this.look())
      return null
    })
    db.exec(`
      CREATE TEMP TRIGGER look_at_event AFTER INSERT ON event BEGIN SELECT look(); END;
      CREATE TEMP TRIGGER look_at_flush AFTER UPDATE ON projection BEGIN SELECT look(); END;
    `)
  }

  /** The next look opens the log anew. */
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
    // Whoever waits for the answer is told of the failure; nobody may be waiting yet.
    read.catch(() => undefined)
    return read
  }
}
