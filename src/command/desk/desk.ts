import type { JobRead } from '../../agent/run/run-act.ts'
import type { ShippedSkill } from '../../view/skills-text.ts'
import type { ServerState } from '../../view/tools-text.ts'
import type { Author } from '../../event/event.ts'
import { refusal, type Actor, type Said } from '../../agent/contract/act.ts'
import type { Agent } from '../../agent/agent.ts'
import {
  admittedAt,
  admittedBefore,
  firstWaiting,
  isCommand,
  type Admitted,
} from '../../agent/state/inbox.ts'
import { addressKey, say } from '../../agent/state/outbox.ts'
import type { AgentSettings } from '../../agent/state/settings.ts'
import type { TodoList } from '../../agent/job/todo-list.ts'
import type { Tool } from '../../tool/tool.ts'
import type { ActTool } from '../../agent/contract/act.ts'
import type { LoadedSkills } from '../../skill/skill.ts'
import type { ReadSetup, SetupPart } from './setup-change.ts'
import type { Clock } from '../../base/clock.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Random } from '../../base/random.ts'
import { getBranch } from '../../context/branch.ts'
import { branchNames } from '../../context/naming.ts'
import type { BranchId, Position } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Address, PersonSource } from '../../event/work.ts'
import type { Log, Writing } from '../../log/log.ts'
import type { Model } from '../../model/contract/model.ts'
import type { AskingParts } from '../../recall/asking.ts'
import type { JobShelf } from '../../schedule/job-shelf.ts'
import { boundBranch } from '../../agent/branch/binding.ts'
import type { ParsedCommand } from '../read/catalogue.ts'

/** What commands touch. */
export interface Desk {
  readonly log: Log
  readonly now: Clock
  readonly random: Random
  readonly settings: () => AgentSettings
  readonly agent: () => Agent
  readonly recall: AskingParts['recall']
  /** Writes a setting for good; says why not when it is pinned elsewhere or wrong. */
  readonly configure: (
    key: 'model' | 'thinking' | 'permissions' | 'timezone' | 'pingCapacity' | 'pingRefillMinutes',
    value: string | number,
  ) => Promise<string | undefined>
  /** Throws a ModelError that says what is missing. */
  readonly openModel: (name: string) => Model
  /** Reads AGENTS.md and what else prompts begin with; from then on the tools are those it found. */
  readonly readSetup: (what: SetupPart) => Promise<ReadSetup>
  /** As they are now. */
  readonly tools: () => readonly (Tool | ActTool)[]
  readonly skills: () => LoadedSkills & { readonly shipped: readonly ShippedSkill[] }
  readonly servers: () => readonly ServerState[]
  readonly workspace: WorkspaceFiles
  /** Routines, reminders and webhooks, as files define them. */
  readonly shelf: JobShelf
  readonly todos: TodoList
  /** What a file of the workspace asks to be run, as it would be run now. */
  readonly jobIn: (path: string, payload?: JsonObject) => Promise<JobRead>
  /** Whether a person sits there now, as at a screen. */
  readonly isAttended: (address: Address) => boolean
  /** Whether a conversation can be left, as a terminal can. */
  readonly canLeave: (address: Address) => boolean
  readonly leave: (address: Address) => void
}

/** Texts in the workspace, by their paths in it. */
export interface WorkspaceFiles {
  readonly root: string
  /** Undefined: there is no such file. */
  read(path: string): Promise<string | undefined>
  write(path: string, text: string): Promise<void>
}

/** A command of a person, and where it came from. */
export interface Order {
  readonly branch: BranchId
  readonly source: PersonSource
  /** Set when it waited in the inbox. */
  readonly took: Position | null
  readonly line: string
  readonly command: ParsedCommand
  /** A model that asked for it in its turn; else it is the person's. */
  readonly author?: Author
}

/** The same order with its command known to be the one of this name. */
export type OrderOf<N extends ParsedCommand['name']> = Order & {
  readonly command: Extract<ParsedCommand, { name: N }>
}

export type Work = (writing: Writing, actor: Actor) => Said

interface Works {
  readonly work: Work
  readonly behind?: (writing: Writing, actor: Actor) => void
  readonly isDone?: boolean
}

/**
 * Does the work of a command, writes that it was run and means its answer to be sent, all in one transaction. What
 * follows from it outside of the log is done after that. A command that was run already is not run again.
 */
export function conclude(desk: Desk, order: Order, work: Work): Promise<Said | undefined> {
  return concludeWith(desk, order, { work })
}

/** For a command that only shows something. It is read before, so that nobody waits for it, however much it reads. */
export async function concludeLook(
  desk: Desk,
  order: Order,
  look: (reader: Reader, actor: Actor) => Said,
): Promise<Said | undefined> {
  const actor = actorOf(desk, order)
  const said = await desk.log.read((reader) => look(reader, actor))
  return conclude(desk, order, () => said)
}

/** For what was done outside of the log already: whatever became of the branch meanwhile, it is said as it is. */
export function concludeDone(desk: Desk, order: Order, work: Work): Promise<Said | undefined> {
  return concludeWith(desk, order, { work, isDone: true })
}

