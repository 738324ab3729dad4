import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { ServerEntry } from '../config/type/tool-type.ts'
import { watched, type Watch } from './http-watch.ts'
import type { ClientSdk } from './sdk.ts'

/** The way to one server: a child process or an address. */
export interface Wire {
  readonly transport: Transport
  /** The end of what it wrote to its standard error. */
  readonly stderr: () => string
  /** Told over HTTP only: whether the server gave us a session, which it may forget. */
  readonly hasSession: () => boolean
  /** At once, for one that does not stop by itself. */
  readonly stop: () => void
  /** Says goodbye where that is the custom. */
  readonly leave: () => Promise<void>
}

const STDERR_CHARS = 2_048

export function openWire(
  sdk: ClientSdk,
  entry: ServerEntry,
  environment: Readonly<Record<string, string>>,
): Wire {
  return 'url' in entry ? httpWire(sdk, entry) : stdioWire(sdk, entry, environment)
}

function stdioWire(
  { StdioClientTransport }: ClientSdk,
  { command, args = [], env = {}, cwd }: Extract<ServerEntry, { command: string }>,
  environment: Readonly<Record<string, string>>,
): Wire {
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env: { ...environment, ...env },
    stderr: 'pipe',
    ...(cwd !== undefined && { cwd }),
  })
  let stderr = ''
  const decoder = new TextDecoder()
  // Read to the end, whoever wants it: a full pipe would stop the server.
  transport.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + decoder.decode(chunk, { stream: true })).slice(-STDERR_CHARS)
  })
  return {
    transport,
    stderr: () => stderr,
    hasSession: () => false,
    stop: () => {
      if (transport.pid !== null) process.kill(transport.pid)
    },
    leave: async () => undefined,
  }
}

function httpWire(
  { StreamableHTTPClientTransport }: ClientSdk,
  { url, headers = {} }: Extract<ServerEntry, { url: string }>,
): Wire {
  const watch: Watch = { awaited: new Set(), lost: (id) => transport.onmessage?.(lostMessage(id)) }
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    fetch: watched(watch),
  })
  const onmessage = (message: JSONRPCMessage): void => {
    if ('id' in message && !('method' in message)) watch.awaited.delete(Number(message.id))
  }
  Object.assign(transport, { onmessage })
  return {
    transport,
    stderr: () => '',
    hasSession: () => transport.sessionId !== undefined,
    stop: () => undefined,
    leave: () => transport.terminateSession(),
  }
}

/** As the package itself says it of a process that ended. */
const CONNECTION_CLOSED = -32_000

function lostMessage(id: number): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: CONNECTION_CLOSED, message: 'Connection closed' } }
}
