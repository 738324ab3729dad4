import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contextProjections } from '../../src/context/fold.ts'
import { MemoryDisk, openMemoryStore } from '../../src/log/memory.ts'
import { openSqliteStore } from '../../src/log/sqlite.ts'
import { SqliteStore } from '../../src/log/sqlite-store.ts'
import type { Store } from '../../src/log/store.ts'
import { takeWriterLock } from '../../src/log/writer-lock.ts'

export type DiskKind = 'memory' | 'sqlite'

/** What outlives a process. */
export interface Disk {
  /** The file of the log, if it is one. */
  readonly file: string | undefined
  open(): Store
  /** The process that had it open is gone: the next one finds what it left behind. */
  afterKill(store: Store): void
  remove(): void
}

export function makeDisk(kind: DiskKind): Disk {
  return kind === 'memory' ? new DiskInMemory() : new DiskOfFiles()
}

/** Opens a log as `doctor` does: nothing is brought up to date, all rows are as the last process left them. */
export function openAsDoctor(file: string): SqliteStore {
  const lock = takeWriterLock(file, { command: 'doctor', pid: process.pid, since: 0 })
  const db = new DatabaseSync(file)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  return new SqliteStore(db, file, lock)
}

class DiskInMemory implements Disk {
  readonly file = undefined
  #disk = new MemoryDisk()

  open(): Store {
    return openMemoryStore(this.#disk, 'the simulation')
  }

  afterKill(store: Store): void {
    store.close()
  }

  remove(): void {
    this.#disk = new MemoryDisk()
  }
}

/** A killed process does not close its files, so the next one gets an image of them from that moment. */
class DiskOfFiles implements Disk {
  readonly #root = mkdtempSync(join(tmpdir(), 'mainstem-simulation-'))
  #lives = 0

  get file(): string {
    return join(this.#folder(), 'log.db')
  }

  open(): Store {
    mkdirSync(this.#folder(), { recursive: true })
    const holder = { command: 'simulate', pid: process.pid, since: 0 }
    return openSqliteStore({ file: this.file, projections: contextProjections, holder })
  }

  afterKill(store: Store): void {
    const before = this.file
    this.#lives++
    mkdirSync(this.#folder())
    for (const ending of ['', '-wal']) {
      if (existsSync(before + ending)) copyFileSync(before + ending, this.file + ending)
    }
    store.close()
  }

  remove(): void {
    rmSync(this.#root, { recursive: true, force: true })
  }

  #folder(): string {
    return join(this.#root, String(this.#lives))
  }
}
