import { dueIn } from '../agent/due.ts'
import { admittedAt, isWaiting, type Waiting } from '../agent/inbox.ts'
import { inboundTable } from '../agent/tables.ts'
import { boundBranch } from '../command/binding.ts'
import { findBranch } from '../context/branch.ts'
import { branchNames } from '../context/naming.ts'
import type { Event, EventOf } from '../event/event.ts'
import type { BranchId, Position, TurnId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import type { Address } from '../event/work.ts'
import type { Life } from './life.ts'
import { terminalAddress, typedInbound } from './terminal-place.ts'

type Intent = EventOf<'delivery-intended'>

/** What somebody typed, from the moment it came in until nothing of it is left to do. */
export interface Exchange {
  /** Whether a delivery to the terminal belongs to it. Everything else that comes meanwhile has other reasons. */
  owns(intent: Intent): Promise<boolean>
  /** Undefined when there was nothing to do, or `signal` came first. */
  readonly outcome: Promise<Outcome | undefined>
}

export interface Outcome {
  /** Where it came in, as people call it. */
  readonly branch: string
  /** The turn that took it; null for commands. */
  readonly turn: TurnId | null
  readonly deliveries: readonly Intent[]
  /** A command was refused, or the turn failed or was deferred. */
  readonly isFailed: boolean
}

/** Only one at a time: what comes into the conversation meanwhile would be taken for a part of it. */
export async function startExchange(life: Life, text: string, signal: AbortSignal): Promise<Exchange> {
  const after = await life.log.read(({ end }) => end)
  return {
    owns: async (intent) => isOwn(intent, after, await turnsOf(life, after)),
    outcome: finish(life, { text, after }, signal),
  }
}

/** Resolves once nothing that an earlier process left in the conversation is to be done now. */
export async function untilIdle({ agent, desk }: Life, signal: AbortSignal): Promise<void> {
  await agent.until((reader) => {
    const branch = boundBranch(reader, terminalAddress)
    return branch === undefined || isIdle(reader, branch, desk.now())
  }, signal)
}

async function finish(
  life: Life,
  { text, after }: { text: string; after: number },
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const received = await life.receive(typedInbound(text))
  if (received.kind === 'empty' || received.kind === 'duplicate') return undefined
  const { log, agent, desk } = life
  const from = received.branch
  const isDone = (reader: Reader): boolean =>
    [from, boundBranch(reader, terminalAddress) ?? from].every((branch) =>
      isQuiet(reader, branch, { after, now: desk.now(), isBusy: agent.isBusy(branch) }),
    )
  // What a command sets going without writing it down, as /retry does, is seen to be busy after a breath.
  await new Promise(setImmediate)
  if (!(await agent.until(isDone, signal))) return undefined
  const branch = await log.read((reader) => branchNames(reader)(from))
  return { branch, ...(await outcomeSince(life, after)) }
}

/** All that was typed since is taken, and no turn runs or is due that has to do with it. */
function isQuiet(
  reader: Reader,
  branch: BranchId,
  { after, now, isBusy }: { after: number; now: number; isBusy: boolean },
): boolean {
  const state = findBranch(reader, branch)?.state
  if (state === undefined || state.kind === 'ended') return true
  const typed = typedSince(reader, branch, after)
  if (typed.some(({ position }) => isWaiting(reader, branch, position))) return false
  if (state.kind === 'idle') return !isBusy && isIdle(reader, branch, now)
  // Whoever goes over to a branch at work has not asked for what it does, until they say something.
  return state.startedAt <= after && !typed.some(({ form }) => form === 'message')
}

function isIdle(reader: Reader, branch: BranchId, now: number): boolean {
  const due = dueIn(reader, { branch, now, isImpatient: false })
  return due.kind === 'nothing' || due.kind === 'later'
}

function typedSince(reader: Reader, branch: BranchId, after: number): Waiting[] {
  const stretch = { prefix: [branch], from: after + 1, order: 'up', limit: Number.MAX_SAFE_INTEGER } as const
  const rows = reader.rows(inboundTable, stretch) as unknown as readonly Waiting[]
  return rows.filter(({ position }) => isTyped(reader, position))
}

function isTyped(reader: Reader, position: Position): boolean {
  const { source } = admittedAt(reader, position)
  return source.from === 'person' && isHere(source)
}

function isHere({ channel, conversation }: Address): boolean {
  return channel === terminalAddress.channel && conversation === terminalAddress.conversation
}

/** Commands are run for nobody else, so each output is of this one; of the turns, those that took what was typed. */
function isOwn({ to, form, turn, position }: Intent, after: number, turns: ReadonlySet<TurnId>): boolean {
  if (position <= after || !isHere(to)) return false
  return form === 'output' || (turn !== null && turns.has(turn))
}

/** The turns that took what was typed since. */
async function turnsOf({ log }: Life, after: number): Promise<ReadonlySet<TurnId>> {
  const turns = new Set<TurnId>()
  for await (const event of log.events({ after, kind: 'message-added' })) {
    const { turn, took = 0 as Position } = event as EventOf<'message-added'>
    if (turn !== null && took > after && (await log.read((reader) => isTyped(reader, took)))) turns.add(turn)
  }
  return turns
}

async function outcomeSince(life: Life, after: number): Promise<Omit<Outcome, 'branch'>> {
  const turns = await turnsOf(life, after)
  const events = await Array.fromAsync(life.log.events({ after }))
  const deliveries = events.filter((event) => event.kind === 'delivery-intended')
  return {
    turn: [...turns].at(-1) ?? null,
    deliveries: deliveries.filter((intent) => isOwn(intent, after, turns)),
    isFailed: events.some((event) => isFailure(event, after, turns)),
  }
}

function isFailure(event: Event, after: number, turns: ReadonlySet<TurnId>): boolean {
  // A command that acted at once took nothing out of an inbox.
  if (event.kind === 'command-run') return event.isError && (event.took === null || event.took > after)
  if (event.kind !== 'turn-ended' || !turns.has(event.turn)) return false
  return event.outcome === 'failed' || event.outcome === 'deferred'
}
