import { systemClock } from '../../base/clock.ts'
import { agentProjection } from '../../agent/state/fold.ts'
import { contextProjections } from '../../context/projections.ts'
import type { Progress } from '../../log/folding.ts'
import type { Log } from '../../log/log.ts'
import { openSqliteStore } from '../../log/sqlite.ts'
import { StoreLog } from '../../log/store-log.ts'
import { logFile, makeHome, requireHome } from './home.ts'

/** Everything the log keeps derived tables for. */
export const projections = [...contextProjections, agentProjection]

export interface WriterOptions {
  readonly home: string
  /** Named to whoever comes second. */
  readonly command: string
  readonly progress?: Progress
}

/** Opens the home's log as its one writer. */
export function openForWriting({ home, command, progress }: WriterOptions): Log {
  makeHome(home)
  const holder = { command, pid: process.pid, since: systemClock() }
  const store = openSqliteStore({
    file: logFile(home),
    projections,
    holder,
    ...(progress ? { progress } : {}),
  })
  return new StoreLog(store, projections)
}

/** Opens the home's log to look at it, also while another process writes. */
export function openForReading(home: string): Log {
  requireHome(home)
  return new StoreLog(openSqliteStore({ file: logFile(home), projections }), projections)
}

/** As `openForReading`, for one look that leaves no trace in the home. */
export function openForGlance(home: string): Log {
  requireHome(home)
  return new StoreLog(openSqliteStore({ file: logFile(home), projections, glance: true }), projections)
}
