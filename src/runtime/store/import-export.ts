import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { limits } from '../../base/limits.ts'
import { audit } from '../../context/audit.ts'
import { FoldError } from '../../context/branch.ts'
import { EventError, fromLine } from '../../event/codec.ts'
import type { Event } from '../../event/event.ts'
import { forgetDamage } from '../../log/damage.ts'
import { LogError } from '../../log/log.ts'
import { toLogError } from '../../log/sqlite-error.ts'
import { openSqliteStore } from '../../log/sqlite.ts'
import type { SqliteStore } from '../../log/sqlite-store.ts'
import { Staged } from '../../log/staged.ts'
import { StoreReader } from '../../log/store-reader.ts'
import { takeWriterLock, type Holder } from '../../log/writer-lock.ts'
import { logFile, makeHome } from '../home/home.ts'
import { ImportError, type Line } from './lines.ts'
import { projections } from '../home/open-log.ts'

export interface ExportSource {
  readonly home: string
  readonly lines: AsyncIterable<Line>
  readonly progress?: (events: number) => void
}

/**
 * Reads an export into a log beside the home's, which takes its place only when it is complete. Returns the number
 * of events.
 */
export async function importExport({ home, lines, progress }: ExportSource): Promise<number> {
  makeHome(home)
  const file = logFile(home)
  const holder = { command: 'mainstem import', pid: process.pid, since: systemClock() }
  const lock = takeWriterLock(file, holder)
  const unfinished = `${file}.importing`
  try {
    requireEmpty(file)
    removeLog(unfinished)
    const events = await fill(unfinished, { holder, lines, ...(progress ? { progress } : {}) })
    requireWhole(unfinished, events)
    moveInto(file, unfinished)
    return events
  } finally {
    removeLog(unfinished)
    lock.release()
  }
}

function requireEmpty(file: string): void {
  if (!existsSync(file)) return
  const events = countEvents(file)
  if (events === 0) return
  throw new LogError(
    'failed',
    `the log ${file} has ${events} events already, and an export is only read into an empty log. Name another --home`,
  )
}

function countEvents(file: string): number {
  const store = openToCount(file)
  try {
    return store?.end ?? 0
  } finally {
    store?.close()
  }
}

function openToCount(file: string): SqliteStore | undefined {
  try {
    return openSqliteStore({ file, projections: [] })
  } catch (error) {
    // An empty file: a log that was begun and never written to.
    if (error instanceof LogError && error.code === 'missing') return undefined
    throw error
  }
}

async function fill(
  file: string,
  { holder, lines, progress }: Pick<ExportSource, 'lines' | 'progress'> & { holder: Holder },
): Promise<number> {
  const store = openSqliteStore({ file, projections, holder })
  try {
    let group: { line: Line; event: Event }[] = []
    for await (const line of lines) {
      if (line.text.trim() === '') continue
      group.push({ line, event: decode(line) })
      if (group.length < limits.pageEvents) continue
      append(store, group)
      group = []
      progress?.(store.end)
    }
    append(store, group)
    store.checkpoint()
    return store.end
  } finally {
    store.close()
  }
}

function decode(line: Line): Event {
  try {
    return fromLine(line.text)
  } catch (error) {
    throw atLine(line, error)
  }
}

function append(store: SqliteStore, group: readonly { line: Line; event: Event }[]): void {
  const staged = new Staged(new StoreReader(store), [audit, ...projections])
  for (const { line, event } of group) {
    if (event.position !== staged.end + 1) {
      const found = `position ${event.position} follows ${staged.end}`
      throw new ImportError(
        `line ${line.number}: ${found}; positions run from 1 without a gap. ` +
          `'--salvage' reads what was said in an export with gaps`,
      )
    }
    try {
      staged.take(event)
    } catch (error) {
      throw atLine(line, error)
    }
  }
  if (group.length > 0) store.commit({ events: staged.stored, rows: staged.changed.all(), caughtUp: true })
}

function atLine({ number }: Line, error: unknown): unknown {
  if (!(error instanceof EventError) && !(error instanceof FoldError)) return error
  return new ImportError(`line ${number}: ${withoutPlace(error.message)}`, { cause: error })
}

/** JSON counts the lines of what it was given, which is one. */
function withoutPlace(message: string): string {
  return message.replace(/ \(line 1 column \d+\)$/, '')
}

/** Only the file is moved: what is not in it, but in a journal beside it, would be lost. */
function requireWhole(file: string, events: number): void {
  const left = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  const store = openSqliteStore({ file, projections, glance: true })
  const found = store.end
  store.close()
  if (left === 0 && found === events) return
  throw new LogError(
    'failed',
    `nothing was imported: of ${events} events, ${found} came to be in ${file}, and ${left} bytes are still in its ` +
      `journal. Check that the disk has room and is sound, and try again`,
  )
}

function moveInto(file: string, finished: string): void {
  try {
    for (const journal of ['-wal', '-shm']) rmSync(`${file}${journal}`, { force: true })
    renameSync(finished, file)
    forgetDamage(file)
    syncDirectory(dirname(file))
  } catch (error) {
    throw toLogError(file, error)
  }
}

/** Makes the new name durable. */
function syncDirectory(directory: string): void {
  // Windows has no such thing: there a rename is durable by itself.
  if (process.platform === 'win32') return
  const handle = openSync(directory, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function removeLog(file: string): void {
  for (const end of [
    '',
    '-wal',
    '-shm',
    '-journal',
    '.lock',
    '.lock-journal',
    '.holder.json',
    '.damaged.txt',
  ])
    rmSync(`${file}${end}`, { force: true })
}
