import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { ServerError } from './server-error.ts'

export const SDK = '@modelcontextprotocol/sdk'
export const INSTALL_COMMAND = `npm install -g ${SDK}`

/** What is used of the package to speak with servers. */
export interface ClientSdk {
  readonly Client: typeof Client
  readonly StdioClientTransport: typeof StdioClientTransport
  readonly StreamableHTTPClientTransport: typeof StreamableHTTPClientTransport
  readonly StreamableHTTPError: typeof StreamableHTTPError
  readonly McpError: typeof McpError
  readonly ErrorCode: typeof ErrorCode
  readonly ResultSchema: typeof ResultSchema
  readonly ToolListChangedNotificationSchema: typeof ToolListChangedNotificationSchema
}

/** What is used of it to be a server. */
export interface ServerSdk {
  readonly Server: typeof Server
  readonly StdioServerTransport: typeof StdioServerTransport
  readonly McpError: typeof McpError
  readonly ErrorCode: typeof ErrorCode
  readonly ListToolsRequestSchema: typeof ListToolsRequestSchema
  readonly CallToolRequestSchema: typeof CallToolRequestSchema
}

export async function importClientSdk(name: string = SDK): Promise<ClientSdk> {
  return importParts<ClientSdk>(name, [
    'client/index.js',
    'client/stdio.js',
    'client/streamableHttp.js',
    'types.js',
  ])
}

export async function importServerSdk(name: string = SDK): Promise<ServerSdk> {
  return importParts<ServerSdk>(name, ['server/index.js', 'server/stdio.js', 'types.js'])
}

/** Loaded when it is needed, and no part of what mainstem brings along: ninety other packages come with it. */
async function importParts<T>(name: string, paths: readonly string[]): Promise<T> {
  try {
    const modules = await Promise.all(paths.map(async (path) => (await import(`${name}/${path}`)) as object))
    return Object.assign({}, ...modules) as T
  } catch (cause) {
    const why = (cause as Error).message
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND'
    throw new ServerError(
      'no-package',
      isMissing && (why.includes(`'${name}'`) || why.includes(`'${name}/`))
        ? `MCP needs the package ${name}, which is not installed: ${INSTALL_COMMAND}`
        : `the package ${name} is there and cannot be loaded: ${why}. Install it again: ${INSTALL_COMMAND}`,
      cause,
    )
  }
}
