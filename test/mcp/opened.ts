import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { JsonObject } from '../../src/base/json.ts'
import type { ServerEntry, Servers } from '../../src/config/type/tool-type.ts'
import type { BranchId, TurnId } from '../../src/event/id.ts'
import type { ToolSpec } from '../../src/event/prompt.ts'
import { openMcp, type Mcp, type McpParts } from '../../src/mcp/client.ts'
import { systemSleep } from '../../src/model/contract/sleep.ts'
import type { Tool } from '../../src/tool/tool.ts'
import { tempFolder } from '../cli/run.ts'

/** What the stand-ins offer, in order. */
export const TOOLS = [
  'big',
  'change',
  'die',
  'echo',
  'environment',
  'fail',
  'parts',
  'refuse',
  'structured',
  'wait',
]

const PROCESS = fileURLToPath(new URL('../stand-ins/mcp-process.ts', import.meta.url))

/** The stand-in as a child process. */
export function processEntry(how: string, env: Record<string, string> = {}): ServerEntry {
  return { command: process.execPath, args: [PROCESS, how], env }
}

export interface OpenedMcp {
  readonly mcp: Mcp
  readonly warnings: string[]
  /** Goes on by itself, and may be put forward. */
  readonly clock: { ahead: number }
}

export function opened(servers: Servers | (() => Servers), parts: Partial<McpParts> = {}): OpenedMcp {
  const [warnings, clock] = [[] as string[], { ahead: 0 }]
  const mcp = openMcp({
    servers: typeof servers === 'function' ? servers : () => servers,
    environment: { PATH: process.env['PATH'] ?? '' },
    now: () => Date.now() + clock.ahead,
    // However slow the machine is.
    sleep: (ms, signal) => systemSleep(ms * 30, signal),
    warn: (text) => void warnings.push(text),
    ...parts,
  })
  onTestFinished(() => mcp.close())
  return { mcp, warnings, clock }
}

export function specsOf(tools: readonly Tool[]): ToolSpec[] {
  return tools.map(({ spec }) => spec)
}

export interface Said {
  readonly text?: string
  readonly error?: string
}

/** Calls the tool of that name, and reads what it says. */
export async function called(
  tools: readonly Tool[],
  name: string,
  { args = {}, signal = new AbortController().signal }: { args?: JsonObject; signal?: AbortSignal } = {},
): Promise<Said> {
  const tool = tools.find(({ spec }) => spec.name === name)
  if (tool === undefined)
    throw new Error(`${name} is not among ${tools.map(({ spec }) => spec.name).join(', ')}`)
  const context = { branch: 'br_0n5f8k2q1k3f9ab' as BranchId, turn: 'tn_0n5f8k2q1k3f9ab' as TurnId, signal }
  const { text, isError } = await tool.run(args, context)
  const said = JSON.parse(text) as Said
  if (isError !== (said.error !== undefined)) throw new Error(`isError does not fit ${text}`)
  return said
}

/** A file in which a stand-in notes what happens to it. */
export function notes(): { readonly file: string; has(word: string): Promise<string> } {
  const file = join(tempFolder(), 'notes')
  const lines = () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [])
  return {
    file,
    has: async (word) => {
      for (;;) {
        const found = lines().find((line) => line.startsWith(word))
        if (found !== undefined) return found
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    },
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
