import type { Message } from '../event/event.ts'
import type { Position } from '../event/id.ts'
import type { Writing } from '../log/log.ts'
import { failed, type Tool, type ToolResult } from '../tool/tool.ts'
import { isActTool, type Actor, type ActTool, type Planned, type Said } from './act.ts'
import type { CallToRun } from './answering.ts'
import type { Begun } from './begin.ts'
import { isRunning } from './ending.ts'
import { add } from './taking.ts'
import type { World } from './world.ts'

export interface StepCalls {
  readonly begun: Begun
  /** The assistant message with the calls. */
  readonly position: Position
  readonly calls: readonly CallToRun[]
  readonly signal: AbortSignal
}

/**
 * Runs the calls of a step. Each result is written as it comes; the last one together with the effects of all acts,
 * so that no step is ever half done in the log. Returns what the acts want done, or undefined when the turn is gone.
 */
export async function runCalls(world: World, step: StepCalls): Promise<readonly Said[] | undefined> {
  const { begun, calls } = step
  const acts = calls.filter((call) => toolOf(world, call)?.kind === 'act')
  const plain = calls.filter((call) => !acts.includes(call))
  let left = plain.length
  const results = await Promise.all(
    plain.map(async (call) => {
      tellStart(world, begun, call)
      const result = await runPlain(world, step, call)
      tellEnd(world, { begun, call, result })
      const isLast = --left === 0
      if (!isLast || acts.length > 0) {
        await world.log.write(
          (writing) => isRunning(writing, begun) && addResult(writing, { world, begun, call, result }),
        )
        return undefined
      }
      return { call, result }
    }),
  )
  if (step.signal.aborted) return undefined
  const last = results.find((result) => result !== undefined)
  return finishStep(world, step, { acts, last })
}

type Run = { readonly call: CallToRun; readonly result: ToolResult }

async function finishStep(
  world: World,
  { begun, position }: StepCalls,
  { acts, last }: { acts: readonly CallToRun[]; last: Run | undefined },
): Promise<readonly Said[] | undefined> {
  const settings = world.settings()
  const at = world.now()
  for (const call of acts) tellStart(world, begun, call)
  const planned = await world.log.write((writing) => {
    if (!isRunning(writing, begun)) return undefined
    const author = { by: 'model', turn: begun.turn } as const
    const actor: Actor = { branch: begun.branch, author, at, random: world.random, settings }
    const plans = planAll(world, writing, { actor, begun, position, acts })
    if (last !== undefined) addResult(writing, { world, begun, ...last })
    acts.forEach((call, index) => {
      addResult(writing, { world, begun, call, result: resultOf(plans[index]?.said) })
    })
    for (const plan of plans) plan.afterResults?.(writing)
    return plans
  })
  acts.forEach((call, index) => {
    tellEnd(world, { begun, call, result: resultOf(planned?.[index]?.said) })
  })
  return planned?.map(({ said }) => said)
}

/** Calls of one tool are planned together, in their order; there is one such tool so far. */
function planAll(
  world: World,
  writing: Writing,
  {
    actor,
    begun,
    position,
    acts,
  }: { actor: Actor; begun: Begun; position: Position; acts: readonly CallToRun[] },
): readonly Planned[] {
  const [first] = acts
  const found = first && toolOf(world, first)
  if (found?.kind !== 'act') return []
  const step = { turn: begun.turn, position }
  return found.tool.plan(
    writing,
    actor,
    acts.map(({ args, bad }) => ({ args, step, ...(bad !== undefined && { bad }) })),
  )
}

function resultOf(said: Said | undefined): ToolResult {
  if (said === undefined) return failed('It was not done: the turn ended.')
  return {
    text: JSON.stringify(said.isError ? { error: said.text } : { text: said.text }),
    isError: said.isError,
  }
}

type Found =
  | { readonly kind: 'act'; readonly tool: ActTool }
  | { readonly kind: 'plain'; readonly tool: Tool }

function toolOf({ tools }: World, call: CallToRun): Found | undefined {
  const tool = tools.find(({ spec }) => spec.name === call.tool)
  if (tool === undefined) return undefined
  return isActTool(tool) ? { kind: 'act', tool } : { kind: 'plain', tool }
}

async function runPlain(world: World, step: StepCalls, call: CallToRun): Promise<ToolResult> {
  const found = toolOf(world, call)
  if (found?.kind !== 'plain') {
    const names = world.tools.map(({ spec }) => spec.name).join(', ')
    return failed(`There is no tool '${call.tool}'. There are: ${names}.`)
  }
  if (call.bad !== undefined) return failed(call.bad)
  const { branch, turn } = step.begun
  try {
    return await found.tool.run(call.args, { branch, turn, signal: step.signal })
  } catch (error) {
    if (step.signal.aborted) return failed('Stopped before it was done.')
    // A tool that breaks is a result as well: the model can do without it, and the person's turn goes on.
    return failed(`The tool '${call.tool}' failed: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function addResult(
  writing: Writing,
  { world, begun, call, result }: { world: World; begun: Begun } & Run,
): void {
  const message: Message = { role: 'tool', call: call.id, tool: call.tool, text: result.text }
  add(writing, { branch: begun.branch, at: world.now(), message })
}

function tellStart(world: World, { branch }: Begun, { tool, args }: CallToRun): void {
  world.tell({ kind: 'call-started', branch, tool, args: JSON.stringify(args) })
}

function tellEnd(world: World, { begun, call, result }: { begun: Begun } & Run): void {
  const { tool, args } = call
  const { branch } = begun
  world.tell({ kind: 'call-ended', branch, tool, args: JSON.stringify(args), ...result })
}
