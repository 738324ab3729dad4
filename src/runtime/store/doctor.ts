import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { systemClock } from '../../base/clock.ts'
import { systemZone } from '../../base/environment.ts'
import { minuteText } from '../../base/time-text.ts'
import { bytesText, counted } from '../../base/words.ts'
import { homeProblem } from '../../config/own-home.ts'
import { forgetDamage, noteDamage, notedDamage } from '../../log/damage.ts'
import { rebuild, type Progress, type Rebuilt } from '../../log/folding.ts'
import { LogError } from '../../log/log.ts'
import { openSalvage, openToLook } from '../../log/salvage.ts'
import { structuralDamage } from '../../log/sqlite.ts'
import { damaged, isDamage, toLogError } from '../../log/sqlite-error.ts'
import { openToWrite } from '../../log/sqlite-file.ts'
import { pragma, prepareSchema, writtenBy } from '../../log/sqlite-schema.ts'
import { SqliteStore } from '../../log/sqlite-store.ts'
import { holderOf, takeWriterLock, type WriterLock } from '../../log/writer-lock.ts'
import { Gaps, gapText } from './export.ts'
import { logFile, requireHome } from '../home/home.ts'
import { missingSections } from '../home/workspace.ts'
import { recallState, removeIndex } from '../home/recall-state.ts'
import { projections } from '../home/open-log.ts'
import { filesFound, NamedFiles } from './stored-files.ts'

/** One result of examining a log, in words for people. */
export interface Finding {
  readonly check:
    | 'home'
    | 'file'
    | 'structure'
    | 'events'
    | 'tables'
    | 'recall'
    | 'files'
    | 'agents'
    | 'note'
    | 'telegram'
    | 'box'
  readonly verdict: 'ok' | 'problem' | 'skipped'
  readonly lines: readonly string[]
  /** Sections of the first AGENTS.md that the person's file lacks. Never a problem: the file is theirs. */
  readonly missing?: readonly string[]
}

export interface DoctorOptions {
  readonly home: string
  readonly rebuild: 'never' | 'always'
  readonly progress?: Progress
}

/**
 * Examines a log in any state, one finding at a time. Without a rebuild it doesn't change the log. If no writer is
 * active, it locks others out meanwhile; only then does it write or remove the damage note that keeps writers out.
 */
export function* examine({ home, ...options }: DoctorOptions): Generator<Finding> {
  requireHome(home)
  const problem = homeProblem(home)
  if (problem !== undefined) yield wrong('home', problem)
  const file = logFile(home)
  const look = lookAtFile(file)
  // The first pages are damaged: nothing else can be checked.
  if (look.verdict === 'problem') return yield look
  // Before the checks: a rebuild must not run them all before it fails because another process writes.
  const lock = options.rebuild === 'always' ? lockOf(file) : lockIfFree(file)
  try {
    yield look
    const problems = structureProblems(file)
    yield problems.length === 0
      ? fine('structure', 'SQLite finds no damage')
      : wrong('structure', ...problems)
    const events = readEvents(file, options.progress)
    yield eventsFinding(events)
    const damage = damageIn(problems, events)
    const tables = damage === undefined ? checkTables(file, { ...options, lock }) : notCompared(UNREADABLE)
    yield tables
    const isRebuilt = options.rebuild === 'always' && tables.verdict === 'ok'
    yield fine('recall', recallLine(home, { end: events.end, isRebuilt }))
    const { isDamaged, lines } = filesFound(home, events.files)
    if (lines.length > 0) yield (isDamaged ? wrong : fine)('files', ...lines)
    const missing = missingSections(home)
    if (missing !== null) yield agentsFinding(missing)
    const noted = notedDamage(file)
    const isLocked = 'release' in lock
    if (noted === undefined) {
      if (damage !== undefined && isLocked) noteDamage(file, damaged(file, damage).message)
      return
    }
    const isLifted = isLocked && damage === undefined && tables.verdict !== 'problem'
    if (isLifted) forgetDamage(file)
    yield isLifted ? fine('note', LIFTED) : wrong('note', `noted earlier: ${noted}`)
  } finally {
    if ('release' in lock) lock.release()
  }
}

const UNREADABLE = ': the events must be readable first'
const LIFTED = 'damage that was noted earlier is gone: the log can be written to again'

function fine(check: Finding['check'], ...lines: readonly string[]): Finding {
  return { check, verdict: 'ok', lines }
}

function wrong(check: Finding['check'], ...lines: readonly string[]): Finding {
  return { check, verdict: 'problem', lines }
}

function lookAtFile(file: string): Finding {
  const bytes = sizeOf(file)
  let db: DatabaseSync
  try {
    db = openToLook(file)
  } catch (error) {
    if (error instanceof LogError && error.code === 'damaged') return wrong('file', error.message)
    throw error
  }
  try {
    const format = pragma(db, 'user_version')
    return fine('file', `${bytesText(bytes)}, log format ${format}, begun by mainstem ${beginnerOf(db)}`)
  } catch (error) {
    throw toLogError(file, error)
  } finally {
    db.close()
  }
}

