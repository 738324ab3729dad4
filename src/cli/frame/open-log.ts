import { LogError, type Log } from '../../log/log.ts'
import { openMemoryLog } from '../../log/memory.ts'
import { openForReading, projections } from '../../runtime/home/open-log.ts'

/** To look at. Where nobody ever lived, it is as if the log were empty. */
export function openLog(home: string): Log {
  try {
    return openForReading(home)
  } catch (error) {
    if (!(error instanceof LogError) || error.code !== 'missing') throw error
    return openMemoryLog({ projections })
  }
}
