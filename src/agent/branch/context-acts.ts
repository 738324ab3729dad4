import { counted } from '../../base/words.ts'
import { getBranch, workOf } from '../../context/branch.ts'
import { clear, clearByModel, redo, rewind, setMark, takeBack, undo } from '../../context/change.ts'
import { isRefusal, type Decision } from '../../context/decision.ts'
import { after } from '../../context/list.ts'
import { lastMessage, messagesAdded, messagesBack, messagesIn } from '../../context/message-index.ts'
import { messagesShown } from '../../context/part.ts'
import { messageOf } from '../../context/step.ts'
import type { EndedWork } from '../../context/tables.ts'
import { authorName, changeToUndo, listOf, marksOf, type ChangeEvent } from '../../context/version.ts'
import type { Event, DraftOf, EventOf, Kind } from '../../event/event.ts'
import { handleOf, type BranchId, type Position } from '../../event/id.ts'
import { isSummary } from '../../event/item.ts'
import type { PersonSource } from '../../event/work.ts'
import type { Reader, Writing } from '../../event/table.ts'
import { type Actor, type Said, ok, refusal } from '../contract/act.ts'
import { isAllSaidIn, whoAsked } from '../state/asker.ts'
import { sayRefusal } from './refusals.ts'

/** Carries out the decision and says so, or says why it was refused. */
function carryOut<K extends Kind>(
  writing: Writing,
  decided: Decision<K>,
  textOf: (draft: DraftOf<K>) => string,
): Said {
  if (isRefusal(decided)) return sayRefusal(decided)
  writing.append(decided.draft)
  return ok(textOf(decided.draft))
}

export function actMark(writing: Writing, actor: Actor, { name, place }: MarkWish): Said {
  const isMoved = marksOf(writing, getBranch(writing, actor.branch)).some((mark) => mark.name === name)
  return carryOut(writing, setMark(writing, { ...actor, name, ...(place && { place }) }), () =>
    markText(name, isMoved),
  )
}

export interface MarkWish {
  readonly name: string
  /** The message that it stands behind; left out: here. */
  readonly place?: number | undefined
}

export function markText(name: string, isMoved: boolean): string {
  return `Checkpoint '${name}' ${isMoved ? 'moved' : 'created'}.`
}

export function actClear(writing: Writing, actor: Actor): Said {
  return carryOut(writing, clear(writing, actor), () => 'Context cleared.')
}

/** Without a name, rewinds to the newest mark. */
export function actRewind(writing: Writing, actor: Actor, name: string | undefined): Said {
  const messagesMin = actor.settings.recentMin
  const decided = rewind(writing, { ...actor, messagesMin, ...(name !== undefined && { name }) })
  return carryOut(writing, decided, ({ to }) => `Rewound to '${to?.name ?? ''}'.`)
}

/** Takes back the answer that ends the last work, whole or cut, and the same question is asked again. */
export function actRetry(writing: Writing, actor: Actor): Said {
  const branch = getBranch(writing, actor.branch)
  const last = branch.state.kind === 'idle' ? branch.state.last : null
  const isAnswered = last?.outcome === 'answered'
  if (last === null || (isAnswered && whoAsked(writing, branch) === undefined))
    return refusal('There is nothing to retry here.')
  const answer = answerOf(writing, branch.id, last)
  const decided: Decision<'context-cleared'> =
    answer === undefined
      ? { refused: 'went-on' }
      : takeBack(writing, { ...actor, time: (answer - 1) as Position, drops: 'answer' })
  // Work without an answer goes on as it stands, and the model is pointed back to the question if need be.
  if (isAnswered && isRefusal(decided)) return sayRefusal(decided)
  if (!isRefusal(decided)) writing.append(decided.draft)
  return ok(isAnswered ? 'Asking again. /undo restores the earlier answer.' : 'Trying again.')
}

/** Undefined: the work has none, or something was said after it. */
function answerOf(reader: Reader, branch: BranchId, last: EndedWork): Position | undefined {
  for (const { message, position } of messagesBack(reader, branch)) {
    if (position < last.since || position > last.endedAt) return undefined
    // The note that a person stopped the answer.
    if (message.role === 'note' && message.author.by === 'policy') continue
    const isWhole = last.outcome === 'answered'
    const isAnswer = message.role === 'assistant' && (isWhole ? message.calls.length === 0 : message.cut)
    return isAnswer ? position : undefined
  }
  return undefined
}

