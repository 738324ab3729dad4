import type { JobRead } from '../../agent/run/run-act.ts'
import type { ShippedSkill } from '../../view/skills-text.ts'
import type { McpState } from '../../mcp/client.ts'
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
import { authorOf, bindTo } from '../../agent/state/person.ts'
import { rootAt, rooted } from '../../agent/state/root.ts'
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
import type { Reader, Writing } from '../../event/table.ts'
import type { Address, PersonSource } from '../../event/work.ts'
import type { FileDesk } from '../../file/take-files.ts'
import type { Log } from '../../log/log.ts'
import type { Model } from '../../model/contract/model.ts'
import type { AskingParts } from '../../recall/asking.ts'
import type { JobShelf } from '../../schedule/job-shelf.ts'
import { boundBranch } from '../../agent/branch/binding.ts'
import type { ParsedCommand } from '../read/catalogue.ts'

/** Everything commands work with. */
export interface Desk {
  readonly log: Log
  readonly now: Clock
  readonly random: Random
  readonly settings: () => AgentSettings
  readonly agent: () => Agent
  /** The desk with what this person has of their own. */
  readonly deskOf: (person: string) => Promise<Desk>
  readonly recall: AskingParts['recall']
  /** Writes a setting for good; says why not when it is pinned elsewhere or wrong. */
  readonly configure: (
    key:
      | 'model'
      | 'thinking'
      | 'permissions'
      | 'timezone'
      | 'pingCapacity'
      | 'pingRefillMinutes'
      | 'pings.to',
    value: string | number,
  ) => Promise<string | undefined>
  /** Throws a ModelError that says what is missing. */
  readonly openModel: (name: string) => Model
  /** Reads AGENTS.md and what else prompts begin with; from then on the tools are those it found. */
  readonly readSetup: (what: SetupPart) => Promise<ReadSetup>
  /** As they are now. */
  readonly tools: () => readonly (Tool | ActTool)[]
  readonly skills: () => LoadedSkills & { readonly shipped: readonly ShippedSkill[] }
  readonly servers: () => readonly McpState[]
  readonly workspace: WorkspaceFiles
  /** Takes files that come with messages. */
  readonly files: FileDesk
  /** Routines, reminders and webhooks, as files define them. */
  readonly shelf: JobShelf
  readonly todos: TodoList
  /** The job in a file of the workspace, as it would run now. */
  readonly jobIn: (path: string, payload?: JsonObject) => Promise<JobRead>
  /** Leaves the place where this was typed, as a terminal can be left; undefined if that is impossible. */
  readonly wayOut: (source: PersonSource) => (() => void) | undefined
}

/** Texts in the workspace, by their paths in it. */
export interface WorkspaceFiles {
  readonly root: string
  /** Undefined: there is no such file. */
  read(path: string): Promise<string | undefined>
  write(path: string, text: string): Promise<void>
}

/** A command somebody typed, and where. */
export interface Order {
  readonly branch: BranchId
  readonly source: PersonSource
  /** Set when it waited in the inbox. */
  readonly took: Position | null
  readonly line: string
  readonly command: ParsedCommand
  /** The conversation whose numbers it names, if it replies to a message of ours; left out: the one it came from. */
  readonly numbered?: Address
  /** The model that requested it in its turn; left out: the person typed it. */
  readonly author?: Author
}

/** The same order with its command known to be the one of this name. */
export type OrderOf<N extends ParsedCommand['name']> = Order & {
  readonly command: Extract<ParsedCommand, { name: N }>
}

/** Done in the transaction that concludes the command, unless its branch has ended meanwhile. */
export type Work = (writing: Writing, actor: Actor) => Said

interface Works {
  readonly work: Work
  /** Done when the command itself is out of the inbox, so that what came after it is the first that waits. */
  readonly behind?: (writing: Writing, actor: Actor) => void
  /** A file or the configuration has changed already, so the work is done in a branch that has ended too. */
  readonly isDone?: boolean
  /** Once the answer is durable. */
  readonly after?: (said: Said) => void
}

/** The result of a command: its answer, or what gives the answer. */
export type Outcome =
  | Said
  | Work
  | Works
  /** Read before the transaction: nobody who writes waits for it, however much it reads. */
  | { readonly look: (reader: Reader, actor: Actor) => Said }
  /** The command concluded itself; undefined: it stays in the inbox, and is performed at the next start. */
  | { readonly concluded: Said | undefined }

/** Commands by name. None is performed twice for one message, so that it may change files before it is concluded. */
export type Commands<N extends ParsedCommand['name']> = {
  readonly [K in N]: (desk: Desk, order: OrderOf<K>) => Outcome | Promise<Outcome>
}

/**
 * Does the work of a command, notes the command and means its answer to be sent, all in one transaction; then what
 * follows outside of the log. Undefined: it was concluded before.
 */
