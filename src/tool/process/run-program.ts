import { messageOf } from '../../base/message-of.ts'
import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Exit } from './exit-text.ts'
import type { StartedProcess } from '../../event/work.ts'
import type { Boxed } from './boxes.ts'
import { startTimeOf } from './left-behind.ts'
import { startProgram, type StartedProgram } from './start-program.ts'
import { type Excess, type TreeLimits, watchTree } from './watchdog.ts'

export interface ProgramOrder {
  /** The whole path of a program; never a line for a shell. */
  readonly file: string
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly stdin?: string
  readonly timeoutMs: number
  /** Bytes of stdout and stderr together that are kept. */
  readonly outputMax?: number
  /** A program that writes more bytes than this is killed. */
  readonly floodMax?: number
  /** Between asking it to end and killing it. */
  readonly graceMs?: number
  readonly signal: AbortSignal
  readonly onStart?: (process: StartedProcess) => void
  /** Puts it into a box, or says why it must not start. */
  readonly box?: (program: Pick<ProgramOrder, 'file' | 'argv' | 'cwd' | 'env'>) => Boxed
}

export type Ran =
  | ({ readonly kind: 'exited' } & Exit & OutputTexts)
  | ({ readonly kind: 'timed-out'; readonly timeoutMs: number } & OutputTexts)
  | ({ readonly kind: 'flooded'; readonly floodMax: number } & OutputTexts)
  | ({ readonly kind: 'exceeded'; readonly excess: Excess } & OutputTexts)
  | { readonly kind: 'stopped' }
  | { readonly kind: 'not-started'; readonly problem: string }

export type RunProgram = (order: ProgramOrder) => Promise<Ran>

export const OUTPUT_BYTES_MAX = 64 * 1024
const FLOOD_BYTES_MAX = 64 * 1024 * 1024
const TIMEOUT_GRACE_MS = 2_000
const STOP_GRACE_MS = 500
/** How long to wait for output after it exited: a process that left its group may keep the pipes open forever. */
const LAST_WORDS_MS = 500

/** Runs a program without a shell, in a process group of its own that does not outlive it, the time or the signal. */
export const runProgram: RunProgram = (order) => {
  if (order.signal.aborted) return Promise.resolve({ kind: 'stopped' })
  const boxed = order.box?.(order) ?? order
  if ('problem' in boxed) {
    const problem = boxed.isMissing === true ? startProblem(MISSING, order) : boxed.problem
    return Promise.resolve({ kind: 'not-started', problem })
  }
  const started = start(order, boxed)
  if ('problem' in started) return Promise.resolve({ kind: 'not-started', problem: started.problem })
  const { pid } = started.child
  if ('tellsFirst' in boxed)
    started.onFirst(({ pid: group, startTime }) => order.onStart?.({ group, startTime }))
  else if (pid !== undefined) order.onStart?.({ group: pid, startTime: startTimeOf(pid) })
  const limits = 'limits' in boxed ? boxed.limits : undefined
  return new Promise((resolve) => follow(started, { ...order, ...(limits && { limits }) }, resolve))
}

const MISSING = Object.assign(new Error('missing'), { code: 'ENOENT' })

function start(
  order: ProgramOrder,
  boxed: Exclude<Boxed, { problem: string }> | ProgramOrder,
): StartedProgram | { problem: string } {
  const cwd = boxed.cwd ?? order.cwd
  try {
    const stdin = order.stdin === undefined ? 'ignore' : 'pipe'
    return startProgram({ ...boxed, cwd }, { stdin, detached: process.platform !== 'win32' })
  } catch (error) {
    return { problem: startProblem(error, { file: boxed.file, cwd }) }
  }
}

type Cause = 'exited' | 'timed-out' | 'flooded' | 'stopped' | Excess

type Followed = ProgramOrder & { readonly limits?: TreeLimits }

