import { chmodSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import type { ListenOptions } from 'node:net'
import { createAdaptorServer, type ServerType } from '@hono/node-server'
import { PROGRAM_VERSION } from '../event/format.ts'
import { removeOwner, writeOwner } from '../owner/owner-file.ts'
import { createApp } from './app.ts'
import type { RouteCall, Served } from './contract/route.ts'

export interface Listening {
  /** The TCP port, if there is one. */
  readonly port: number | undefined
  close(): Promise<void>
}

export interface ListenPlaces {
  /** A path from `makeSocketPath`. */
  readonly socket: string
  /** Left out: only the socket. Port 0: any that is free. */
  readonly network?: { readonly host: string; readonly port: number }
}

/** Answers on the socket, and on the network if asked to. From then on the home names this process as the owner. */
export async function listen(
  served: Served,
  { socket, network }: ListenPlaces,
  fail: (error: unknown) => void,
): Promise<Listening> {
  const { home, command, rank, since } = served
  const servers: ServerType[] = []
  const open = async (via: RouteCall['via'], options: ListenOptions): Promise<ServerType> => {
    const server = createAdaptorServer({ fetch: createApp(served, via, fail).fetch })
    servers.push(server)
    server.listen(options)
    await once(server, 'listening')
    return server
  }
  // Whoever owns the log owns the socket: what is there was left by a process that died.
  rmSync(socket, { force: true })
  await open('socket', { path: socket })
  chmodSync(socket, 0o600)
  const address = network && (await open('port', network)).address()
  writeOwner(home, { pid: process.pid, command, rank, version: PROGRAM_VERSION, socket, since })
  return {
    port: typeof address === 'object' ? address?.port : undefined,
    close: async () => {
      removeOwner(home, process.pid)
      await Promise.all(servers.map(closed))
      rmSync(socket, { force: true })
    },
  }
}

/** Streams never end by themselves, so connections are cut. */
async function closed(server: ServerType): Promise<void> {
  const done = once(server, 'close')
  server.close()
  if ('closeAllConnections' in server) server.closeAllConnections()
  await done
}
