import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export type Perform = (request: IncomingMessage, response: ServerResponse) => void

export interface WebServer {
  readonly port: number
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  /** In the form of privateHosts: `127.0.0.1:PORT`. */
  readonly host: string
  readonly requests: readonly IncomingMessage[]
  /** The number of connections so far, with or without a request. */
  readonly connections: () => number
  /** Resolves once no connection is open any more. */
  readonly allGone: () => Promise<void>
  close(): Promise<void>
}

/** A web server on a real local socket that does as it is told. */
export async function startWebServer(perform: Perform, host = '127.0.0.1'): Promise<WebServer> {
  const requests: IncomingMessage[] = []
  const open = new Set<Socket>()
  let connections = 0
  const server = createServer((request, response) => {
    requests.push(request)
    response.on('error', () => {})
    perform(request, response)
  })
  server.on('connection', (socket) => {
    connections++
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      open.delete(socket)
      if (open.size === 0) server.emit('all-gone')
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, host, resolve)
  })
  const { port } = server.address() as AddressInfo
  const name = host.includes(':') ? `[${host}]` : host
  return {
    port,
    url: `http://${name}:${port}`,
    host: `${name}:${port}`,
    requests,
    connections: () => connections,
    allGone: () =>
      open.size === 0 ? Promise.resolve() : new Promise((resolve) => server.once('all-gone', resolve)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