/** Takes back the last exchange; what is said in its place comes in the same transaction. */
export function actTakeBack(writing: Writing, actor: Actor, source: PersonSource): Said {
  const branch = getBranch(writing, actor.branch)
  if (branch.state.kind === 'running') return sayRefusal({ refused: 'turn-running' })
  const work = workOf(branch)
  if (work === null) return refusal('There is no last message here to edit. Just write it.')
  if (!isAllSaidIn(writing, branch, source))
    return refusal(
      'The last message here was not written in this conversation, so it cannot be edited from it.',
    )
  const hasGoneOn = (lastMessage(writing, branch.id)?.position ?? 0) > (work.endedAt ?? Infinity)
  if (hasGoneOn) return sayRefusal({ refused: 'went-on' })
  const decided = takeBack(writing, { ...actor, time: work.since, drops: 'exchange' })
  if (isRefusal(decided)) return sayRefusal(decided)
  const told = messagesAdded(writing, { src: branch.id, from: work.since })
  const reopens = told.flatMap(({ position: by, updates }) =>
    updates?.of === branch.id ? { by, updates: [...updates.shown] } : [],
  )
  writing.append({ ...decided.draft, ...(reopens.length > 0 && { reopens }) })
  return ok('Edited. /undo restores the earlier message.')
}

/** Whether a model's clear to a mark removes anything: the turn's user messages and the step itself stay. */
export function takesAway(reader: Reader, id: BranchId, mark: Position): boolean {
  const branch = getBranch(reader, id)
  const since = branch.state.kind === 'running' ? branch.state.since : Number.MAX_SAFE_INTEGER
  const isKept = (position: Position): boolean =>
    position > since && messageOf(reader.event(position)).role === 'user'
  return after(reader, listOf(reader, branch), { self: id, time: mark }).some(
    (item) =>
      isSummary(item) ||
      item.src !== id ||
      item.at !== undefined ||
      messagesIn(reader, item).some(({ position }) => !isKept(position)),
  )
}

/** Written after the step's last result: the turn's user messages and the step itself stay. */
export function actClearByModel(
  writing: Writing,
  actor: Actor,
  { name, step }: { name: string | undefined; step: Position },
): void {
  const messagesMin = actor.settings.recentMin
  const decided = clearByModel(writing, { ...actor, step, messagesMin, ...(name !== undefined && { name }) })
  if (!isRefusal(decided)) writing.append(decided.draft)
}

export function actUndo(writing: Writing, actor: Actor): Said {
  const undone = nameToUndo(writing, actor)
  return carryOut(writing, undo(writing, actor), () => {
    const next = nameToUndo(writing, actor)
    const more = next === undefined ? 'there is nothing earlier to undo' : `/undo again undoes the ${next}`
    return `Undid ${undone}. /redo repeats it; ${more}.`
  })
}

export function actRedo(writing: Writing, actor: Actor): Said {
  const decided = redo(writing, actor)
  const command = isRefusal(decided) ? undefined : commandOf(writing.event(decided.draft.version))
  // Messages since then refer to messages that the change would remove again.
  if (command !== undefined && hasSpokenSince(writing, actor.branch))
    return refusal(
      `Not redone: the conversation has gone on since /undo. Use ${command} instead; it applies to what was said since, too.`,
    )
  return carryOut(writing, decided, () => `Redone: ${nameToUndo(writing, actor)}.`)
}

/** The name of the change that undo would take back; undefined when there is nothing to undo. */
function nameToUndo(reader: Reader, { branch }: Actor): string | undefined {
  const change = changeToUndo(reader, getBranch(reader, branch))
  return change && changeName(reader, change)
}

/** Does again what a change did that took messages out; undefined: it took none. */
function commandOf(change: Event): string | undefined {
  if (change.kind === 'context-compacted') return '/compact'
  if (change.kind !== 'context-cleared') return undefined
  if (change.drops !== undefined) return TAKEN_BACK[change.drops].command
  return change.to === null ? '/clear' : `/rewind ${change.to.name}`
}

const TAKEN_BACK = {
  answer: { command: '/retry', name: 'retry of an answer' },
  exchange: { command: '/edit TEXT', name: 'edit of a message' },
} as const

/** Whether anything was said in a branch since its last undo or redo. */
function hasSpokenSince(reader: Reader, branch: BranchId): boolean {
  const last = lastMessage(reader, branch)?.position ?? 0
  for (let position = reader.end; position > last; position--) {
    const event = reader.event(position as Position)
    const isBack = event.kind === 'context-undone' || event.kind === 'context-redone'
    if (isBack && event.branch === branch) return false
  }
  return true
}

/** `rewind to 'A' (by model)` */
export function changeName(reader: Reader, change: ChangeEvent): string {
  const who = change.author.by === 'person' ? [] : [`by ${authorName(change.author)}`]
  const by = who.length === 0 ? '' : ` (${who.join('')})`
  switch (change.kind) {
    case 'context-cleared':
      if (change.drops !== undefined) return `${TAKEN_BACK[change.drops].name}${by}`
      return `${change.to === null ? 'clear' : `rewind to '${change.to.name}'`}${by}`
    case 'context-compacted':
      return `compaction${by}`
    case 'context-expanded':
      return `expand${by}`
    case 'context-saved':
      return `save of ${handleOf(change.source)} (${[savedBy(reader, change), ...who].join(', ')})`
  }
}

function savedBy(reader: Reader, { items, position }: EventOf<'context-saved'>): string {
  const brought = items.filter(({ at }) => at === position)
  return counted(messagesShown(reader, brought), 'message')
}
