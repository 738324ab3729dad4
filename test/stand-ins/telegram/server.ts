import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Update } from 'grammy/types'
import { z } from 'zod'
import { BotError } from './bot-error.ts'
import { methods } from './methods.ts'
import { Forum, Group, Person, SmallGroup } from './people.ts'
import { TelegramWorld, tooMany } from './world.ts'

/** What goes wrong with one call. `before` and `after` the effect, a drop resets the connection. */
export type Fault =
  | 'drop-before'
  | 'drop-after'
  | 'bad-gateway'
  | 'html-page'
  | { readonly retryAfter: number }
  | { readonly code: number; readonly description: string }
  /** The effect has happened; the answer says this instead. */
  | { readonly result: unknown }
  /** The effect waits for this. */
  | { readonly before: Promise<unknown> | (() => Promise<unknown>) }
  /** The effect has happened; its answer waits for this. */
  | { readonly after: Promise<unknown> | (() => Promise<unknown>) }

export interface Call {
  readonly method: string
  params: Readonly<Record<string, unknown>>
  /** What it did: its result, or why it was refused. The caller may never have learned it. */
  outcome?: { readonly result: unknown } | BotError
}

const TOKEN = '7000000001:AAH-stand-in-token-of-no-real-bot-00'
const HTML_PAGE = '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>'
const polling = z.object({
  offset: z.coerce.number().default(0),
  limit: z.coerce.number().default(100),
  timeout: z.coerce.number().default(0),
  allowed_updates: z.array(z.string()).optional(),
})

export async function startTelegram(now: () => number = Date.now): Promise<TelegramStandIn> {
  const telegram = new TelegramStandIn(now)
  await telegram.listen()
  return telegram
}

/** Telegram's Bot API on a real socket, with people who do what a test says. */
export class TelegramStandIn {
  readonly token = TOKEN
  readonly world: TelegramWorld
  /** Every call that arrived, downloads as `file`. */
  readonly calls: Call[] = []
  /** While it is true, every connection is reset. */
  isDown = false
  readonly #faults = new Map<string, Fault[]>()
  readonly #server = createServer((request, response) => void this.#serve(request, response))
  #poll: Poll | null = null

  constructor(now: () => number) {
    this.world = new TelegramWorld(now)
    this.world.wake = () => this.#poll?.wake()
  }

