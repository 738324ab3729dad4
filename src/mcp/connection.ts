import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import type { JsonObject } from '../base/json.ts'
import type { ServerEntry } from '../config/type/tool-type.ts'
import { PROGRAM_VERSION } from '../event/format.ts'
import type { Sleep } from '../model/contract/sleep.ts'
import type { ClientSdk } from './sdk.ts'
import type { Offered } from './tool-spec.ts'
import { openWire, type ProcessParts, type Wire } from './wire.ts'

/** A server that answered. */
export interface Connection {
  /** All that it offers, page after page. */
  offered(): Promise<readonly Offered[]>
  /** Its answer, as it came. */
  call(name: string, args: JsonObject, signal: AbortSignal): Promise<unknown>
  /** Aborted once the connection is closed. */
  readonly ended: AbortSignal
  readonly noticed: () => Noticed
  /** Whether this error means that the server forgot us, and never saw the call. */
  isForgotten(error: unknown): boolean
  /** Ends the process, too: its input first, then SIGTERM, then SIGKILL. */
  close(): Promise<void>
}

export interface ConnectionParts extends ProcessParts {
  readonly server: string
  readonly sdk: ClientSdk
  readonly entry: ServerEntry
  readonly sleep: Sleep
  /** Aborted when the program closes. */
  readonly closing: AbortSignal
  readonly onToolsChanged: () => void
}

/** What a server showed besides its answers. */
export interface Noticed {
  readonly stderr: string
  /** It wrote something to its standard output that is not an MCP message. */
  readonly isNoisy: boolean
  /** Why it was cut off. */
  readonly flood?: string
  readonly isBoxed?: boolean
}

export const CONNECT_MS = 10_000
const CALL_MS = 60_000
/** For a call that keeps reporting its progress. */
const CALL_MS_MAX = 600_000
const PAGES_MAX = 100
const TOOLS_MAX = 500
/** A server that sends this many messages without being asked is cut off. */
const UNASKED_MAX = 10_000
const GOODBYE_MS = 1_000

type Client = InstanceType<ClientSdk['Client']>

/** Connects within ten seconds, or says why not. `gone` resolves when the attempt is cleaned up. */
export async function openConnection(
  parts: ConnectionParts,
): Promise<Connection | { error: unknown; noticed: Noticed; gone: Promise<void> }> {
  const { sdk, entry } = parts
  const wire = openWire(sdk, entry, parts)
  const client = new sdk.Client({ name: 'mainstem', version: PROGRAM_VERSION }, { capabilities: {} })
  const ended = new AbortController()
  const close = () => closed(client, { wire, ended })
  const { noticed, asked } = listen(client, { wire, ended, close })
  client.setNotificationHandler(sdk.ToolListChangedNotificationSchema, parts.onToolsChanged)
  try {
    await within(client.connect(wire.transport, { timeout: CONNECT_MS }), parts)
  } catch (error) {
    return { error, noticed: noticed(), gone: close() }
  }
  return {
    offered: () => within(offeredBy(client, { sdk, asked }), parts),
    call: (name, args, signal) => {
      asked()
      return callOf(client, { name, arguments: args }, { sdk, signals: [signal, ended.signal] })
    },
    ended: ended.signal,
    noticed,
    isForgotten: (error) =>
      error instanceof sdk.StreamableHTTPError && error.code === 404 && wire.hasSession(),
    close,
  }
}

