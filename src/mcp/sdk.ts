import type * as clientModule from '@modelcontextprotocol/sdk/client/index.js'
import type * as clientStdio from '@modelcontextprotocol/sdk/client/stdio.js'
import type * as clientHttp from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type * as sharedStdio from '@modelcontextprotocol/sdk/shared/stdio.js'
import type * as serverModule from '@modelcontextprotocol/sdk/server/index.js'
import type * as serverStdio from '@modelcontextprotocol/sdk/server/stdio.js'
import type * as types from '@modelcontextprotocol/sdk/types.js'

export const SDK = '@modelcontextprotocol/sdk'
export const INSTALL_COMMAND = `npm install -g ${SDK}`

/** A server is not there, or does not do what it should: why, in words for a person, and what to do. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
  /** `no-package`: nothing is wrong with the server; what speaks with servers is not installed. */
  readonly code: 'no-package' | 'unreachable' | 'closed'

  constructor(code: ServerError['code'], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

/** The package, as far as it speaks with servers. */
export type ClientSdk = typeof clientModule &
  typeof clientStdio &
  typeof sharedStdio &
  typeof clientHttp &
  typeof types

/** The package, as far as it is a server. */
export type ServerSdk = typeof serverModule & typeof serverStdio & typeof types

export async function importClientSdk(name: string = SDK): Promise<ClientSdk> {
  return importParts<ClientSdk>(name, [
    'client/index.js',
    'client/stdio.js',
    'shared/stdio.js',
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
