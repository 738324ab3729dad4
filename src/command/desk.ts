import type { Actor, Said } from '../agent/act.ts'
import type { Agent } from '../agent/agent.ts'
import { firstWaiting } from '../agent/inbox.ts'
import type { AgentSettings } from '../agent/settings.ts'
import type { Setup } from '../agent/setup.ts'
import type { Clock } from '../base/clock.ts'
import type { Random } from '../base/random.ts'
import type { BranchId, Position } from '../event/id.ts'
import type { Address, PersonSource } from '../event/work.ts'
import type { Log, Writing } from '../log/log.ts'
import type { Model } from '../model/model.ts'
import type { ParsedCommand } from './catalogue.ts'

/** What commands touch. */
export interface Desk {
  readonly log: Log
  readonly now: Clock
  readonly random: Random
  readonly settings: () => AgentSettings
  readonly agent: () => Agent
  /** Writes a setting for good; says why not when it is pinned elsewhere or wrong. */
  readonly configure: (key: 'model' | 'thinking', value: string) => Promise<string | undefined>
  /** Throws a ModelError that says what is missing. */
  readonly openModel: (name: string) => Model
  /** Reads AGENTS.md and what else prompts begin with. */
  readonly readSetup: () => Promise<Setup>
  /** Whether a conversation can be left, as a terminal can. */
  readonly canLeave: (address: Address) => boolean
  readonly leave: (address: Address) => void
}

/** A command of a person, and where it came from. */
export interface Order {
  readonly branch: BranchId
  readonly source: PersonSource
  /** Set when it waited in the inbox. */
  readonly took: Position | null
  readonly line: string
  readonly command: ParsedCommand
}

/** The same order with its command known to be the one of this name. */
export type OrderOf<N extends ParsedCommand['name']> = Order & {
  readonly command: Extract<ParsedCommand, { name: N }>
}

/**
 * Does the work of a command, writes that it was run and means its answer to be sent, all in one transaction. What
 * follows from it outside of the log is done after that. A command that was run already is not run again.
 */
export async function conclude(
  desk: Desk,
  order: Order,
  work: (writing: Writing, actor: Actor) => Said,
): Promise<Said | undefined> {
  const actor: Actor = {
    branch: order.branch,
    author: { by: 'person' },
    at: desk.now(),
    random: desk.random,
    settings: desk.settings(),
  }
  const said = await desk.log.write((writing) => {
    if (order.took !== null && firstWaiting(writing, order.branch)?.position !== order.took) return undefined
    const said = work(writing, actor)
    writeRun(writing, order, { at: actor.at, said })
    return said
  })
  if (said === undefined) return undefined
  const agent = desk.agent()
  if (said.abort) agent.abort(said.abort)
  if (said.wake) agent.wake(said.wake)
  agent.deliver()
  return said
}

function writeRun(writing: Writing, order: Order, { at, said }: { at: number; said: Said }): void {
  const { branch, took, line } = order
  const source = took === null ? order.source : null
  const { text: output, isError } = said
  const author = { by: 'person' } as const
  writing.append({ kind: 'command-run', branch, at, v: 1, author, source, took, line, output, isError })
  const { channel, conversation } = order.source
  const to = { channel, conversation }
  const intent = { to, form: 'output', text: output, turn: null } as const
  writing.append({ kind: 'delivery-intended', branch, at, v: 1, ...intent })
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
