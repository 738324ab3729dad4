import { assert } from '../base/assert.ts'
import type { DraftOf } from '../event/event.ts'
import type { BranchId, Position } from '../event/id.ts'
import { isSummary, type Hop, type Item, type Summary, type SummaryRef, type Items } from '../event/item.ts'
import type { Reader } from '../event/table.ts'
import { lineOf, type Branch } from './branch.ts'
import { chooseCovered, type Covering } from './covering.ts'
import { changeable, changeableBetweenTurns, header, isRefusal } from './decision.ts'
import type { Act, Decision, Refusal } from './decision.ts'
import { coversOf, join, keyOfItem, leadOf, normalise, splitBehind, summaryAt } from './list.ts'
import { messageAtOrBefore } from './message-index.ts'
import { partsToWrite, piecesOf, prefixOf, tokensShown, type CompactionPart, type Covered } from './part.ts'
import { listOf, marksOf } from './version.ts'

/** The part of a list that a compaction would replace. Nothing is written until the summaries are ready. */
export interface CompactionPlan {
  /** The beginning of the list. */
  readonly covered: readonly Covered[]
  /** One summary is written for each; inherited and own text are never mixed. */
  readonly parts: readonly CompactionPart[]
  /** Whether it covers the whole list: one message takes most of it, and nothing follows. */
  readonly isWhole: boolean
}

export type Keeping = Pick<Covering, 'keep' | 'fit' | 'through'> & Partial<Pick<Covering, 'keepTokens'>>

/** Covers all but the last `keep` messages and those before them that fit into `keepTokens`, or more to fit. */
export function planCompaction(
  reader: Reader,
  { branch: id, keep, keepTokens = 0, fit, through }: Keeping & { readonly branch: BranchId },
): CompactionPlan | Refusal {
  const branch = changeable(reader, id)
  if (isRefusal(branch)) return branch
  const list = listOf(reader, branch)
  const covered = chooseCovered(reader, { branch, list, keep, keepTokens, through, ...(fit && { fit }) })
  const parts = partsToWrite(lineOf(reader, branch), covered)
  if (parts.length === 0) return { refused: 'nothing-to-do', what: 'compact' }
  const isWhole = through !== undefined && splitBehind(reader, list, prefixOf(reader, covered))?.length === 0
  return { covered, parts, isWhole }
}

export interface Compaction extends Act, Pick<CompactionPlan, 'covered'> {
  /** Whether the plan covered the whole list. Otherwise what it kept was taken away meanwhile. */
  readonly isWhole?: boolean
  /** One for each part of the plan, in order. */
  readonly texts: readonly { readonly text: string; readonly tokens: number }[]
  readonly writer: string
  /** A model that had read text from elsewhere asked for them. */
  readonly elsewhere?: boolean
}

/** Commits the summaries if the list still begins with what they cover: any other change of the context wins. */
export function compact(
  reader: Reader,
  act: Compaction,
): Decision<'context-compacted' | 'compaction-abandoned'> {
  const branch = changeable(reader, act.branch)
  if (isRefusal(branch)) return branch
  const rest = splitBehind(reader, listOf(reader, branch), prefixOf(reader, act.covered))
  if (rest === undefined) return { draft: abandoned(act, 'context-changed') }
  if (rest.length === 0 && !act.isWhole) return { draft: abandoned(act, 'nothing-kept') }
  const { summaries, items: made } = summarise(reader, branch, act)
  const items = [...join(reader, normalise(reader, made), rest)]
  const change = { author: act.author, prev: branch.version, items }
  const marks = [...marksOf(reader, branch)]
  const facts = { summaries, writer: act.writer, ...(act.elsewhere === true && { elsewhere: true as const }) }
  return { draft: { kind: 'context-compacted', ...header(act), ...change, marks, ...facts } }
}

