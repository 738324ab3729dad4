import type { IncomingMessage } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { Hono, type Context } from 'hono'
import { z } from 'zod'
import { sentence } from '../base/words.ts'
import type { SocketOrigin } from '../client/socket.ts'
import { may } from '../command/read/rights.ts'
import { ConfigError } from '../config/config.ts'
import { EventError } from '../event/codec.ts'
import { PROGRAM_VERSION } from '../event/format.ts'
import { LogError } from '../log/log.ts'
import { PathError } from '../tool/files/path.ts'
import { LookError } from '../view/named.ts'
import { actRoutes } from './api/acts.ts'
import { chatRoutes } from './api/chat.ts'
import { homeActs } from './api/home-acts.ts'
import { jobFileRoutes } from './api/job-files.ts'
import { linesRoutes } from './api/lines.ts'
import { pageRoutes } from './api/page.ts'
import { streamRoute } from './api/stream.ts'
import { Refusal, type Caller, type Route, type Served } from './contract/route.ts'
import { checkRight, type Door } from './door/door.ts'
import { doorRoutes } from './door/routes.ts'
import { pageAt } from './door/pages.ts'
import { healthRoutes } from './health/health.ts'
import { hookRoute } from './hook/hook.ts'
import { bodyOf, checked } from './contract/input.ts'
import { openApiRoute } from './openapi.ts'
import { backgroundReads } from './read/background-reads.ts'
import { contextReads, rawPromptRoute } from './read/context-reads.ts'
import { chatReads } from './read/chat-reads.ts'
import { homeReads } from './read/home-reads.ts'
import { memoryReads } from './read/memory-reads.ts'
import { riverReads } from './read/river-reads.ts'
import { saidReads } from './read/said-reads.ts'
import { workReads } from './read/work-reads.ts'
import type { Broadcast } from './stream/broadcast.ts'
import { errorBody } from './v1/error.ts'
import { v1Routes } from './v1/routes.ts'

/** Everything the server answers to. */
export function routesOf(parts: {
  readonly served: Served
  readonly door: Door
  readonly broadcast: Broadcast
}): readonly Route[] {
  const all: Route[] = [
    ...actRoutes,
    ...chatRoutes(),
    hookRoute,
    ...linesRoutes,
    ...pageRoutes,
    ...jobFileRoutes,
    ...backgroundReads,
    ...workReads,
    ...saidReads,
    ...riverReads,
    ...contextReads,
    rawPromptRoute,
    ...chatReads,
    ...homeReads,
    ...memoryReads,
    ...homeActs,
    ...v1Routes,
    streamRoute(parts.broadcast),
    ...doorRoutes(parts.door),
    ...healthRoutes(parts.served),
    openApiRoute(() => all),
  ]
  return all
}

export interface AppParts {
  readonly served: Served
  readonly door: Door
  readonly routes: readonly Route[]
  readonly via: 'socket' | 'port'
}

const texts = z.record(z.string(), z.string())

type Env = { Bindings: HttpBindings }

