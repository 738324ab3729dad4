import type { IncomingMessage } from 'node:http'
import { pipeline, Readable, type Transform } from 'node:stream'
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
  try {
    for await (const chunk of await unpacked(answer)) {
      chunks.push(chunk as Buffer)
      size += (chunk as Buffer).length
      if (size > bytesMax) break
    }
  } finally {
    // Also where it cannot be read: the server may go on sending for ever.
    answer.destroy()
  }
  return { bytes: Buffer.concat(chunks).subarray(0, bytesMax), isCut: size > bytesMax }
}

async function unpacked(answer: IncomingMessage): Promise<Readable> {
  const coding = (answer.headers['content-encoding'] ?? '').trim().toLowerCase()
  if (coding === '' || coding === 'identity') return answer
  const chunks = answer[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const first = await chunks.next()
  // Nothing at all is nothing, however it is said to be packed.
  if (first.done === true) return answer
  // Errors go on to the unpacker, whose reader gets them.
  return pipeline(Readable.from(joined(first.value, chunks)), unpackerFor(coding, first.value), () => {})
}

function unpackerFor(coding: string, start: Buffer): Transform {
  if (coding === 'gzip' || coding === 'x-gzip') return createGunzip()
  if (coding === 'br') return createBrotliDecompress()
  if (coding !== 'deflate')
    throw new WebError(`The answer is compressed in an unknown way; ${ACCEPTED_CODINGS} work.`)
  // Some servers mean bare deflate by this name and some mean zlib, which begins with a byte of its own.
  return ((start[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw()
}

async function* joined(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first
  yield* { [Symbol.asyncIterator]: () => rest }
}
