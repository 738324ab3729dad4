import { limits } from '../../base/limits.ts'
import { bounded } from '../../base/words.ts'
import { messageOf } from '../../base/message-of.ts'
import { unlessAborted } from '../../base/again.ts'
import type { Message, Placed } from '../../event/event.ts'
import type { Position } from '../../event/id.ts'
import { OWNER } from '../../event/speaker.ts'
import type { StartedProcess } from '../../event/work.ts'
import { failed, type Tool, type ToolResult } from '../../tool/tool.ts'
import {
  isActTool,
  type ActingStep,
  type Actor,
  type ActTool,
  type Planned,
  type PlannedCall,
  type Said,
} from '../contract/act.ts'
import type { CallToRun } from './judging.ts'
import { approvalNumbered, decideApproval } from '../state/approvals.ts'
import { openList } from '../state/ledger.ts'
import { settingsFor } from '../state/settings.ts'
import type { Reader, Writing } from '../../event/table.ts'
import type { RunningTurn } from './begin.ts'
import { isRunning } from '../step/ending.ts'
import { refusalText } from '../right/call-wording.ts'
import { offeredBy } from './leaving.ts'
import { add } from '../step/take-inbox.ts'
import type { World } from '../contract/world.ts'

export interface StepCalls {
  readonly running: RunningTurn
  /** The assistant message with the calls. */
  readonly position: Position
  readonly calls: readonly CallToRun[]
  readonly signal: AbortSignal
}

/**
 * Runs the calls of a step, all at once except those that share a queue. A tool's result is written as it comes; the
 * results of acts are written with their effects, after all others. Returns what the acts want done, or undefined when
 * the turn is over.
 */
export async function runCalls(world: World, step: StepCalls): Promise<readonly Said[] | undefined> {
  const { signal } = step
  const calls = step.calls.slice(0, limits.stepCallsMax)
  if (!(await refuseRest(world, step))) return undefined
  const { acts = [], plain = [] } = Object.groupBy(calls, (call) =>
    actNames(world).has(call.tool) ? 'acts' : 'plain',
  )
  const written = await Promise.all(
    queuesOf(world, step, plain).map((queue) => runInOrder(world, step, queue)),
  )
  if (signal.aborted || written.includes(false)) return undefined
  if (acts.length === 0) return []
  const judged = await unlessAborted(signal, () =>
    Promise.all(acts.map((call) => answered(world, step, call))),
  )
  return judged && performActs(world, step, judged)
}

/** Answers the calls beyond those that a step may have, all at once. Returns whether the turn still runs. */
async function refuseRest(world: World, { running, calls }: StepCalls): Promise<boolean> {
  const rest = calls.slice(limits.stepCallsMax)
  if (rest.length === 0) return true
  const place = { branch: running.branch, at: world.now() }
  return world.log.write((writing) => {
    if (!isRunning(writing, running)) return false
    for (const call of rest) addResult(writing, place, { call, result: said(call.bad ?? '') })
    return true
  })
}

/** An act that a person was asked about; without a yes it is refused when planned. */
async function answered(world: World, step: StepCalls, call: CallToRun): Promise<CallToRun> {
  const bad = await refusalOf(world, step, call)
  return bad === undefined ? call : { ...call, bad }
}

/** Waits for the person's decision on a call; returns why it may not run. */
async function refusalOf(
  world: World,
  { running, signal }: StepCalls,
  call: CallToRun,
): Promise<string | undefined> {
  const { approval: number } = call
  if (number === undefined) return undefined
  const over = new AbortController()
  const isDecided = (reader: Reader): boolean => approvalNumbered(reader, number)?.decided !== null
  const question = await world.log.read((reader) => approvalNumbered(reader, number)?.request)
  const answered = world.until(isDecided, AbortSignal.any([signal, over.signal]))
  const until = question?.until ?? null
  const timeUp =
    until === null
      ? []
      : world.sleep(Math.max(0, until - world.now()), AbortSignal.any([signal, over.signal])).then(
          () => expire(world, number),
          () => undefined,
        )
  await Promise.race([answered, timeUp].flat())
  over.abort()
  const decided = await world.log.read((reader) => approvalNumbered(reader, number)?.decided)
  const verdict = decided?.verdict
  const tool = toolOf(world, running, call)
  if (verdict === 'once' || verdict === 'always')
    return question?.wish.kind === 'call' ? changedSince(question.wish.shown, { tool, call }) : undefined
  if (tool === undefined) return `There is no tool '${call.tool}' any more.`
  const pattern = question?.wish.kind === 'call' ? question.wish.pattern : call.tool
  const because = verdict === 'denied' ? 'person' : 'no-answer'
  const isGuests = running.person !== OWNER
  const text = refusalText({ tool: call.tool, nature: tool.nature, pattern, because, isGuests })
  return decided?.instead === undefined ? text : `${text} They say: ${decided.instead}`
}