export function createApp({ served, door, routes: all, via }: AppParts): Hono<Env> {
  const app = new Hono<Env>()
  app.notFound(({ req: { path } }) => refused(new Refusal(404, isV1(path) ? V1_ONLY : NOTHING), path))
  app.onError((error, context) => {
    const { path } = context.req
    const refusal = refusalFor(error)
    if (refusal !== undefined) return refused(refusal, path)
    // What was cut off by a client that went away is no bug. One of ours is told, and never ends the process.
    if (!context.req.raw.signal.aborted) {
      const asked = `${context.req.method} ${path}`
      if (served.log === undefined) served.warn(`${asked} failed: ${error.stack}`)
      else served.log.error(`${asked} failed`, { stack: error.stack })
    }
    return context.json({ error: { message: 'This is a bug in mainstem; its log says more.' } }, 500)
  })
  for (const route of all) app.on(route.method, route.path, (context) => answer(context, route))
  app.get('*', ({ req: { path }, env: { incoming, outgoing } }, next) => {
    const visitor = visitorOf(incoming)
    const file = pageAt(path, visitor.kind !== 'stranger')
    if (file !== undefined) door.hold(visitor, outgoing, '*')
    return file ?? next()
  })
  return app

  async function answer(context: Context<Env>, route: Route): Promise<Response> {
    const { incoming, outgoing } = context.env
    const caller = callerOf(context, route)
    checkRight(route, caller)
    door.hold(caller, outgoing, route.path)
    // The page shows times as its person's clock does, wherever the browser is.
    if (caller.kind === 'session') context.header('mainstem-zone', served.life.desk.settings().zone)
    checkVersion(context)
    const params = checked(texts, context.req.param(), 'The address') as Readonly<Record<string, string>>
    const query = checked(route.query, context.req.query(), 'The address')
    const body = await bodyOf(route, incoming)
    const call = { served, query, body, params, caller, incoming, request: context.req.raw }
    const value = await route.handle(call)
    // Nobody reads it, so a stream would count as open for ever.
    if (context.req.method === 'HEAD' && value instanceof Response) await value.body?.cancel()
    return value instanceof Response ? value : context.json(value ?? {})
  }

  function callerOf({ env: { incoming } }: Context<Env>, { method, path }: Route): Caller {
    // A hook has a secret of its own in the header in which others send the token.
    if (via === 'port' && may('hook', { route: `${method} ${path}` }))
      return { kind: 'stranger', reach: door.reachOf(incoming) }
    return visitorOf(incoming)
  }
  function visitorOf(incoming: IncomingMessage): Caller {
    return via === 'socket' ? { kind: 'socket', origin: socketOrigin(incoming) } : door.callerOf(incoming)
  }
}

/** Only processes of this user reach the socket, and each says what it is. */
function socketOrigin({ headers }: HttpBindings['incoming']): SocketOrigin {
  const said = headers['mainstem-origin']
  return said === 'terminal' || said === 'program --yes' ? said : 'program'
}

const NOTHING = 'There is nothing at this address.'
const V1_ONLY =
  'There is nothing at this address. Send POST /v1/chat/completions to talk; GET /v1/models names the model.'

/** Undefined: a bug. */
function refusalFor(error: Error): Refusal | undefined {
  if (error instanceof Refusal) return error
  const text = sentence(error.message)
  if (error instanceof LookError) return new Refusal(error.kind === 'wrong' ? 400 : 404, text)
  if (error instanceof EventError || error instanceof PathError) return new Refusal(400, text)
  if (error instanceof ConfigError) return new Refusal(409, text)
  if (!(error instanceof LogError)) return undefined
  return error.code === 'closed'
    ? new Refusal(503, 'The log is closed: this process is about to end.', { retryAfterS: 1 })
    : new Refusal(503, text)
}

function isV1(path: string): boolean {
  return path.startsWith('/v1/')
}

function refused(refusal: Refusal, path: string): Response {
  const { status, message, retryAfterS } = refusal
  const headers = {
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    ...(retryAfterS !== undefined && { 'retry-after': String(retryAfterS) }),
    // Clients of OpenAI would otherwise ask again at once, and the model was tried several times already.
    ...(isV1(path) && { 'x-should-retry': 'false' }),
  }
  return Response.json(isV1(path) ? errorBody(refusal) : { error: { message } }, { status, headers })
}

/** Only our own clients name a version. Another one may mean something else by the same words. */
function checkVersion(context: Context): void {
  const version = context.req.header('mainstem-version')
  if (version === undefined || version === PROGRAM_VERSION) return
  throw new Refusal(
    409,
    `This command is mainstem ${version}, and the one that runs (process ${process.pid}) is ${PROGRAM_VERSION}. ` +
      'Restart the one that runs if it is the older one; otherwise update this command.',
  )
}
