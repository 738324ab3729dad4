import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, ListenOptions, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import { isWithin, neighbourhoodOf } from '../base/address.ts'
import { stopwatchMs, systemClock } from '../base/clock.ts'
import { messageOf } from '../base/message-of.ts'
import { systemRandom } from '../base/random.ts'
import { ConfigError } from '../config/config.ts'
import { PROGRAM_VERSION } from '../event/format.ts'
import { removeOwner, writeOwner } from '../owner/owner-file.ts'
import { createApp, routesOf, type AppParts } from './app.ts'
import { Refusal, type Served } from './contract/route.ts'
import { Door } from './door/door.ts'
import { SAFE_HEADERS } from './door/pages.ts'
import { Pool } from './door/pool.ts'
import { newSecret, tokenOf } from './door/secrets.ts'
import { Broadcast, type BroadcastOptions } from './stream/broadcast.ts'

export interface Listening {
  readonly port: number | undefined
  /** A new link that signs in one browser, once. Throws a Refusal where there is no port. */
  newLink(): { readonly url: string; readonly expiresAt: number }
  close(): Promise<void>
}

export interface ListenPlaces {
  /** A path from `makeSocketPath`. */
  readonly socket: string
  /** Left out: only the socket. Port 0: any that is free. */
  readonly network?: {
    readonly host: string
    readonly port: number
    readonly bounds?: Partial<typeof BOUNDS>
  }
  /** The bounds of streams; tests use small ones. */
  readonly stream?: BroadcastOptions
}

/** Limits of a connection: a client that is slower, or sends more, is cut off. Bodies have limits of their own. */
const BOUNDS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  /** For the whole request, with its body. */
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  /** Connections on which nothing is asked, or not yet; and those of one address. */
  waitingMax: 1_500,
  waitingAddressMax: 750,
  /** Further ones are closed at once. More than strangers can hold, with all that wait and all that they may ask for. */
  connectionsMax: 6_000,
}

/** Answers on the socket, and on the network if asked to. From then on the home names this process as the owner. */
export async function listen(served: Served, { socket, network, stream }: ListenPlaces): Promise<Listening> {
  const { home, command, rank, since, life, fail } = served
  const { token, publicUrl, trustedProxies } = life.config.values
  const [now, random] = [systemClock, systemRandom]
  // Without a network nobody needs a token, and none is made.
  const secret = network === undefined ? newSecret(random) : (token ?? tokenOf(home, random))
  const room = new WaitingRoom({ ...BOUNDS, ...network?.bounds }, trustedProxies)
  const onHold = (response: ServerResponse): void => room.serve(response)
  const door = new Door({ home, token: secret, publicUrl, trustedProxies, now, random, onHold })
  served.log?.hide(secret)
  const { log, agent } = life
  const broadcast = new Broadcast({ log, agent, progress: served.seats.progress }, fail, stream)
  const parts = { served, door, routes: routesOf({ served, door, broadcast }) }
  const servers: Server[] = []
  const close = async (): Promise<void> => {
    removeOwner(home, process.pid)
    broadcast.close()
    // So that the ends of streams are sent before connections are cut.
    await new Promise(setImmediate)
    await Promise.all(servers.map(closed))
    rmSync(socket, { force: true })
  }
  // The owner of the log owns the socket: what is there was left by a process that died.
  rmSync(socket, { force: true })
  try {
    servers.push(await opened(createServer(listener({ ...parts, via: 'socket' })), { path: socket }))
    chmodSync(socket, 0o600)
    if (network !== undefined) {
      const server = networkServer({ ...parts, via: 'port' }, { room, bounds: network.bounds })
      servers.push(await opened(server, network))
      door.listensOn(portOf(server))
    }
    writeOwner(home, { pid: process.pid, command, rank, version: PROGRAM_VERSION, socket, since })
  } catch (error) {
    await close()
    throw error
  }
  return { port: servers[1] && portOf(servers[1]), newLink: () => door.newLink(), close }
}

function networkServer(
  parts: AppParts,
  { room, bounds: ownBounds }: { room: WaitingRoom; bounds: Partial<typeof BOUNDS> | undefined },
): Server {
  const bounds = { ...BOUNDS, ...ownBounds }
  const server = createServer(bounds, listener(parts))
  server.maxConnections = bounds.connectionsMax
  server.on('connection', (socket: Socket) => room.enter(socket))
  return server.on('clientError', refuseBroken)
}

/**
 * The connections with no request that has a place. Whoever only holds one, has a head drip in, or fetches no refusals
 * gives way to whoever comes; others are not asked to.
 */
class WaitingRoom {
  readonly #trustedProxies: readonly string[]
  readonly #pool: Pool<Socket>
  readonly #served = new WeakMap<Socket, number>()

