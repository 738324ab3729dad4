import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { contentOf, hashOf } from '../../agent/state/setup.ts'
import { contentTable } from '../../agent/state/tables.ts'
import { systemClock } from '../../base/clock.ts'
import { parsedJson } from '../../base/json.ts'
import { limits } from '../../base/limits.ts'
import { audit } from '../../context/audit.ts'
import { FoldError, refuse } from '../../context/branch.ts'
import { EventError, fromLine } from '../../event/codec.ts'
import type { Event } from '../../event/event.ts'
import type { Position } from '../../event/id.ts'
import { settingsSchema, toolSpecSchema } from '../../event/prompt.ts'
import type { Projection, Reader } from '../../event/table.ts'
import { forgetDamage } from '../../log/damage.ts'
import { LogError } from '../../log/log.ts'
import { toLogError } from '../../log/sqlite-error.ts'
import { openSqliteStore } from '../../log/sqlite.ts'
import { Staged } from '../../log/staged.ts'
import type { Store } from '../../log/store.ts'
import { StoreReader } from '../../log/store-reader.ts'
import { takeWriterLock, type Holder } from '../../log/writer-lock.ts'
import { logFile, makeHome } from '../home/home.ts'
import { ImportError, type Line } from './lines.ts'
import { projections } from '../home/open-log.ts'
import { FileImport, isFileLine } from './stored-files.ts'

interface ExportSource {
  readonly home: string
  readonly lines: AsyncIterable<Line>
  readonly progress?: ((events: number) => void) | undefined
}

/**
 * Reads an export into a new log, which replaces the home's once it is complete. Its last event ends whatever would act
 * or allow anything (SAFE5). Returns the number of imported events.
 */
export async function importExport({ home, lines, progress }: ExportSource): Promise<number> {
  makeHome(home)
  const file = logFile(home)
  const holder = { command: 'mainstem import', pid: process.pid, since: systemClock() }
  const lock = takeWriterLock(file, holder)
  const unfinished = `${file}.importing`
  const files = new FileImport(home)
  let isDone = false
  try {
    requireEmpty(file)
    removeLog(unfinished)
    const events = await fill(unfinished, { holder, lines, progress, files })
    requireWhole(unfinished, events + 1)
    await moveInto(file, unfinished)
    isDone = true
    return events
  } finally {
    if (!isDone) files.undo()
    removeLog(unfinished)
    lock.release()
  }
}

function requireEmpty(file: string): void {
  const events = existsSync(file) ? countEvents(file) : 0
  if (events === 0) return
  throw new LogError(
    'failed',
    `the log ${file} already has ${events} events, and an export needs an empty log. Choose another --home`,
  )
}

function countEvents(file: string): number {
  try {
    const store = openSqliteStore({ file, projections: [] })
    const { end } = store
    store.close()
    return end
  } catch (error) {
    // The file of a log that was never written to is empty.
    if (error instanceof LogError && error.code === 'missing') return 0
    throw error
  }
}

async function fill(
  file: string,
  { holder, ...source }: Taking & { readonly holder: Holder },
): Promise<number> {
  const store = openSqliteStore({ file, projections, holder })
  try {
    const events = await takeLines(store, source)
    store.checkpoint()
    return events
  } finally {
    store.close()
  }
}

interface Taking extends Pick<ExportSource, 'lines' | 'progress'> {
  /** Left out: files are passed over. */
  readonly files?: FileImport
}

/** Appends the events of an export to an empty store, and the event that closes the import. */
export async function takeLines(store: Store, { lines, progress, files }: Taking): Promise<number> {
  let group: { line: Line; event: Event }[] = []
  for await (const line of lines) {
    if (line.text.trim() === '') continue
    if (isFileLine(line)) {
      await files?.take(line)
      continue
    }
    const event = inLine(line, () => fromLine(line.text))
    files?.named.take(event)
    group.push({ line, event })
    if (group.length < limits.pageEvents) continue
    append(store, group)
    group = []
    progress?.(store.end)
  }
  append(store, group)
  await files?.finish()
  const events = store.end
  if (events === 0) throw new ImportError('it is empty')
  close(store)
  return events
}

