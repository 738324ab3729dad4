import type { DraftOf } from '../event/event.ts'
import type { Position } from '../event/id.ts'
import { isSummary, type Item, type Mark, type Range, type Items } from '../event/item.ts'
import type { Reader } from '../event/table.ts'
import type { Branch } from './branch.ts'
import { changeable, changeableBetweenTurns, header, isRefusal } from './decision.ts'
import type { Act, Decision, Refusal } from './decision.ts'
import { after, coversOf, cut, join, normalise, sameItems } from './list.ts'
import { countMessages, headOf, messagesIn, rangeOf, stepEndAt } from './message-index.ts'
import { messageOf } from './step.ts'
import { listOf, marksOf, versionAt } from './version.ts'

/** A mark here, or behind the step of an earlier message. */
export function setMark(
  reader: Reader,
  { name, ...act }: Act & { readonly name: string; readonly place?: number },
): Decision<'mark-set'> {
  const branch = changeable(reader, act.branch)
  if (isRefusal(branch)) return branch
  const { author, place } = act
  const behind = place === undefined ? undefined : stepEndAt(reader, branch.id, place)
  if (behind === null) return { refused: 'no-message', place: place ?? 0 }
  return { draft: { kind: 'mark-set', ...header(act), name, ...(behind && { behind }), author } }
}

export function clear(reader: Reader, act: Act): Decision<'context-cleared'> {
  const branch = changeableBetweenTurns(reader, act.branch)
  if (isRefusal(branch)) return branch
  if (listOf(reader, branch).length === 0 && marksOf(reader, branch).length === 0) {
    return { refused: 'nothing-to-do', what: 'clear' }
  }
  return { draft: cleared(branch, act, { items: [], marks: [], to: null }) }
}

export interface Rewind extends Act {
  /** Default: the newest mark. */
  readonly name?: string
  /** At least this many messages are shown afterwards, if they exist; summaries are opened as needed. */
  readonly messagesMin: number
}

/** Cuts the list at a mark. The mark stays; later marks are gone. */
export function rewind(reader: Reader, act: Rewind): Decision<'context-cleared'> {
  const branch = changeableBetweenTurns(reader, act.branch)
  if (isRefusal(branch)) return branch
  const marks = marksOf(reader, branch)
  const to = findMark(marks, act.name)
  if (isRefusal(to)) return to
  const list = listOf(reader, branch)
  const kept = cut(reader, list, { self: branch.id, time: to.at })
  if (sameItems(kept, list) && marks.at(-1)?.at === to.at) {
    return { refused: 'already-there', mark: to, before: marks.at(-2) ?? null }
  }
  const items = showAtLeast(reader, kept, act.messagesMin)
  return { draft: cleared(branch, act, { items, marks: marks.filter((mark) => mark.at <= to.at), to }) }
}

/**
 * Takes back what the branch itself said last: everything after `time`, if that is all shown and of this branch alone.
 * Undo brings it back like any other rewind.
 */
export function takeBack(
  reader: Reader,
  act: Act & { readonly time: Position; readonly drops: 'answer' | 'exchange' },
): Decision<'context-cleared'> {
  const branch = changeableBetweenTurns(reader, act.branch)
  if (isRefusal(branch)) return branch
  const { time, drops } = act
  const [list, place] = [listOf(reader, branch), { self: branch.id, time }]
  const isOwn = ({ src, at }: Item): boolean => src === branch.id && at === undefined
  if (list.some((item) => isSummary(item) && isOwn(item) && item.last > time))
    return { refused: 'summarised' }
  const dropped = after(reader, list, place)
  if (dropped.length === 0 || !dropped.every(isOwn)) return { refused: 'went-on' }
  const marks = marksOf(reader, branch).filter((mark) => mark.at <= time)
  const to = { name: `at-${time}`, at: time }
  return { draft: { ...cleared(branch, act, { items: cut(reader, list, place), marks, to }), drops } }
}

