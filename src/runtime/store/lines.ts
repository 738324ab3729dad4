import { TextDecoder } from 'node:util'

/** The input cannot be imported; the message says where and why. Nothing was changed. */
export class ImportError extends Error {
  override readonly name = 'ImportError'
}

/** Longer lines would not fit into one string after parsing. */
const LINE_MAX = 256 * 1024 * 1024

export interface Line {
  readonly number: number
  readonly text: string
}

/** Lines of UTF-8 text, numbered from 1. Other bytes are refused: guessing would change messages. */
export async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let number = 1
  let begun = ''
  for await (const chunk of input) {
    const [first = '', ...rest] = decode(decoder, chunk, number).split('\n')
    begun += first
    for (const next of rest) {
      yield { number: number++, text: begun }
      begun = next
    }
    if (begun.length > LINE_MAX) throw new ImportError(`line ${number} is longer than ${LINE_MAX} characters`)
  }
  begun += decode(decoder, undefined, number)
  if (begun !== '') yield { number, text: begun }
}

function decode(decoder: TextDecoder, chunk: Uint8Array | undefined, number: number): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
  } catch (cause) {
    throw new ImportError(`line ${number} or one soon after it is not UTF-8 text`, { cause })
  }
}
