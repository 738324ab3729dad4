import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { stopwatchMs } from '../../src/base/clock.ts'
import { seededRandom, type Random } from '../../src/base/random.ts'
import type { Event } from '../../src/event/event.ts'
import { readOwner } from '../../src/owner/owner-file.ts'
import { openForReading } from '../../src/runtime/home/open-log.ts'

const MAINSTEM = fileURLToPath(new URL('../../bin/mainstem.js', import.meta.url))
const CHAT = fileURLToPath(new URL('owners-chat.ts', import.meta.url))
const CHATS = 3
const KILLS = 4
const TYPED_MAX = 3
const KILL_WITHIN_MS = 500
/** Only what hangs is to fail. */
const PATIENCE_MS = 120_000

export interface Outlived {
  readonly kills: number
  /** How many lines. */
  readonly typed: number
  /** The longest time from a kill until another chat had handed in what was typed there. */
  readonly backMs: number
}

/**
 * Chats on one home, in processes of their own. The one that owns the log is killed, again and again, while people type
 * on all of them and programs ask with -p: nothing is lost that was not typed on a chat that died, nothing is done
 * twice, each chat shows all of it once, and each -p prints its answer.
 */
export async function killOwners(seed: number): Promise<Outlived> {
  const random = seededRandom(seed)
  const home = mkdtempSync(join(tmpdir(), 'mainstem-owners-'))
  const model = await echoModel(random)
  const chats = new Chats(home, model)
  try {
    for (let count = 0; count < CHATS; count++) await chats.open()
    const backs: number[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      for (let count = random() % TYPED_MAX; count >= 0; count--) chats.type(random)
      if (random() % 2 === 0) chats.ask()
      await sleep(random() % KILL_WITHIN_MS)
      backs.push(await chats.killOwner(random))
      await chats.open()
    }
    await chats.haveAllShown(await settled(home, chats))
    await chats.haveAnswers()
    return { kills: KILLS, typed: chats.typed.length, backMs: Math.max(...backs) }
  } catch (error) {
    throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  } finally {
    await chats.end()
    model.close()
    rmSync(home, { recursive: true, force: true, maxRetries: 20 })
  }
}

/** Answers with the words it was asked, and a number, slowly. */
async function echoModel(random: Random): Promise<Server> {
  let answers = 0
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const { messages } = (await json(request)) as { messages: { role: string; content: unknown }[] }
      const since = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1)
      const words = JSON.stringify(since).match(/word-\d+/g) ?? []
      const text = `Answer ${++answers} to ${[...new Set(words)].join(' and ')}`
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const piece of text.split(/(?<= )/)) {
        await sleep(random() % 40)
        response.write(`data: ${JSON.stringify(chunk({ content: piece }, null))}\n\n`)
      }
      response.end(`data: ${JSON.stringify(chunk({}, 'stop'))}\n\ndata: [DONE]\n\n`)
    }
    // Whoever asked may have been killed.
    answer().catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function chunk(delta: object, reason: string | null): object {
  const choices = [{ index: 0, delta, finish_reason: reason }]
  return { id: 'a', object: 'chat.completion.chunk', created: 0, model: 'echo', choices }
}

interface Chat {
  readonly child: ChildProcessWithoutNullStreams
  /** How much had been typed anywhere when it was there. */
  readonly since: number
  readonly received: Set<string>
  shown: readonly string[]
}

interface Typed {
  readonly text: string
  /** Undefined: asked with -p. */
  readonly by?: Chat
}

interface Asked {
  readonly text: string
  readonly child: ChildProcessWithoutNullStreams
  out: string
  /** It has ended, and all that it printed is here. */
  isOver: boolean
}

class Chats {
  readonly typed: Typed[] = []
  readonly #asked: Asked[] = []
  readonly #home: string
  readonly #environment: NodeJS.ProcessEnv
  #open: readonly Chat[] = []

