import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import type { SocketOrigin } from '../../client/socket.ts'
import type { Origin } from '../../event/speaker.ts'
import type { Rank } from '../../owner/owner-file.ts'
import type { Life } from '../../runtime/life/life.ts'
import type { Seats } from '../../runtime/terminal/seats.ts'

/** The process that owns the log, as the server offers it. */
export interface Served {
  readonly home: string
  readonly life: Life
  /** `mainstem serve` */
  readonly command: string
  readonly rank: Rank
  readonly since: number
  readonly seats: Seats
  /** Another process that outranks this one wants the log. */
  readonly handOver: () => void
  /** Told of a bug. */
  readonly fail: (error: unknown) => void
  /** For the people at the screens, or for standard error. */
  readonly warn: (text: string) => void
  readonly log?: ServerLog
}

/** Lines for operators. What matters is in the log of events; these say how the process is. */
export interface ServerLog {
  debug(text: string, fields?: object): void
  info(text: string, fields?: object): void
  warn(text: string, fields?: object): void
  error(text: string, fields?: object): void
  /** Removes this text from every line. */
  hide(secret: string): void
}

/** A request, checked. */
export interface RouteCall<Query = unknown, Body = unknown> {
  readonly served: Served
  readonly query: Query
  readonly body: Body
  /** By the names in the path. */
  readonly params: Readonly<Record<string, string>>
  /** Its signal is aborted when the client goes away. */
  readonly request: Request
  readonly incoming: IncomingMessage
  readonly caller: Caller
}

/** Who sends a request, and, over the network, by which name: one of this machine, or that of PUBLIC_URL. */
export type Caller =
  | { readonly kind: 'socket'; readonly origin: SocketOrigin }
  | { readonly kind: 'token' | 'stranger'; readonly reach: Reach }
  | { readonly kind: 'session'; readonly reach: Reach; readonly id: string }

export type Reach = 'local' | 'public'

/** Where a request came in. A stranger is served only what asks for a secret of its own, as a hook does. */
export function originOf(caller: Caller): Origin {
  switch (caller.kind) {
    case 'socket':
      return caller.origin
    case 'session':
      return 'page'
    case 'token':
      return 'token'
    case 'stranger':
      return 'hook'
  }
}

/** One address of the API. The same entry checks requests, handles them and describes them; `rights.ts` says who may call it. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** `/api/seat/:id/say` */
  readonly path: string
  /** One line, for the description of the API. */
  readonly summary: string
  readonly query?: z.ZodObject
  /** `rawBody`: the bytes as they came, for a signature. */
  readonly body?: z.ZodType
  /** A longer body is refused; 1 MiB if left out. */
  readonly bodyBytesMax?: number
  /** Left out: the handler answers with a Response of its own, such as a stream. */
  readonly answer?: z.ZodType
  readonly handle: (call: RouteCall) => unknown
}

export const rawBody = z.instanceof(Uint8Array)

/** `route('GET /api/hello', …)`; the handler gets the types of its schemas. */
export function route<Query extends z.ZodObject, Body extends z.ZodType, Answer extends z.ZodType>(
  address: `${Route['method']} ${string}`,
  given: Pick<Route, 'summary' | 'bodyBytesMax'> & {
    readonly query?: Query
    readonly body?: Body
    readonly answer?: Answer
    readonly handle: (
      call: RouteCall<z.infer<Query>, z.infer<Body>>,
    ) => MaybePromise<Response | (z.ZodType extends Answer ? never : Given<z.input<Answer>>)>
  },
): Route {
  const [method, path] = address.split(' ')
  return { method, path, ...given } as Route
}

type MaybePromise<T> = T | Promise<T>

/** A value that nobody changes, in which only the named fields matter. */
type Given<T> = T extends readonly (infer Item)[]
  ? readonly Given<Item>[]
  : T extends object
    ? { readonly [Key in keyof T as string extends Key ? never : Key]: Given<T[Key]> }
    : T

/** The request cannot be served. The message is a sentence for people. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: 400 | 401 | 403 | 404 | 408 | 409 | 413 | 415 | 429 | 431 | 503
  readonly retryAfterS: number | undefined
  /** The field of the request that is wrong, as `messages.0.role`. */
  readonly param: string | null
  constructor(
    status: Refusal['status'],
    message: string,
    more: { readonly retryAfterS?: number; readonly param?: string | undefined } = {},
  ) {
    super(message)
    this.status = status
    this.retryAfterS = more.retryAfterS
    this.param = more.param ?? null
  }
}
