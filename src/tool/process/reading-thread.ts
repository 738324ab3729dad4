import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

export interface ReadingBounds {
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** This process may grow by so much meanwhile. Unpacked data is outside the heap of the thread and its limit. */
  readonly growthBytesMax?: number
}

/** What a result says of a reading that was ended. */
export const UNREAD = 'reading it took too long or too much memory'

const HEAP_MB_MAX = 512
const LOOK_MS = 50

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
  const memory = new AbortController()
  const before = process.memoryUsage.rss()
  const watch = setInterval(() => {
    if (process.memoryUsage.rss() - before > growthBytesMax) memory.abort()
  }, LOOK_MS)
  try {
    const over = AbortSignal.any([signal, memory.signal, AbortSignal.timeout(timeoutMs)])
    const [found] = (await once(worker, 'message', { signal: over })) as [Read]
    return found
  } catch {
    return undefined
  } finally {
    clearInterval(watch)
    await worker.terminate()
  }
}
