/** The beginning of what a program wrote to a stream, and how many bytes there were. */
export interface Captured {
  readonly chunks: Buffer[]
  keptBytes: number
  allBytes: number
}

export function newCapture(): Captured {
  return { chunks: [], keptBytes: 0, allBytes: 0 }
}

/** Keeps the beginning and counts the rest, so that a flood needs no memory. */
export function capture(captured: Captured, chunk: Buffer, bytesMax: number): void {
  captured.allBytes += chunk.length
  const room = bytesMax - captured.keptBytes
  if (room <= 0) return
  // A slice would keep the whole chunk alive for its first bytes.
  const kept = chunk.length <= room ? chunk : Buffer.from(chunk.subarray(0, room))
  captured.chunks.push(kept)
  captured.keptBytes += kept.length
}

export type OutputTexts = ReturnType<typeof outputTexts>

/** At most `bytesMax` together; each may use the other's half only if that one does not need it. */
export function outputTexts(streams: { stdout: Captured; stderr: Captured }, bytesMax: number) {
  const { stdout, stderr } = streams
  const half = Math.floor(bytesMax / 2)
  const forStderr = Math.min(stderr.keptBytes, Math.max(half, bytesMax - stdout.allBytes))
  const forStdout = Math.min(stdout.keptBytes, bytesMax - forStderr)
  const [out, error] = [textOf(stdout, forStdout), textOf(stderr, forStderr)]
  return { stdout: out.text, stderr: error.text, wasCut: out.wasCut || error.wasCut }
}

function textOf({ chunks, allBytes }: Captured, bytes: number): { text: string; wasCut: boolean } {
  const kept = Buffer.concat(chunks).subarray(0, bytes)
  const leftOut = allBytes - kept.length
  // With more to come, bytes of a character that the cut fell into are dropped instead of being shown as damaged.
  const text = new TextDecoder('utf-8').decode(kept, { stream: leftOut > 0 })
  if (isBinary(text)) return { text: `(${allBytes} bytes of binary output)`, wasCut: true }
  if (leftOut === 0) return { text, wasCut: false }
  return { text: `${text}\n(${leftOut} more bytes were left out)`, wasCut: true }
}

/** Text of another encoding has some damaged characters; what has many of them was never text. */
function isBinary(text: string): boolean {
  if (text.includes('\0')) return true
  const damaged = text.split('\u{FFFD}').length - 1
  return damaged * 10 > text.length
}