  constructor(home: string, model: Server) {
    this.#home = home
    const url = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`
    const settings = { MAINSTEM_MODEL: 'openai-compatible/echo', MAINSTEM_OPENAI_COMPATIBLE_URL: url }
    this.#environment = { ...process.env, ...settings }
  }

  async open(): Promise<void> {
    const child = spawn(process.execPath, [CHAT, this.#home], { env: this.#environment })
    const ready = Promise.withResolvers<void>()
    child.once('exit', (code) => ready.reject(new Error(`a chat ended with ${code}: ${errors}`)))
    ready.promise.catch(() => undefined)
    let errors = ''
    child.stderr.on('data', (text: Buffer) => void (errors += text.toString()))
    child.stdin.on('error', () => undefined)
    const received = new Set<string>()
    const shown: string[] = []
    createInterface({ input: child.stdout }).on('line', (line) => {
      const said = JSON.parse(line) as { kind: string; text?: string; shown?: string[] }
      if (said.kind === 'ready') ready.resolve()
      if (said.text !== undefined) received.add(said.text)
      if (said.shown !== undefined) chat.shown = said.shown
    })
    const chat: Chat = { child, since: this.typed.length, received, shown }
    await Promise.race([ready.promise, late('a chat does not start')])
    this.#open = [...this.#open, chat]
  }

  /** One question, as from a script. */
  ask(): void {
    const text = `word-${this.typed.length + 1}`
    const child = spawn(process.execPath, [MAINSTEM, '--home', this.#home, '-p', text], {
      env: this.#environment,
    })
    child.stdin.end()
    const asked: Asked = { text, child, out: '', isOver: false }
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes: Buffer) => void (asked.out += bytes.toString()))
    child.once('close', () => void (asked.isOver = true))
    this.typed.push({ text })
    this.#asked.push(asked)
  }

  async haveAnswers(): Promise<void> {
    for (const asked of this.#asked) {
      const { child, text } = asked
      await until(`-p ${text} does not end`, () => asked.isOver || undefined)
      const { out } = asked
      const answers = out.match(/^Answer \d+ to .*$/gm) ?? []
      if (child.exitCode !== 0 || answers.filter((answer) => answer.split(' ').includes(text)).length !== 1)
        throw new Error(`-p ${text} ended with ${child.exitCode} and printed: ${out}`)
    }
  }

  type(random: Random): Typed & { readonly by: Chat } {
    const by = this.#open[random() % this.#open.length]
    if (by === undefined) throw new Error('no chat is open')
    const word = `word-${this.typed.length + 1}`
    const typed = { text: random() % 4 === 0 ? `/mark ${word}` : word, by }
    this.typed.push(typed)
    by.child.stdin.write(`${JSON.stringify({ type: typed.text })}\n`)
    return typed
  }

  /** Resolves once another chat has handed in something, with how long that took. */
  async killOwner(random: Random): Promise<number> {
    const owner = await until('no chat owns the log', () => {
      const pid = readOwner(this.#home)?.pid
      return this.#open.find(({ child }) => child.pid === pid)
    })
    const at = stopwatchMs()
    owner.child.kill('SIGKILL')
    this.#open = this.#open.filter((chat) => chat !== owner)
    const { text, by } = this.type(random)
    await until('nothing can be typed after a kill', () => by.received.has(text) || undefined)
    return stopwatchMs() - at
  }

  /** Whether nothing happened to whoever typed it. */
  isAlive({ by }: Typed): boolean {
    return by === undefined || this.#open.includes(by)
  }

  /** Each text in the log, typed or delivered: once on each chat that was there. */
  async haveAllShown(texts: ReadonlyMap<string, number>): Promise<void> {
    for (const chat of this.#open)
      for (const [text, order] of texts)
        await until(`'${text}' is not shown`, () => {
          const times = chat.shown.filter((one) => one === text).length
          if (times > 1) throw new Error(`'${text}' is shown ${times} times: ${JSON.stringify(chat.shown)}`)
          if (times === 1 || order < chat.since) return true
          chat.child.stdin.write('{}\n')
          return undefined
        })
  }

  async end(): Promise<void> {
    for (const { child } of [...this.#open, ...this.#asked]) {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
  }
}

/**
 * Waits until all is answered. Each text that was typed or delivered, with how much had been typed before it; what a
 * killed chat had on its way may be missing.
 */
async function settled(home: string, chats: Chats): Promise<ReadonlyMap<string, number>> {
  const log = openForReading(home)
  try {
    return await until('not all is answered', async () => {
      const events = await Array.fromAsync(log.events())
      const found = new Map<string, number>()
      for (const [order, typed] of chats.typed.entries()) {
        const { text } = typed
        const word = /word-\d+/.exec(text)?.[0] ?? ''
        const times = events.filter((event) => isTyped(event, text)).length
        const answers = events.filter((event) => isAnswerTo(event, word))
        if (times > 1 || answers.length > 1) throw new Error(`'${text}' is in the log ${times} times`)
        if (times === 0 && chats.isAlive(typed)) return undefined
        if (times === 1 && (answers.length === 0 || !isDone(events, answers))) return undefined
        if (times === 1) found.set(text, order)
        for (const answer of answers) if (answer.kind === 'delivery-intended') found.set(answer.text, order)
      }
      return found
    })
  } finally {
    await log.close()
  }
}

function isTyped(event: Event, text: string): boolean {
  if (event.kind === 'inbound-admitted') return event.text === text
  return event.kind === 'command-run' && event.took === null && event.line === text
}

function isAnswerTo(event: Event, word: string): boolean {
  if (event.kind !== 'delivery-intended') return false
  return event.form !== 'notice' && new RegExp(`\\b${word}\\b`).test(event.text)
}

function isDone(events: readonly Event[], answers: readonly Event[]): boolean {
  return answers.every(({ position }) =>
    events.some((event) => event.kind === 'delivery-done' && event.intent === position),
  )
}

async function until<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const end = stopwatchMs() + PATIENCE_MS
  while (stopwatchMs() < end) {
    const found = await look()
    if (found !== undefined) return found
    await sleep(20)
  }
  throw new Error(what)
}

async function late(what: string): Promise<never> {
  await sleep(PATIENCE_MS, undefined, { ref: false })
  throw new Error(what)
}
