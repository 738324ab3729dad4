import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { Clock } from '../../base/clock.ts'

export interface LineHit {
  /** From 1. */
  readonly line: number
  readonly text: string
}

export interface TextHits {
  readonly hits: readonly LineHit[]
  /** A line was too long to search completely. */
  readonly isCut: boolean
}

export interface LineSearch {
  /** The hits in each text; undefined: it took too long or was interrupted, and the search is over. */
  search(texts: readonly string[]): Promise<readonly TextHits[] | undefined>
  close(): Promise<void>
}

export interface LineWish {
  /** A regular expression, or plain words if it is not a valid one. */
  readonly pattern: string
  readonly ignoreCase: boolean
  /** For all searching together, without the pauses between calls. */
  readonly timeoutMs: number
  readonly now: Clock
  readonly signal: AbortSignal
}

export const LINE_CHARS_MAX = 2_000
/** A search stops at one more hit than this, to show that there are more. */
export const HITS_MAX = 200
const HEAP_MB_MAX = 128

/**
 * Searches in a thread of its own, which is ended when the time is over: some expressions would take for ever on one
 * line, and block everything else in this process.
 */
export function searchLines({ pattern, ignoreCase, timeoutMs, now, signal }: LineWish): LineSearch {
  const over = new AbortController()
  const end = AbortSignal.any([signal, over.signal])
  const job: Job = { kind: 'line-search', pattern, ignoreCase }
  const worker = new Worker(new URL(import.meta.url), {
    workerData: job,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
  })
  worker.on('error', () => over.abort())
  worker.on('exit', () => over.abort())
  const ready = once(worker, 'online', { signal: end })
  ready.catch(() => undefined)
  let leftMs = timeoutMs
  return {
    search: async (texts) => {
      let timer: NodeJS.Timeout | undefined
      try {
        await ready
        const began = now()
        timer = setTimeout(() => over.abort(), leftMs)
        const reply = once(worker, 'message', { signal: end })
        worker.postMessage(texts, [])
        const [found] = (await reply) as [readonly TextHits[]]
        leftMs -= now() - began
        return found
      } catch {
        await worker.terminate()
        return undefined
      } finally {
        clearTimeout(timer)
      }
    },
    close: async () => {
      await worker.terminate()
    },
  }
}

interface Job {
  readonly kind: 'line-search'
  readonly pattern: string
  readonly ignoreCase: boolean
}

/** The thread runs this same file, so it works both as source and compiled. */
function serve({ pattern, ignoreCase }: Job): void {
  const expression = expressionOf(pattern, ignoreCase ? 'i' : '')
  parentPort?.on('message', (texts: readonly string[]) => {
    const found = texts.map((text) => hitsIn(text, expression))
    parentPort?.postMessage(found, [])
  })
}

function expressionOf(pattern: string, flags: string): RegExp {
  for (const more of ['u', ''])
    try {
      return new RegExp(pattern, flags + more)
    } catch {
      // Tried more leniently next, then as plain words.
    }
  return new RegExp(RegExp.escape(pattern), `${flags}u`)
}

function hitsIn(text: string, expression: RegExp): TextHits {
  const hits: LineHit[] = []
  let isCut = false
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const searched = line.slice(0, LINE_CHARS_MAX)
    isCut ||= line.length > LINE_CHARS_MAX
    if (expression.test(searched)) hits.push({ line: index + 1, text: searched })
    if (hits.length > HITS_MAX) break
  }
  return { hits, isCut }
}

if (!isMainThread && isJob(workerData)) serve(workerData)

function isJob(data: unknown): data is Job {
  return typeof data === 'object' && data !== null && 'kind' in data && data.kind === 'line-search'
}