/** `behind` is done when the command itself is out of the inbox, so it sees first what came next. */
export async function concludeWith(desk: Desk, order: Order, works: Works): Promise<Said | undefined> {
  const conclusion = concluding(desk, order)
  const said = await desk.log.write((writing) => conclusion(writing, works))
  if (said !== undefined) follow(desk.agent(), said)
  return said
}

function actorOf(desk: Desk, { branch, author }: Order): Actor {
  const person = personAt(desk)
  return { ...person, branch, author: author ?? person.author }
}

/** A person who acts now. Taken before a work, which reads no clock and no settings (LOG7). */
export function personAt({
  now,
  random,
  settings,
}: Pick<Desk, 'now' | 'random' | 'settings'>): Omit<Actor, 'branch'> {
  return { author: { by: 'person' }, at: now(), seed: random(), settings: settings() }
}

/** For what is written in the transaction of something else: `follow` is to be called once it is durable. */
export function concluding(desk: Desk, order: Order): (writing: Writing, works: Works) => Said | undefined {
  const { branch } = order
  const actor = actorOf(desk, order)
  const { at } = actor
  return (writing, { work, behind, isDone = false }) => {
    if (wasRun(writing, order)) return undefined
    const talkedTo = boundBranch(writing, order.source)
    const isTooLate = !isDone && getBranch(writing, branch).state.kind === 'ended'
    const said = isTooLate ? tooLate(writing, order) : work(writing, actor)
    writeRun(writing, order, { at, said })
    if (!isTooLate) behind?.(writing, actor)
    const next = boundBranch(writing, order.source)
    // Back to the branch in whose inbox it waits, nothing has to be moved.
    if (order.took === null || next === undefined || next === branch) return said
    // Whoever talks elsewhere already has still said what waits here.
    if (next === talkedTo && getBranch(writing, branch).state.kind !== 'ended') return said
    moveRest(writing, order, { to: next, at })
    return { ...said, wake: [...(said.wake ?? []), next] }
  }
}

export function follow(agent: Agent, { abort, wake }: Said): void {
  if (abort) agent.abort(abort)
  if (wake) agent.wake(wake)
  agent.deliver()
}

/** Two deliveries of one platform message can both have passed the door before either was written. */
export function wasRun(reader: Reader, { took, branch, source }: Order): boolean {
  if (took !== null) return firstWaiting(reader, branch)?.position !== took
  return admittedBefore(reader, source, source.key) !== undefined
}

/** Somebody ended the branch while the command was on its way. */
function tooLate(reader: Reader, { branch, line }: Order): Said {
  return refusal(`${branchNames(reader)(branch)} has ended meanwhile, so this was not run: ${line}`)
}

function writeRun(writing: Writing, order: Order, { at, said }: { at: number; said: Said }): void {
  const { branch, took, line } = order
  const source = took === null ? order.source : null
  const { text: output, isError } = said
  const author = order.author ?? { by: 'person' }
  const run = { author, source, took, line, output, isError }
  const cause = writing.append({ kind: 'command-run', branch, at, v: 1, ...run })
  const { choices = [] } = said
  say(writing, { branch, at, to: order.source, form: 'output', text: output, choices, cause })
}

/**
 * A command in the midst of a text made its conversation talk to another branch: what follows in that conversation is
 * meant for that one, and the branch that was left must not answer it. Of a branch that has ended, nothing stays.
 */
function moveRest(writing: Writing, order: Order, { to, at }: { to: BranchId; at: number }): void {
  const { branch } = order
  const isOver = getBranch(writing, branch).state.kind === 'ended'
  for (let next = firstWaiting(writing, branch); next !== undefined; next = firstWaiting(writing, branch)) {
    const entry = admittedAt(writing, next.position)
    const { source: from, position: took, form, text, at: saidAt, before } = entry
    if (from.from === 'host') {
      if (!isOver || !isCommand(next)) return
      dropCommand(writing, entry, at)
      continue
    }
    if (!isOver && addressKey(from) !== addressKey(order.source)) return
    // Its platform id is known already, by its first admission.
    const again = { source: { ...from, key: null }, form, text, ...(before && { before }) }
    const there = writing.append({ kind: 'inbound-admitted', branch: to, at: saidAt, v: 1, ...again })
    writing.append({ kind: 'inbound-moved', branch, at, v: 1, took, to: there })
  }
}

/** A model asked for it in a branch that is no more; behind it may be what a person said. */
function dropCommand(writing: Writing, { branch, position: took, text: line }: Admitted, at: number): void {
  const author = { by: 'policy', name: 'branch-ended' } as const
  const run = { source: null, took, line, output: '', isError: true }
  writing.append({ kind: 'command-run', branch, at, v: 1, author, ...run })
}

/** Binds the conversation of an order to another branch: what is said there goes to it from now on. */
export function bind(
  writing: Writing,
  order: Pick<Order, 'source'>,
  to: { branch: BranchId; at: number },
): void {
  const { channel, conversation } = order.source
  const author = { by: 'person' } as const
  writing.append({ kind: 'conversation-bound', ...to, v: 1, channel, conversation, author })
}
