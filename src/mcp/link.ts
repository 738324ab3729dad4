import type { Clock } from '../base/clock.ts'
import type { JsonObject } from '../base/json.ts'
import { unlessAborted } from '../base/again.ts'
import type { ServerEntry } from '../config/type/tool-type.ts'
import { fence } from '../event/fence.ts'
import type { ToolSpec } from '../event/prompt.ts'
import type { Sleep } from '../model/contract/sleep.ts'
import { failed, type ToolResult } from '../tool/tool.ts'
import { asResult, resultOf } from './call-result.ts'
import { openConnection, type Connection } from './connection.ts'
import { troubleText } from './problem.ts'
import { ServerError, type ClientSdk } from './sdk.ts'
import type { ProcessParts } from './wire.ts'
import { fingerprintOf, listedOf, type Listed } from './tool-spec.ts'

export interface LinkParts extends ProcessParts {
  readonly server: string
  readonly entry: ServerEntry
  readonly load: () => Promise<ClientSdk>
  readonly now: Clock
  readonly sleep: Sleep
  /** Shows a warning to the person that no call result carries. */
  readonly warn: (text: string) => void
}

type Phase =
  | { readonly kind: 'not connected' }
  | { readonly kind: 'opening'; readonly opened: Promise<Opened> }
  | { readonly kind: 'connected'; readonly opened: Opened }
  | { readonly kind: 'down'; readonly problem: string }

interface Opened {
  readonly sdk: ClientSdk
  readonly connection: Connection
  listed: readonly Listed[]
  /** The server announced that its list of tools changed. */
  isStale: boolean
}

export interface Call {
  readonly tool: ToolSpec
  readonly args: JsonObject
  readonly signal: AbortSignal
}

/** At least this long between two attempts to connect, unless a person asks. */
const RETRY_MS = 5_000

/** One configured server, connected on demand and again after it went away. */
export class Link {
  readonly #parts: LinkParts
  readonly #leaving = new Set<Promise<void>>()
  #phase: Phase = { kind: 'not connected' }
  #triedAt = Number.NEGATIVE_INFINITY
  #isTold = false
  readonly #closing = new AbortController()

  constructor(parts: LinkParts) {
    this.#parts = parts
  }

  get state(): { readonly state: 'not connected' | 'connected' | 'down'; readonly problem?: string } {
    const phase = this.#phase
    if (phase.kind === 'opening') return { state: 'not connected' }
    return phase.kind === 'down' ? { state: 'down', problem: phase.problem } : { state: phase.kind }
  }

