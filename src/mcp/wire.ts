import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { orElse } from '../base/message-of.ts'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { ServerEntry } from '../config/type/tool-type.ts'
import type { StartedProcess } from '../event/work.ts'
import type { Starting } from '../tool/process/box.ts'
import type { Boxed, Boxes } from '../tool/process/boxes.ts'
import { excessText } from '../tool/process/exit-text.ts'
import { findBinary } from '../tool/process/find-binary.ts'
import { startTimeOf } from '../tool/process/left-behind.ts'
import { startProgram, type StartedProgram } from '../tool/process/start-program.ts'
import { watchTree } from '../tool/process/watchdog.ts'
import { boxedTransport } from './boxed-transport.ts'
import type { ClientSdk } from './sdk.ts'

/** The transport to one server: a child process or an HTTP address. */
export interface Wire {
  readonly transport: Transport
  /** The end of what it wrote to its standard error. */
  readonly stderr: () => string
  /** What it used too much of, if it was ended for that. */
  readonly excess: () => string | undefined
  readonly isBoxed: boolean
  /** HTTP only: whether the server gave us a session, which it may forget. */
  readonly hasSession: () => boolean
  /** Kills the process at once. */
  readonly stop: () => void
  /** Ends the session, over HTTP. */
  readonly leave: () => Promise<void>
}

const STDERR_CHARS = 2_048

export interface ProcessParts {
  readonly environment: Readonly<Record<string, string>>
  /** Told of each process, so that it can be ended if this one is killed. */
  readonly started?: (process: StartedProcess) => void
  /** Left out, processes run without a box. */
  readonly boxes?: Boxes
  readonly warn?: (text: string) => void
}

type WireParts = ProcessParts & { readonly server: string }

export function openWire(sdk: ClientSdk, entry: ServerEntry, parts: WireParts): Wire {
  return 'url' in entry ? httpWire(sdk, entry) : stdioWire(sdk, entry, parts)
}

function stdioWire(sdk: ClientSdk, entry: ProcessEntry, { started, warn, ...parts }: WireParts): Wire {
  const { server } = parts
  const boxed = boxedServer(entry, parts)
  let stderr = ''
  const decoder = new TextDecoder()
  const onStderr = (chunk: Buffer): void => {
    stderr = (stderr + decoder.decode(chunk, { stream: true })).slice(-STDERR_CHARS)
  }
  if (!('limits' in boxed)) {
    const bare = bareWire(sdk, 'problem' in boxed ? startingOf(entry, parts) : boxed, { started, onStderr })
    return {
      ...bare,
      ...('problem' in boxed && { transport: refusing(bare.transport, boxed) }),
      stderr: () => stderr,
    }
  }
  let excess: string | undefined
  let program: StartedProgram | undefined
  const stop = (): void => {
    if (program !== undefined) killAll(program)
  }
  const start = (): StartedProgram => {
    // Nobody was asked about the network of entries that are older than boxes.
    if (boxed.isFirst === true && entry.network === undefined) warn?.(firstBoxText(server))
    program = startProgram(boxed, { stdin: 'pipe', detached: true })
    const { pid } = program.child
    // Before anything is waited for: what it may not write to could be replaced meanwhile.
    if (pid !== undefined && boxed.limits !== undefined)
      watchTree(program, boxed.limits, (what) => {
        excess = `it ${excessText(what)}`
        stop()
      })
    if (boxed.tellsFirst === true)
      program.onFirst(({ pid: group, startTime }) => started?.({ group, startTime }))
    else if (pid !== undefined) started?.({ group: pid, startTime: startTimeOf(pid) })
    return program
  }
  return {
    transport: boxedTransport(sdk, { start, onStderr, stop }),
    stderr: () => stderr,
    excess: () => excess,
    isBoxed: true,
    hasSession: () => false,
    stop,
    leave: async () => undefined,
  }
}

/** Its group, too, which may be about to make the box. It may have ended by itself. */
function killAll({ child: { pid, exitCode, signalCode }, killBox }: StartedProgram): void {
  killBox()
  if (pid !== undefined && exitCode === null && signalCode === null)
    orElse(false, () => process.kill(-pid, 'SIGKILL'))
}

/** Without a box, through the package, which knows how each system starts programs. */
function bareWire(
  { StdioClientTransport }: ClientSdk,
  { file, argv, cwd, env }: Starting,
  {
    started,
    onStderr,
  }: { readonly started: ProcessParts['started'] | undefined; readonly onStderr: (chunk: Buffer) => void },
): Omit<Wire, 'stderr'> {
  const transport = new StdioClientTransport({
    command: file,
    args: [...argv],
    env: { ...env },
    stderr: 'pipe',
    ...(cwd !== null && { cwd }),
  })
  const start = transport.start.bind(transport)
  transport.start = async () => {
    await start()
    const { pid } = transport
    if (pid !== null) started?.({ group: pid, startTime: startTimeOf(pid) })
  }
  // Always read: a full pipe would block the server.
  transport.stderr?.on('data', onStderr)
  return {
    transport,
    excess: () => undefined,
    isBoxed: false,
    hasSession: () => false,
    stop: () => {
      if (transport.pid !== null) process.kill(transport.pid)
    },
    leave: async () => undefined,
  }
}

