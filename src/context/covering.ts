import { bisect } from '../base/bisect.ts'
import type { BranchId, Position, TurnId } from '../event/id.ts'
import { isSummary, type Item, type Items } from '../event/item.ts'
import type { Reader } from '../event/table.ts'
import { lineOf, workOf, type Branch } from './branch.ts'
import { messagesBackFrom, rangeOf, type MessageRow } from './message-index.ts'
import { freedBy, partsToWrite, tokensShown, type Covered, type Spared } from './part.ts'
import { messageOf } from './step.ts'

export interface Covering {
  readonly branch: Branch
  readonly list: Items
  /** How many messages stay outside, plus those that complete their first turn. */
  readonly keep: number
  /** And as many before them as fit into this. */
  readonly keepTokens: number
  /** How large a list may be afterwards; the messages left outside shrink to fit, but never below one step. */
  readonly fit?: Fit
  /** A message that must be covered, wherever it is. */
  readonly through?: Position | undefined
}

export interface Fit {
  readonly tokensMax: number
  readonly summaryTokensMax: number
  /** How many tokens of messages may stay outside of summaries. */
  readonly keptTokensMax: number
}

/**
 * Chooses the beginning of a list to replace with summaries. The cut falls between turns; if one turn alone is too
 * large, between two of its steps, and then people's messages of that turn stay.
 */
export function chooseCovered(reader: Reader, covering: Covering): readonly Covered[] {
  const { list, through } = covering
  const turns = turnsOf(reader, covering.branch)
  const fitting = coveredToFit(reader, covering, turns)
  if (through === undefined || fitting.some((entry) => isUnder(entry, through))) return fitting
  return coveredThrough(reader, { list, turns, through })
}

function coveredToFit(reader: Reader, covering: Covering, turns: Turns): readonly Covered[] {
  const { branch, list, fit } = covering
  const wanted = wantedPlace(reader, covering, turns)
  const covered = wanted === undefined ? [] : coveredTo(list, wanted)
  if (fit === undefined) return covered
  const total = tokensShown(reader, list)
  const line = lineOf(reader, branch)
  const fits = (some: readonly Covered[]): boolean => {
    const { tokens } = freedBy(reader, partsToWrite(line, some), fit.summaryTokensMax)
    if (total - tokens > fit.tokensMax) return false
    if (fit.keptTokensMax === Infinity) return true
    return total - tokensShown(reader, some.filter(isToCover)) <= fit.keptTokensMax
  }
  return fits(covered) ? covered : shrunk(reader, { list, turns, wanted, fits })
}

function isToCover(entry: Covered): entry is Item {
  return !('spared' in entry)
}

function isUnder(entry: Covered, position: Position): boolean {
  return isToCover(entry) && !isSummary(entry) && entry.from <= position && position <= entry.to
}

/**
 * Cuts right behind one message: between turns, or inside the last turn, whose other people's messages stay. If nothing
 * follows it, everything is covered.
 */
function coveredThrough(
  reader: Reader,
  { list, turns, through }: Pick<Covering, 'list'> & { readonly turns: Turns; readonly through: Position },
): readonly Covered[] {
  const said: Place[] = []
  let [between, within]: (Place | undefined)[] = []
  for (const place of placesBack(reader, list)) {
    const isBehind = coveredTo(list, place).some((entry) => isUnder(entry, through))
    const isBetween = partsTurns(place, turns)
    if (isBehind && isBetween) between = place
    else if (isBehind && between === undefined) within = place
    if (!isBehind && (isBetween || between !== undefined)) break
    if (between === undefined && place.before !== through && isSaid(reader, place)) said.push(place)
  }
  if (between !== undefined) return coveredTo(list, between)
  return spare(reader, within === undefined ? list : coveredTo(list, within), said)
}

function isSaid(reader: Reader, { row, before }: Place): boolean {
  return row !== undefined && messageOf(reader.event(before)).role === 'user'
}

function wantedPlace(reader: Reader, covering: Covering, turns: Turns): Place | undefined {
  const { list, keep, keepTokens } = covering
  let wanted: Place | undefined
  for (const place of placesBack(reader, list)) {
    if (place.kept < keep || !partsTurns(place, turns)) continue
    if (wanted !== undefined && tokensBehind(reader, list, place) > keepTokens) break
    wanted = place
    if (keepTokens === 0) break
  }
  return wanted
}

function tokensBehind(reader: Reader, list: Items, { index, row }: Place): number {
  const item = list[index] as Item
  const behind = tokensShown(reader, list.slice(index + 1))
  if (row === undefined || isSummary(item)) return behind
  return behind + tokensShown(reader, [{ ...item, from: (row.position + 1) as Position }])
}

