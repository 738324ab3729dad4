import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stopwatchMs } from '../src/base/clock.ts'
import { getBranch } from '../src/context/branch.ts'
import { listOf } from '../src/context/version.ts'
import { toLine } from '../src/event/codec.ts'
import type { BranchId } from '../src/event/id.ts'
import { projections } from '../src/runtime/home/open-log.ts'
import { openSqliteStore } from '../src/log/sqlite.ts'
import type { SqliteStore } from '../src/log/sqlite-store.ts'
import { StoreLog } from '../src/log/store-log.ts'
import { Acts, KEEP } from './acts.ts'
import { Progress } from './progress.ts'
import type { Measure } from './report.ts'

/** Number of messages on main. */
export type Size = 1_000 | 100_000 | 1_000_000

export const OLD_MARK = 'old'
const OLD_MARK_AFTER = 30
const MESSAGES_PER_WORK = 200

interface Built {
  readonly eventsPerSecond: number
  readonly rssMb: number
  readonly heapMb: number
  readonly bytesPerMessage: number
  readonly bytesPerLine: number
  readonly events: number
}

/** One log that grew, as it was at each size, and copies of it to work on. */
export interface Data {
  readonly directory: string
  readonly sizes: readonly Size[]
  readonly built: Built
  fileOf(size: Size): string
}

export interface Opened {
  readonly store: SqliteStore
  readonly log: StoreLog
}

export function openLog(file: string): Opened {
  const holder = { command: 'bench', pid: process.pid, since: 0 }
  const store = openSqliteStore({ file, projections, holder })
  return { store, log: new StoreLog(store, projections) }
}

/** Makes scratch copies of the log, opens them side by side, and removes them afterwards. */
export async function withCopies<T>(
  data: Data,
  copies: readonly Copy[],
  use: (opened: readonly Opened[]) => Promise<T>,
): Promise<T> {
  const files = copies.map(({ name, size }) => copyOf(data, name, size))
  const opened = files.map(openLog)
  try {
    return await use(opened)
  } finally {
    for (const { log } of opened) await log.close()
    files.forEach(remove)
  }
}

export interface Copy {
  readonly name: string
  /** 0 for a new log. */
  readonly size: Size | 0
}

/** The caller removes it. */
export function copyOf(data: Data, name: string, size: Size | 0): string {
  const file = join(data.directory, `scratch-${name.replaceAll(/\W+/g, '-')}.db`)
  remove(file)
  if (size > 0) copyFileSync(data.fileOf(size as Size), file)
  return file
}

export function remove(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '.lock', '.lock-journal', '.holder.json'])
    rmSync(file + suffix, { force: true })
}

/** The main session of a log that was made here: its first event creates it. */
export function mainOf(store: SqliteStore): BranchId {
  const first = store.event(1)
  if (first?.kind !== 'branch-created') throw new Error(`${store.file} is not a log of the benchmark`)
  return first.branch as BranchId
}

export async function prepareData(directory: string, sizes: readonly Size[]): Promise<Data> {
  mkdirSync(directory, { recursive: true })
  const fileOf = (size: Size) => join(directory, `messages-${size}.db`)
  const largest = sizes.at(-1) as Size
  const figures = join(directory, `built-${largest}.json`)
  if (!existsSync(figures)) writeFileSync(figures, JSON.stringify(await build(directory, sizes, fileOf)))
  const built = JSON.parse(readFileSync(figures, 'utf8')) as Built
  return { directory, sizes, built, fileOf }
}

async function build(
  directory: string,
  sizes: readonly Size[],
  fileOf: (size: Size) => string,
): Promise<Built> {
  const file = join(directory, 'growing.db')
  remove(file)
  const opened = openLog(file)
  const acts = new Acts(1)
  const main = await opened.log.write((writing) => acts.root(writing))
  const progress = new Progress('making the data')
  const all = sizes.at(-1) as Size
  let [messages, spentMs, rss] = [0, 0, 0]
  for (const size of sizes) {
    for (; messages < size; messages += MESSAGES_PER_WORK) {
      const start = stopwatchMs()
      await addMessages(opened, { acts, main, before: messages })
      spentMs += stopwatchMs() - start
      rss = Math.max(rss, process.memoryUsage.rss())
      progress.update(messages / all, `${messages.toLocaleString('en')} messages`)
    }
    checkpoint(opened)
    copyFileSync(file, fileOf(size))
  }
  progress.update(1)
  const events = opened.store.end
  const bytesPerMessage = statSync(file).size / all
  const bytesPerLine = await averageLine(opened)
  globalThis.gc?.()
  const heapMb = process.memoryUsage().heapUsed / 1e6
  await opened.log.close()
  remove(file)
  return {
    eventsPerSecond: (events * 1_000) / spentMs,
    rssMb: rss / 1e6,
    heapMb,
    bytesPerMessage,
    bytesPerLine,
    events,
  }
}

/** Two hundred messages with a compaction every twenty, as one work of the log. */
async function addMessages(
  { log }: Opened,
  { acts, main, before }: { acts: Acts; main: BranchId; before: number },
): Promise<void> {
  await log.write((writing) => {
    for (let n = before + 1; n <= before + MESSAGES_PER_WORK; n++) {
      acts.say(writing, main)
      if (n === OLD_MARK_AFTER) acts.mark(writing, main, OLD_MARK)
      if (n % KEEP === 0 && n > KEEP) acts.compact(writing, main)
    }
  })
}

async function averageLine({ log }: Opened): Promise<number> {
  let [lines, bytes] = [0, 0]
  for await (const event of log.events()) {
    if (event.kind !== 'message-added') continue
    bytes += toLine(event).length + 1
    if (++lines === 1_000) break
  }
  return bytes / lines
}

/** Brings what the write-ahead log holds into the file, so that the file's size counts everything. */
export function checkpoint({ store }: Opened): number {
  store.db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  return statSync(store.file).size
}

export function itemsOf({ log }: Opened, branch: BranchId): Promise<number> {
  return log.read((reader) => listOf(reader, getBranch(reader, branch)).length)
}

export function buildMeasures({ built, sizes }: Data): Measure[] {
  const group = 'build'
  const messages = (sizes.at(-1) as Size).toLocaleString('en')
  return [
    {
      group,
      measure: `events written while making ${messages} messages`,
      value: built.eventsPerSecond,
      unit: '/s',
    },
    { group, measure: 'resident memory at most meanwhile', value: built.rssMb, unit: 'MB' },
    { group, measure: 'heap in use at the end, garbage collected', value: built.heapMb, unit: 'MB' },
  ]
}
