import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

export interface ReadingBounds {
  /** Of the thread's own work. On a machine that is busy with others that takes longer. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** This process may grow by so much meanwhile. Unpacked data is outside the heap of the thread and its limit. */
  readonly growthBytesMax?: number
}

/** What a result says of a reading that was ended. */
export const UNREAD = 'reading it took too long or too much memory'

const HEAP_MB_MAX = 512
const LOOK_MS = 50
/** So many times longer at most. */
const BUSY_MAX = 60

/**
 * What the module at `entry` posts when it runs as a thread with this job; undefined: it was ended at one of its bounds.
 * Some texts are made so that reading them takes hours or gigabytes, and nothing else in this process could go on.
 */
export async function readInThread<Read>(
  entry: string,
  job: object,
  { timeoutMs, signal, growthBytesMax = Infinity }: ReadingBounds,
): Promise<Read | undefined> {
  if (signal.aborted) return undefined
  const worker = new Worker(new URL(entry), {
    workerData: job,
    env: {},
    execArgv: [],
    // Libraries print warnings about broken files.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
  })
  const bounds = new AbortController()
  const before = process.memoryUsage.rss()
  const look = async (): Promise<void> => {
    if (process.memoryUsage.rss() - before > growthBytesMax) bounds.abort()
    const { user, system } = await worker.cpuUsage()
    if (user + system > timeoutMs * 1_000) bounds.abort()
  }
  // What it used is unknown before it begins and after it ends.
  const watch = setInterval(() => void look().catch(() => {}), LOOK_MS)
  try {
    const over = AbortSignal.any([signal, bounds.signal, AbortSignal.timeout(BUSY_MAX * timeoutMs)])
    const [found] = (await once(worker, 'message', { signal: over })) as [Read]
    return found
  } catch {
    return undefined
  } finally {
    clearInterval(watch)
    await worker.terminate()
  }
}