  constructor(
    { waitingMax: max, waitingAddressMax: addressMax }: typeof BOUNDS,
    trustedProxies: readonly string[],
  ) {
    this.#trustedProxies = trustedProxies
    this.#pool = new Pool({ max, addressMax }, (socket) => {
      socket.destroy()
      return true
    })
  }

  enter(socket: Socket): void {
    this.#served.set(socket, 0)
    this.#wait(socket)
    socket.once('close', () => this.#pool.leave(socket))
  }

  /** Until the answer is fetched, its connection does not wait. */
  serve(response: ServerResponse): void {
    const { socket } = response.req
    const served = this.#served.get(socket)
    // Programs of this user come by a socket of their own.
    if (served === undefined) return
    this.#pool.leave(socket)
    this.#served.set(socket, served + 1)
    response.once('close', () => {
      const left = (this.#served.get(socket) ?? 1) - 1
      this.#served.set(socket, left)
      if (left === 0 && !socket.destroyed) this.#wait(socket)
    })
  }

  #wait(socket: Socket): void {
    const address = socket.remoteAddress ?? ''
    // A proxy has the connections of everybody.
    const isProxy = isWithin(address, this.#trustedProxies)
    this.#pool.enter(socket, isProxy ? undefined : neighbourhoodOf(address))
  }
}

function listener(parts: AppParts): RequestListener {
  const handle = getRequestListener(createApp(parts).fetch, { overrideGlobalObjects: false })
  const open = new WeakMap<Socket, number>()
  return (incoming, outgoing) => {
    if (parts.via === 'port' && isCrowded(open, outgoing)) return
    note(parts, incoming, outgoing)
    if (parts.via === 'socket' || isWelcome(parts.door, incoming, outgoing)) void handle(incoming, outgoing)
  }
}

/** Cuts a connection whose requests come faster than it fetches their answers; no browser sends any before the answer. */
function isCrowded(open: WeakMap<Socket, number>, outgoing: ServerResponse): boolean {
  const { socket } = outgoing.req
  const count = (open.get(socket) ?? 0) + 1
  if (count > UNANSWERED_MAX) socket.destroy()
  if (socket.destroyed) return true
  open.set(socket, count)
  outgoing.once('close', () => open.set(socket, (open.get(socket) ?? 1) - 1))
  return false
}

const UNANSWERED_MAX = 8

/** Checks a request from the network before anything else reads it. */
function isWelcome(door: Door, incoming: IncomingMessage, outgoing: ServerResponse): boolean {
  for (const [name, value] of Object.entries(SAFE_HEADERS)) outgoing.setHeader(name, value)
  // The page tells the time by it.
  outgoing.setHeader('date', new Date(systemClock()).toUTCString())
  try {
    door.reachOf(incoming)
    return true
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    outgoing.writeHead(error.status, CLOSING).end(errorText(error.message))
    return false
  }
}

function note({ served: { log }, via }: AppParts, incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (log === undefined) return
  const startedAt = stopwatchMs()
  const { method, url = '', socket } = incoming
  // Without what follows a `?`: some clients put secrets there.
  const asked = { via, address: socket.remoteAddress, method, path: url.split('?')[0] }
  outgoing.once('close', () => {
    const { statusCode: status } = outgoing
    const level = status >= 500 ? 'error' : REFUSED.has(status) ? 'warn' : via === 'socket' ? 'debug' : 'info'
    log[level]('request', { ...asked, status, ms: Math.round(stopwatchMs() - startedAt) })
  })
}

const REFUSED = new Set([401, 403, 429])

const CLOSING = { 'content-type': 'application/json', connection: 'close' }

/** Requests that Node itself refuses get the usual form of an error. Once something was answered, nothing more is. */
function refuseBroken(
  error: NodeJS.ErrnoException,
  socket: Duplex & { readonly bytesWritten?: number },
): void {
  const [status, message] = BROKEN[error.code ?? ''] ?? [400, 'The server cannot read this request.']
  const head = Object.entries(CLOSING).map(([name, value]) => `${name}: ${value}\r\n`)
  const text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${errorText(message)}`
  const isAsked = socket.writable && socket.bytesWritten === 0 && error.code !== 'ECONNRESET'
  if (isAsked) socket.end(text, () => socket.destroy())
  else socket.destroy()
}

const BROKEN: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [
    431,
    `The headers can have at most ${BOUNDS.maxHeaderSize.toLocaleString('en')} bytes.`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
}

function errorText(message: string): string {
  return JSON.stringify({ error: { message } })
}

async function opened(server: Server, options: ListenOptions): Promise<Server> {
  server.listen(options)
  try {
    await once(server, 'listening')
    return server
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const { host, port } = options
    if (port === undefined || code === undefined) throw cause
    const why = code === 'EADDRINUSE' ? 'another program uses it' : messageOf(cause)
    const text = `Could not listen on ${host}, port ${port}: ${why}. Choose another one with --port, or with the settings host and port.`
    throw new ConfigError([{ keys: ['host', 'port'], text }], { cause })
  }
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

/** Streams never end by themselves, so connections are cut. */
async function closed(server: Server): Promise<void> {
  const done = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await done
}
