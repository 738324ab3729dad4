import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { onTestFinished } from 'vitest'
import { toolServer, type Manners } from './mcp-tools.ts'

export interface HttpStandIn {
  readonly url: string
  /** All requests so far: `POST initialize`. */
  readonly requests: string[]
  readonly headers: IncomingHttpHeaders[]
  /** As after a restart: no session is known any more. */
  forget(): void
  /** Cuts all connections, even in the middle of an answer. */
  cut(): void
  close(): Promise<void>
}

/** A server of the public package over streamable HTTP, on loopback. */
export async function startHttpStandIn(manners: Manners = {}): Promise<HttpStandIn> {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const [requests, headers]: [string[], IncomingHttpHeaders[]] = [[], []]
  const http = createServer(async (request, response) => {
    const body = request.method === 'POST' ? await jsonOf(request) : undefined
    requests.push(`${request.method} ${body?.method ?? ''}`.trim())
    headers.push(request.headers)
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? sessions.get(id) : undefined
    if (id !== undefined && known === undefined) {
      response.writeHead(404).end('no such session')
      return
    }
    const transport = known ?? (await newSession(sessions, manners))
    await transport.handleRequest(request, response, body)
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const close = async (): Promise<void> => {
    if (!http.listening) return
    http.close()
    http.closeAllConnections()
    await once(http, 'close')
  }
  onTestFinished(close)
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp?token=hidden`,
    requests,
    headers,
    forget: () => sessions.clear(),
    cut: () => http.closeAllConnections(),
    close,
  }
}

async function newSession(
  sessions: Map<string, StreamableHTTPServerTransport>,
  manners: Manners,
): Promise<StreamableHTTPServerTransport> {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  })
  await toolServer(manners).connect(transport)
  return transport
}

async function jsonOf(request: IncomingMessage): Promise<{ method?: string }> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString()) as { method?: string }
}
