import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { stopwatchMs } from '../src/base/clock.ts'
import type { Data } from './data.ts'
import { median } from './measure.ts'
import { atMost, type Measure } from './report.ts'

const STARTS = 10
const ANSWER_MS_MAX = 1_000
const PROMPT_BYTES_MAX = 16_000
const PROGRAM = fileURLToPath(new URL('../bin/mainstem.js', import.meta.url))

/** What a person waits for at a prompt of their shell, and what the program takes while it waits for them. */
export async function measureStart(data: Data): Promise<Measure[]> {
  const home = mkdtempSync(join(data.directory, 'home-'))
  try {
    const first = await answerOnce(home)
    const promptBytes = await promptBytesOf(home)
    const starts: Answered[] = []
    for (let n = 0; n < STARTS; n++) starts.push(await answerOnce(home))
    const residentMb = await residentWhileIdle(home)
    const common = { group: 'start', unit: 'ms', goal: atMost(ANSWER_MS_MAX, 'value') } as const
    return [
      {
        ...common,
        measure: 'mainstem -p hello, offline, to the first byte, first start',
        value: first.firstByteMs,
      },
      {
        ...common,
        measure: 'mainstem -p hello, offline, to the first byte',
        value: median(starts.map(({ firstByteMs }) => firstByteMs)),
      },
      {
        ...common,
        measure: 'mainstem -p hello, offline, whole process',
        value: median(starts.map(({ wholeMs }) => wholeMs)),
      },
      {
        group: 'start',
        measure: 'resident memory, idle after an answer (offline)',
        value: residentMb,
        unit: 'MB',
      },
      {
        group: 'start',
        measure: 'first prompt',
        value: promptBytes,
        unit: 'bytes',
        goal: atMost(PROMPT_BYTES_MAX, 'value'),
      },
    ]
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

interface Answered {
  readonly firstByteMs: number
  readonly wholeMs: number
}

export function answerOnce(home: string): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const start = stopwatchMs()
    let firstByteMs = Number.NaN
    const child = spawn(process.execPath, [PROGRAM, '--home', home, '-p', 'hello'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    child.stdout.once('data', () => (firstByteMs = stopwatchMs() - start))
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve({ firstByteMs, wholeMs: stopwatchMs() - start })
      else reject(new Error(`mainstem -p ended with ${code}`))
    })
  })
}

/** Of the newest call. */
async function promptBytesOf(home: string): Promise<number> {
  const args = [PROGRAM, '--home', home, 'context', '--turn', 'last', '--raw']
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1e8 })
  return Buffer.byteLength(stdout.trimEnd())
}

/** A program that is fed by a pipe stays while the pipe is open. */
function residentWhileIdle(home: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, '--home', home], { stdio: ['pipe', 'pipe', 'ignore'] })
    child.once('error', reject)
    child.stdout.once('data', () => {
      setTimeout(() => {
        const [, kilobytes = 'NaN'] =
          /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
        child.once('close', () => resolve(Number(kilobytes) / 1_000))
        child.stdin.end()
      }, 2_000)
    })
    child.stdin.write('hello\n')
  })
}
