import type { Prompt } from '../../src/event/prompt.ts'
import { enterForkTool, exitForkTool, saveContextTool } from '../../src/agent/tools/fork-tools.ts'
import { reportUpdatesTool } from '../../src/agent/tools/report-updates.ts'
import { pendingUpdates, updateAt } from '../../src/agent/state/updates.ts'
import type { JsonObject } from '../../src/base/json.ts'
import type { Said } from './doubles.ts'
import { bare, lastText, results, ruled, type Ruled } from './rig.ts'
import type { Stage, StageOptions } from './stage.ts'
import { promptNow } from './talk.ts'
import { oldestMain } from '../../src/agent/state/person.ts'

export const forkTools = [enterForkTool, saveContextTool, exitForkTool, reportUpdatesTool]

export interface Forking extends Ruled {
  /** What the calls gave, a step each. */
  readonly given: { text?: string; error?: string }[][]
}

export interface ForkingOptions extends StageOptions {
  /** What the model does when the host asks it to wrap up; by default it asks whether anybody is there. */
  readonly wrapUp?: (prompt: Prompt, signal: AbortSignal) => Said | Promise<Said>
  /** What it does when the host asks it for the report; by default it repeats what it is told. */
  readonly report?: (prompt: Prompt, signal: AbortSignal) => Said | Promise<Said>
  /** What it does in place of the rest, where that is not undefined. */
  readonly first?: (prompt: Prompt, signal: AbortSignal) => Said | Promise<Said> | undefined
}

/** A stage whose model calls what it is told to (`call save_context {}`), and repeats everything else. */
export async function forking({ wrapUp, report, first, ...options }: ForkingOptions = {}): Promise<Forking> {
  const given: Forking['given'] = []
  const at = await ruled(
    (prompt, signal) => {
      const early = first?.(prompt, signal)
      if (early !== undefined) return early
      if (prompt.messages.at(-1)?.role !== 'tool')
        return isAskedToWrapUp(prompt)
          ? (wrapUp?.(prompt, signal) ?? { text: 'Are you there?' })
          : isAskedToReport(prompt) && report !== undefined
            ? report(prompt, signal)
            : obey(prompt)
      given.push(results(prompt))
      return { text: 'done' }
    },
    { tools: forkTools, ...options },
  )
  return Object.assign(at, { given })
}

/** `call exit_fork {} + save_context {}` are two calls of one step. */
export function obey(prompt: Prompt): Said {
  const [, calls] = /^call (.*)$/s.exec(lastText(prompt)) ?? []
  if (calls === undefined) return { text: `heard: ${lastText(prompt)}` }
  return { calls: calls.split(' + ').map((text, index) => callOf(text, index)) }
}

function callOf(text: string, index: number): { id: string; tool: string; args: JsonObject } {
  const [, tool = '', args = '{}'] = /^(\w+)\s*(.*)$/s.exec(text) ?? []
  return { id: `c${index}`, tool, args: JSON.parse(args === '' ? '{}' : args) as JsonObject }
}

export function isAskedToWrapUp({ messages }: Prompt): boolean {
  return messages.findLast(({ role }) => role === 'user')?.text.startsWith('[fork-timeout]') ?? false
}

function isAskedToReport({ messages }: Prompt): boolean {
  return /^\[system\]\n[\s\S]*report_updates/.test(
    messages.findLast(({ role }) => role === 'user')?.text ?? '',
  )
}

/** What a branch shows, a text a message, without heads: that of the terminal, or main. */
export async function shownIn(at: Stage, where: 'here' | 'main' = 'here'): Promise<string[]> {
  const branch = where === 'main' ? await mainOf(at) : await at.branch()
  const { messages } = JSON.parse(await promptNow(at, branch)) as Prompt
  return messages.map(bare)
}

export async function mainOf(at: Stage) {
  const main = await at.read(oldestMain)
  if (main === undefined) throw new Error('there is no main session')
  return main
}

/** Another agent hands in an update. */
export async function report(at: Stage, text: string): Promise<void> {
  const branch = await mainOf(at)
  const author = { by: 'policy', name: 'handed-in' } as const
  const told = { source: 'a friend', text, key: null, from: null, author }
  await at.log.write((writing) =>
    writing.append({ kind: 'update-reported', branch, at: at.clock.now(), v: 1, ...told }),
  )
}

/** The texts of what main was not told yet. */
export async function pending(at: Stage): Promise<string[]> {
  const main = await mainOf(at)
  return at.read((reader) => pendingUpdates(reader, main).map((position) => updateAt(reader, position).text))
}
