import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Outgoing } from '../../../src/channel/channel.ts'
import type { Received } from '../../../src/command/door/reception.ts'
import type { RunTool } from './sim-tools.ts'

/** The input of a process, one line each. */
export type Told =
  | {
      readonly told: 'typed'
      readonly index: number
      readonly conversation: string
      readonly key: string | null
      readonly text: string
    }
  /** From now on its model only answers. */
  | { readonly told: 'rest' }
  | { readonly told: 'close' }

/** The output of a process, one line each. */
export type Said =
  | { readonly said: 'ready' }
  | { readonly said: 'heard'; readonly index: number; readonly heard: Received['kind'] }
  | { readonly said: 'shown'; readonly message: Outgoing }
  | { readonly said: 'ran'; readonly number: number; readonly tool: RunTool }
  /** A call that was cut off, or not wanted: it must not run. */
  | { readonly said: 'forbidden'; readonly number: number }
  | { readonly said: 'failed'; readonly why: string }

export interface RealProcess {
  /** Its output so far. */
  readonly heard: readonly Said[]
  readonly failure: string | undefined
  readonly ended: Promise<unknown>
  tell(told: Told): void
  /** `kill -9`; resolves when it is gone and all its output was read. */
  kill(): Promise<void>
}

const PROCESS = fileURLToPath(new URL('../agent-process.ts', import.meta.url))

/** Resolves once the agent in it has started. */
export async function startProcess(args: readonly string[]): Promise<RealProcess> {
  const child = spawn(process.execPath, [PROCESS, ...args], { stdio: 'pipe' })
  const ended = once(child, 'close')
  const said = { rest: '', errors: '' }
  const heard: Said[] = []
  const ready = Promise.withResolvers<void>()
  child.stderr.on('data', (chunk: Buffer) => (said.errors += chunk.toString()))
  // A process that is dead reads nothing more.
  child.stdin.on('error', () => undefined)
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (chunk: string) => {
    const lines = (said.rest + chunk).split('\n')
    // The text after the last line break may be cut off by a kill.
    said.rest = lines.pop() ?? ''
    heard.push(...lines.map((line) => JSON.parse(line) as Said))
    if (heard.some((one) => one.said === 'ready')) ready.resolve()
  })
  await Promise.race([ready.promise, ended])
  const failure = (): string | undefined => {
    const failed = heard.find((one) => one.said === 'failed')
    if (failed !== undefined) return failed.why
    return child.exitCode !== null && child.exitCode !== 0 ? `it ended by itself\n${said.errors}` : undefined
  }
  return {
    heard,
    ended,
    get failure() {
      return failure()
    },
    tell: (told) => void child.stdin.write(`${JSON.stringify(told)}\n`),
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
