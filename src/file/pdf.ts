import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { messageOf } from '../base/message-of.ts'

interface PdfWish {
  readonly charsMax: number
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** This process may grow by so much meanwhile. */
  readonly growthBytesMax?: number
}

const HEAP_MB_MAX = 512
/** Unpacked data is outside the heap and its limit, and 1 MB of PDF can unpack to many GB. */
const GROWTH_BYTES_MAX = 768 * 2 ** 20
const LOOK_MS = 50

export type PdfText = { readonly text: string } | { readonly problem: string }

/**
 * The text of a PDF, page by page. A thread of its own reads it, which is ended when the time is over: a file can be made
 * so that it takes hours, and nothing else in this process could go on.
 */
export async function textOfPdf(
  bytes: Uint8Array,
  { charsMax, timeoutMs, signal, growthBytesMax = GROWTH_BYTES_MAX }: PdfWish,
): Promise<PdfText> {
  const job: Job = { kind: 'pdf', bytes, charsMax }
  const worker = new Worker(new URL(import.meta.url), {
    workerData: job,
    env: {},
    execArgv: [],
    // The library prints warnings about broken files.
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
    const [found] = (await once(worker, 'message', { signal: over })) as [PdfText]
    return found
  } catch {
    return { problem: 'reading it took too long or too much memory' }
  } finally {
    clearInterval(watch)
    await worker.terminate()
  }
}

interface Job {
  readonly kind: 'pdf'
  readonly bytes: Uint8Array
  readonly charsMax: number
}

function isJob(data: unknown): data is Job {
  return typeof data === 'object' && data !== null && 'kind' in data && data.kind === 'pdf'
}

/** The thread runs this same file, so that it is found both as source and compiled. */
async function pdfText({ bytes, charsMax }: Job): Promise<PdfText> {
  try {
    const { getDocumentProxy } = await import('unpdf')
    const pdf = await getDocumentProxy(new Uint8Array(bytes), { useSystemFonts: false, stopAtErrors: false })
    let text = ''
    for (let number = 1; number <= pdf.numPages && text.length <= charsMax; number++) {
      const page = await pdf.getPage(number)
      const { items } = await page.getTextContent()
      const words = items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : ''))
      text += `${words.join('')}\n\n`
      page.cleanup()
    }
    return { text }
  } catch (error) {
    return { problem: /password/i.test(messageOf(error)) ? 'it needs a password' : 'it is damaged' }
  }
}

if (!isMainThread && isJob(workerData)) parentPort?.postMessage(await pdfText(workerData), [])
