import { systemClock } from '../../base/clock.ts'
import { agentProjection } from '../../agent/state/fold.ts'
import { contextProjections } from '../../context/fold.ts'
import { riverProjection } from '../../view/river/fold.ts'
import type { Log } from '../../log/log.ts'
import { openSqliteStore } from '../../log/sqlite.ts'
import { StoreLog, type StoreLogOptions } from '../../log/store-log.ts'
import { logFile, makeHome, requireHome } from './home.ts'

/** The projections whose tables the log keeps. */
export const projections = [...contextProjections, agentProjection, riverProjection]

/** Opens the home's log as its only writer. A second process is told `command`, which holds the lock. */
export function openForWriting({
  home,
  command,
  ...options
}: { home: string; command: string } & Pick<StoreLogOptions, 'room'>): Log {
  makeHome(home)
  const holder = { command, pid: process.pid, since: systemClock() }
  return new StoreLog(openSqliteStore({ file: logFile(home), projections, holder }), projections, options)
}

/** Opens the home's log for reading, even while another process writes. A glance leaves no files in the home. */
export function openForReading(home: string, how: { readonly glance?: true } = {}): Log {
  requireHome(home)
  return new StoreLog(openSqliteStore({ file: logFile(home), projections, ...how }), projections)
}