/** This page may be damaged; the checks will report that. */
function beginnerOf(db: DatabaseSync): string {
  try {
    return writtenBy(db) ?? 'unknown'
  } catch (error) {
    if (isDamage(error)) return 'unknown'
    throw error
  }
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size
  } catch (cause) {
    throw new LogError('missing', `there is no log at ${file} yet`, cause)
  }
}

function structureProblems(file: string): readonly string[] {
  const db = openToLook(file)
  try {
    return structuralDamage(db)
  } catch (error) {
    if (!isDamage(error)) throw toLogError(file, error)
    return [(error as Error).message]
  } finally {
    db.close()
  }
}

function readEvents(file: string, progress?: Progress) {
  const salvage = openSalvage(file, projections)
  try {
    const { end, endIsSure } = salvage
    const gaps = new Gaps()
    const files = new NamedFiles()
    let done = 0
    for (const found of salvage.positions()) {
      if (found.kind === 'missing') gaps.add(found.position, found.because)
      else files.take(found.event)
      progress?.(++done, end)
    }
    return { end, endIsSure, gaps: gaps.all, files }
  } finally {
    salvage.close()
  }
}

/** Undefined: every event can be read. */
function damageIn(
  [problem]: readonly string[],
  { gaps: [gap], endIsSure }: ReturnType<typeof readEvents>,
): string | undefined {
  if (gap !== undefined) return `event ${gap.from} cannot be read (${gap.because})`
  return problem ?? (endIsSure ? undefined : 'the newest events may be missing')
}

function eventsFinding({ end, endIsSure, gaps }: ReturnType<typeof readEvents>): Finding {
  if (gaps.length === 0 && endIsSure) return fine('events', `${counted(end, 'event')}, all readable, no gaps`)
  const lost = gaps.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  const more = endIsSure ? '' : ', and the end of the log cannot be found'
  return wrong('events', `${lost} of ${end} cannot be read${more}`, ...gaps.map(gapText))
}

function checkTables(
  file: string,
  { rebuild: wanted, progress, lock }: Omit<DoctorOptions, 'home'> & { lock: WriterLock | Finding },
): Finding {
  if (!('release' in lock)) return lock
  let db: DatabaseSync | undefined
  try {
    db = openToWrite(file)
    const keep = wanted === 'always'
    prepareSchema(db, { file, write: keep })
    const store = new SqliteStore(db, file, lock)
    const { tables } = rebuild(store, projections, { keep, ...(progress ? { progress } : {}) })
    if (keep) return fine('tables', ...tables.map(rebuiltLine))
    const differing = tables.flatMap(({ table, differs }) => (differs ? [table] : []))
    if (differing.length === 0) return fine('tables', 'match the events')
    const names = differing.join(', ')
    return wrong('tables', `${names}: do not match the events. 'mainstem doctor --rebuild' repairs them`)
  } catch (error) {
    const known = toLogError(file, error)
    if (known.code === 'full' || known.code === 'in-use') throw known
    if (known.code === 'unreadable') return notCompared(`${NO_LOCK}${known.message}`)
    return wrong('tables', `the events cannot be folded: ${(error as Error).message}`)
  } finally {
    db?.close()
  }
}

function rebuiltLine({ table, rows, differs }: Rebuilt['tables'][number]): string {
  return `${table.padEnd(8)} ${differs ? 'differed, repaired' : 'unchanged'}, ${counted(rows, 'row')}`
}

function notCompared(why: string): Finding {
  return { check: 'tables', verdict: 'skipped', lines: [`not compared${why}`] }
}

const NO_LOCK = ", as this needs the log's lock: "

/** The search index is not part of the log and never a problem: a rebuild deletes it, and the next search repairs it. */
function recallLine(home: string, { end, isRebuilt }: { end: number; isRebuilt: boolean }): string {
  const state = recallState(home)
  if (state.kind === 'none') return 'not indexed yet; the next search or chat does it'
  if (isRebuilt) {
    removeIndex(home)
    return 'the index was deleted; the next search or chat rebuilds it'
  }
  if (state.kind === 'unusable')
    return `the index cannot be used (${state.because}); the next search or chat rebuilds it`
  const behind = Math.max(0, end - state.upTo)
  const much = behind === 0 ? 'all is indexed' : `all but the newest ${counted(behind, 'event')} is indexed`
  return `${much}, ${bytesText(state.bytes)}; recall.db can be deleted at any time`
}

function agentsFinding(missing: readonly string[]): Finding {
  const text =
    missing.length === 0
      ? 'AGENTS.md has every section of the template'
      : `AGENTS.md lacks ${counted(missing.length, 'section')} of the template, shown below`
  return { ...fine('agents', text), missing }
}

/** Most checks work without a lock: the home may be in use or read-only. */
function lockIfFree(file: string): WriterLock | Finding {
  try {
    return lockOf(file)
  } catch (error) {
    if (!(error instanceof LogError)) throw error
    if (error.code !== 'in-use') return notCompared(`${NO_LOCK}${error.message}`)
    const holder = holderOf(file)
    const who = holder
      ? `'${holder.command}' (process ${holder.pid}, since ${minuteText(holder.since, systemZone())})`
      : 'another process'
    return notCompared(`: the log is in use by ${who}`)
  }
}

function lockOf(file: string): WriterLock {
  return takeWriterLock(file, { command: 'mainstem doctor', pid: process.pid, since: systemClock() })
}
