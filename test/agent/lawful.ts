import { expect } from 'vitest'
import { rebuildPrompt } from '../../src/agent/turn/call-prompt.ts'
import { branchesByHandle } from '../../src/context/branch.ts'
import { waiting } from '../../src/agent/state/inbox.ts'
import { addresses, addressKey, unsettled } from '../../src/agent/state/outbox.ts'
import type { Event, EventOf, Outcome } from '../../src/event/event.ts'
import type { BranchId, TurnId } from '../../src/event/id.ts'
import type { Prompt } from '../../src/event/prompt.ts'
import { keyOf } from '../../src/event/table.ts'
import type { Log } from '../../src/log/log.ts'
import { MemoryDisk, openMemoryLog } from '../../src/log/memory.ts'
import { ApprovalLaws, type Places } from '../simulation/agent/approval-laws.ts'
import { CallLaws } from '../simulation/agent/call-laws.ts'
import { RecallLaws } from '../simulation/agent/recall-laws.ts'
import { UpdateLaws } from '../simulation/agent/update-laws.ts'
import { projections } from './stage.ts'

/** What holds of every log, whatever happened in it. Throws with the law that does not. */
export async function expectLawful(given: Log | { readonly log: Log }): Promise<void> {
  const log = 'log' in given ? given.log : given
  const events = await Array.fromAsync(log.events())
  checkTurns(events)
  checkSteps(events)
  checkDeliveries(events)
  checkRights(events)
  await expectRebuilt(log, events)
}

/** What holds also of a log that was forged: its prompts and rows are made from its events. */
export async function expectRebuilt(log: Log, events: readonly Event[]): Promise<void> {
  await checkPrompts(log, events)
  await checkFolding(log, events)
}

/** TURN1: in a branch, a turn ends before the next one starts. */
function checkTurns(events: readonly Event[]): void {
  const running = new Map<string, string>()
  for (const event of events) {
    if (event.kind === 'turn-started') {
      expect(running.get(event.branch), '[TURN1] one turn at a time').toBeUndefined()
      running.set(event.branch, event.turn)
    }
    if (event.kind === 'turn-ended' || event.kind === 'branch-ended') running.delete(event.branch)
  }
}

/** TURN2 and TURN3: calls have names of their own, and behind them stand their results, one each. */
function checkSteps(events: readonly Event[]): void {
  const known = new Set<string>()
  const open = new Map<string, string[]>()
  for (const event of events) {
    if (event.kind === 'branch-ended') open.delete(event.branch)
    if (event.kind !== 'message-added') continue
    const waits = open.get(event.branch) ?? []
    const { message } = event
    if (message.role === 'tool') {
      expect(waits, '[TURN2] a result stands behind its call').toContain(message.call)
      open.set(
        event.branch,
        waits.filter((call) => call !== message.call),
      )
      continue
    }
    expect(waits, '[TURN2] nothing stands between calls and their results').toEqual([])
    if (message.role !== 'assistant') continue
    for (const { id } of message.calls) {
      expect(known.has(id), `[TURN3] ${id} is new`).toBe(false)
      known.add(id)
    }
    open.set(
      event.branch,
      message.calls.map(({ id }) => id),
    )
  }
}

/** SEND1: an outcome has its intent before it, and an intent has one outcome. */
function checkDeliveries(events: readonly Event[]): void {
  const waits = new Set<number>()
  for (const event of events) {
    if (event.kind === 'delivery-intended') waits.add(event.position)
    if (event.kind === 'delivery-done' || event.kind === 'delivery-failed')
      expect(waits.delete(event.intent), `[SEND1] ${event.intent} was meant, once`).toBe(true)
  }
}

/** TOOL1, PERM1, PERM2, SAFE4, UPD1 and UPD2, as far as the log alone tells of them. */
function checkRights(events: readonly Event[]): void {
  const places = new PlainPlaces()
  const approvals = new ApprovalLaws(places)
  const lists = new RecallLaws()
  const updates = new UpdateLaws(places, () => lists.brought)
  const calls = new CallLaws(places, approvals)
  calls.runOf = (branch) => places.runOf(branch)
  const laws = [places, approvals, calls, lists, updates]
  for (const event of events) for (const law of laws) law.take(event)
}

