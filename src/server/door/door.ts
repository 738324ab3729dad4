import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import { may } from '../../command/read/rights.ts'
import { originOf, Refusal, type Caller, type Reach, type Route } from '../contract/route.ts'
import { addressOf, ownNames, reachOf } from './arrival.ts'
import { Attempts } from './attempts.ts'
import { Pool } from './pool.ts'
import { digestOf, isSameSecret, newSecret } from './secrets.ts'
import { SESSION_DAYS, Sessions } from './sessions.ts'

export interface DoorOptions {
  readonly home: string
  readonly token: string
  readonly publicUrl: string | null
  readonly trustedProxies: readonly string[]
  readonly now: Clock
  readonly random: Random
  /** Called when a request got a place. */
  readonly onHold: (response: ServerResponse) => void
}

const LINK_MS = 600_000
const LINKS_MAX = 20

/** Decides who gets in over the network: by the token, or by a session that a one-time link opened. */
export class Door {
  readonly sessions: Sessions
  readonly #options: DoorOptions
  #names = ownNames(0, null)
  #port: number | undefined
  readonly #attempts: Attempts
  /** When each link that was not used yet expires, by the digest of its code. */
  readonly #links = new Map<string, number>()
  readonly #served = new Map<string, Set<ServerResponse>>()
  /** Of strangers, by what they ask for. */
  readonly #pools = new Map<string, Pool<ServerResponse>>()

  constructor(options: DoorOptions) {
    this.#options = options
    this.#attempts = new Attempts(options.now)
    this.sessions = new Sessions(options.home, options)
  }

  /** Called as soon as the server listens on the network; until then nobody gets in, and there is no page to open. */
  listensOn(port: number): void {
    this.#port = port
    this.#names = ownNames(port, this.#options.publicUrl)
  }