  async listen(): Promise<void> {
    // Otherwise it closes a quiet connection just when a call comes, and nobody knows whether that call arrived.
    this.#server.keepAliveTimeout = 0
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve)
    })
  }

  /** For grammY's `apiRoot`. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  person(name: string): Person {
    return new Person(this.world, name)
  }

  group(title: string): Group {
    return new Group(this.world, this.world.addChat({ id: this.world.groupId(), type: 'supergroup', title }))
  }

  /** A group of few people, which may become a supergroup. */
  smallGroup(title: string): SmallGroup {
    return new SmallGroup(this.world, this.world.addChat({ id: -this.world.nextId(), type: 'group', title }))
  }

  forum(title: string): Forum {
    const info = { id: this.world.groupId(), type: 'supergroup', title, is_forum: true } as const
    return new Forum(this.world, this.world.addChat(info))
  }

  /** The next calls of a method go wrong in these ways, in order. `file` stands for downloads. */
  will(method: string, ...faults: Fault[]): void {
    this.#faults.set(method, [...(this.#faults.get(method) ?? []), ...faults])
  }

  count(method: string): number {
    return this.calls.filter((call) => call.method === method).length
  }

  async close(): Promise<void> {
    this.#poll?.end([])
    this.#server.closeAllConnections()
    await new Promise((resolve) => {
      this.#server.close(resolve)
    })
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {})
    const [, kind, token, rest = ''] = /^\/(bot|file\/bot)([^/]*)\/(.*)$/.exec(request.url ?? '') ?? []
    const method = kind === 'bot' ? rest : 'file'
    const call: Call & { path: string } = { method, params: {}, path: rest }
    try {
      call.params = await paramsOf(request)
      if (this.isDown) return void response.socket?.resetAndDestroy()
      this.calls.push(call)
      if (token !== TOKEN) throw new BotError(401, 'Unauthorized')
      await this.#perform(call, response)
    } catch (error) {
      if (error instanceof BotError) call.outcome = error
      refuse(response, error)
    }
  }

  async #perform(call: Call & { readonly path: string }, response: ServerResponse): Promise<void> {
    const { method } = call
    const fault = this.#faults.get(method)?.shift()
    if (fault === 'drop-before') return void response.socket?.resetAndDestroy()
    if (fault === 'bad-gateway') throw new BotError(502, 'Bad Gateway')
    if (fault === 'html-page')
      return void response.writeHead(502, { 'content-type': 'text/html' }).end(HTML_PAGE)
    if (typeof fault === 'object') {
      if ('retryAfter' in fault) throw tooMany(fault.retryAfter)
      if ('code' in fault) throw new BotError(fault.code, fault.description)
      if ('before' in fault) await reached(fault.before)
    }
    const result = await this.#result(call, response)
    call.outcome = { result }
    if (typeof fault === 'object' && 'after' in fault) await reached(fault.after)
    if (typeof fault === 'object' && 'result' in fault) answer(response, 200, { ok: true, ...fault })
    else if (fault === 'drop-after') response.socket?.resetAndDestroy()
    else if (result instanceof Uint8Array) response.writeHead(200).end(result)
    else answer(response, 200, { ok: true, result })
  }

  #result({ method, params, path }: Call & { readonly path: string }, response: ServerResponse): unknown {
    if (method === 'getUpdates') return this.#getUpdates(polling.parse(params), response)
    if (method !== 'file') {
      const run = Object.hasOwn(methods, method) ? methods[method] : undefined
      if (run === undefined) throw new BotError(404, 'Not Found: method not found')
      return run(this.world, params)
    }
    const found = [...this.world.files.values()].find((file) => file.path === path)
    if (found === undefined) throw new BotError(404, 'Not Found')
    return found.bytes
  }

  /** The newest poller wins; the older one is told that there are two. */
  async #getUpdates(
    { offset, limit, timeout, allowed_updates: allowed }: z.output<typeof polling>,
    response: ServerResponse,
  ): Promise<Update[]> {
    if (this.world.webhook !== '')
      throw new BotError(
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      )
    if (allowed !== undefined) this.world.allowed = allowed
    this.#poll?.end(
      new BotError(
        409,
        'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
      ),
    )
    const take = (): Update[] => this.world.take(offset, Math.min(Math.max(limit, 1), 100))
    const ready = take()
    if (ready.length > 0 || timeout <= 0) return ready
    const ended = Promise.withResolvers<Update[]>()
    const timer = setTimeout(() => poll.end([]), Math.min(timeout, 50) * 1_000)
    const poll: Poll = {
      wake: () => poll.end(take()),
      end: (outcome) => {
        clearTimeout(timer)
        if (this.#poll === poll) this.#poll = null
        if (outcome instanceof Error) ended.reject(outcome)
        else ended.resolve(outcome)
      },
    }
    this.#poll = poll
    response.on('close', () => poll.end([]))
    return ended.promise
  }
}

function reached(until: Promise<unknown> | (() => Promise<unknown>)): Promise<unknown> {
  return typeof until === 'function' ? until() : until
}

/** A `getUpdates` that waits for something to happen. */
interface Poll {
  readonly wake: () => void
  readonly end: (outcome: Update[] | BotError) => void
}

/** JSON, a form, or a form with files; `attach://NAME` stands for the file of that name. */
async function paramsOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const body = await buffer(request)
  const type = request.headers['content-type'] ?? ''
  if (body.length === 0) return {}
  if (type.startsWith('application/json')) return JSON.parse(body.toString()) as Record<string, unknown>
  const form = await new Response(body, { headers: { 'content-type': type } }).formData()
  const valueOf = (name: string, value: string | File): unknown => {
    if (typeof value !== 'string') return value
    if (value.startsWith('attach://')) return form.get(value.slice('attach://'.length))
    return /^(?:reply_\w+|commands|reaction)$/.test(name) ? (JSON.parse(value) as unknown) : value
  }
  return Object.fromEntries(Array.from(form, ([name, value]) => [name, valueOf(name, value)]))
}

function refuse(response: ServerResponse, error: unknown): void {
  const { code, message, parameters } =
    error instanceof BotError ? error : new BotError(500, `Internal Server Error: ${String(error)}`)
  const { retry_after: retryAfter } = parameters
  if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter)
  const more = Object.keys(parameters).length > 0 && { parameters }
  answer(response, code, { ok: false, error_code: code, description: message, ...more })
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  if (response.destroyed || response.headersSent) return
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
