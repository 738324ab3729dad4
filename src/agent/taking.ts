import { estimateTokens } from '../base/tokens.ts'
import { getBranch } from '../context/branch.ts'
import { messageAtOrAfter } from '../context/message-index.ts'
import { addMessage, messageOf } from '../context/step.ts'
import { isRefusal } from '../context/decision.ts'
import { userText } from '../context/prompt.ts'
import { escapeTyped, timeLine } from '../context/wording.ts'
import type { Message } from '../event/event.ts'
import type { BranchId, Position } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import type { Writing } from '../log/log.ts'
import { admittedAt, isCommand, waiting, type Admitted } from './inbox.ts'

export interface Taking {
  readonly branch: BranchId
  readonly at: number
  readonly zone: string
  /** Whose messages may be taken: a running turn takes only what people say. */
  readonly from: 'anybody' | 'people'
}

/** Takes messages and notes from the front of the inbox into the branch; a command stops it, for it comes first. */
export function takeMessages(writing: Writing, taking: Taking): readonly Admitted[] {
  const taken: Admitted[] = []
  for (const entry of waiting(writing, taking.branch)) {
    if (isCommand(entry) || (taking.from === 'people' && entry.source !== 'person')) break
    const admitted = admittedAt(writing, entry.position)
    const message =
      entry.form === 'note'
        ? ({ role: 'note', author: { by: 'person' }, text: escapeTyped(admitted.text) } as const)
        : userMessage(admitted, { zone: taking.zone, isFirst: isFirstInFork(writing, taking.branch) })
    add(writing, { ...taking, message, took: entry.position })
    taken.push(admitted)
  }
  return taken
}

/** Appends a message that nothing can be in the way of: between two steps, in a branch that lives. */
export function add(
  writing: Writing,
  { branch, at, message, took }: { branch: BranchId; at: number; message: Message; took?: Position },
): Position {
  const decided = addMessage(writing, { branch, at, message, tokens: tokensOf(message) })
  if (isRefusal(decided))
    throw new TypeError(`a ${message.role} message cannot stand here: ${decided.refused}`)
  return writing.append(took === undefined ? decided.draft : { ...decided.draft, took })
}

function userMessage(
  { source, text, at }: Admitted,
  { zone, isFirst }: { zone: string; isFirst: boolean },
): Message {
  const time = timeLine(at, zone)
  // A task is somebody's words too: what speaks for the host is the head alone.
  const tag = source.from === 'host' ? source.tag : undefined
  const opening = isFirst
    ? ['[fork-started]', ENTERED]
    : tag === undefined
      ? []
      : [`[${tag}]`, EXPLAINED[tag]]
  return { role: 'user', text: escapeTyped(text), head: [...opening, time].join('\n') }
}

/** A person who entered a fork without a topic says with the first message what it is about. */
function isFirstInFork(reader: Reader, id: BranchId): boolean {
  const { mode, forkedAt } = getBranch(reader, id)
  if (mode !== 'fork') return false
  for (let from: number = forkedAt; ;) {
    const next = messageAtOrAfter(reader, id, from)
    if (next === undefined) return true
    if (messageOf(reader.event(next.position)).role !== 'note') return false
    from = next.position + 1
  }
}

const ENTERED = '(written by the host: the person entered this fork to talk here; main does not see it)'

/** Says to a model what a message is that no person typed. */
const EXPLAINED = {
  'fork-started': '(written by the host: you are a new branch with a task of your own)',
  system: '(written by the host)',
} as const

export function tokensOf(message: Message): number {
  if (message.role === 'user') return estimateTokens(userText(message))
  if (message.role !== 'assistant') return estimateTokens(message.text)
  const { text, calls, reasoning = [] } = message
  const spoken = estimateTokens(text)
  if (calls.length === 0 && reasoning.length === 0) return spoken
  return spoken + estimateTokens(JSON.stringify([calls, reasoning]))
}