/** Why an approved call may not run: it would do something else than what was shown, since a file changed meanwhile. */
function changedSince(shown: string, { tool, call }: { tool: Tool | ActTool | undefined; call: CallToRun }) {
  try {
    const shownNow = tool?.nature.shownAs?.(call.args) ?? shown
    if (shownNow === shown) return undefined
  } catch {
    // What it would do can't be shown any more.
  }
  return `'${call.tool}' was not run: what it would change is no longer what the person was shown. It was changed meanwhile, maybe by an earlier call. Look at it again.`
}

async function expire(world: World, number: number): Promise<void> {
  const at = world.now()
  const mode = world.settings().permissions
  await world.log.write((writing) => {
    const approval = approvalNumbered(writing, number)
    // The question ends with its turn: a stopped or killed branch writes nothing more (KILL1).
    if (approval === undefined || !openList(writing, 'approvals').includes(number)) return
    const author = { by: 'policy', name: 'approval-timeout' } as const
    decideApproval(writing, approval, { at, verdict: 'expired', author, mode })
  })
}

/** Calls that share a queue run together; every other call runs alone. */
function queuesOf(
  world: World,
  { running }: StepCalls,
  calls: readonly CallToRun[],
): readonly (readonly CallToRun[])[] {
  const queues = Map.groupBy(calls, (call) => toolOf(world, running, call)?.nature.queue ?? call.id)
  return [...queues.values()]
}

/** Returns whether all results were written. */
async function runInOrder(world: World, step: StepCalls, calls: readonly CallToRun[]): Promise<boolean> {
  for (const call of calls) if (!(await runPlain(world, step, call))) return false
  return true
}

/** Returns whether the result was written: not if the turn was over before. */
async function runPlain(world: World, step: StepCalls, call: CallToRun): Promise<boolean> {
  const { running, signal } = step
  emitStart(world, running, call)
  const result = await unlessAborted(signal, async () => {
    const refusal = await refusalOf(world, step, call)
    return refusal === undefined ? resultFrom(world, { running, signal, call }) : said(refusal)
  })
  emitEnd(world, running, { call, result: result ?? said('Stopped before it was done.') })
  // A stopped call has no result here: the end of the turn writes it.
  if (result === undefined) return false
  const at = world.now()
  return world.log.write((writing) => {
    if (!isRunning(writing, running)) return false
    addResult(writing, { branch: running.branch, at }, { call, result })
    return true
  })
}

async function performActs(world: World, step: StepCalls, acts: readonly CallToRun[]) {
  const { running, signal } = step
  for (const call of acts) emitStart(world, running, call)
  let said = await planActs(world, { step, acts, mayWait: true })
  if (said === 'waits') {
    const over = new AbortController()
    const late = world.sleep(WAIT_MS, AbortSignal.any([signal, over.signal])).catch(() => undefined)
    void late.then(() => over.abort())
    while (said === 'waits') {
      const acting = actingNow(world, step, acts)
      await world.until((reader) => !isWaiting(reader, acting), AbortSignal.any([signal, over.signal]))
      if (signal.aborted) said = undefined
      else said = await planActs(world, { step, acts, mayWait: !over.signal.aborted })
    }
    over.abort()
  }
  const done = said
  acts.forEach((call, index) => emitEnd(world, running, { call, result: resultOf(done?.[index]) }))
  return done
}

/** How long a step waits for something that is about to be known, such as whether a ping before it arrived. */
const WAIT_MS = 5_000

/** Writes what the acts of a step do, together with their results. */
async function planActs(
  world: World,
  { step, acts, mayWait }: { step: StepCalls; acts: readonly CallToRun[]; mayWait: boolean },
): Promise<readonly Said[] | 'waits' | undefined> {
  const { running } = step
  const acting = actingNow(world, step, acts)
  return world.log.write((writing) => {
    if (!isRunning(writing, running)) return undefined
    if (mayWait && isWaiting(writing, acting)) return 'waits'
    const plans = planAll(writing, acting)
    for (const [call, { said }] of plans) {
      const isHosts = call.bad !== undefined || acting.asked.some(({ tool }) => saysIt(tool, call))
      addResult(writing, acting.actor, {
        call,
        result: { ...resultOf(said), ...(isHosts && { origin: 'host' }) },
      })
    }
    for (const { afterResults } of plans.values()) afterResults?.(writing)
    return [...plans.values()].map(({ said }) => said)
  })
}

interface Acting {
  readonly actor: Actor
  /** By their tools, in the order of their first calls. */
  readonly asked: readonly {
    readonly tool: ActTool
    readonly acts: readonly CallToRun[]
    readonly calls: readonly PlannedCall[]
  }[]
  readonly acts: readonly CallToRun[]
}

function actingNow(world: World, { running, position }: StepCalls, acts: readonly CallToRun[]): Acting {
  const { branch, turn } = running
  const author = { by: 'model', turn } as const
  const settings = settingsFor(world.settings(), running.person)
  const actor = { branch, author, at: world.now(), seed: world.random(), settings }
  const step: ActingStep = { turn, position }
  const tools = world.tools(running.person).filter(isActTool)
  const asked = [...new Set(acts.map((call) => call.tool))].flatMap((name) => {
    const tool = tools.find(({ spec }) => spec.name === name)
    const same = acts.filter((call) => call.tool === name)
    const calls = same.map(({ args, bad }) => ({ args, step, ...(bad !== undefined && { bad }) }))
    return tool === undefined ? [] : { tool, acts: same, calls }
  })
  return { actor, acts, asked }
}