  /** Throws a Refusal for a request that a browser sends for a page of somebody else. */
  reachOf(request: IncomingMessage): Reach {
    return reachOf(request, this.#names)
  }

  /** Throws a Refusal for a wrong token. */
  callerOf(request: IncomingMessage): Caller {
    const reach = this.reachOf(request)
    const { authorization } = request.headers
    if (authorization !== undefined) {
      const [, given = ''] = /^bearer +([!-~]+)$/i.exec(authorization) ?? []
      this.#refuseWrong(request, isSameSecret(given, this.#options.token), WRONG_TOKEN)
      return { kind: 'token', reach }
    }
    const secret = cookiesIn(request).get(this.#cookieName(reach))
    const session = secret === undefined ? undefined : this.sessions.find(secret)
    return session === undefined ? { kind: 'stranger', reach } : { kind: 'session', reach, id: session.id }
  }

  /** A link that signs in one browser, once, within ten minutes. Its code is in the fragment, which no server is sent. */
  newLink(): { readonly url: string; readonly expiresAt: number } {
    const { publicUrl, now, random } = this.#options
    if (this.#port === undefined)
      throw new Refusal(
        409,
        "Only 'mainstem serve' has a page to open. Start it, then run 'mainstem open' again.",
      )
    const [code, expiresAt] = [newSecret(random), now() + LINK_MS]
    const [oldest] = this.#links.keys()
    if (this.#links.size >= LINKS_MAX && oldest !== undefined) this.#links.delete(oldest)
    this.#links.set(digestOf(code), expiresAt)
    const { origin } = new URL(publicUrl ?? `http://localhost:${this.#port}`)
    return { url: `${origin}/#code=${code}`, expiresAt }
  }

  /** The cookie of a new session. The code counts once, and the session that the browser had before ends. */
  signIn(request: IncomingMessage, code: string): string {
    const reach = this.reachOf(request)
    const digest = digestOf(code)
    const expiresAt = this.#links.get(digest) ?? 0
    this.#refuseWrong(request, expiresAt > this.#options.now(), WRONG_CODE)
    this.#links.delete(digest)
    const caller = this.callerOf(request)
    if (caller.kind === 'session') this.revoke(caller.id, request)
    for (const { id } of this.sessions.surplus()) this.revoke(id, request)
    const secret = this.sessions.open(request.headers['user-agent'] ?? '')
    return this.#cookie(reach, `${secret}; Max-Age=${SESSION_DAYS * 86_400}`)
  }

  /** The cookie that removes itself. */
  signOut(request: IncomingMessage, caller: Caller): string {
    if (caller.kind !== 'session') throw new Refusal(409, 'This is not a browser session.')
    this.revoke(caller.id, request)
    return this.#cookie(caller.reach, '; Max-Age=0')
  }

  /** Ends a session and what else it has open, such as a stream. False: there is none. */
  revoke(id: string, by: IncomingMessage): boolean {
    // Programs hold what they have open under other names than sessions: whoever may revoke may not cut those.
    if (!this.sessions.revoke(id)) return false
    for (const response of this.#served.get(id) ?? []) if (response.req !== by) response.destroy()
    this.#served.delete(id)
    return true
  }

  /** Ends every session, and the links that would begin another. Returns the ids of those that ended. */
  revokeAll(by: IncomingMessage): readonly string[] {
    this.#links.clear()
    return this.sessions.list().flatMap(({ id }) => (this.revoke(id, by) ? id : []))
  }

  /** Counts a request until it is answered; throws where a client has too many at once. `path`: of its route. */
  hold(caller: Caller, response: ServerResponse, path: string): void {
    this.#cutExpired()
    if (caller.kind === 'stranger') this.#holdStranger(response, path)
    else this.#holdClient(caller.kind === 'session' ? caller.id : caller.kind, caller.kind, response)
    this.#options.onHold(response)
  }

  #holdClient(client: string, kind: keyof typeof AT_ONCE_MAX, response: ServerResponse): void {
    const held = this.#served.get(client) ?? new Set()
    if (held.size >= AT_ONCE_MAX[kind]) throw tooMany()
    this.#served.set(client, held.add(response))
    response.once('close', () => {
      held.delete(response)
      if (held.size === 0) this.#served.delete(client)
    })
  }

  /** A stream may be open for longer than its session lasts. */
  #cutExpired(): void {
    const live = new Set(['token', 'socket', ...this.sessions.list().map(({ id }) => id)])
    for (const [client, held] of this.#served)
      if (!live.has(client)) for (const response of held) response.destroy()
  }

  /** A stranger who asks for one thing takes no place of those who ask for another. */
  #holdStranger(response: ServerResponse, path: string): void {
    const pool = this.#pools.get(path) ?? new Pool(STRANGERS, gaveWay)
    this.#pools.set(path, pool)
    if (!pool.enter(response, addressOf(response.req, this.#options.trustedProxies))) throw tooMany()
    response.once('close', () => pool.leave(response))
  }

  #refuseWrong(request: IncomingMessage, isRight: boolean, wrong: string): void {
    if (isRight) return
    const waitS = this.#attempts.failed(addressOf(request, this.#options.trustedProxies))
    if (waitS === 0) throw new Refusal(401, wrong)
    throw new Refusal(429, `Too many wrong tokens or links. Try again in ${waitS} s.`, { retryAfterS: waitS })
  }

  #cookie(reach: Reach, rest: string): string {
    const secure = this.#isSecure(reach) ? '; Secure' : ''
    return `${this.#cookieName(reach)}=${rest}; Path=/; HttpOnly; SameSite=Strict${secure}`
  }

  /** Cookies do not know ports: two servers on one machine need two names. */
  #cookieName(reach: Reach): string {
    return this.#isSecure(reach) ? '__Host-mainstem' : `mainstem-${this.#port}`
  }

  #isSecure(reach: Reach): boolean {
    return reach === 'public' && this.#options.publicUrl?.toLowerCase().startsWith('https:') === true
  }
}

/** How many requests of one client may be open at once; a stream counts as one. */
const AT_ONCE_MAX = { socket: 4_000, token: 1_500, session: 32 }
/** For each thing that strangers may ask for. */
const STRANGERS = { max: 256, addressMax: 128 }

/** Ends a request that is still arriving, or whose answer is fetched slowly. One that is worked for stays. */
function gaveWay(response: ServerResponse): boolean {
  if (response.req.complete && !response.writableEnded) return false
  response.destroy()
  return true
}

function tooMany(): Refusal {
  return new Refusal(429, 'Too many requests and streams at once. Close some, and try again.', {
    retryAfterS: 1,
  })
}

const WRONG_TOKEN =
  'This token is wrong. The right one is in the file token in the home, or in the setting token.'
const WRONG_CODE =
  "This link was used already, or is older than 10 minutes. 'mainstem open' prints a new one."
const NOT_SIGNED_IN =
  "Not signed in. 'mainstem open' prints a link that signs in a browser; a program sends Authorization: Bearer and the token in the home."

/** Throws a Refusal for what may not be asked from where it came (RIGHT1). */
export function checkRight({ method, path }: Route, caller: Caller): void {
  const asked = { route: `${method} ${path}` }
  const isNeighbour = caller.kind === 'stranger' && caller.reach === 'local'
  if (may(originOf(caller), asked) || (isNeighbour && may('neighbour', asked))) return
  if (caller.kind === 'stranger' && may('page', asked)) throw new Refusal(401, NOT_SIGNED_IN)
  if (caller.kind === 'token' && may('page', asked))
    throw new Refusal(403, "A token may not do this: sign in with a browser ('mainstem open').")
  throw new Refusal(403, "Only commands on this machine may do this, such as 'mainstem open'.")
}

function cookiesIn({ headers }: IncomingMessage): ReadonlyMap<string, string> {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('=', 2))
  return new Map(pairs.map(([name = '', value = '']) => [name, value]))
}
