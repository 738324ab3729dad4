import { workOf, type Branch } from '../../context/branch.ts'
import { outsideFences } from '../../event/fence.ts'
import type { Inheritance } from '../../context/fork.ts'
import { lastMessage, messagesAdded } from '../../context/message-index.ts'
import type { EventOf } from '../../event/event.ts'
import { handleOf, type BranchId, type Position } from '../../event/id.ts'
import type { Mark } from '../../event/item.ts'
import type { Reader, Writing } from '../../event/table.ts'
import type { PersonSource } from '../../event/work.ts'
import type { Actor } from '../contract/act.ts'
import { admittedAt, isCommand, waiting, type Admitted } from '../state/inbox.ts'
import { isAtWork } from '../step/end-subtree.ts'
import { add, inOneText } from '../step/take-inbox.ts'

/** The unanswered messages after a mark that a person's `/fork MARK` gives to the child. */
export interface HandOver {
  readonly inherit: Inheritance
  /** Words that the child cannot inherit. */
  readonly goal: string | null
  /** Where the child's view ends, if before the branch's head. */
  readonly step?: Position
  /** Whether the turn that answers them ends, or goes on without them. */
  readonly turn: 'ends' | 'goes-on' | 'untouched'
  /** Messages taken out of the inbox. */
  readonly late: readonly Admitted[]
  readonly title: string
}

type Said = EventOf<'message-added'>

/** Undefined: nothing after the mark is unanswered. */
export function handOver(reader: Reader, parent: Branch, mark: Mark): HandOver | undefined {
  const said = messagesAdded(reader, { src: parent.id, from: mark.at + 1 })
  const words = said.filter((one) => isPersons(reader, one))
  const [first] = words
  if (first !== undefined && said.some((one) => one.position > first.position && isAnswer(one)))
    return undefined
  const late = waitingWords(reader, parent.id)
  const lateTexts = late.map((one) => inOneText(reader, one))
  const texts = [...words.map((one) => textOf(reader, one)), ...lateTexts]
  if (texts.length === 0) return undefined
  const since = workSince(parent)
  const isAsked = words.some(
    ({ position, message }) => message.role === 'user' && position > (since ?? position),
  )
  const isMidTurn = since !== undefined && mark.at > since
  const turn = !isAsked ? 'untouched' : isMidTurn ? 'goes-on' : 'ends'
  // The mark was set in the middle of a turn: what that turn did since is not part of the task, only the words are.
  if (isMidTurn || said.some((one) => isWork(one) && one.position < (first?.position ?? Infinity)))
    return { inherit: { take: 'nothing' }, goal: texts.join('\n'), turn, late, title: titleIn(texts) }
  const goal = late.length === 0 ? null : lateTexts.join('\n')
  const step = isAsked ? viewEnd(reader, parent.id, said) : undefined
  const inherit = { take: 'after-mark', name: mark.name } as const
  const title = titleIn(goal === null ? texts : lateTexts)
  return { inherit, goal, turn, late, title, ...(step !== undefined && { step }) }
}

function textOf(reader: Reader, { message, took }: Said): string {
  return message.role === 'note' || took === undefined
    ? message.text
    : inOneText(reader, admittedAt(reader, took))
}

/** In the person's own words: a title is read as the host's. */
function titleIn(texts: readonly string[]): string {
  return outsideFences(texts.join('\n'))
}

/** Where the work began that is running or will continue by itself. */
function workSince(branch: Branch): Position | undefined {
  return isAtWork(branch) ? workOf(branch)?.since : undefined
}

function isPersons(reader: Reader, { message, took }: Said): boolean {
  if (message.role === 'note') return message.author.by === 'person'
  return message.role === 'user' && took !== undefined && admittedAt(reader, took).source.from === 'person'
}

function isAnswer({ message }: Said): boolean {
  return message.role === 'assistant' && message.calls.length === 0
}

function isWork({ message }: Said): boolean {
  return message.role === 'assistant' || message.role === 'tool'
}

/** Before the branch's first reaction to the words. */
function viewEnd(reader: Reader, branch: BranchId, said: readonly Said[]): Position {
  return said.find(isWork)?.position ?? (((lastMessage(reader, branch)?.position ?? 0) + 1) as Position)
}

/** The person's waiting messages, up to the first command. */
function waitingWords(reader: Reader, branch: BranchId): Admitted[] {
  const entries = waiting(reader, branch)
  const end = entries.findIndex((entry) => isCommand(entry) || entry.source !== 'person')
  return entries.slice(0, end < 0 ? entries.length : end).map(({ position }) => admittedAt(reader, position))
}

export interface Given {
  readonly child: BranchId
  /** The child's task, as it was admitted. */
  readonly task: Position
  readonly late: readonly Admitted[]
  readonly source: PersonSource
}

/** A note in the parent, so that it does not later answer what the child was given to do. */
export function noteGiven(
  writing: Writing,
  { branch, at }: Actor,
  { child, task, late, source }: Given,
): void {
  for (const { position: took } of late) writing.append({ kind: 'inbound-moved', branch, at, took, to: task })
  // Only what the person said: a note is read as the host's words, or as the person's.
  const said = late.map((one) => outsideFences(inOneText(writing, one)).trim()).filter((text) => text !== '')
  const text = [`given to ${handleOf(child)}`, ...said].join('\n')
  if ((lastMessage(writing, branch)?.open ?? 0) === 0) {
    const author = { by: 'policy', name: 'fork' } as const
    add(writing, { branch, at, message: { role: 'note', author, text } })
    return
  }
  // A tool is running: nothing may come between its call and its result, so the note waits for the step's end.
  const from = { ...source, key: null }
  writing.append({ kind: 'inbound-admitted', branch, at, source: from, form: 'note', text })
}