class PlainPlaces implements Places {
  readonly #born = new Map<BranchId, Pick<EventOf<'branch-created'>, 'mode' | 'parent'>>()
  readonly #running = new Map<BranchId, { id: TurnId; calls: number }>()
  readonly #outcomes = new Map<TurnId, Outcome>()
  readonly #runs = new Map<BranchId, EventOf<'run-started'>>()

  branch(id: BranchId) {
    const { mode = 'main' as const, parent = null } = this.#born.get(id) ?? {}
    return { id, mode, parent, running: this.#running.get(id) }
  }

  turn(id: TurnId): ReturnType<Places['turn']> {
    return { outcome: this.#outcomes.get(id) }
  }

  /** The run that a branch is or works for. */
  runOf(id: BranchId): EventOf<'run-started'> | undefined {
    const { mode, parent } = this.branch(id)
    const run = this.#runs.get(id)
    return run !== undefined || parent === null || mode === 'fork' ? run : this.runOf(parent)
  }

  take(event: Event): void {
    const { branch } = event
    if (event.kind === 'branch-created') this.#born.set(branch, event)
    if (event.kind === 'run-started') this.#runs.set(branch, event)
    if (event.kind === 'turn-started') this.#running.set(branch, { id: event.turn, calls: 0 })
    if (event.kind === 'model-called') this.#running.set(branch, { id: event.turn, calls: event.call })
    if (event.kind === 'turn-ended') this.#outcomes.set(event.turn, event.outcome)
    if (event.kind === 'turn-ended' || event.kind === 'branch-ended') this.#running.delete(branch)
  }
}

async function checkPrompts(log: Log, events: readonly Event[]): Promise<void> {
  const calls = events.filter((event): event is EventOf<'model-called'> => event.kind === 'model-called')
  await log.read((reader) => {
    for (const call of calls) {
      const { prompt, isSame } = rebuildPrompt(reader, call)
      expect(isSame, `the prompt of call ${call.call} of ${call.turn} is rebuilt`).toBe(true)
      checkPrompt(prompt)
    }
  })
}

/** CTX3, in what a model is given. */
export function checkPrompt({ messages }: Prompt): void {
  let open: string[] = []
  for (const message of messages) {
    if (message.role === 'tool') {
      expect(open, '[CTX3] a result has its call').toContain(message.call)
      open = open.filter((call) => call !== message.call)
      continue
    }
    expect(open, '[CTX3] a call has its result').toEqual([])
    open = message.role === 'assistant' ? message.calls.map(({ id }) => id) : []
  }
  expect(open, '[CTX3] a call has its result').toEqual([])
  expect(messages[0]?.role, 'a prompt begins with what somebody said').toBe('user')
}

/** CTX2: the events alone give the same rows. */
async function checkFolding(log: Log, events: readonly Event[]): Promise<void> {
  const disk = new MemoryDisk()
  const again = openMemoryLog({ disk, projections })
  await again.write((writing) => {
    for (const { position: _, ...draft } of events) writing.append(draft)
  })
  await log.read((reader) => {
    for (const { table, row } of disk.rows.all())
      expect(reader.row(table, keyOf(table, row)), `[CTX2] ${table.name}`).toEqual(row)
  })
  await again.close()
}

/** Nothing waits: no inbox has an entry, no outbox a message, no turn runs. */
export async function expectEmpty(log: Log): Promise<void> {
  const intents = await Array.fromAsync(log.events({ kind: 'delivery-intended' }))
  await log.read((reader) => {
    for (const branch of branchesByHandle(reader, '', Number.MAX_SAFE_INTEGER))
      expect(waiting(reader, branch), `[RECV1] the inbox of ${branch} is empty`).toEqual([])
    for (const intent of intents as EventOf<'delivery-intended'>[])
      expect(unsettled(reader, addressKey(intent.to)), '[SEND1] the outbox is empty').toEqual([])
    expect(addresses(reader), '[SEND1] no address is looked at for nothing').toEqual([])
  })
}
