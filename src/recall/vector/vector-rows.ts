/**
 * The layout of a vector in its file, always of the same length, so that reading one is a single small read: its
 * document's place in the log (so that it is never taken for another document's), the reciprocal of the numbers'
 * length, and the numbers, one byte each.
 */
export interface RowLayout {
  readonly dimensions: number
  readonly rowBytes: number
  /** The signs of one vector, in 32-bit words: a multiple of four. */
  readonly signWords: number
}

/** All zeros for a vector without a length. */
export function unit(vector: Float32Array | Float64Array): Float32Array {
  let squares = 0
  for (const value of vector) squares += value * value
  const factor = squares > 0 && Number.isFinite(squares) ? 1 / Math.sqrt(squares) : 0
  const made = new Float32Array(vector.length)
  if (factor > 0) for (let at = 0; at < made.length; at++) made[at] = (vector[at] as number) * factor
  return made
}

const HEAD_BYTES = 8
const BYTE_MAX = 127

export function rowLayout(dimensions: number): RowLayout {
  return {
    dimensions,
    rowBytes: HEAD_BYTES + Math.ceil(dimensions / 4) * 4,
    signWords: Math.ceil(dimensions / 128) * 4,
  }
}

/** The rows of these vectors, one after the other. */
export function packRows(
  { dimensions, rowBytes }: RowLayout,
  vectors: readonly { vector: Float32Array; place: number }[],
): Uint8Array {
  const bytes = new Uint8Array(vectors.length * rowBytes)
  const view = new DataView(bytes.buffer)
  for (const [row, { vector, place }] of vectors.entries()) {
    const from = row * rowBytes
    let largest = 0
    for (const value of vector) largest = Math.max(largest, Math.abs(value))
    const factor = largest > 0 && Number.isFinite(largest) ? BYTE_MAX / largest : 0
    let squares = 0
    for (let at = 0; at < dimensions; at++) {
      const byte = Math.round((vector[at] as number) * factor) || 0
      view.setInt8(from + HEAD_BYTES + at, byte)
      squares += byte * byte
    }
    view.setUint32(from, place, true)
    view.setFloat32(from + 4, squares === 0 ? 0 : 1 / Math.sqrt(squares), true)
  }
  return bytes
}

/** Reads the rows in `bytes`, as many as fit. */
export function rowView({ dimensions, rowBytes }: RowLayout, rows: number) {
  const bytes = new Uint8Array(rows * rowBytes)
  const head = new DataView(bytes.buffer)
  const numbers = new Int8Array(bytes.buffer)
  return {
    bytes,
    place: (row: number) => head.getUint32(row * rowBytes, true),
    /** The query must have unit length. */
    cosine(row: number, query: Float32Array): number {
      const from = row * rowBytes + HEAD_BYTES
      let sum = 0
      for (let at = 0; at < dimensions; at++) sum += (query[at] as number) * (numbers[from + at] as number)
      return sum * head.getFloat32(from - HEAD_BYTES + 4, true)
    },
  }
}

/** The signs of the rows in `bytes`. */
export function signsOfRows({ dimensions, rowBytes, signWords }: RowLayout, bytes: Uint8Array): Uint32Array {
  const numbers = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)
  const rows = Math.floor(bytes.length / rowBytes)
  const signs = new Uint32Array(rows * signWords)
  for (let row = 0; row < rows; row++) {
    const from = row * rowBytes + HEAD_BYTES
    putSigns(signs, row * signWords, numbers.subarray(from, from + dimensions))
  }
  return signs
}

export function signsOf({ signWords }: RowLayout, vector: Float32Array): Uint32Array {
  const signs = new Uint32Array(signWords)
  putSigns(signs, 0, vector)
  return signs
}

function putSigns(signs: Uint32Array, to: number, numbers: Int8Array | Float32Array): void {
  for (let from = 0, word = to; from < numbers.length; from += 32, word++) {
    const end = Math.min(32, numbers.length - from)
    let bits = 0
    for (let bit = 0; bit < end; bit++) if ((numbers[from + bit] as number) > 0) bits |= 1 << bit
    signs[word] = bits
  }
}
