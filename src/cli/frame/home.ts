import type { AgentSettings } from '../../agent/state/settings.ts'
import { readConfig } from '../../config/config.ts'
import type { Place } from '../../config/table/source.ts'
import { LogError, type Log } from '../../log/log.ts'
import { openMemoryLog } from '../../log/memory.ts'
import { agentSettings } from '../../runtime/home/live-config.ts'
import { openForReading, projections } from '../../runtime/home/open-log.ts'

/** The current settings of a home, for a command that needs them once. */
export function settingsOf(place: Place): AgentSettings {
  return agentSettings(readConfig(place).values)
}

/** Opens the log for reading. A home that was never used has an empty log. */
export function openLog(home: string): Log {
  try {
    return openForReading(home)
  } catch (error) {
    if (!(error instanceof LogError) || error.code !== 'missing') throw error
    return openMemoryLog({ projections })
  }
}

/** Closes the log after the work, also if it fails. */
export async function withLog<T>(log: Log, work: (log: Log) => Promise<T>): Promise<T> {
  try {
    return await work(log)
  } finally {
    await log.close()
  }
}
