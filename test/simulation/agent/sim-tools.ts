import type { Propose } from '../../../src/agent/right/proposing.ts'
import { rememberTool } from '../../../src/agent/tools/remember.ts'
import type { JsonObject } from '../../../src/base/json.ts'
import { MEMORY_FILE, memoryLines } from '../../../src/memory/memory-file.ts'
import { isProtectedIn } from '../../../src/runtime/tool/protected-files.ts'
import { writeTool } from '../../../src/tool/files/write-tool.ts'
import type { Workspace } from '../../../src/tool/files/workspace.ts'
import { builtIn, ok, type CallContext, type Tool, type ToolNature } from '../../../src/tool/tool.ts'

/** Tools whose runs are counted, each by a unique number. */
export const COUNTED = ['count', 'slow', 'broken', 'ship', 'far', 'jot', 'web_fetch', 'remember', 'write']
/** Those that are not built in. */
export const STRANGE = ['ship', 'far'] as const
export const PLACES = 3
/** Each page links to the next one. */
export const PAGES = 6
export const PAGE = 'http://shop.test/'
export const MEMORY = 'memory.md'

/** The current versions of the tools that are not built in: somebody changes their files now and then. */
export type Versions = Record<(typeof STRANGE)[number], number>

type Plain = 'count' | 'slow' | 'broken' | 'ship' | 'far' | 'jot' | 'web_fetch'

/** The simulation's part in a tool's run. */
export interface Running {
  readonly versions: Versions
  /** Called first, with the tool as it is now; does whatever happens meanwhile. */
  readonly run: (run: Run) => Promise<void>
}

export interface Run {
  readonly number: number
  readonly tool: RunTool
  readonly call: CallContext
}

export interface RunTool {
  readonly name: string
  readonly fingerprint: string | null
}

/** What a process gives to its tools. */
export interface ToolParts {
  readonly propose: Propose
  readonly workspace: Workspace & { readonly root: string }
}

/** The simulation's tools as they are now: some only count, two are the product's own. */
export function simTools(running: Running, { propose, workspace }: ToolParts): readonly Tool[] {
  const plain: readonly Plain[] = ['count', 'slow', 'broken', 'ship', 'far', 'jot', 'web_fetch']
  const lines = async () => memoryLines((await workspace.read(MEMORY_FILE)) ?? '')
  const write = writeTool({
    workspace,
    isProtected: isProtectedIn(workspace.root, () => [`${workspace.root}/skills`]),
    propose: (call, change) => propose(call, { kind: 'file', ...change }),
  })
  return [
    ...plain.map((name) => plainTool(running, name)),
    counted(running, rememberTool({ propose, lines })),
    counted(running, write),
  ]
}

function plainTool(running: Running, name: Plain): Tool {
  const parameters = { type: 'object', properties: { number: { type: 'number' } } }
  return counted(running, {
    spec: { name, description: `Test tool ${name}`, parameters },
    nature: natureOf(name, running.versions),
    run: async (args) => {
      if (name === 'broken') throw new Error('broken as always')
      const done = ok(`done ${numberOf(args)}`)
      return name === 'web_fetch' ? { ...done, links: [nextPage(args)] } : done
    },
  })
}

function natureOf(name: Plain, versions: Versions): ToolNature {
  switch (name) {
    case 'ship':
      return {
        origin: { kind: 'skill', skill: 'harbour' },
        effect: 'runs',
        fingerprint: `ship ${versions.ship}`,
        subjectOf: ({ place }) => `to ${JSON.stringify(place)}`,
        patternFor: ({ place }) => `ship(to ${JSON.stringify(place)})`,
      }
    case 'far':
      return {
        origin: { kind: 'mcp', server: 'away' },
        effect: 'reaches',
        fingerprint: `far ${versions.far}`,
      }
    case 'web_fetch':
      return builtIn('reaches', {
        subjectOf: addressIn,
        addressOf: addressIn,
        patternFor: () => `web_fetch(${PAGE}*)`,
      })
    case 'jot':
      return builtIn('edits')
    default:
      return builtIn('looks')
  }
}

function addressIn({ url }: JsonObject): string {
  return typeof url === 'string' ? url : ''
}

function nextPage(args: JsonObject): string {
  return `${PAGE}${(Number(addressIn(args).slice(PAGE.length)) + 1) % PAGES}`
}

function counted(running: Running, tool: Tool): Tool {
  const { name } = tool.spec
  const fingerprint = tool.nature.fingerprint ?? null
  return {
    ...tool,
    run: async (args, call) => {
      const group = 1_000 + (numberOf(args) ?? 0)
      if (tool.nature.effect === 'runs') call.processStarted?.({ group, startTime: `${group}@sim` })
      await running.run({ number: numberOf(args) ?? 0, tool: { name, fingerprint }, call })
      return tool.run(args, call)
    },
  }
}

/** The number of a call, wherever its arguments have it. */
export function numberOf({ number, line, content }: JsonObject): number | undefined {
  if (typeof number === 'number') return number
  const text = line ?? content
  const [digits] = (typeof text === 'string' && /\d+/.exec(text)) || []
  return digits === undefined ? undefined : Number(digits)
}

/** Files that say what the agent is, knows or may do. */
export function isProtected(path: unknown): boolean {
  if (typeof path !== 'string') return false
  return path === 'AGENTS.md' || path === MEMORY || path.endsWith('SKILL.md')
}
