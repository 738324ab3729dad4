import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { Answer, Trouble, Wire } from './model-answer.ts'
import { anthropicWire } from './wire-anthropic.ts'
import { chatWire, openrouterWire } from './wire-chat.ts'
import { googleWire } from './wire-google.ts'
import { ollamaWire } from './wire-ollama.ts'
import { responsesWire } from './wire-responses.ts'

/** The server's reaction to one request. `after`: how many pieces of the stream are sent first. */
export type Turn =
  | Answer
  | { readonly slowly: Answer }
  | { readonly cut: Answer; readonly after: number }
  | { readonly ended: Answer; readonly after: number }
  | { readonly silent: Answer; readonly after: number }
  /** Sends the rest once the test lets it. */
  | { readonly held: Answer; readonly after: number; readonly until: Promise<void> }
  | { readonly failed: Answer; readonly after: number; readonly trouble: Trouble; readonly words?: string }
  | {
      readonly status: number
      readonly trouble?: Trouble
      readonly words?: string
      readonly headers?: Record<string, string>
    }
  | { readonly garbage: string; readonly type: string }
  /** Sends the piece again and again until nobody listens. */
  | { readonly endless: string; readonly first?: string; readonly everyMs?: number }
  | 'reset'

export interface SeenRequest {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  // A test reads deep into what was sent, and each provider sends something else.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

export interface ModelServer {
  /** Without a path; each provider adds its own. */
  readonly url: string
  readonly requests: readonly SeenRequest[]
  /** The reactions to the next requests, in order; after that it answers `ok`, or what it was started with. */
  will(...turns: Turn[]): void
  /** Resolves when a client disconnects before its answer was complete. */
  readonly hungUp: Promise<void>
  /** On connections that are closed. */
  bytesSent(): number
  close(): Promise<void>
}

const wires: readonly Wire[] = [
  anthropicWire,
  responsesWire,
  openrouterWire,
  chatWire,
  googleWire,
  ollamaWire,
]

/** A model provider on a real socket that speaks every known wire format and fails on demand. */
export async function startModelServer(
  otherwise: (request: SeenRequest) => Turn = () => ({ blocks: [{ text: 'ok' }] }),
): Promise<ModelServer> {
  const turns: Turn[] = []
  const requests: SeenRequest[] = []
  const hungUp = Promise.withResolvers<void>()
  let bytesSent = 0
  const server = createServer((request, response) => {
    const { socket } = request
    response.on('close', () => {
      bytesSent += socket.bytesWritten
      if (!response.writableEnded) hungUp.resolve()
    })
    void answer(request, response)
  })
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? ''
    const seen = { path, headers: request.headers, body: JSON.parse(await textOf(request)) }
    requests.push(seen)
    const wire = wires.find((one) => one.fits(path))
    if (!wire) response.writeHead(404).end(`no provider speaks at ${path}`)
    else await perform(turns.shift() ?? otherwise(seen), wire, response)
  }
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    will: (...next) => void turns.push(...next),
    hungUp: hungUp.promise,
    bytesSent: () => bytesSent,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

async function perform(turn: Turn, wire: Wire, response: ServerResponse): Promise<void> {
  if (turn === 'reset') return void response.socket?.resetAndDestroy()
  if ('garbage' in turn) return void response.writeHead(200, { 'content-type': turn.type }).end(turn.garbage)
  if ('status' in turn) {
    const { status, trouble = 'other', words = 'no' } = turn
    const headers = { 'content-type': 'application/json', ...turn.headers }
    return void response.writeHead(status, headers).end(wire.refusal(trouble, words))
  }
  response.writeHead(200, { 'content-type': wire.contentType })
  const send = (text: string | Uint8Array): Promise<void> =>
    new Promise((resolve) => {
      response.write(text, () => resolve())
    })
  const begin = async (answer: Answer, after: number): Promise<void> => {
    for (const piece of wire.stream(answer).slice(0, after)) await send(piece)
  }
  if ('endless' in turn) {
    if (turn.first !== undefined) await send(turn.first)
    while (!response.destroyed) {
      await send(turn.endless)
      await setTimeout(turn.everyMs ?? 0)
    }
  } else if ('blocks' in turn) {
    await begin(turn, Infinity)
    response.end()
  } else if ('slowly' in turn) {
    for (const byte of Buffer.from(wire.stream(turn.slowly).join(''))) await send(Uint8Array.of(byte))
    response.end()
  } else if ('cut' in turn) {
    await begin(turn.cut, turn.after)
    response.socket?.destroy()
  } else if ('ended' in turn) {
    await begin(turn.ended, turn.after)
    response.end()
  } else if ('held' in turn) {
    response.flushHeaders()
    await begin(turn.held, turn.after)
    await turn.until
    for (const piece of wire.stream(turn.held).slice(turn.after)) await send(piece)
    response.end()
  } else if ('silent' in turn) {
    response.flushHeaders()
    await begin(turn.silent, turn.after)
  } else {
    await begin(turn.failed, turn.after)
    await send(wire.frame(turn.trouble, turn.words ?? 'no'))
    response.end()
  }
}
