import { admittedBefore, type Admitted } from '../agent/inbox.ts'
import { refusal, type Said } from '../agent/act.ts'
import type { Inbound } from '../channel/channel.ts'
import { getBranch } from '../context/branch.ts'
import type { BranchId, Position } from '../event/id.ts'
import type { PersonSource } from '../event/work.ts'
import type { Writing } from '../log/log.ts'
import { branchFor } from './binding.ts'
import { commandNamed } from './catalogue.ts'
import { conclude, type Desk } from './desk.ts'
import { parseInput, type Part } from './parse.ts'
import { runCommand } from './run.ts'

/** What became of something that came in. */
export type Received =
  /** It was admitted before: nothing was done. */
  | { readonly kind: 'duplicate' }
  /** In the inbox of this branch, in these places. */
  | { readonly kind: 'admitted'; readonly branch: BranchId; readonly entries: readonly Position[] }
  /** A command that acted at once. */
  | { readonly kind: 'done'; readonly branch: BranchId; readonly said: Said }
  | { readonly kind: 'empty' }

/**
 * Takes what a person typed, from any channel. Once this resolves, it is in the log: as an entry of an inbox, or as a
 * command that was run. The order in which things were typed is kept, also across a restart.
 */
export async function receive(desk: Desk, inbound: Inbound): Promise<Received> {
  const parts = parseInput(inbound.text)
  const [first] = parts
  if (first === undefined) return { kind: 'empty' }
  const mistakes = parts.filter((part) => part.kind === 'mistake')
  if (mistakes.length > 0) return sayMistakes(desk, inbound, { mistakes, isAlone: parts.length === 1 })
  if (parts.length === 1 && first.kind === 'command' && whenOf(first) === 'at-once')
    return runAtOnce(desk, inbound, first)
  return admit(desk, inbound, parts)
}

type CommandPart = Extract<Part, { kind: 'command' }>

function whenOf({ command }: CommandPart): 'at-once' | 'step-end' | 'turn-end' {
  return commandNamed(command.name)?.when ?? 'at-once'
}

function sourceOf({ channel, conversation, person, messageId }: Inbound): PersonSource {
  return { from: 'person', channel, conversation, person, key: messageId }
}

async function runAtOnce(desk: Desk, inbound: Inbound, { command, line }: CommandPart): Promise<Received> {
  const source = sourceOf(inbound)
  const branch = await contact(desk, inbound)
  if (branch === undefined) return { kind: 'duplicate' }
  const said = await runCommand(desk, { branch, source, took: null, line, command })
  return said === undefined ? { kind: 'duplicate' } : { kind: 'done', branch, said }
}

/** The branch this conversation talks to; undefined when this very message was here before. */
function contact(desk: Desk, inbound: Inbound): Promise<BranchId | undefined> {
  const at = desk.now()
  return desk.log.write((writing) =>
    admittedBefore(writing, inbound, inbound.messageId) === undefined
      ? branchFor(writing, inbound, { at, random: desk.random })
      : undefined,
  )
}

/** A text with a mistake in it is not done by halves: what its author meant is known only to them. */
async function sayMistakes(
  desk: Desk,
  inbound: Inbound,
  { mistakes, isAlone }: { mistakes: readonly Extract<Part, { kind: 'mistake' }>[]; isAlone: boolean },
): Promise<Received> {
  const branch = await contact(desk, inbound)
  if (branch === undefined) return { kind: 'duplicate' }
  const says = mistakes.map(({ say }) => say)
  const text = [...says, ...(isAlone ? [] : ['Nothing of this message was done.'])].join('\n')
  const at = desk.now()
  const { channel, conversation } = inbound
  await desk.log.write((writing) => {
    const run = { source: sourceOf(inbound), took: null, line: inbound.text, output: text, isError: true }
    const author = { by: 'person' } as const
    writing.append({ kind: 'command-run', branch, at, v: 1, author, ...run })
    const intent = { to: { channel, conversation }, form: 'output', text, turn: null } as const
    writing.append({ kind: 'delivery-intended', branch, at, v: 1, ...intent })
  })
  desk.agent().deliver()
  return { kind: 'done', branch, said: { text, isError: true } }
}

async function admit(desk: Desk, inbound: Inbound, parts: readonly Part[]): Promise<Received> {
  const at = desk.now()
  const received = await desk.log.write((writing): Received => {
    if (admittedBefore(writing, inbound, inbound.messageId) !== undefined) return { kind: 'duplicate' }
    const branch = branchFor(writing, inbound, { at, random: desk.random })
    const source = sourceOf(inbound)
    const entries = parts.map((part) => {
      const { form, text } = entryOf(part)
      return writing.append({ kind: 'inbound-admitted', branch, at, v: 1, source, form, text })
    })
    if (parts.some((part) => entryOf(part).form === 'command')) sayWaiting(writing, { branch, at, source })
    return { kind: 'admitted', branch, entries }
  })
  if (received.kind !== 'admitted') return received
  desk.agent().wake([received.branch])
  desk.agent().deliver()
  return received
}

/** A command that acts at once waits behind what stands before it in the same text, though not for a whole turn. */
function entryOf(part: Part): Pick<Admitted, 'form' | 'text'> {
  if (part.kind === 'command')
    return { form: whenOf(part) === 'turn-end' ? 'command' : 'step-command', text: part.line }
  if (part.kind === 'mistake') throw new TypeError('a mistake is said, not admitted')
  return { form: part.kind, text: part.text }
}

function sayWaiting(
  writing: Writing,
  { branch, at, source }: { branch: BranchId; at: number; source: PersonSource },
): void {
  if (getBranch(writing, branch).state.kind !== 'running') return
  const { channel, conversation } = source
  const text = 'Will be done when this turn ends. /stop to interrupt.'
  const intent = { to: { channel, conversation }, form: 'notice', text, turn: null } as const
  writing.append({ kind: 'delivery-intended', branch, at, v: 1, ...intent })
}

/** Runs a command that waited in an inbox. A line that this release does not know any more is answered, not run. */
export async function runAdmitted(desk: Desk, entry: Admitted): Promise<void> {
  const { branch, source, position: took, text: line } = entry
  if (source.from !== 'person') throw new TypeError(`what was admitted at ${took} is no command of a person`)
  const [part] = parseInput(line)
  if (part?.kind === 'command')
    return void (await runCommand(desk, { branch, source, took, line, command: part.command }))
  const say = part?.kind === 'mistake' ? part.say : `'${line}' is no command any more.`
  const help = { name: 'help', about: null } as const
  await conclude(desk, { branch, source, took, line, command: help }, () => refusal(say))
}
