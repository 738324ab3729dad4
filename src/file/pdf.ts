import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { messageOf } from '../base/message-of.ts'
import { readInThread, UNREAD, type ReadingBounds } from '../tool/process/reading-thread.ts'

/** 1 MB of PDF can unpack to many GB. */
const GROWTH_BYTES_MAX = 768 * 2 ** 20

export type PdfText = { readonly text: string } | { readonly problem: string }

/** The text of a PDF, page by page, read in a thread of its own. */
export async function textOfPdf(
  bytes: Uint8Array,
  { charsMax, growthBytesMax = GROWTH_BYTES_MAX, ...bounds }: ReadingBounds & { readonly charsMax: number },
): Promise<PdfText> {
  const job: Job = { kind: 'pdf', bytes, charsMax }
  const found = await readInThread<PdfText>(import.meta.url, job, { ...bounds, growthBytesMax })
  return found ?? { problem: UNREAD }
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