/** Adds the number of the line to the error of an event that is refused. */
function inLine<T>({ number }: Line, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof EventError) && !(error instanceof FoldError)) throw error
    // JSON counts the lines of the text it was given, which is one.
    const message = error.message.replace(/ \(line 1 column \d+\)$/, '')
    throw new ImportError(`line ${number}: ${message}`, { cause: error })
  }
}

function append(store: Store, group: readonly { line: Line; event: Event }[]): void {
  const staged = new Staged(new StoreReader(store), [audit, textAudit, ...projections])
  for (const { line, event } of group) {
    if (event.position !== staged.end + 1) {
      const found = `position ${event.position} follows ${staged.end}`
      throw new ImportError(
        `line ${line.number}: ${found}; positions run from 1 without a gap. ` +
          `'--salvage' reads the messages of an export with gaps`,
      )
    }
    inLine(line, () => staged.take(event))
  }
  if (group.length > 0) store.commit({ events: staged.stored, rows: staged.changed.all(), caughtUp: true })
}

/** The first event of every log creates a branch. */
function close(store: Store): void {
  const reader = new StoreReader(store)
  const { branch } = reader.event(1 as Position)
  const staged = new Staged(reader, projections)
  staged.append({ kind: 'import-closed', branch, at: systemClock() })
  store.commit({ events: staged.stored, rows: staged.changed.all(), caughtUp: true })
}

/** Only the file itself is moved, so events still in the journal beside it would be lost. */
function requireWhole(file: string, events: number): void {
  const left = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  const store = openSqliteStore({ file, projections, glance: true })
  const found = store.end
  store.close()
  if (left === 0 && found === events) return
  throw new LogError(
    'failed',
    `nothing was imported: ${found} of ${events} events are in ${file}, and ${left} bytes are still in its ` +
      `journal. Check the disk and its free space, then try again`,
  )
}

async function moveInto(file: string, finished: string): Promise<void> {
  try {
    for (const journal of ['-wal', '-shm']) rmSync(`${file}${journal}`, { force: true })
    renameSync(finished, file)
    forgetDamage(file)
    // On Windows a rename is durable by itself.
    if (process.platform === 'win32') return
    await using folder = await open(dirname(file), 'r')
    await folder.sync()
  } catch (error) {
    throw toLogError(file, error)
  }
}

function removeLog(file: string): void {
  const journals = ['', '-wal', '-shm', '-journal']
  const beside = ['.lock', '.lock-journal', '.holder.json', '.damaged.txt']
  for (const end of [...journals, ...beside]) rmSync(`${file}${end}`, { force: true })
}

/**
 * Checks the texts that an imported event keeps or names by their hash. A text under a false hash would become the
 * system text of a home whose AGENTS.md has that hash.
 */
const textAudit: Projection = { name: 'text-audit', version: 1, tables: [], apply: auditTexts }

function auditTexts(event: Event, reader: Reader): void {
  const { kind } = event
  if (kind === 'content-kept' && hashOf(event.text) !== event.hash) refuse(event, 'its text has another hash')
  if (kind === 'setup-changed' || kind === 'model-called') auditSetup(event, event, reader)
  if (kind === 'run-started' && event.setup !== null) auditSetup(event, event.setup, reader)
  if (kind === 'model-called') {
    requireJson(event, event.settings, { schema: settingsSchema, reader })
    if (event.tail !== null) textAt(event, event.tail.text, reader)
  }
  if (kind === 'approval-asked' && event.wish.kind === 'file') {
    const { before, after } = event.wish
    for (const hash of before === null ? [after] : [before, after]) textAt(event, hash, reader)
  }
}

const toolsSchema = z.array(toolSpecSchema)

function auditSetup(event: Event, setup: { system: string; tools: string }, reader: Reader): void {
  textAt(event, setup.system, reader)
  requireJson(event, setup.tools, { schema: toolsSchema, reader })
}

function requireJson(
  event: Event,
  hash: string,
  { schema, reader }: { schema: z.ZodType; reader: Reader },
): void {
  const value = parsedJson(textAt(event, hash, reader))
  if (!schema.safeParse(value).success) refuse(event, `the text of hash ${hash} is not what it is taken for`)
}

function textAt(event: Event, hash: string, reader: Reader): string {
  if (reader.row(contentTable, [hash]) === undefined) refuse(event, `no text of hash ${hash} is kept`)
  return contentOf(reader, hash)
}
