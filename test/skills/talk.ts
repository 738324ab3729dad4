import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { contextCommand } from '../../src/cli/look/context.ts'
import { Conversation } from '../../src/runtime/terminal/conversation.ts'
import { newKey } from '../../src/base/random.ts'
import { systemEnvironment } from '../../src/config/table/source.ts'
import type { Event } from '../../src/event/event.ts'
import type { Prompt } from '../../src/event/prompt.ts'
import type { StepInput } from '../../src/model/scripted.ts'
import { openLife } from '../../src/runtime/life/life.ts'
import { terminalAddress } from '../../src/runtime/terminal/place.ts'
import { Seats } from '../../src/runtime/terminal/seats.ts'
import { runHere, tempFolder } from '../cli/run.ts'

export interface TalkOptions {
  /** What the model does, in all turns together. */
  readonly steps?: readonly StepInput[]
  /** As `--set KEY=VALUE` would. */
  readonly set?: Readonly<Record<string, string>>
  /** In front of the PATH of this process. */
  readonly path?: string
  /** More variables than this process has. */
  readonly environment?: Readonly<Record<string, string>>
}

/** A conversation with the whole program, in this process. */
export interface Talk {
  readonly home: string
  /** Resolves once all that it caused is done. */
  say(text: string): Promise<Told>
  /** Told at the start, and when something is amiss. */
  readonly warnings: readonly string[]
  events(): Promise<readonly Event[]>
  close(): Promise<void>
}

export interface Told {
  /** Where it came in, as people call it. */
  readonly branch: string
  readonly turn: string
  /** All that was shown, in its order. */
  readonly texts: readonly string[]
  readonly isFailed: boolean
}

/** What is shown is looked up in the log. */
const nothing = async (): Promise<void> => undefined

/** Opens the whole program on a home with a model that does as it is told; closed with the test at the latest. */
export async function talkIn(home: string, options: TalkOptions = {}): Promise<Talk> {
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => undefined)
  const seats = new Seats(failed.reject)
  const warnings: string[] = []
  const { signal } = new AbortController()
  const life = await openLife({
    home,
    command: 'test',
    environment: environmentOf(options),
    flags: { ...options.set, model: `scripted:${scriptFile(options.steps ?? [])}` },
    conversation: terminalAddress,
    ...seats.company,
    warn: (text) => warnings.push(text),
    serversMs: 5_000,
    fail: failed.reject,
  })
  seats.open(life)
  const conversation = new Conversation({ life, seats, print: nothing })
  let isClosed = false
  const close = async (): Promise<void> => {
    if (isClosed) return
    isClosed = true
    conversation.close()
    await life.close()
  }
  onTestFinished(close)
  await conversation.catchUp(signal)
  return {
    home,
    say: async (text) => {
      const outcome = await Promise.race([
        conversation.say({ text, key: newKey(), origin: 'program --yes', signal }),
        failed.promise,
      ])
      const { branch = '', turn = null, deliveries = [], isFailed = false } = outcome ?? {}
      return { branch, turn: turn ?? '', texts: deliveries.map((delivery) => delivery.text), isFailed }
    },
    warnings,
    events: () => Array.fromAsync(life.log.events()),
    close,
  }
}

function scriptFile(steps: readonly StepInput[]): string {
  const file = join(tempFolder(), 'script.json')
  writeFileSync(file, JSON.stringify(steps))
  return file
}

function environmentOf({ path, environment }: TalkOptions): Record<string, string | undefined> {
  const whole = { ...systemEnvironment(), ...environment }
  return path === undefined ? whole : { ...whole, PATH: `${path}:${whole['PATH'] ?? ''}` }
}

export function newHome(): string {
  return join(tempFolder(), 'home')
}

/** The prompt of a turn's call, as `mainstem context --raw` has it; without a number, of its last. */
export async function promptOf(home: string, turn: string, call?: number): Promise<Prompt> {
  const number = call === undefined ? [] : ['--call', String(call)]
  const { code, out, err, error } = await runHere(contextCommand, home, ['--turn', turn, ...number, '--raw'])
  if (code !== 0) throw new Error(`there is no such prompt: ${err}${error ?? ''}`)
  return JSON.parse(out) as Prompt
}

/** What the model was given back in this turn, in the order of its calls: `{"text": …}` or `{"error": …}`. */
export async function resultsIn(home: string, turn: string): Promise<readonly Result[]> {
  const { messages } = await promptOf(home, turn)
  const own = messages.slice(messages.findLastIndex(({ role }) => role === 'user'))
  const calls = own.flatMap((message) => (message.role === 'assistant' ? message.calls : []))
  return calls.map(({ id, tool }) => {
    const result = own.find((message) => message.role === 'tool' && message.call === id)
    return { ...(JSON.parse(result?.text ?? '{}') as Result), tool }
  })
}

export interface Result {
  readonly tool?: string
  readonly text?: string
  readonly error?: string
}

/** Steps: one reply, or one call each. */
export const reply = (text: string): StepInput => ({ reply: { text } })
export const call = (
  tool: string,
  args: NonNullable<StepInput['calls']>[number]['args'] = {},
): StepInput => ({
  calls: [{ tool, args }],
})
