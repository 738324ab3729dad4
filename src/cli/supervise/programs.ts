import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Environment } from '../../config/table/source.ts'
import { findBinary } from '../../tool/process/find-binary.ts'
import { CommandError } from '../frame/command.ts'

const PATIENCE_MS = 90_000

/** How a program ended: its exit code, and what it printed. */
export interface Answer {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Calls programs of the system by their names. Times are printed in UTC and words in English. */
export class Programs {
  readonly #environment: Environment

  constructor(environment: Environment) {
    this.#environment = { ...environment, LC_ALL: 'C', TZ: 'UTC' }
  }

  has(name: string): boolean {
    return this.#fileOf(name) !== undefined
  }

  ask(name: string, ...args: readonly string[]): Promise<Answer> {
    const options = { env: this.#environment, timeout: PATIENCE_MS }
    return new Promise((resolve) =>
      execFile(this.#fileOf(name) ?? name, args, options, (error, out, err) => {
        const code = typeof error?.code === 'number' ? error.code : error === null ? 0 : 1
        resolve({ code, out, err: err.trim() || (error?.message ?? '') })
      }),
    )
  }

  /** As `ask`, where a failure cannot be worked around. */
  async order(name: string, ...args: readonly string[]): Promise<void> {
    const { code, err } = await this.ask(name, ...args)
    if (code !== 0) throw new CommandError(`'${[name, ...args].join(' ')}' failed: ${err}`)
  }

  /** Hands over each line that the program prints, until it ends. */
  async follow(
    name: string,
    args: readonly string[],
    line: (text: string) => Promise<void>,
  ): Promise<number> {
    const stdio = ['ignore', 'pipe', 'inherit'] as const
    const child = spawn(this.#fileOf(name) ?? name, args, { env: this.#environment, stdio: [...stdio] })
    const ended = once(child, 'close')
    for await (const text of createInterface({ input: child.stdout })) await line(text)
    const [code] = (await ended) as [number | null]
    return code ?? 1
  }

  #fileOf(name: string): string | undefined {
    return findBinary(name, this.#environment['PATH'] ?? '')
  }
}
