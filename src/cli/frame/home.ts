import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentSettings } from '../../agent/state/settings.ts'
import { systemClock } from '../../base/clock.ts'
import { hookSecretsIn } from '../../config/hook-secret.ts'
import { readConfig } from '../../config/config.ts'
import type { Place } from '../../config/table/source.ts'
import { LogError, type Log } from '../../log/log.ts'
import { openMemoryLog } from '../../log/memory.ts'
import { agentSettings } from '../../runtime/home/live-config.ts'
import { openForReading, projections } from '../../runtime/home/open-log.ts'
import { emptyShelf, type JobShelf } from '../../schedule/job-shelf.ts'

/** The current settings of a home, for a command that needs them once. */
export function settingsOf(place: Place): AgentSettings {
  return agentSettings(readConfig(place))
}

/** Opens the log for reading. A home that was never used has an empty log. */
export function openLog(home: string, how: { readonly glance?: true } = {}): Log {
  try {
    return openForReading(home, how)
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

/** The jobs of a home, read once. */
export async function openShelf(
  { home, environment }: Place,
  warn: (text: string) => void = () => undefined,
): Promise<JobShelf> {
  const root = join(home, 'workspace')
  if (!existsSync(root)) return emptyShelf
  const { openHomeJobs } = await import('../../runtime/home/home-jobs.ts')
  const secrets = hookSecretsIn(home, environment)
  return openHomeJobs({ root, now: systemClock, secrets, warn, watch: false, onChange: () => undefined })
}
