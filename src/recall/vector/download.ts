import { createWriteStream, renameSync, rmSync } from 'node:fs'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { EmbedderError } from '../contract/embedder.ts'
import { sha256Of, sizeOf } from './minilm-files.ts'

export interface Download {
  readonly url: string
  readonly file: string
  readonly sha256: string
  /** A longer response is not the expected file. */
  readonly bytesMax: number
  readonly progress: (bytes: number) => void
  /** Waits before the next try. */
  readonly pause: (ms: number) => Promise<void>
  /** Gives up after this long without data. */
  readonly stallMs?: number
}

const TRIES_MAX = 5
const PAUSE_MS = 1_000
const STALL_MS = 30_000

/** Downloads one file, resumes an interrupted download, and keeps the file only if its checksum is right. */
export async function download(wanted: Download): Promise<void> {
  const { url, file, sha256, progress, pause } = wanted
  if (sizeOf(file) > 0 && (await sha256Of([file])) === sha256) return progress(sizeOf(file))
  const part = `${file}.part`
  for (let failures = 0; ;) {
    const before = sizeOf(part)
    const outcome = await oneTry({ ...wanted, file: part })
    if (outcome.kind === 'whole') {
      const found = await sha256Of([part])
      if (found === sha256) break
      rmSync(part, { force: true })
      // The earlier part may belong to another file.
      if (before > 0) continue
      throw new EmbedderError(
        `the file at ${url} was discarded: its sha-256 is ${found}, expected ${sha256}. ` +
          `Try a mirror with --from URL, or download the model yourself and run: mainstem models use DIR`,
      )
    }
    if (outcome.kind === 'refused') throw new EmbedderError(outcome.because)
    failures = sizeOf(part) > before ? 1 : failures + 1
    if (failures === TRIES_MAX)
      throw new EmbedderError(
        `could not download ${url}: ${outcome.because}. Try again later (what was downloaded is kept), or use a mirror: --from URL`,
      )
    await pause(PAUSE_MS * failures)
  }
  renameSync(part, file)
}

type Outcome = { readonly kind: 'whole' } | { readonly kind: 'cut' | 'refused'; readonly because: string }

async function oneTry({ url, file, bytesMax, progress, stallMs = STALL_MS }: Download): Promise<Outcome> {
  const have = sizeOf(file)
  const stalled = new AbortController()
  const timer = setTimeout(() => stalled.abort(new Error(`no data for ${stallMs} ms`)), stallMs)
  try {
    const headers: Record<string, string> = { 'accept-encoding': 'identity' }
    if (have > 0) headers['range'] = `bytes=${have}-`
    const response = await fetch(url, { headers, signal: stalled.signal })
    const refusal = refusalOf(response, url)
    if (refusal !== undefined) {
      await response.body?.cancel()
      // The part is longer than the file, so it belongs to another one.
      if (response.status === 416) rmSync(file, { force: true })
      return refusal
    }
    const isContinued =
      response.status === 206 && response.headers.get('content-range')?.startsWith(`bytes ${have}-`)
    let bytes = isContinued ? have : 0
    const watched = new Transform({
      transform(chunk: Buffer, _, done) {
        timer.refresh()
        bytes += chunk.length
        progress(bytes)
        done(bytes > bytesMax ? new TooLong() : null, chunk)
      },
    })
    const body = Readable.fromWeb(response.body ?? new Blob([]).stream())
    await pipeline(body, watched, createWriteStream(file, { flags: isContinued ? 'a' : 'w', mode: 0o600 }))
    const length = response.headers.get('content-length')
    const expected = length === null ? bytes : Number(length) + (isContinued ? have : 0)
    return bytes < expected
      ? { kind: 'cut', because: `it ended after ${bytes} of ${expected} bytes` }
      : { kind: 'whole' }
  } catch (error) {
    return failed(error, { file, url })
  } finally {
    clearTimeout(timer)
  }
}

class TooLong extends Error {}

function refusalOf({ status, statusText }: Response, url: string): Outcome | undefined {
  if (status === 200 || status === 206) return undefined
  const said = `the server said ${status} ${statusText}`.trim()
  if (status === 416 || status === 429 || status >= 500) return { kind: 'cut', because: said }
  const advice = `Check the URL (--from or HF_ENDPOINT) and that your network allows it`
  return { kind: 'refused', because: `could not download ${url}: ${said}. ${advice}` }
}

function failed(error: unknown, { file, url }: { readonly file: string; readonly url: string }): Outcome {
  if (error instanceof TooLong) {
    rmSync(file, { force: true })
    return {
      kind: 'refused',
      because: `${url} is longer than the file that was expected. Nothing of it was kept`,
    }
  }
  const { syscall, path, message, cause } = error as NodeJS.ErrnoException & { readonly cause?: Error }
  if (syscall !== undefined && (path !== undefined || syscall === 'write') && cause === undefined)
    return { kind: 'refused', because: `${file} cannot be written: ${message}. Make room for it there` }
  return { kind: 'cut', because: cause?.message ?? message }
}
