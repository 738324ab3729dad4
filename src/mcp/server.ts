import { messageOf } from '../base/message-of.ts'
import { withinTime } from '../base/clock.ts'
import type { Readable, Writable } from 'node:stream'
import { isJsonObject } from '../base/json.ts'
import { failed, type CallContext, type Tool, type ToolResult } from '../tool/tool.ts'
import { importServerSdk, type ServerSdk } from './sdk.ts'

export interface ServedParts {
  readonly tools: readonly Tool[]
  readonly version: string
  /** Whom the client works with, and what these tools are: it may show that to its model. */
  readonly instructions?: string
  /** Carry the protocol and nothing else. */
  readonly transport: { readonly input: Readable; readonly output: Writable }
  /** Asked at every call, as main may change. A text says why there is no context. */
  readonly context: () => Promise<Pick<CallContext, 'branch' | 'turn'> | string>
  /** Called with the client's name before its first call. */
  readonly onClient?: (name: string) => void
  /** Tests name one that is not there. */
  readonly sdkName?: string
}

/** Calls that are open when the input ends get this long to finish. */
const LAST_ANSWERS_MS = 1_500

/** Serves tools to one client; resolves when it has gone. */
export async function serveMcp(parts: ServedParts): Promise<void> {
  const { input, output } = parts.transport
  const sdk = await importServerSdk(parts.sdkName)
  const server = new sdk.Server(
    { name: 'mainstem', version: parts.version },
    {
      capabilities: { tools: {} },
      ...(parts.instructions !== undefined && { instructions: parts.instructions }),
    },
  )
  const calls = new Set<Promise<unknown>>()
  const ended = Promise.withResolvers<void>()
  const onclose = () => ended.resolve()
  const oninitialized = () => parts.onClient?.(server.getClientVersion()?.name ?? '')
  Object.assign(server, { onclose, oninitialized })
  server.setRequestHandler(sdk.ListToolsRequestSchema, () => ({
    tools: parts.tools.map(({ spec: { name, description, parameters } }) => ({
      name,
      description,
      inputSchema: { ...parameters, type: 'object' as const },
    })),
  }))
  server.setRequestHandler(sdk.CallToolRequestSchema, async ({ params }, { signal }) => {
    const call = callOf(parts, sdk, { ...params, signal })
    calls.add(call)
    try {
      const { text, isError } = await call
      return { content: [{ type: 'text' as const, text }], isError }
    } finally {
      calls.delete(call)
    }
  })
  const leave = async (): Promise<void> => {
    await withinTime(Promise.allSettled(calls), LAST_ANSWERS_MS)
    await server.close()
  }
  input.once('end', () => void leave())
  input.once('close', () => void leave())
  // The client has gone: nobody reads the answers.
  output.once('error', () => void server.close())
  await server.connect(new sdk.StdioServerTransport(input, output))
  await ended.promise
}

async function callOf(
  { tools, context }: ServedParts,
  { McpError, ErrorCode }: ServerSdk,
  asked: { name: string; arguments?: Record<string, unknown> | undefined; signal: AbortSignal },
): Promise<ToolResult> {
  const tool = tools.find(({ spec }) => spec.name === asked.name)
  if (tool === undefined)
    throw new McpError(
      ErrorCode.InvalidParams,
      `There is no tool ${JSON.stringify(asked.name.slice(0, 80))}. There are: ${tools.map(({ spec }) => spec.name).join(', ')}`,
    )
  const args = asked.arguments ?? {}
  if (!isJsonObject(args)) throw new McpError(ErrorCode.InvalidParams, 'The arguments are not a JSON object')
  const problem = tool.check?.(args)
  if (problem !== undefined) return failed(problem)
  try {
    const place = await context()
    if (typeof place === 'string') return failed(place)
    return await tool.run(args, { ...place, signal: asked.signal })
  } catch (error) {
    // The world behind a tool may fail, and the next call may do: one call is no reason to leave the client alone.
    return failed(messageOf(error))
  }
}
