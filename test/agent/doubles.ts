import type { JsonObject } from '../../src/base/json.ts'
import type { BranchId } from '../../src/event/id.ts'
import type { Prompt } from '../../src/event/prompt.ts'
import {
  ModelError,
  type Model,
  type ModelErrorReason,
  type Price,
  type Reply,
} from '../../src/model/contract/model.ts'
import { scriptedModel } from '../../src/model/scripted.ts'
import type { StepInput } from '../../src/model/scripted.ts'
import { builtIn, ok, type CallContext, type Tool } from '../../src/tool/tool.ts'
import { stage, type FakeClock, type Stage, type StageOptions } from './stage.ts'

export interface Played extends Stage {
  readonly prompts: readonly Prompt[]
}

/** A stage whose model does what these steps say; delays are of the stage's own clock. */
export async function play(
  steps: readonly StepInput[],
  { clock, ...options }: StageOptions & { readonly clock?: FakeClock } = {},
): Promise<Played> {
  const model = scriptedModel(steps, {
    name: 'scripted',
    sleep: (ms, signal) => at.clock.sleep(ms, signal),
  })
  const at: Stage = await stage({
    ...options,
    ...(clock && { clock }),
    models: { scripted: model, ...options.models },
    settings: { model: 'scripted', ...options.settings },
  })
  return Object.assign(at, { prompts: model.prompts })
}

export interface Gate {
  readonly opened: Promise<void>
  open(): void
}

export function gate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}

export interface CountedTool extends Tool {
  /** What it was run with, in order. */
  readonly runs: JsonObject[]
}

/** A tool that remembers its runs and answers with what `work` gives. */
export function countedTool(
  name: string,
  work: (args: JsonObject, call: CallContext) => Promise<string> | string = () => `${name} done`,
): CountedTool {
  const runs: JsonObject[] = []
  return {
    spec: { name, description: `Does ${name}`, parameters: { type: 'object' } },
    nature: builtIn('looks'),
    runs,
    run: async (args, call) => {
      runs.push(args)
      return ok(await work(args, call))
    },
  }
}

/** A tool that waits at a gate, and says when it has begun. */
export function gatedTool(
  name: string,
): CountedTool & { readonly begun: Promise<void>; readonly gate: Gate } {
  const begun = gate()
  const end = gate()
  const tool = countedTool(name, async () => {
    begun.open()
    await end.opened
    return `${name} done`
  })
  return { ...tool, begun: begun.opened, gate: end }
}

export interface RuleModel extends Model {
  readonly prompts: Prompt[]
}

export type Said = Partial<Pick<Reply, 'text' | 'calls' | 'finish' | 'usage'>>

/** A model that answers by what it is shown, so that it may be asked again after a death. */
export function ruleModel(
  rule: (prompt: Prompt, signal: AbortSignal) => Said | Promise<Said>,
  { name = 'ruled', price }: { name?: string; price?: Price } = {},
): RuleModel {
  const prompts: Prompt[] = []
  return {
    name,
    contextTokens: 100_000,
    ...(price && { price }),
    prompts,
    call: async (prompt, { signal }) => {
      prompts.push(prompt)
      const { text = '', calls = [], finish, usage = NO_USAGE } = await rule(prompt, signal)
      return { text, calls, reasoning: [], finish: finish ?? (calls.length > 0 ? 'calls' : 'stop'), usage }
    },
  }
}

const NO_USAGE = { tokensIn: 10, tokensOut: 5, tokensCached: 0, tokensCacheWritten: 0 }

export function modelFault(reason: ModelErrorReason): ModelError {
  return new ModelError(reason, `the model is ${reason}`)
}

/** What was said since the model answered last, without what the host put before it, and without the tail. */
export function unanswered({ messages }: Prompt): string[] {
  const last = messages.findLastIndex(({ role, ...rest }) => role === 'assistant' && !hasCalls(rest))
  return messages
    .slice(last + 1)
    .filter(({ role, text }) => role === 'user' && text.startsWith('['))
    .map(({ text }) => text.split('\n\n').at(-1) ?? '')
}

function hasCalls(message: object): boolean {
  return 'calls' in message && Array.isArray(message.calls) && message.calls.length > 0
}

export async function childOf(at: Stage, parent: BranchId): Promise<BranchId> {
  const created = await at.events('branch-created')
  const child = created.findLast((event) => event.parent === parent)
  if (child === undefined) throw new Error('there is no child')
  return child.branch
}