function follow(started: StartedProgram, order: Followed, resolve: (ran: Ran) => void): void {
  const { child } = started
  const { signal, timeoutMs, outputMax = OUTPUT_BYTES_MAX, floodMax = FLOOD_BYTES_MAX } = order
  const streams = { stdout: newCapture(), stderr: newCapture() }
  const timers = new Set<NodeJS.Timeout>()
  let cause: Cause | null = null
  let exit: Exit = { code: null, signal: null }

  const after = (ms: number, act: () => void): void => void timers.add(setTimeout(act, ms))
  const forgetTimers = (): void => timers.forEach((timer) => clearTimeout(timer))
  const settle = (ran: Ran): void => {
    forgetTimers()
    endWatch?.()
    signal.removeEventListener('abort', onAbort)
    release(child)
    resolve(ran)
  }
  const conclude = (): void => {
    if (cause === 'stopped') return settle({ kind: cause })
    const texts = outputTexts(streams, outputMax)
    if (cause === 'timed-out') return settle({ kind: cause, timeoutMs, ...texts })
    if (cause === 'flooded') return settle({ kind: cause, floodMax, ...texts })
    if (cause === 'processes' || cause === 'memory' || cause === 'guard')
      return settle({ kind: 'exceeded', excess: cause, ...texts })
    return settle({ kind: 'exited', ...exit, ...texts })
  }
  const end = (because: Cause, graceMs: number): void => {
    if (cause !== null) return
    cause = because
    started.killBox()
    killGroup(child, 'SIGTERM')
    after(graceMs, () => {
      killGroup(child, 'SIGKILL')
      after(LAST_WORDS_MS, conclude)
    })
  }
  const { limits } = order
  const endWatch = limits && watchTree(started, limits, (excess) => end(excess, 0))
  const onAbort = (): void => end('stopped', order.graceMs ?? STOP_GRACE_MS)
  const listen = (name: 'stdout' | 'stderr') => (chunk: Buffer) => {
    capture(streams[name], chunk, outputMax)
    if (streams.stdout.allBytes + streams.stderr.allBytes > floodMax) end('flooded', 0)
  }

  child.stdout?.on('data', listen('stdout'))
  child.stderr?.on('data', listen('stderr'))
  child.once('error', (error) => settle({ kind: 'not-started', problem: startProblem(error, order) }))
  child.once('exit', (code, killer) => {
    cause ??= 'exited'
    exit = { code, signal: killer }
    // Now, while no other process can have its number: this ends what it left running.
    forgetTimers()
    started.killBox()
    killGroup(child, 'SIGKILL')
    after(LAST_WORDS_MS, conclude)
  })
  child.once('close', conclude)
  after(timeoutMs, () => end('timed-out', order.graceMs ?? TIMEOUT_GRACE_MS))
  signal.addEventListener('abort', onAbort, { once: true })
  // A program may end, or close its input, without reading it: that is not an error.
  child.stdin?.on('error', () => undefined)
  if (order.stdin !== undefined) child.stdin?.end(order.stdin)
}

/** Stops listening to and waiting for the process. */
function release(child: ChildProcess): void {
  child.removeAllListeners()
  child.on('error', () => undefined)
  for (const stream of [child.stdin, child.stdout, child.stderr]) {
    stream?.removeAllListeners('data')
    stream?.destroy()
  }
  child.unref()
}

function killGroup({ pid, exitCode, signalCode }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  // Windows has no groups; a number whose process has ended may be somebody else's there.
  const isGone = exitCode !== null || signalCode !== null
  if (process.platform === 'win32' && isGone) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal)
  } catch {
    // The group has no process left.
  }
}

function startProblem(error: unknown, { file, cwd }: { file: string; cwd: string }): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  // Node reports a missing folder as a missing program.
  if (code === 'ENOENT' && !existsSync(cwd)) return `there is no folder ${cwd} to run it in`
  if (code === 'ENOENT')
    return `${file} does not exist, or the interpreter that its first line names does not`
  if (code === 'EACCES' || code === 'EPERM') return `${file} may not be executed`
  return code === 'E2BIG' ? 'its arguments are longer than the system allows' : messageOf(error)
}

/** The beginning of what a program wrote to a stream, and how many bytes there were. */
interface Captured {
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

type OutputTexts = ReturnType<typeof outputTexts>

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