export async function conclude(desk: Desk, order: Order, outcome: Outcome): Promise<Said | undefined> {
  if ('concluded' in outcome) return outcome.concluded
  if ('look' in outcome) {
    const actor = actorOf(desk, order)
    return conclude(desk, order, await desk.log.read((reader) => outcome.look(reader, actor)))
  }
  const works = worksOf(outcome)
  const conclusion = concluding(desk, order)
  const said = await desk.log.write((writing) => conclusion(writing, works))
  if (said === undefined) return undefined
  follow(desk.agent(), said)
  works.after?.(said)
  return said
}

function worksOf(outcome: Said | Work | Works): Works {
  if (typeof outcome === 'function') return { work: outcome }
  return 'work' in outcome ? outcome : { work: () => outcome, isDone: true }
}

function actorOf(desk: Desk, order: Order): Actor {
  return { ...personAt(desk), branch: order.branch, author: order.author ?? authorOf(order.source) }
}

/** A person who acts now. Taken before a work, which reads no clock and no settings (LOG7). */
export function personAt({
  now,
  random,
  settings,
}: Pick<Desk, 'now' | 'random' | 'settings'>): Omit<Actor, 'branch'> {
  return { author: { by: 'person' }, at: now(), seed: random(), settings: settings() }
}

/** For a command that is concluded in the transaction of something else; the caller follows it once it is durable. */
export function concluding(desk: Desk, order: Order): (writing: Writing, works: Works) => Said | undefined {
  const { branch } = order
  const actor = actorOf(desk, order)
  const { at } = actor
  return (writing, { work, behind, isDone = false }) => {
    if (isConcluded(writing, order)) return undefined
    const talkedTo = boundBranch(writing, order.source)
    const isTooLate = !isDone && getBranch(writing, branch).state.kind === 'ended'
    // Somebody ended the branch while the command was on its way.
    const { took } = order
    const root = took === null ? ((writing.end + 1) as Position) : rootAt(writing, took)
    const said = isTooLate
      ? refusal(`${branchNames(writing)(branch)} has ended meanwhile, so this was not done: ${order.line}`)
      : work(writing, actor.author.by === 'person' ? { ...actor, root } : actor)
    write(writing, order, { at, said, root })
    if (!isTooLate) behind?.(writing, actor)
    const next = boundBranch(writing, order.source)
    // The rest already waits in the inbox of that branch.
    if (order.took === null || next === undefined || next === branch) return said
    // The person was talking elsewhere before, so what waits here was still meant for this branch.
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
export function isConcluded(reader: Reader, { took, branch, source }: Order): boolean {
  if (took !== null) return firstWaiting(reader, branch)?.position !== took
  return admittedBefore(reader, source, source.key) !== undefined
}

function write(
  writing: Writing,
  order: Order,
  { at, said, root }: { at: number; said: Said; root: Position },
): void {
  const { branch, took, line } = order
  const source = took === null ? order.source : null
  const { text: output, isError } = said
  const author = order.author ?? authorOf(order.source)
  const command = { author, source, took, line, output, isError, ...rooted(writing, root) }
  const cause = writing.append({ kind: 'command-run', branch, at, ...command })
  const { choices = [] } = said
  say(writing, { branch, at, to: order.source, form: 'output', text: output, choices, cause })
}

/**
 * Moves the rest of a text to the branch that a command in it switched to: the branch that was left must not answer
 * what follows. From a branch that has ended, everything is moved.
 */
function moveRest(writing: Writing, order: Order, { to, at }: { to: BranchId; at: number }): void {
  const { branch } = order
  const isOver = getBranch(writing, branch).state.kind === 'ended'
  for (let next = firstWaiting(writing, branch); next !== undefined; next = firstWaiting(writing, branch)) {
    const entry = admittedAt(writing, next.position)
    const { source: from, position: took, form, text, at: saidAt, before, files } = entry
    if (from.from === 'host') {
      if (!isOver || !isCommand(next)) return
      dropCommand(writing, entry, at)
      continue
    }
    if (!isOver && addressKey(from) !== addressKey(order.source)) return
    // Its platform id is known already, by its first admission.
    const more = { ...(before && { before }), ...(files && { files }) }
    const again = { source: { ...from, key: null }, form, text, ...more, root: rootAt(writing, took) }
    const there = writing.append({ kind: 'inbound-admitted', branch: to, at: saidAt, ...again })
    writing.append({ kind: 'inbound-moved', branch, at, took, to: there })
  }
}

/** A command that a model requested in a branch that has ended; messages of a person may wait behind it. */
function dropCommand(writing: Writing, { branch, position: took, text: line }: Admitted, at: number): void {
  const author = { by: 'policy', name: 'branch-ended' } as const
  const command = { source: null, took, line, output: '', isError: true }
  writing.append({ kind: 'command-run', branch, at, author, ...command })
}

/** Binds the conversation of an order to another branch: what is said there goes to it from now on. */
export function bind(
  writing: Writing,
  { source }: Pick<Order, 'source'>,
  to: { branch: BranchId; at: number },
): void {
  bindTo(writing, source, { ...to, author: authorOf(source) })
}
