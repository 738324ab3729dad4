import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../base/clock.ts'
import { sentence } from '../base/words.ts'
import type { ServerEntry, Servers } from '../config/type/tool-type.ts'
import type { ToolSpec } from '../event/prompt.ts'
import type { Sleep } from '../model/contract/sleep.ts'
import { failed, type Tool } from '../tool/tool.ts'
import { Link } from './link.ts'
import { importClientSdk, ServerError, type ClientSdk } from './sdk.ts'
import type { ProcessParts } from './wire.ts'
import { fingerprintOf, fitting, isToolOf, isWithheld, type Listed, withheld } from './tool-spec.ts'

/** `environment`: of every server process, besides what its entry sets. */
export interface McpParts extends ProcessParts {
  readonly servers: () => Servers
  readonly now: Clock
  readonly sleep: Sleep
  readonly warn: (text: string) => void
  /** Tests name one that is not there. */
  readonly sdkName?: string
}

/** The tools of the configured MCP servers. */
export interface Mcp {
  /**
   * Connects to every server, ten seconds each at most, and gives what all of them offer in the order of their names.
   * A server that is down is a note; those of its tools that `known` has stay listed. At a start only to those that have
   * no tool in `known`, and after three seconds they are not waited for: the person is told when they are there.
   * `allowed` are the fingerprints of what a person allowed: other tools of a known server are kept from the model if
   * they are new or changed.
   */
  refresh(
    known: readonly ToolSpec[],
    how?: { readonly when?: 'start' | 'reload'; readonly allowed?: ReadonlySet<string> | 'all' },
  ): Promise<Refreshed>
  /** The tools in `known`, without connecting: that is done by their first call. */
  tools(known: readonly ToolSpec[]): readonly Tool[]
  /** Whether some server has no tool in `known`, so that nobody knows what it offers. */
  hasUnknown(known: readonly ToolSpec[]): boolean
  states(): readonly McpState[]
  /** Ends all connections and processes. */
  close(): Promise<void>
}

export interface Refreshed {
  readonly tools: readonly Tool[]
  readonly notes: readonly string[]
}

export interface McpState {
  readonly server: string
  readonly state: 'not connected' | 'connected' | 'down'
  readonly tools: number
  readonly problem?: string
}

/** Servers are tried in parallel, so this is the longest wait at a start. */
const START_MS = 3_000

interface Linked {
  readonly entry: ServerEntry
  readonly link: Link
  tools: number
}

export function openMcp(parts: McpParts): Mcp {
  const linked = linksOf(parts)
  const toolOf = toolsIn(linked)
  const knownTools = (server: string, known: readonly ToolSpec[]) => {
    const specs = fitting(known.filter((spec) => isToolOf(server, spec)))
    return counted(
      linked.of(server),
      specs.map((spec) => toolOf(server, spec)),
    )
  }
  const soon = listingSoon(parts)
  const read = async (
    server: string,
    known: readonly ToolSpec[],
    { list, allowed }: { list: List; allowed: ReadonlySet<string> | 'all' },
  ): Promise<Refreshed> => {
    try {
      const specs = (await list(server, linked.of(server).link)).map(({ spec }) => spec)
      // Its tools stay known: those that it offers one day are new, and not those of a server that was just added.
      if (specs.length === 0) return { tools: knownTools(server, known), notes: notesOn(server, specs, []) }
      const offered = fitting(specs).map((spec) => toolOf(server, spec))
      const own = knownTools(server, known)
      const tools = own.length === 0 || allowed === 'all' ? offered : held(server, offered, { own, allowed })
      return { tools: counted(linked.of(server), tools), notes: notesOn(server, specs, tools) }
    } catch (error) {
      if (!(error instanceof ServerError)) throw error
      const tools = knownTools(server, known)
      return { tools, notes: [noteOn(server, error, tools.length)] }
    }
  }
  const readAtStart = async (server: string, known: readonly ToolSpec[]): Promise<Refreshed> => {
    const tools = knownTools(server, known)
    return tools.length > 0 ? { tools, notes: [] } : read(server, known, { list: soon.list, allowed: 'all' })
  }
  return {
    refresh: async (known, { when = 'reload', allowed = NOTHING } = {}) => {
      const servers = [...linked.now().keys()]
      const all = await Promise.all(
        servers.map((server) =>
          when === 'start'
            ? readAtStart(server, known)
            : read(server, known, { list: (_, link) => link.list(), allowed }),
        ),
      )
      return {
        tools: inOrder(all.flatMap(({ tools }) => tools)),
        notes: [...new Set(all.flatMap(({ notes }) => notes))],
      }
    },
    tools: (known) => inOrder([...linked.now().keys()].flatMap((server) => knownTools(server, known))),
    hasUnknown: (known) =>
      [...linked.now().keys()].some((server) => !known.some((spec) => isToolOf(server, spec))),
    states: () => [...linked.now()].map(([server, { link, tools }]) => ({ server, tools, ...link.state })),
    close: async () => {
      await linked.close()
      await soon.settled()
    },
  }
}

