import { Agent, request, type IncomingMessage } from 'node:http'
import { parsedJson } from '../base/json.ts'
import { PROGRAM_VERSION } from '../event/format.ts'
import type { Origin } from '../event/speaker.ts'

/** Nobody answers at the socket, or nobody does any more. */
export class OwnerGone extends Error {
  override readonly name = 'OwnerGone'
}

/** The owner says no. The message is a sentence for people. */
export class OwnerRefusal extends Error {
  override readonly name = 'OwnerRefusal'
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** One server-sent event. */
export interface SentEvent {
  /** The position of an event in the log. */
  readonly id?: number
  readonly event: string
  readonly data: unknown
}

/** What a process of this user says that it is: a screen or a shell where somebody sits, or a program (RIGHT1). */
export type SocketOrigin = Extract<Origin, 'terminal' | `program${string}`>

export interface CallOptions {
  readonly body?: object
  readonly signal?: AbortSignal
}

/** Speaks with the process that owns the log, over its socket. Loads almost nothing, so that attaching is quick. */
export class OwnerClient {
  readonly #socketPath: string
  readonly #origin: SocketOrigin
  readonly #agent = new Agent({ keepAlive: true })

  constructor(socketPath: string, origin: SocketOrigin = 'program') {
    this.#socketPath = socketPath
    this.#origin = origin
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- both ends are of one version, which was checked
  async call<T>(method: 'GET' | 'POST' | 'DELETE', path: string, options: CallOptions = {}): Promise<T> {
    const response = await this.#request(method, path, options)
    const text = await textOf(response)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  /** Ends when the owner ends it or the signal comes; throws OwnerGone when the connection is lost. */
  async *stream(path: string, signal: AbortSignal, body?: object): AsyncGenerator<SentEvent> {
    const response = await this.#request(body ? 'POST' : 'GET', path, { signal, ...(body && { body }) })
    try {
      yield* sentEvents(response)
    } catch (error) {
      if (!signal.aborted) throw gone(error)
    }
  }

  close(): void {
    this.#agent.destroy()
  }

  async #request(method: string, path: string, { body, signal }: CallOptions): Promise<IncomingMessage> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = {
        host: 'localhost',
        'mainstem-version': PROGRAM_VERSION,
        'mainstem-origin': this.#origin,
        ...(body && { 'content-type': 'application/json' }),
      }
      const [socketPath, agent] = [this.#socketPath, this.#agent]
      const options = { socketPath, agent, method, path, headers, ...(signal && { signal }) }
      request(options, resolve)
        .on('error', (error) => reject(signal?.aborted === true ? error : gone(error)))
        .end(body && JSON.stringify(body))
    })
    const status = response.statusCode ?? 0
    if (status >= 200 && status < 300) return response
    throw new OwnerRefusal(status, messageIn(await textOf(response)) ?? `status ${status}`)
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  try {
    const chunks: Buffer[] = await Array.fromAsync(response)
    return Buffer.concat(chunks).toString()
  } catch (error) {
    throw gone(error)
  }
}

function messageIn(text: string): string | undefined {
  const value = parsedJson(text) as { readonly error?: { readonly message?: unknown } } | null | undefined
  const message = value?.error?.message
  return typeof message === 'string' ? message : undefined
}

function gone(cause: unknown): OwnerGone {
  return new OwnerGone('the connection to the running mainstem is lost', { cause })
}

/** Reads server-sent events as our server writes them: one line of JSON as data. */
async function* sentEvents(response: IncomingMessage): AsyncGenerator<SentEvent> {
  response.setEncoding('utf8')
  let rest = ''
  for await (const chunk of response) {
    const blocks = (rest + String(chunk)).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map(fieldOf))
      const data = fields.get('data')
      if (data === undefined) continue
      const id = fields.get('id')
      yield {
        event: fields.get('event') ?? 'message',
        data: JSON.parse(data),
        ...(id !== undefined && { id: Number(id) }),
      }
    }
  }
}

function fieldOf(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')]
}