/** Replaces the newest summary, or that of the compaction at a position, with the items it covers. */
export function expand(
  reader: Reader,
  act: Act & { readonly summary?: number | undefined },
): Decision<'context-expanded'> {
  const branch = changeableBetweenTurns(reader, act.branch)
  if (isRefusal(branch)) return branch
  const list = listOf(reader, branch)
  const [newest] = list
    .filter(isSummary)
    .filter((item) => item.summary === (act.summary ?? item.summary))
    .toSorted((a, b) => b.summary - a.summary || b.part - a.part)
  if (newest === undefined) return { refused: 'nothing-to-do', what: 'expand' }
  const index = list.indexOf(newest)
  const opened = join(reader, list.slice(0, index), coversOf(reader, newest))
  const items = [...join(reader, opened, list.slice(index + 1))]
  const change = { author: act.author, prev: branch.version, items, marks: [...marksOf(reader, branch)] }
  const { summary, part } = newest
  return { draft: { kind: 'context-expanded', ...header(act), ...change, summary, part } }
}

function abandoned(act: Act, because: 'context-changed' | 'nothing-kept'): DraftOf<'compaction-abandoned'> {
  return { kind: 'compaction-abandoned', ...header(act), author: act.author, because }
}

/** The items that replace the covered ones, in their order. */
function summarise(
  reader: Reader,
  branch: Branch,
  { covered, texts }: Pick<Compaction, 'covered' | 'texts'>,
): { summaries: Summary[]; items: Item[] } {
  const summaries: Summary[] = []
  const items = piecesOf(lineOf(reader, branch), covered).map((piece): Item => {
    if (piece.kind === 'as-it-is') return piece.item
    const text = texts[summaries.length]
    assert(text !== undefined, 'a compaction brings one text for each part of its plan')
    const summary = makeSummary(reader, piece, text)
    const { src, last, end } = summary
    summaries.push(summary)
    return { summary: (reader.end + 1) as Position, part: summaries.length - 1, src, last, end }
  })
  assert(summaries.length === texts.length, 'a compaction brings one text for each part of its plan')
  return { summaries, items }
}

function makeSummary(
  reader: Reader,
  { owner, items }: CompactionPart,
  { text, tokens }: Compaction['texts'][number],
): Summary {
  const last = items.at(-1)
  assert(last !== undefined, 'a summary covers something')
  const end = isSummary(last) ? last.end : last.to
  const lead = leadOf({ covers: items, src: owner })
  const leadSummary = lead && summaryAt(reader, lead)
  const runFrom = runStart(reader, items, owner)
  const jump = lead && jumpOver(reader, lead)
  return {
    text,
    tokens,
    // Messages of an import may claim any number each.
    tokensCovered: Math.min(tokensShown(reader, items), Number.MAX_SAFE_INTEGER),
    covers: [...items],
    src: owner,
    first: leadSummary?.first ?? firstKey(items[0] as Item, owner),
    last: keyOfItem(last, owner),
    end,
    ...(runFrom !== undefined && { runFrom }),
    depth: leadSummary === undefined ? 0 : leadSummary.depth + 1,
    ...(jump !== undefined && { jump }),
  }
}

function firstKey(item: Item, owner: BranchId): number {
  return !isSummary(item) && item.src === owner && item.at === undefined ? item.from : keyOfItem(item, owner)
}

/** The start of the unbroken run of the owner's messages at the end of these items. */
function runStart(reader: Reader, items: Items, owner: BranchId): Position | undefined {
  const last = items.at(-1)
  if (last === undefined || isSummary(last) || last.src !== owner || last.at !== undefined) return undefined
  const lead = items.length === 2 ? leadOf({ covers: items, src: owner }) : undefined
  if (lead === undefined || lead.last !== lead.end) return last.from
  const before = messageAtOrBefore(reader, owner, last.from - 1)
  const { runFrom } = summaryAt(reader, lead)
  return before?.position === lead.end && runFrom !== undefined ? runFrom : last.from
}

/** A skip list's pointer: every summary reaches any older one of its chain in logarithmic hops. */
function jumpOver(reader: Reader, lead: SummaryRef): Hop {
  const near: Hop = { summary: lead.summary, part: lead.part, last: lead.last }
  const first = summaryAt(reader, lead)
  const second = first.jump && summaryAt(reader, first.jump)
  const third = second?.jump && summaryAt(reader, second.jump)
  if (second?.jump === undefined || third === undefined) return near
  return first.depth - second.depth === second.depth - third.depth ? second.jump : near
}