interface Shrinking extends Pick<Covering, 'list'> {
  readonly turns: Turns
  readonly wanted: Place | undefined
  readonly fits: (covered: readonly Covered[]) => boolean
}

/** Leaves less outside than wanted: as many turns as fit, or as many steps of the last turn. */
function shrunk(reader: Reader, { list, turns, wanted, fits }: Shrinking): readonly Covered[] {
  const { between, within, said } = nearerPlaces(reader, { list, turns, wanted })
  const whole = between.map((place) => () => coveredTo(list, place))
  const parted = within.map((place) => () => spare(reader, coveredTo(list, place), said))
  return lastFitting(whole, fits) ?? lastFitting(parted, fits) ?? (parted[0] ?? whole[0])?.() ?? []
}

/** The size grows with what stays outside, so a binary search works. */
function lastFitting(
  growing: readonly (() => readonly Covered[])[],
  fits: Shrinking['fits'],
): readonly Covered[] | undefined {
  const fitting = bisect(growing.length, (index) => !fits(growing[index]?.() ?? []))
  return growing[fitting - 1]?.()
}

/** A possible cut: after a message or after a summary. */
interface Place {
  readonly index: number
  /** The message before the cut; undefined: the item at `index`, before it, is a summary. */
  readonly row: MessageRow | undefined
  readonly before: Position
  /** The first message after the cut, or the last one under a summary there. */
  readonly first: Position
  /** How many messages follow it. */
  readonly kept: number
}

/** From the end of the list, never between a call and its results (CTX3). */
function* placesBack(reader: Reader, list: Items): Generator<Place> {
  let kept = 0
  let first: Position | undefined
  for (let index = list.length - 1; index >= 0; index--) {
    const item = list[index] as Item
    if (isSummary(item)) {
      if (first !== undefined) yield { index, row: undefined, before: item.end, first, kept }
      first = item.end
      continue
    }
    for (const row of messagesBackFrom(reader, item.src, item.to)) {
      if (row.position < item.from) break
      const before = row.position
      if (first !== undefined && row.open === 0) yield { index, row, before, first, kept }
      first = before
      kept++
    }
  }
}

/** Outside of turns, a cut between any two steps is fine. */
function partsTurns({ before, first }: Place, turns: Turns): boolean {
  const turn = turns(first)
  return turn === null || turn !== turns(before)
}

/** The turn of the message at a position. A summary belongs to the turn of its last message. */
type Turns = (position: Position) => TurnId | BranchId | null

/** Turns that continue one another count as one: the first one's question is not answered yet. */
function turnsOf(reader: Reader, branch: Branch): Turns {
  const work = workOf(branch)
  const until = work?.endedAt ?? Number.POSITIVE_INFINITY
  return (position) => {
    const event = reader.event(position)
    if (event.kind !== 'message-added') return null
    const isOfWork = work !== null && position > work.since && position <= until
    return isOfWork && event.branch === branch.id ? branch.id : event.turn
  }
}

/** Places nearer to the end than the wanted one, the nearest first. */
function nearerPlaces(
  reader: Reader,
  { list, turns, wanted }: Pick<Shrinking, 'list' | 'turns' | 'wanted'>,
): Record<'between' | 'within' | 'said', readonly Place[]> {
  const between: Place[] = []
  /** Places between the steps of the last turn, and after people's messages in it. */
  const [within, said]: [Place[], Place[]] = [[], []]
  for (const place of placesBack(reader, list)) {
    if (partsTurns(place, turns)) between.push(place)
    if (place.before === wanted?.before) break
    if (between.length > 0) continue
    if (isSaid(reader, place)) said.push(place)
    else within.push(place)
  }
  return { between, within, said }
}

function coveredTo(list: Items, { index, row }: Place): Items {
  const item = list[index] as Item
  if (row === undefined || isSummary(item)) return list.slice(0, index + 1)
  return [...list.slice(0, index), { ...item, to: row.position }]
}

/** Takes these messages out of their ranges. */
function spare(reader: Reader, items: Items, said: readonly Place[]): readonly Covered[] {
  return items.flatMap((item, index): readonly Covered[] => {
    if (isSummary(item)) return [item]
    const { src } = item
    const at = item.at === undefined ? {} : { at: item.at }
    const pieces: Covered[] = []
    let from: number = item.from
    for (const { before } of said.filter((place) => place.index === index).toReversed()) {
      if (before > item.to) break
      const unsaid = rangeOf(reader, src, { from, to: before - 1 })
      if (unsaid !== undefined) pieces.push({ ...unsaid, ...at })
      pieces.push({ src, from: before, to: before, ...at, spared: true } satisfies Spared)
      from = before + 1
    }
    const rest = rangeOf(reader, src, { from, to: item.to })
    return rest === undefined ? pieces : [...pieces, { ...rest, ...at }]
  })
}
