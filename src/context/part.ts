import type { BranchId } from '../event/id.ts'
import { isSummary, type Item, type Range, type Items } from '../event/item.ts'
import type { Reader } from '../event/table.ts'
import type { Branch } from './branch.ts'
import { normalise, summaryAt } from './list.ts'
import { countMessages, countTokens } from './message-index.ts'

/** The items that one summary replaces. */
export interface CompactionPart {
  /** The branch whose time these items are in. */
  readonly owner: BranchId
  readonly items: Items
}

/** An entry of the covered beginning of a list: it goes into a summary, or is spared between two of them. */
export type Covered = Item | Spared

/** A person's message in a turn that is only partly covered. It stays visible. */
export interface Spared extends Range {
  readonly spared: true
}

/** A stretch of the covered items: one summary replaces it, or it stays as it is. */
export type Piece =
  | ({ readonly kind: 'part' } & CompactionPart)
  | { readonly kind: 'as-it-is'; readonly item: Item }

/**
 * Splits at the fork points of the line (the branch and all above it) and around spared messages: inherited and own
 * text are never mixed, and nothing changes its place. A single summary stays as it is.
 */
export function piecesOf(line: readonly Branch[], covered: readonly Covered[]): Piece[] {
  const stretches: { owner: BranchId | undefined; items: Item[] }[] = []
  for (const entry of covered) {
    const owner = isSpared(entry) ? undefined : ownerOf(line, entry)
    const stretch = stretches.at(-1)
    if (owner !== undefined && stretch?.owner === owner) stretch.items.push(entry)
    else stretches.push({ owner, items: [asItem(entry)] })
  }
  return stretches.flatMap(({ owner, items }): Piece[] => {
    const [first, second] = items
    const isOne = first !== undefined && second === undefined && isSummary(first)
    if (owner !== undefined && !isOne) return [{ kind: 'part', owner, items }]
    return items.map((item) => ({ kind: 'as-it-is', item }))
  })
}

/** The parts to write one summary for each. */
export function partsToWrite(line: readonly Branch[], covered: readonly Covered[]): CompactionPart[] {
  return piecesOf(line, covered).flatMap((piece) => {
    return piece.kind === 'part' ? [{ owner: piece.owner, items: piece.items }] : []
  })
}

/** The beginning of the list that this was made from. */
export function prefixOf(reader: Reader, covered: readonly Covered[]): Items {
  return normalise(reader, covered.map(asItem))
}

export interface Amount {
  readonly messages: number
  readonly tokens: number
}

/** Roughly what summaries of these parts would free, if each is as long as allowed. */
export function freedBy(reader: Reader, parts: readonly CompactionPart[], summaryTokensMax: number): Amount {
  let [messages, tokens] = [0, 0]
  for (const { items } of parts) {
    messages += messagesShown(reader, items)
    tokens += Math.max(0, tokensShown(reader, items) - summaryTokensMax)
  }
  return { messages, tokens }
}

export function messagesShown(reader: Reader, items: Items): number {
  return items.reduce((sum, item) => sum + (isSummary(item) ? 0 : countMessages(reader, item)), 0)
}

export function tokensShown(reader: Reader, items: Items): number {
  return items.reduce((sum, item) => {
    return sum + (isSummary(item) ? summaryAt(reader, item).tokens : countTokens(reader, item))
  }, 0)
}

function isSpared(entry: Covered): entry is Spared {
  return 'spared' in entry
}

function asItem(entry: Covered): Item {
  if (!isSpared(entry)) return entry
  const { spared: _, ...range } = entry
  return range
}

function ownerOf(line: readonly Branch[], item: Item): BranchId | undefined {
  const place = isSummary(item) ? item.end : item.from
  return (line.find(({ forkedAt }) => forkedAt < place) ?? line[0])?.id
}