  /** The tools the server offers now. Throws a ServerError if it cannot be reached. */
  async list(): Promise<readonly Listed[]> {
    const phase = this.#phase
    // A server that was restarted no longer knows this connection.
    if (phase.kind === 'connected') await this.#listAgain(phase.opened).catch(() => undefined)
    return (await this.#open()).listed
  }

  async call(call: Call): Promise<ToolResult> {
    try {
      return await this.#callOnce(call)
    } catch (error) {
      if (call.signal.aborted) return failed('The call was stopped.')
      if (!(error instanceof ServerError)) throw error
      return this.#notThere(error)
    }
  }

  /** The person is warned once, until the server is back. */
  #notThere({ code, message }: ServerError): ToolResult {
    const { server, warn } = this.#parts
    const what = `The MCP server ${server} is not available`
    if (!this.#isTold && code !== 'closed') warn(`${what}: ${message}`)
    this.#isTold = true
    return failed(
      code === 'unreachable' ? `${what}.\n${fence(`mcp ${server}`, message)}` : `${what}: ${message}`,
    )
  }

  async close(): Promise<void> {
    this.#closing.abort()
    const phase = this.#phase
    if (phase.kind === 'opening') await phase.opened.catch(() => undefined)
    if (this.#phase.kind === 'connected') this.#leave(this.#phase.opened.connection)
    await Promise.all(this.#leaving)
  }

  async #callOnce(call: Call, attempt: 'first' | 'second' = 'first'): Promise<ToolResult> {
    const { server, entry } = this.#parts
    const { tool, args, signal } = call
    // The attempt to connect goes on for the next call; only this one stops waiting.
    const opened = await unlessAborted(signal, () => this.#ready(signal))
    if (opened?.isStale === true) await unlessAborted(signal, () => this.#listAgain(opened))
    if (opened === undefined || signal.aborted) throw new Error('stopped', { cause: signal.reason })
    const listed = opened.listed.find(({ spec }) => spec.name === tool.name)
    if (listed === undefined)
      return failed(
        `The MCP server ${server} does not offer ${tool.name} any more. Do without it; the person can take what it offers now with /reload.`,
      )
    // Otherwise a server could get one thing allowed and do another.
    if (fingerprintOf(entry, listed.spec) !== fingerprintOf(entry, tool))
      return failed(
        `${tool.name} is not what it was: its server describes it in other words. It was not called. ` +
          `Do without it; the person can take the new one with /reload and has to allow it again.`,
      )
    const { connection } = opened
    try {
      return resultOf(server, await connection.call(listed.name, args, signal))
    } catch (error) {
      if (signal.aborted) throw error
      if (connection.isForgotten(error) && attempt === 'first') {
        this.#leave(connection)
        return this.#callOnce(call, 'second')
      }
      return this.#failure(opened, error)
    }
  }

  #failure({ sdk, connection }: Opened, error: unknown): ToolResult {
    const { server, entry } = this.#parts
    const { message = '' } = error instanceof sdk.McpError ? error : {}
    // Told apart by their messages: servers use the same codes for errors of their own.
    if (error instanceof sdk.McpError && !message.endsWith('Connection closed') && !connection.ended.aborted)
      return /(?:Request timed out|Maximum total timeout exceeded)$/.test(message)
        ? failed(`The MCP server ${server} did not answer in time. What the call did is not known.`)
        : asResult(server, { text: error.message, isError: true })
    this.#leave(connection)
    const { ended } = connection
    const reason = ended.aborted
      ? new sdk.McpError(sdk.ErrorCode.ConnectionClosed, 'Connection closed')
      : error
    const why = troubleText({ sdk, server, entry, error: reason, noticed: connection.noticed() })
    return failed(
      `The MCP server ${server} went away during the call, and what the call did is not known. ` +
        `The next call connects again.\n${fence(`mcp ${server}`, why)}`,
    )
  }

  /** A connection for a call, without connecting too often. */
  async #ready(signal: AbortSignal): Promise<Opened> {
    const phase = this.#phase
    if ('opened' in phase) return this.#open()
    const waitMs = Math.min(RETRY_MS, this.#triedAt + RETRY_MS - this.#parts.now())
    if (waitMs > 0 && phase.kind === 'down')
      throw new ServerError(
        'unreachable',
        `${phase.problem} It was tried a moment ago; a call in ${Math.ceil(waitMs / 1_000)} s tries again.`,
      )
    if (waitMs > 0) await this.#parts.sleep(waitMs, signal)
    return this.#open()
  }

  async #open(): Promise<Opened> {
    const { server } = this.#parts
    if (this.#closing.signal.aborted)
      throw new ServerError('closed', `the connection to the MCP server ${server} is closed`)
    if ('opened' in this.#phase) return this.#phase.opened
    this.#triedAt = this.#parts.now()
    const opened = this.#connect()
    this.#phase = { kind: 'opening', opened }
    try {
      const done = await opened
      this.#phase = { kind: 'connected', opened: done }
      this.#isTold = false
      // It may have ended before the listener below was added.
      if (done.connection.ended.aborted) this.#onEnded(done.connection)
      return done
    } catch (error) {
      this.#phase = { kind: 'down', problem: (error as Error).message }
      throw error
    }
  }

  async #connect(): Promise<Opened> {
    const { server, load } = this.#parts
    const sdk = await load()
    const closing = this.#closing.signal
    const opened: { now?: Opened } = {}
    const onToolsChanged = (): void => {
      if (opened.now !== undefined) opened.now.isStale = true
    }
    const connection = await openConnection({ ...this.#parts, sdk, closing, onToolsChanged })
    if ('gone' in connection) {
      this.#track(connection.gone)
      throw this.#unreachable({ sdk, ...connection })
    }
    try {
      const offered = await connection.offered()
      opened.now = { sdk, connection, listed: listedOf(server, offered), isStale: false }
    } catch (error) {
      this.#track(connection.close())
      throw this.#unreachable({ sdk, error, noticed: connection.noticed() })
    }
    connection.ended.addEventListener('abort', () => this.#onEnded(connection), { once: true })
    return opened.now
  }

  async #listAgain(opened: Opened): Promise<void> {
    const { sdk, connection } = opened
    try {
      opened.isStale = false
      opened.listed = listedOf(this.#parts.server, await connection.offered())
    } catch (error) {
      this.#leave(connection)
      const problem = this.#unreachable({ sdk, error, noticed: connection.noticed() })
      this.#phase = { kind: 'down', problem: problem.message }
      throw problem
    }
  }

  #unreachable(trouble: Omit<Parameters<typeof troubleText>[0], 'server' | 'entry'>): ServerError {
    const { server, entry } = this.#parts
    return new ServerError('unreachable', troubleText({ ...trouble, server, entry }), trouble.error)
  }

  #onEnded(connection: Connection): void {
    const phase = this.#phase
    if (phase.kind === 'connected' && phase.opened.connection === connection)
      this.#phase = { kind: 'not connected' }
  }

  #leave(connection: Connection): void {
    this.#onEnded(connection)
    this.#track(connection.close())
  }

  #track(leaving: Promise<void>): void {
    const settled = leaving.catch(() => undefined)
    this.#leaving.add(settled)
    void settled.finally(() => this.#leaving.delete(settled))
  }
}
