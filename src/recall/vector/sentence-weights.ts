import { readFileSync } from 'node:fs'
import { EmbedderError } from '../contract/embedder.ts'

/** The table of a `SENC` encoder: a vector for each known word, and some rows for unknown ones. */
export interface SentenceWeights {
  readonly dimensions: number
  /** The row of each word. */
  readonly words: ReadonlyMap<string, number>
  /** Number of rows after those of the words; unknown words are hashed to them. */
  readonly hashRows: number
  readonly scales: Float32Array
  /** Row after row. */
  readonly rows: Int8Array
}

const MAGIC = 'SENC'
const VERSION = 1
const HEAD_BYTES = 24
const ROWS_MAX = 10_000_000
const DIMENSIONS_MAX = 8_192

export function readSentenceWeights(file: string): SentenceWeights {
  try {
    return parseSentenceWeights(readFileSync(file))
  } catch (error) {
    const why = (error as Error).message
    throw new EmbedderError(
      `could not use the weights ${file}: ${why}. Reinstall mainstem, or run: mainstem config set embedder none`,
      { cause: error },
    )
  }
}

/** The arrays are views of the bytes, nothing is copied. */
export function parseSentenceWeights(bytes: Uint8Array): SentenceWeights {
  const { buffer, byteOffset, length } = aligned(bytes)
  if (length < HEAD_BYTES) throw new Error(`the file is too short (${length} bytes)`)
  const view = new DataView(buffer, byteOffset, length)
  const magic = String.fromCharCode(...bytes.subarray(0, 4))
  if (magic !== MAGIC) throw new Error(`it starts with ${JSON.stringify(magic)} instead of ${MAGIC}`)
  const number = (index: number) => view.getUint32(4 + 4 * index, true)
  if (number(0) !== VERSION)
    throw new Error(`it has version ${number(0)}, but this program reads version ${VERSION}`)
  const [wordRows, hashRows, dimensions, vocabularyBytes] = [number(1), number(2), number(3), number(4)]
  const rows = wordRows + hashRows
  if (hashRows < 1 || rows > ROWS_MAX || dimensions < 1 || dimensions > DIMENSIONS_MAX)
    throw new Error(`its header claims ${wordRows} + ${hashRows} rows of ${dimensions} numbers`)
  const scalesAt = HEAD_BYTES + Math.ceil(vocabularyBytes / 4) * 4
  const rowsAt = scalesAt + 4 * rows
  const expected = rowsAt + rows * dimensions
  if (length !== expected) throw new Error(`it has ${length} bytes, but its header says ${expected}`)
  return {
    dimensions,
    words: vocabulary(new Uint8Array(buffer, byteOffset + HEAD_BYTES, vocabularyBytes), wordRows),
    hashRows,
    scales: new Float32Array(buffer, byteOffset + scalesAt, rows),
    rows: new Int8Array(buffer, byteOffset + rowsAt, rows * dimensions),
  }
}

/** A view of four-byte numbers has to begin at a multiple of four. */
function aligned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const isAligned = bytes.buffer instanceof ArrayBuffer && bytes.byteOffset % 4 === 0
  return isAligned ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes)
}

function vocabulary(bytes: Uint8Array, count: number): ReadonlyMap<string, number> {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  const words = new Map<string, number>()
  for (const word of text === '' ? [] : text.split('\n')) words.set(word, words.size)
  if (words.size !== count)
    throw new Error(`it has ${words.size} different words, but its header says ${count}`)
  return words
}
