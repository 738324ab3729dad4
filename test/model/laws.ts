import { lineOf, type Branch } from '../../src/context/branch.ts'
import { coversOf, flatten, keyOfItem, summaryAt } from '../../src/context/list.ts'
import { messageAtOrAfter, messagesIn } from '../../src/context/message-index.ts'
import { show } from '../../src/context/prompt.ts'
import type { EventOf } from '../../src/event/event.ts'
import { isSummary, type Item, type Range, type SummaryRef } from '../../src/event/item.ts'
import type { Reader } from '../../src/event/table.ts'
import type { NaiveBranch } from './naive.ts'
import { Disagreement, type Trial } from './trial.ts'

export interface Looked {
  readonly trial: Trial
  readonly twin: NaiveBranch
  readonly branch: Branch
  readonly list: readonly Item[]
  /** Summaries already checked in this branch: what they cover never changes. */
  readonly known: Set<string>
}

/** The laws that hold for every list of every branch, whatever happened to it. */
export function checkLaws(reader: Reader, looked: Looked): void {
  checkCalls(reader, looked.list)
  checkKeys(looked)
  checkNormalForm(reader, looked.list)
  checkWriters(reader, looked)
}

/** CTX3: a call is followed by its results and nothing else; a result follows its call. */
function checkCalls(reader: Reader, list: readonly Item[]): void {
  let open: readonly string[] = []
  for (const shown of show(reader, list)) {
    const message = shown.kind === 'message' ? shown.event.message : undefined
    if (message?.role === 'tool') {
      hold(open.includes(message.call), `[CTX3] result of ${message.call} without its call`)
      open = open.filter((call) => call !== message.call)
      continue
    }
    hold(open.length === 0, `[CTX3] something between ${open.join()} and its result`)
    open = message?.role === 'assistant' ? message.calls.map(({ id }) => id) : []
  }
  hold(open.length === 0, `[CTX3] ${open.join()} without its result`)
}

/** Inherited items come first; after them, the keys ascend in the time of the branch. */
function checkKeys({ branch, list }: Looked): void {
  const keys = list.map((item) => keyOfItem(item, branch.id))
  const own = keys.slice(keys.findLastIndex((key) => key <= branch.forkedAt) + 1)
  const inherited = keys.slice(0, keys.length - own.length)
  hold(
    inherited.every((key) => key <= branch.forkedAt),
    `inherited items stand first: ${keys.join()}`,
  )
  hold(
    own.every((key, index) => index === 0 || key >= (own[index - 1] ?? 0)),
    `keys ascend: ${keys.join()}`,
  )
}

/** Ranges begin and end with real messages, and no two neighbours could be merged. */
function checkNormalForm(reader: Reader, list: readonly Item[]): void {
  for (const [index, item] of list.entries()) {
    if (isSummary(item)) continue
    const messages = messagesIn(reader, item)
    const text = JSON.stringify(item)
    hold(
      messages[0]?.position === item.from && messages.at(-1)?.position === item.to,
      `a range of real ends: ${text}`,
    )
    const next = list[index + 1]
    if (next === undefined || isSummary(next) || next.src !== item.src || next.at !== item.at) continue
    const following = messageAtOrAfter(reader, item.src, item.to + 1)
    hold(following?.position !== next.from, `neighbours that are one run: ${text} ${JSON.stringify(next)}`)
  }
}

/** CTX7 and FORK1: only branches that the list names write here, and inherited items are older than the fork. */
function checkWriters(reader: Reader, looked: Looked): void {
  for (const item of looked.list) {
    if (!isSummary(item)) {
      checkWriter(reader, item, looked)
      continue
    }
    const name = `${looked.branch.id} ${item.summary} ${item.part} ${item.at}`
    if (looked.known.has(name)) continue
    looked.known.add(name)
    checkSummary(reader, item, looked.branch)
    for (const range of flatten(reader, item)) checkWriter(reader, range, looked)
  }
}

function checkWriter(reader: Reader, range: Range, { trial, twin, branch }: Looked): void {
  for (const { position } of messagesIn(reader, range)) {
    const event = reader.event(position) as EventOf<'message-added'>
    hold(event.branch === range.src, `[CTX7] ${position} is of ${event.branch}, the list names ${range.src}`)
  }
  const below = trial.naive.line(trial.ids.indexOf(range.src)).includes(twin.number)
  const text = `${JSON.stringify(range)} in a branch of ${branch.forkedAt}`
  hold(below === range.from > branch.forkedAt, `[FORK1] ${text}`)
}

/** A summary's own fields are true, and it crosses no fork point of its branch or of those above it. */
function checkSummary(reader: Reader, ref: SummaryRef, branch: Branch): void {
  const summary = summaryAt(reader, ref)
  const ranges = flatten(reader, ref)
  const walked = coversOf(reader, ref).flatMap((item) => walk(reader, item))
  const positions = (all: readonly Range[]) =>
    all.flatMap((range) => messagesIn(reader, range)).map((row) => row.position)
  const text = `summary ${ref.summary}.${ref.part}`
  const [quick, slow] = [positions(ranges), positions(walked)]
  hold(String(quick) === String(slow), `${text} flattens to ${quick.join()}, it covers ${slow.join()}`)
  for (const { forkedAt, id } of lineOf(reader, branch)) {
    const sides = new Set(slow.map((position) => position > forkedAt))
    hold(sides.size === 1, `${text} crosses the fork point of ${id} at ${forkedAt}`)
  }
  hold(summary.end === slow.at(-1), `${text} ends at ${summary.end}, its last message is at ${slow.at(-1)}`)
  checkRun(reader, { ref, slow })
}

function walk(reader: Reader, item: Item): readonly Range[] {
  return isSummary(item) ? coversOf(reader, item).flatMap((each) => walk(reader, each)) : [item]
}

function checkRun(reader: Reader, { ref, slow }: { ref: SummaryRef; slow: readonly number[] }): void {
  const { runFrom, end, src } = summaryAt(reader, ref)
  if (runFrom === undefined) return
  const run = messagesIn(reader, { src, from: runFrom, to: end }).map(({ position }) => position)
  const covered = slow.slice(-run.length)
  hold(
    String(run) === String(covered),
    `the run of summary ${ref.summary} is ${run.join()}, it covers ${covered.join()}`,
  )
}

function hold(condition: boolean, law: string): void {
  if (!condition) throw new Disagreement(law)
}