function isWaiting(reader: Reader, { actor, asked }: Acting): boolean {
  return asked.some(({ tool, calls }) => tool.waits?.(reader, actor, calls) === true)
}

/** Plans each act, in the order of the calls. Calls of one tool are planned together: they see each other. */
function planAll(writing: Writing, { actor, asked, acts }: Acting): ReadonlyMap<CallToRun, Planned> {
  const plans = new Map<CallToRun, Planned | undefined>(acts.map((call) => [call, undefined]))
  for (const { tool, acts: same, calls } of asked) {
    const planned = tool.plan(writing, actor, calls)
    same.forEach((call, index) => plans.set(call, planned[index]))
  }
  return plans as ReadonlyMap<CallToRun, Planned>
}

/** Why a call was not run, which the host says. */
function said(why: string): Result {
  return { ...failed(why), origin: 'host' }
}

function resultOf(said: Said | undefined): ToolResult {
  if (said === undefined) return failed('It was not done: the turn ended.')
  return {
    text: JSON.stringify(said.isError ? { error: said.text } : { text: said.text }),
    isError: said.isError,
  }
}

/** Tools whose effects are written with their results: without a result, nothing was done. Guests have no others. */
export function actNames({ tools }: World): ReadonlySet<string> {
  return new Set(
    tools(OWNER)
      .filter(isActTool)
      .map(({ spec }) => spec.name),
  )
}

function saysIt({ spec, nature }: ActTool, call: CallToRun): boolean {
  return nature.says === 'host' && spec.name === call.tool
}

type Result = ToolResult & { readonly origin?: 'host'; readonly isMadeUp?: true }
type Finished = { readonly call: CallToRun; readonly result: Result }

function toolOf({ tools }: World, { person }: RunningTurn, call: CallToRun): Tool | ActTool | undefined {
  return tools(person).find(({ spec }) => spec.name === call.tool)
}

async function resultFrom(
  world: World,
  { running, signal, call }: Pick<StepCalls, 'running' | 'signal'> & { call: CallToRun },
): Promise<Result> {
  if (call.bad !== undefined) return said(call.bad)
  const tool = toolOf(world, running, call)
  if (tool === undefined || isActTool(tool)) return failed(`There is no tool '${call.tool}' any more.`)
  const { nature } = tool
  // While the person decided, the tool's files may have changed and been read again.
  if (call.fingerprint !== undefined && call.fingerprint !== nature.fingerprint)
    return failed(refusalText({ tool: call.tool, nature, pattern: call.tool, because: 'changed' }))
  // Allowed and stopped at the same moment.
  if (signal.aborted) return failed('Stopped before it was run.')
  const { branch, turn } = running
  const notes: Promise<void>[] = []
  const processStarted = (process: StartedProcess): void => {
    const note = noteProcess(world, { running, call, process })
    // Awaited below; until then a failed disk would count as an unhandled rejection.
    note.catch(() => undefined)
    notes.push(note)
  }
  try {
    const { text, isError, links = [] } = await tool.run(call.args, { branch, turn, signal, processStarted })
    const { says: origin } = nature
    const offered =
      call.madeUp === undefined
        ? { links }
        : { links: offeredBy(call.madeUp, links), isMadeUp: true as const }
    return { text: bounded(text), isError, ...(!isError && offered), ...(origin && { origin }) }
  } catch (error) {
    // A failing tool is a result too: the model can do without it, and the person's turn goes on.
    return failed(`The tool '${call.tool}' failed: ${messageOf(error)}`)
  } finally {
    await Promise.all(notes)
  }
}

function noteProcess(
  world: World,
  { running, call, process }: { running: RunningTurn; call: CallToRun; process: StartedProcess },
): Promise<void> {
  const { branch, turn } = running
  const at = world.now()
  return world.log.write((writing) => {
    if (isRunning(writing, running))
      writing.append({ kind: 'process-started', branch, at, turn, call: call.id, ...process })
  })
}

function addResult(writing: Writing, { branch, at }: Placed, { call, result }: Finished): void {
  const { text, isError, origin, links = [], isMadeUp } = result
  const offers = links.length > 0 && { links: [...links], ...(isMadeUp && { isMadeUp }) }
  const more = { ...(origin && { origin }), ...offers }
  const message: Message = { role: 'tool', call: call.id, tool: call.tool, text, isError, ...more }
  add(writing, { branch, at, message })
}

function emitStart(world: World, { branch }: RunningTurn, { tool, args }: CallToRun): void {
  world.emit({ kind: 'call-started', branch, tool, args: JSON.stringify(args) })
}

function emitEnd(world: World, { branch }: RunningTurn, { call, result }: Finished): void {
  const { tool, args } = call
  world.emit({ kind: 'call-ended', branch, tool, args: JSON.stringify(args), ...result })
}