/** A model's clear or rewind. The turn's user messages and this step stay, so that it sees that it has cleared. */
export function clearByModel(
  reader: Reader,
  /** `step`: the assistant message with this call; all of its results are written. */
  act: Rewind & { readonly step: Position },
): Decision<'context-cleared'> {
  const branch = changeable(reader, act.branch)
  if (isRefusal(branch)) return branch
  if (branch.state.kind !== 'running') return { refused: 'no-turn' }
  const marks = marksOf(reader, branch)
  const to = act.name === undefined ? null : findMark(marks, act.name)
  if (to !== null && isRefusal(to)) return to
  const list = listOf(reader, branch)
  const cutList = to === null ? [] : cut(reader, list, { self: branch.id, time: to.at })
  const since = Math.max(branch.state.since, to?.at ?? 0)
  const kept = showAtLeast(reader, cutList, to === null ? 0 : act.messagesMin)
  const items = join(reader, kept, keptOfTurn(reader, branch, { since, step: act.step }))
  const left = to === null ? [] : marks.filter((mark) => mark.at <= to.at)
  if (sameItems(items, list) && left.length === marks.length)
    return { refused: 'nothing-to-do', what: 'clear' }
  return { draft: cleared(branch, act, { items, marks: left, to }) }
}

type Cleared = { items: Items; marks: readonly Mark[]; to: Mark | null }

/** Takes back the branch's last change of context. Messages and marks since then stay. */
export function undo(reader: Reader, act: Act): Decision<'context-undone'> {
  const branch = changeableBetweenTurns(reader, act.branch)
  if (isRefusal(branch)) return branch
  const { prev } = versionAt(reader, branch.version)
  if (prev === null) return { refused: 'nothing-to-do', what: 'undo' }
  const { author } = act
  return { draft: { kind: 'context-undone', ...header(act), author, undone: branch.version, version: prev } }
}

export function redo(reader: Reader, act: Act): Decision<'context-redone'> {
  const branch = changeableBetweenTurns(reader, act.branch)
  if (isRefusal(branch)) return branch
  const version = branch.redo.at(-1)
  if (version === undefined) return { refused: 'nothing-to-do', what: 'redo' }
  return { draft: { kind: 'context-redone', ...header(act), author: act.author, version } }
}

/** The messages of a turn that survive its clear: people's, and the step that clears. */
function keptOfTurn(
  reader: Reader,
  branch: Branch,
  { since, step }: { since: number; step: Position },
): Items {
  const turn = rangeOf(reader, branch.id, { from: since + 1, to: headOf(reader, branch.id) ?? 0 })
  if (turn === undefined) return []
  const kept = messagesIn(reader, turn).filter(
    ({ position }) => position >= step || messageOf(reader.event(position)).role === 'user',
  )
  const ranges = kept.map(({ position }): Range => ({ src: branch.id, from: position, to: position }))
  return normalise(reader, ranges)
}

function findMark(marks: readonly Mark[], name: string | undefined): Mark | Refusal {
  if (name === undefined) return marks.at(-1) ?? { refused: 'nothing-to-do', what: 'rewind' }
  return marks.find((mark) => mark.name === name) ?? { refused: 'unknown-mark', name, marks }
}

/** Opens the newest summaries until enough messages are shown: after a rewind, people expect to see some. */
export function showAtLeast(reader: Reader, list: Items, messages: number): Items {
  let items = list
  let shown = countShown(reader, items, messages)
  while (shown < messages) {
    const index = items.findLastIndex(isSummary)
    const item = items[index]
    if (item === undefined || !isSummary(item)) return items
    const covers = coversOf(reader, item)
    shown += countShown(reader, covers, messages - shown)
    items = join(reader, join(reader, items.slice(0, index), covers), items.slice(index + 1))
  }
  return items
}

/** Counts from the end, up to `enough`: a list can be long. */
function countShown(reader: Reader, list: Items, enough: number): number {
  let count = 0
  for (let index = list.length - 1; index >= 0 && count < enough; index--) {
    const item = list[index] as Item
    if (!isSummary(item)) count += countMessages(reader, item)
  }
  return count
}

function cleared(branch: Branch, act: Act, { items, marks, to }: Cleared): DraftOf<'context-cleared'> {
  const change = { author: act.author, prev: branch.version, items: [...items], marks: [...marks] }
  return { kind: 'context-cleared', ...header(act), ...change, to }
}