/** `asked` is called with every request, so that what was not asked for can be counted. */
function listen(
  client: Client,
  { wire, ended, close }: { wire: Wire; ended: AbortController; close: () => Promise<void> },
): { noticed: () => Noticed; asked: () => void } {
  const { transport, stderr, excess, isBoxed } = wire
  let [isNoisy, unasked] = [false, 0]
  let flood: string | undefined
  const cutOff = (why: string): void => {
    flood ??= why
    wire.stop()
    void close()
  }
  const onclose = () => ended.abort()
  const onerror = ({ name, message }: Error): void => {
    if (name === 'SyntaxError' || name.includes('Zod')) isNoisy = true
    if (message.startsWith('ReadBuffer exceeded')) cutOff('it sent more than 10 MB at once')
    // The package gave up reconnecting, so open requests over HTTP are never answered.
    if (message.startsWith('Maximum reconnection attempts')) void close()
  }
  Object.assign(client, { onclose, onerror })
  const hear = transport.onmessage
  const onmessage: typeof hear = (message, extra) => {
    hear?.(message, extra)
    if (++unasked === UNASKED_MAX) cutOff('it sends one message after the other without being asked')
  }
  // The package calls this handler before its own.
  Object.assign(transport, { onmessage })
  return {
    noticed: () => {
      const why = flood ?? excess()
      return { stderr: stderr(), isNoisy, isBoxed, ...(why !== undefined && { flood: why }) }
    },
    asked: () => {
      unasked = 0
    },
  }
}

async function within<T>(
  work: Promise<T>,
  { sleep, closing }: Pick<ConnectionParts, 'sleep' | 'closing'>,
): Promise<T> {
  const over = new AbortController()
  const late = sleep(CONNECT_MS, AbortSignal.any([over.signal, closing])).then(() => {
    throw new Error(`it did not answer within ${CONNECT_MS / 1_000} s`)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    over.abort()
  }
}

const pageSchema = z.looseObject({
  tools: z.array(
    z.looseObject({
      name: z.string(),
      description: z.string().catch(''),
      inputSchema: z.unknown(),
    }),
  ),
  nextCursor: z.string().min(1).optional().catch(undefined),
})

/** Parsed here and not by the package, which would reject the whole list for one odd schema. */
async function offeredBy(
  client: Client,
  { sdk, asked }: { sdk: ClientSdk; asked: () => void },
): Promise<readonly Offered[]> {
  if (client.getServerCapabilities()?.tools === undefined) return []
  const offered: Offered[] = []
  const cursors = new Set<string | undefined>()
  let cursor: string | undefined
  do {
    cursors.add(cursor)
    asked()
    const params = cursor === undefined ? {} : { cursor }
    const answer = await client.request({ method: 'tools/list', params }, sdk.ResultSchema, {
      timeout: CONNECT_MS,
    })
    const page = pageSchema.parse(answer)
    for (const { name, description, inputSchema } of page.tools)
      offered.push({ name, description, schema: inputSchema })
    cursor = page.nextCursor
  } while (
    cursor !== undefined &&
    !cursors.has(cursor) &&
    cursors.size < PAGES_MAX &&
    offered.length < TOOLS_MAX
  )
  return offered.slice(0, TOOLS_MAX)
}

async function callOf(
  client: Client,
  params: { name: string; arguments: JsonObject },
  { sdk, signals }: { sdk: ClientSdk; signals: readonly AbortSignal[] },
): Promise<unknown> {
  // A signal of its own: the package never stops listening, and would cancel calls that were answered long ago.
  const stop = new AbortController()
  const onAbort = () => stop.abort('the call was stopped')
  for (const signal of signals) signal.addEventListener('abort', onAbort, { once: true })
  if (signals.some(({ aborted }) => aborted)) onAbort()
  try {
    return await client.request({ method: 'tools/call', params }, sdk.ResultSchema, {
      signal: stop.signal,
      timeout: CALL_MS,
      maxTotalTimeout: CALL_MS_MAX,
      resetTimeoutOnProgress: true,
      onprogress: () => undefined,
    })
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', onAbort)
  }
}

async function closed(
  client: Client,
  { wire, ended }: { wire: Wire; ended: AbortController },
): Promise<void> {
  const isKnown = wire.hasSession() && !ended.signal.aborted
  ended.abort()
  if (isKnown) {
    // Unreferenced, so that a late goodbye keeps no process alive.
    const late = setTimeout(GOODBYE_MS, undefined, { ref: false })
    await Promise.race([wire.leave().catch(() => undefined), late])
  }
  await wire.transport.close()
  await client.close()
}