function toolsIn(linked: ReturnType<typeof linksOf>): (server: string, spec: ToolSpec) => Tool {
  return (server, spec) => {
    const { entry } = linked.of(server)
    return {
      spec,
      nature: {
        origin: { kind: 'mcp', server },
        effect: 'runs',
        fingerprint: fingerprintOf(entry, spec),
        ...(isWithheld(spec) && { told: spec }),
      },
      run: async (args, { signal }) => {
        const current = linked.now().get(server)
        if (current === undefined)
          return failed(`The MCP server ${server} is not configured any more, so do without it.`)
        if (fingerprintOf(current.entry, spec) !== fingerprintOf(entry, spec))
          return failed(
            `mcp.servers.${server} is another server by now. Do without it; the person can take its tools with /reload and has to allow them again.`,
          )
        return current.link.call({ tool: spec, args, signal })
      },
    }
  }
}

/** Keeps from the model what its server says of tools that are new or changed since, and that nobody allowed. */
function held(
  server: string,
  offered: readonly Tool[],
  { own, allowed }: { own: readonly Tool[]; allowed: ReadonlySet<string> },
): readonly Tool[] {
  const seen = new Set(own.flatMap(({ nature }) => (nature.told ? [] : nature.fingerprint)))
  return offered.map((tool) => {
    const { spec, nature } = tool
    const { fingerprint = '' } = nature
    if (seen.has(fingerprint) || allowed.has(fingerprint)) return tool
    return { ...tool, nature: { ...nature, told: withheld(server, spec, fingerprint) } }
  })
}

const NOTHING: ReadonlySet<string> = new Set()

function counted(linked: Linked, tools: readonly Tool[]): readonly Tool[] {
  linked.tools = tools.length
  return tools
}

function inOrder(tools: readonly Tool[]): readonly Tool[] {
  return tools.toSorted((a, b) => (a.spec.name < b.spec.name ? -1 : 1))
}

type List = (server: string, link: Link) => Promise<readonly Listed[]>

/** Lists tools for a start, with a time limit. The person is told when a late server answers after all. */
function listingSoon({ sleep, warn }: McpParts): { readonly list: List; settled(): Promise<void> } {
  const late = new Set<Promise<void>>()
  const tellLater = async (server: string, listing: Promise<readonly Listed[]>): Promise<void> => {
    // If it fails, the person was already told that the server is unavailable.
    const listed = await listing.catch(() => [])
    if (listed.length > 0) warn(`The MCP server ${server} is available again. /reload takes its tools.`)
  }
  const list: List = async (server, link) => {
    const listing = link.list()
    const over = new AbortController()
    const tooLate = sleep(START_MS, over.signal).then(() => {
      const told = tellLater(server, listing)
      late.add(told)
      void told.finally(() => late.delete(told))
      throw new ServerError('unreachable', `it did not answer within ${START_MS / 1_000} s`)
    })
    try {
      return await Promise.race([listing, tooLate])
    } finally {
      over.abort()
    }
  }
  return { list, settled: async () => void (await Promise.all(late)) }
}

function notesOn(server: string, offered: readonly ToolSpec[], taken: readonly Tool[]): string[] {
  if (offered.length === 0)
    return [
      `The MCP server ${server} is there, but offers no tools. Remove it from mcp.servers if you don't need it.`,
    ]
  const left = offered.length - taken.length
  const more =
    `The MCP server ${server} offers more tools than prompts have room for: its first ${taken.length} are there, ` +
    `${left} are left out. Have it offer fewer, or describe them in fewer words.`
  const held = taken.filter(({ nature }) => nature.told !== undefined).map(({ spec }) => spec.name)
  const news =
    `New or changed on the MCP server ${server}: ${held.join(', ')}. The model doesn't see the descriptions ` +
    `until you allow them: /tools NAME shows one, /allow NAME or /allow ${server} and then /reload takes them.`
  return [...(left > 0 ? [more] : []), ...(held.length > 0 ? [news] : [])]
}

function noteOn(server: string, { code, message }: ServerError, tools: number): string {
  // The same sentence for all servers, so it is shown once.
  if (code === 'no-package') return sentence(message)
  const listed = tools === 0 ? '' : ' Its tools stay listed, and answer with an error until it is back.'
  return `The MCP server ${server} is not available: ${sentence(message)}${listed} /reload tries it again.`
}

function linksOf({ servers, sdkName, ...parts }: McpParts) {
  const links = new Map<string, Linked>()
  const leaving = new Set<Promise<void>>()
  const load = loadOnce(sdkName)
  const drop = (server: string, { link }: Linked): void => {
    links.delete(server)
    const left = link.close()
    leaving.add(left)
    void left.finally(() => leaving.delete(left))
  }
  /** As they are configured now, by name. */
  const now = (): ReadonlyMap<string, Linked> => {
    const wanted = servers()
    for (const [server, one] of links) {
      if (!Object.hasOwn(wanted, server) || !isDeepStrictEqual(wanted[server], one.entry)) drop(server, one)
    }
    for (const [server, entry] of Object.entries(wanted)) {
      if (!links.has(server))
        links.set(server, { entry, link: new Link({ ...parts, server, entry, load }), tools: 0 })
    }
    return links
  }
  return {
    now,
    of: (server: string) => links.get(server) as Linked,
    close: async () => {
      for (const [server, one] of links) drop(server, one)
      await Promise.all(leaving)
    },
  }
}

/** Loads the package once for all servers. After a failure the next call tries again: it may be installed by then. */
function loadOnce(name: string | undefined): () => Promise<ClientSdk> {
  let loading: Promise<ClientSdk> | undefined
  return () => {
    loading ??= importClientSdk(name).catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
}
