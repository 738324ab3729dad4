import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { WebError } from './web-error.ts'

export const ACCEPTED_CODINGS = 'gzip, deflate, br'

export interface Body {
  readonly bytes: Buffer
  /** There was more than is kept here. */
  readonly isCut: boolean
}

/** An answer's content, unpacked; no more of it is unpacked than is kept, however much a few bytes may stand for. */
export async function readBody(answer: IncomingMessage, bytesMax: number): Promise<Body> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of await unpacked(answer)) {
    chunks.push(chunk as Buffer)
    size += (chunk as Buffer).length
    if (size > bytesMax) break
  }
  answer.destroy()
  return { bytes: Buffer.concat(chunks).subarray(0, bytesMax), isCut: size > bytesMax }
}

async function unpacked(answer: IncomingMessage): Promise<Readable> {
  const coding = (answer.headers['content-encoding'] ?? '').trim().toLowerCase()
  if (coding === '' || coding === 'identity') return answer
  const first = await firstByte(answer)
  // Nothing at all is nothing, however it is said to be packed.
  if (first === undefined) return answer
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return through(answer, createGunzip())
    case 'br':
      return through(answer, createBrotliDecompress())
    case 'deflate':
      // Some servers mean bare deflate by this name and some mean zlib, which begins with a byte of its own.
      return through(answer, (first & 0x0f) === 8 ? createInflate() : createInflateRaw())
    default:
      throw new WebError(`The answer is packed in a way that is not understood; ${ACCEPTED_CODINGS} are.`)
  }
}

async function firstByte(answer: IncomingMessage): Promise<number | undefined> {
  if (answer.readableLength === 0 && !answer.readableEnded) await once(answer, 'readable')
  const chunk = answer.read() as Buffer | null
  if (chunk !== null) answer.unshift(chunk)
  return chunk?.[0]
}

function through<T extends Readable & NodeJS.WritableStream>(answer: IncomingMessage, unpacker: T): T {
  // A pipe passes no errors on, and a broken connection would leave the reader waiting.
  answer.on('error', (error) => unpacker.destroy(error))
  return answer.pipe(unpacker)
}
