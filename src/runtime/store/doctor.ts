import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { systemClock } from '../../base/clock.ts'
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
import { holderOf, takeWriterLock, type Holder, type WriterLock } from '../../log/writer-lock.ts'
import { Gaps, type Gap } from './export.ts'
import { logFile, requireHome } from '../home/home.ts'
import { missingSections } from '../home/workspace.ts'
import { recallState, removeIndex, type RecallState } from '../home/recall-state.ts'
import { projections } from '../home/open-log.ts'

/** One result of examining a log. */
export type Finding =
  /** Others can write to the home. */
  | { readonly check: 'home'; readonly problem: string }
  | { readonly check: 'file'; readonly bytes: number; readonly format: number; readonly by: string }
  /** The first pages are damaged: nothing else can be checked. */
  | { readonly check: 'lost'; readonly because: string }
  | { readonly check: 'structure'; readonly problems: readonly string[] }
  | {
      readonly check: 'events'
      readonly end: number
      readonly endIsSure: boolean
      readonly gaps: readonly Gap[]
    }
  | { readonly check: 'tables'; readonly outcome: TablesOutcome }
  | { readonly check: 'note'; readonly noted: string; readonly lifted: boolean }
  /** Sections of the first AGENTS.md that the person's file lacks. Never a problem: the file is theirs. */
  | { readonly check: 'agents'; readonly missing: readonly string[] }
  /** Harmless: the index can be rebuilt from the log at any time. */
  | { readonly check: 'recall'; readonly outcome: RecallOutcome }

export type TablesOutcome =
  | { readonly kind: 'compared' | 'rebuilt'; readonly tables: Rebuilt['tables'] }
  | { readonly kind: 'in-use'; readonly holder: Holder | undefined }
  | { readonly kind: 'not-writable' | 'not-foldable'; readonly because: string }
  | { readonly kind: 'not-tried' }

export type RecallOutcome =
  | { readonly kind: 'found'; readonly state: RecallState; readonly end: number }
  | { readonly kind: 'removed' }

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
  if (problem !== undefined) yield { check: 'home', problem }
  const file = logFile(home)
  const look = lookAtFile(file)
  if (look.check === 'lost') return yield look
  // Before the checks: a rebuild must not run them all before it fails because another process writes.
  const lock = options.rebuild === 'always' ? lockOf(file) : lockIfFree(file)
  try {
    yield look
    const structure = checkStructure(file)
    yield structure
    const events = checkEvents(file, options.progress)
    yield events
    const whole = structure.problems.length === 0 && events.gaps.length === 0 && events.endIsSure
    const outcome = whole ? checkTables(file, { ...options, lock }) : ({ kind: 'not-tried' } as const)
    yield { check: 'tables', outcome }
    const isRebuilt = outcome.kind === 'rebuilt'
    yield { check: 'recall', outcome: checkRecall(home, { end: events.end, isRebuilt }) }
    const missing = missingSections(home)
    if (missing !== null) yield { check: 'agents', missing }
    const noted = notedDamage(file)
    const isLocked = 'release' in lock
    if (noted === undefined) {
      if (!whole && isLocked) noteDamage(file, damaged(file, whatIsDamaged(structure, events)).message)
      return
    }
    const lifted = isLocked && whole && !isProblem({ check: 'tables', outcome })
    if (lifted) forgetDamage(file)
    yield { check: 'note', noted, lifted }
  } finally {
    if ('release' in lock) lock.release()
  }
}

function whatIsDamaged(
  { problems: [problem] }: Extract<Finding, { check: 'structure' }>,
  { gaps: [gap] }: Extract<Finding, { check: 'events' }>,
): string {
  if (gap !== undefined) return `event ${gap.from} cannot be read (${gap.because})`
  return problem ?? 'the newest events may be missing'
}

export function isProblem(finding: Finding): boolean {
  switch (finding.check) {
    case 'file':
    case 'recall':
    case 'agents':
      return false
    case 'home':
    case 'lost':
      return true
    case 'structure':
      return finding.problems.length > 0
    case 'events':
      return finding.gaps.length > 0 || !finding.endIsSure
    case 'tables':
      // A rebuild fixes differences, so they are no longer a problem afterwards.
      return finding.outcome.kind === 'compared'
        ? finding.outcome.tables.some(({ differs }) => differs)
        : finding.outcome.kind === 'not-foldable'
    case 'note':
      return !finding.lifted
  }
}

function lookAtFile(file: string): Extract<Finding, { check: 'file' | 'lost' }> {
  const bytes = sizeOf(file)
  let db: DatabaseSync
  try {
    db = openToLook(file)
  } catch (error) {
    if (error instanceof LogError && error.code === 'damaged')
      return { check: 'lost', because: error.message }
    throw error
  }
  try {
    return { check: 'file', bytes, format: pragma(db, 'user_version'), by: beginnerOf(db) }
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

function checkStructure(file: string): Extract<Finding, { check: 'structure' }> {
  const db = openToLook(file)
  try {
    return { check: 'structure', problems: structuralDamage(db) }
  } catch (error) {
    if (!isDamage(error)) throw toLogError(file, error)
    return { check: 'structure', problems: [(error as Error).message] }
  } finally {
    db.close()
  }
}

function checkEvents(file: string, progress?: Progress): Extract<Finding, { check: 'events' }> {
  const salvage = openSalvage(file, projections)
  try {
    const { end, endIsSure } = salvage
    const gaps = new Gaps()
    let done = 0
    for (const found of salvage.positions()) {
      if (found.kind === 'missing') gaps.add(found.position, found.because)
      progress?.(++done, end)
    }
    return { check: 'events', end, endIsSure, gaps: gaps.all }
  } finally {
    salvage.close()
  }
}

function checkTables(
  file: string,
  { rebuild: wanted, progress, lock }: Omit<DoctorOptions, 'home'> & { lock: WriterLock | NoLock },
): TablesOutcome {
  if (!('release' in lock)) return lock
  let db: DatabaseSync | undefined
  try {
    db = openToWrite(file)
    const keep = wanted === 'always'
    prepareSchema(db, { file, write: keep })
    const store = new SqliteStore(db, file, lock)
    const { tables } = rebuild(store, projections, { keep, ...(progress ? { progress } : {}) })
    return { kind: keep ? 'rebuilt' : 'compared', tables }
  } catch (error) {
    const known = toLogError(file, error)
    if (known.code === 'full' || known.code === 'in-use') throw known
    if (known.code === 'unreadable') return { kind: 'not-writable', because: known.message }
    return { kind: 'not-foldable', because: (error as Error).message }
  } finally {
    db?.close()
  }
}

/** The search index is not part of the log: a rebuild simply deletes it. */
function checkRecall(home: string, { end, isRebuilt }: { end: number; isRebuilt: boolean }): RecallOutcome {
  const state = recallState(home)
  if (!isRebuilt || state.kind === 'none') return { kind: 'found', state, end }
  removeIndex(home)
  return { kind: 'removed' }
}

type NoLock = Exclude<TablesOutcome, { kind: 'compared' | 'not-tried' } | { tables: unknown }>

/** Most checks work without a lock: the home may be in use or read-only. */
function lockIfFree(file: string): WriterLock | NoLock {
  try {
    return lockOf(file)
  } catch (error) {
    if (!(error instanceof LogError)) throw error
    if (error.code === 'in-use') return { kind: 'in-use', holder: holderOf(file) }
    return { kind: 'not-writable', because: error.message }
  }
}

function lockOf(file: string): WriterLock {
  return takeWriterLock(file, { command: 'mainstem doctor', pid: process.pid, since: systemClock() })
}
