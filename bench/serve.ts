import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { stopwatchMs } from '../src/base/clock.ts'
import { openForReading } from '../src/runtime/home/open-log.ts'
import type { Data } from './data.ts'
import { median } from './measure.ts'
import { atMost, type Measure } from './report.ts'
import { answerOnce } from './start.ts'

const STARTS = 5
const ANSWERS = 10
const READY_MS_MAX = 1_000
const RESIDENT_MB_MAX = 150
const IDLE_PERCENT_MAX = 0.3
const ATTACHED_MS_MAX = 350
const MINUTE_MS = 60_000
const PROGRAM = fileURLToPath(new URL('../bin/mainstem.js', import.meta.url))

/** What `mainstem serve` takes while nobody needs it, and how quickly whoever attaches is answered. */
export async function measureServe(data: Data): Promise<Measure[]> {
  const home = mkdtempSync(join(data.directory, 'serve-'))
  try {
    const starts: number[] = []
    for (let n = 0; n < STARTS; n++) {
      const { child, readyMs } = await startServe(home)
      starts.push(readyMs)
      await stopped(child)
    }
    const { child } = await startServe(home)
    await sleep(MINUTE_MS)
    const residentMb = residentMbOf(child)
    const before = processorMsOf(child)
    await sleep(MINUTE_MS)
    const percent = ((processorMsOf(child) - before) / MINUTE_MS) * 100
    const calls = await modelCalls(home)
    const answers: number[] = []
    for (let n = 0; n <= ANSWERS; n++) answers.push((await answerOnce(home)).wholeMs)
    await stopped(child)
    const common = { group: 'serve' } as const
    return [
      {
        ...common,
        measure: 'mainstem serve, from its start until it is ready',
        value: median(starts),
        unit: 'ms',
        goal: atMost(READY_MS_MAX, 'value'),
      },
      {
        ...common,
        measure: 'resident memory a minute after its start',
        value: residentMb,
        unit: 'MB',
        goal: atMost(RESIDENT_MB_MAX, 'value'),
      },
      {
        ...common,
        measure: 'processor time in the minute after that, share of a core',
        value: percent,
        unit: '%',
        goal: atMost(IDLE_PERCENT_MAX, 'value'),
      },
      {
        ...common,
        measure: 'calls of a model meanwhile',
        value: calls,
        unit: 'calls',
        goal: atMost(0, 'value'),
      },
      {
        ...common,
        measure: 'mainstem -p hello, attached to it, whole process',
        // The first one warms up.
        value: median(answers.slice(1)),
        unit: 'ms',
        goal: atMost(ATTACHED_MS_MAX, 'value'),
      },
    ]
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

async function modelCalls(home: string): Promise<number> {
  const log = openForReading(home)
  const calls = await Array.fromAsync(log.events({ kind: 'model-called' }))
  await log.close()
  return calls.length
}

export async function startServe(
  home: string,
): Promise<{ readonly child: ChildProcess; readonly readyMs: number }> {
  const start = stopwatchMs()
  const child = spawn(process.execPath, [PROGRAM, '--home', home, 'serve', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, TZ: 'UTC' },
  })
  for await (const line of createInterface({ input: child.stdout }))
    if (line.includes(' Ready at ')) return { child, readyMs: stopwatchMs() - start }
  throw new Error('mainstem serve ended before it was ready')
}

const REST_MS = 500
const TICK_MS = 10

/** Looks until nothing was done for a while; what it took so far. */
export async function restingAfter(child: ChildProcess): Promise<number> {
  for (let before = -1; ;) {
    const now = processorMsOf(child)
    if (now - before < TICK_MS * 2) return now
    before = now
    await sleep(REST_MS)
  }
}

/** Times of the process itself, in user and in kernel mode, as the kernel counts them. */
export function processorMsOf(child: ChildProcess): number {
  // The name of a program may have spaces in it, and stands in parentheses.
  const fields = procOf(child, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

export function residentMbOf(child: ChildProcess): number {
  const [, kilobytes = 'NaN'] = /VmRSS:\s+(\d+)/.exec(procOf(child, 'status')) ?? []
  return Number(kilobytes) / 1_000
}

function procOf({ pid }: ChildProcess, file: string): string {
  return readFileSync(`/proc/${pid}/${file}`, 'utf8')
}

export async function stopped(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  await closed
}
