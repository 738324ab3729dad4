import type { z } from 'zod'
import type { Rank } from '../../owner/owner-file.ts'
import type { Life } from '../../runtime/life/life.ts'

/** What the server offers: the process that owns the log. */
export interface Served {
  readonly home: string
  readonly life: Life
  /** `mainstem serve` */
  readonly command: string
  readonly rank: Rank
  readonly since: number
}

/** A request, checked. */
export interface RouteCall<Query = unknown, Body = unknown> {
  readonly served: Served
  readonly query: Query
  readonly body: Body
  /** By the names in the path. */
  readonly params: Readonly<Record<string, string>>
  /** Over the socket, or over the network. */
  readonly via: 'socket' | 'port'
  /** Its signal is aborted when the client goes away. */
  readonly request: Request
}

/** One address of the API. The same entry checks requests, handles them and describes them. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** `/api/seat/:id/say` */
  readonly path: string
  /** One line, for the description of the API. */
  readonly summary: string
  /**
   * Who may call it. `open`: everybody; `owner`: whoever has the token, a session or the socket; `person`: only the
   * socket and sessions of a browser, where a person sits; `socket`: only processes on this machine.
   */
  readonly access: 'open' | 'owner' | 'person' | 'socket'
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** Left out: the handler answers with a Response of its own, such as a stream. */
  readonly answer?: z.ZodType
  readonly handle: (call: RouteCall) => Promise<unknown>
}

/** Gives a handler the types of its schemas. */
export function route<Query extends z.ZodObject, Body extends z.ZodType, Answer extends z.ZodType>(
  given: Omit<Route, 'query' | 'body' | 'answer' | 'handle'> & {
    readonly query?: Query
    readonly body?: Body
    readonly answer?: Answer
    readonly handle: (
      call: RouteCall<z.infer<Query>, z.infer<Body>>,
    ) => Promise<z.ZodType extends Answer ? Response : z.input<Answer>>
  },
): Route {
  return given as Route
}

/** The request cannot be served. The message is a sentence for people. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: 400 | 401 | 403 | 404 | 409 | 413 | 429 | 503
  constructor(status: Refusal['status'], message: string) {
    super(message)
    this.status = status
  }
}