function refusing(
  transport: Transport,
  { problem, isMissing }: Extract<Boxed, { problem: string }>,
): Transport {
  return Object.assign(transport, {
    start: async () => {
      throw Object.assign(new Error(problem), isMissing === true ? { code: 'ENOENT' } : {})
    },
  })
}

function firstBoxText(server: string): string {
  return (
    `The MCP server ${server} runs in a box from now on: without network, and with its own files only. ` +
    `Does it need the network? 'mainstem mcp network ${server} on' gives it that, 'off' keeps it as it is. ` +
    `Folders that it needs are "folders" of mcp.servers.${server}.`
  )
}

type ProcessEntry = Extract<ServerEntry, { command: string }>

function startingOf({ command, args = [], env = {}, cwd }: ProcessEntry, parts: ProcessParts): Starting {
  return { file: command, argv: args, cwd: cwd ?? null, env: { ...parts.environment, ...env } }
}

/** Beside its own it sees the folders of its entry, and its files: `node /srv/notes/server.js`. */
function boxedServer(entry: ProcessEntry, { server, boxes, ...parts }: WireParts): Boxed {
  const program = startingOf(entry, parts)
  const { file, argv, env, cwd } = program
  if (boxes === undefined) return program
  const isPath = file.includes('/')
  const found = isPath ? resolve(cwd ?? '', file) : (findBinary(file, env['PATH'] ?? '') ?? file)
  const folders = [...(entry.folders ?? []), ...(cwd === null ? [] : [cwd])]
  return boxes(
    { ...program, file: found },
    {
      name: `mcp-${server}`,
      folders: folders.map((folder) => folder.replace(/^~(?=\/|$)/, homedir())),
      writable: [],
      scriptsIn: argv,
      readable: [],
      network: entry.network === true,
    },
  )
}

function httpWire(
  { StreamableHTTPClientTransport }: ClientSdk,
  { url, headers = {} }: Extract<ServerEntry, { url: string }>,
): Wire {
  const watch: Watch = { awaited: new Set(), lost: (id) => transport.onmessage?.(lostMessage(id)) }
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    // Its headers may hold a key, which no other address gets.
    requestInit: { headers, redirect: 'manual' },
    fetch: watched(watch),
  })
  const onmessage = (message: JSONRPCMessage): void => {
    if ('id' in message && !('method' in message)) watch.awaited.delete(Number(message.id))
  }
  Object.assign(transport, { onmessage })
  return {
    transport,
    stderr: () => '',
    excess: () => undefined,
    isBoxed: false,
    hasSession: () => transport.sessionId !== undefined,
    stop: () => undefined,
    leave: () => transport.terminateSession(),
  }
}

/** The package's own code for a process that ended. */
const CONNECTION_CLOSED = -32_000

function lostMessage(id: number): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: CONNECTION_CLOSED, message: 'Connection closed' } }
}

/** Requests that were sent over HTTP. */
interface Watch {
  /** Ids of requests that have no answer yet. */
  readonly awaited: Set<number>
  /** Called when the answer to a request can no longer come. */
  readonly lost: (id: number) => void
}

/** The limit for messages over a pipe, too. */
const BYTES_MAX = 10 * 1_024 * 1_024
/** Time for the package to read what arrived before the end. */
const LOOK_MS = 50

/**
 * A fetch that notices when a server goes away in the middle of an answer: the package would wait until the call's time
 * is over. It refuses the stream that servers could speak on unasked: nothing is expected there, and it would be held
 * open for months.
 */
function watched(watch: Watch): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const headers = new Headers(init?.headers)
    if (init?.method === 'GET' && !headers.has('last-event-id')) return new Response(null, { status: 405 })
    const id = requestId(init)
    if (id !== undefined) watch.awaited.add(id)
    const response = await fetch(url, init)
    if (response.body === null) return response
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    const onEnd = (canResume: boolean): void => {
      if (!isStream || id === undefined || canResume) return
      setTimeout(() => {
        if (watch.awaited.delete(id)) watch.lost(id)
      }, LOOK_MS)
    }
    const { status, statusText, headers: answered } = response
    return new Response(bounded(response.body, onEnd), { status, statusText, headers: answered })
  }
}

function requestId(init: RequestInit | undefined): number | undefined {
  if (init?.method !== 'POST' || typeof init.body !== 'string') return undefined
  const message = JSON.parse(init.body) as { readonly id?: unknown; readonly method?: unknown }
  return typeof message.id === 'number' && typeof message.method === 'string' ? message.id : undefined
}

/** The body, up to the size limit. `onEnd` learns whether the server can resume the stream. */
function bounded(
  body: ReadableStream<Uint8Array>,
  onEnd: (canResume: boolean) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let [bytes, canResume, line] = [0, false, '\n']
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value, done } = await reader.read()
        if (done) {
          onEnd(canResume)
          return controller.close()
        }
        bytes += value.length
        if (bytes > BYTES_MAX) throw new Error(`it sent more than ${BYTES_MAX / 1_024 / 1_024} MB at once`)
        const text = line + decoder.decode(value, { stream: true })
        canResume ||= /[\r\n]id:/.test(text)
        line = text.slice(-3)
        controller.enqueue(value)
      } catch (error) {
        onEnd(canResume)
        controller.error(error)
        void reader.cancel().catch(() => undefined)
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}
