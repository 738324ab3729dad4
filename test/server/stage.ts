import { readFileSync } from 'node:fs'
import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { newKey } from '../../src/base/random.ts'
import { OwnerClient } from '../../src/client/socket.ts'
import { makeSocketPath } from '../../src/owner/owner-file.ts'
import { openLife, type Life } from '../../src/runtime/life/life.ts'
import { startExchange } from '../../src/runtime/terminal/exchange.ts'
import { terminalAddress, typedInbound } from '../../src/runtime/terminal/place.ts'
import { Seats } from '../../src/runtime/terminal/seats.ts'
import type { Served, ServerLog } from '../../src/server/contract/route.ts'
import { listen, type ListenPlaces } from '../../src/server/listen.ts'
import { tempFolder } from '../cli/run.ts'

export function fail(error: unknown): never {
  throw error
}

interface StageOptions {
  readonly home?: string
  /** Settings, by their names in the environment without MAINSTEM_. */
  readonly settings?: Readonly<Record<string, string>>
  readonly log?: ServerLog
  /** What the server listens on. */
  readonly host?: string
  readonly bounds?: NonNullable<ListenPlaces['network']>['bounds']
  readonly stream?: NonNullable<ListenPlaces['stream']>
  /** Jobs start when they are due. */
  readonly schedules?: boolean
}

export interface Sent {
  readonly method?: string
  readonly headers?: OutgoingHttpHeaders
  /** An object is sent as JSON. */
  readonly body?: object | string | Uint8Array
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The message of an error. */
  readonly problem: string | undefined
  readonly json: Record<string, unknown>
}

/** The real server, on its socket and on a free port. */
export async function serving(options: StageOptions = {}) {
  const {
    home = tempFolder(),
    settings = {},
    bounds = {},
    stream = {},
    schedules = false,
    log,
    host = '127.0.0.1',
  } = options
  const entries = Object.entries(settings).map(([name, value]) => [`MAINSTEM_${name}`, value] as const)
  const seats = new Seats(fail)
  const opened = await openLife({
    home,
    command: 'test',
    environment: Object.fromEntries(entries),
    conversation: terminalAddress,
    schedules,
    fail,
    ...seats.company,
  })
  seats.open(opened)
  const warnings: string[] = []
  const warn = (text: string): void => void warnings.push(text)
  let closed: Promise<void> | undefined
  const life: Life = { ...opened, close: async () => (closed ??= opened.close()) }
  const socket = makeSocketPath(home, {})
  const about = { home, command: 'test', rank: 'serve', since: 1 } as const
  const served: Served = {
    ...about,
    life,
    seats,
    handOver: () => undefined,
    fail,
    warn,
    ...(log && { log }),
  }
  const places = { socket, network: { host, port: 0, bounds }, stream }
  const server = await listen(served, places)
  const port = server.port ?? 0
  const client = new OwnerClient(socket, 'terminal')
  const close = async (): Promise<void> => {
    client.close()
    await server.close()
    await life.close()
  }
  let isClosed = false
  onTestFinished(async () => void (isClosed || (await close())))
  const token = settings['TOKEN'] ?? readFileSync(join(home, 'token'), 'utf8').trim()
  const ask = (path: string, sent: Sent = {}) => askAt(port, path, sent)
  return {
    home,
    life,
    /** Bugs in answering requests. */
    warnings,
    seats,
    socket,
    server,
    client,
    port,
    token,
    /** What somebody types, until it is answered. */
    say: async (typed: string) => {
      const asked = typedInbound(typed, { origin: 'terminal', key: newKey() })
      return (await startExchange(life, asked, { signal: new AbortController().signal })).outcome
    },
    bearer: { authorization: `Bearer ${token}` },
    ask,
    /** Signs in as a browser does; resolves with its cookie. */
    signIn: async (headers: OutgoingHttpHeaders = {}): Promise<{ cookie: string; setCookie: string }> => {
      const code = server.newLink().url.split('#code=')[1]
      const { headers: got, text: body } = await ask('/api/sign-in', {
        method: 'POST',
        headers,
        body: { code },
      })
      const [setCookie] = got['set-cookie'] ?? []
      if (setCookie === undefined) throw new Error(`not signed in: ${body}`)
      return { cookie: setCookie.split(';')[0] ?? '', setCookie }
    },
    close: async () => {
      isClosed = true
      await close()
    },
  }
}

export async function askAt(
  port: number,
  path: string,
  { method = 'GET', headers, body }: Sent,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const isJson = typeof body === 'object' && !(body instanceof Uint8Array)
  const all = { host: `localhost:${port}`, ...(isJson && { 'content-type': 'application/json' }), ...headers }
  const sent = request({ host: '127.0.0.1', port, path, method, headers: all, agent: false })
  sent.on('error', reject).on('response', (response) => {
    text(response).then((got) => resolve(answerOf(response.statusCode ?? 0, response.headers, got)), reject)
  })
  sent.end(isJson ? JSON.stringify(body) : body)
  return promise
}

function answerOf(status: number, headers: IncomingHttpHeaders, got: string): Answer {
  let json: Record<string, unknown> = {}
  try {
    json = JSON.parse(got) as Record<string, unknown>
  } catch {
    // A page.
  }
  const { error } = json as { error?: { message?: string } }
  return { status, headers, text: got, json, problem: error?.message }
}

/** Bytes as they are, for what no client would send. Resolves with all that comes back once the server closes. */
export async function raw(port: number, bytes: string, keep?: (socket: Socket) => void): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  socket.write(bytes)
  keep?.(socket)
  return text(socket).catch(() => '')
}
