import { limits } from '../base/limits.ts'
import { beginningOf, singleSpaced } from '../base/words.ts'
import { childrenOf, countBranches, getBranch } from '../context/branch.ts'
import { branchNames } from '../context/naming.ts'
import { branchTable } from '../context/tables.ts'
import type { BranchId, Position } from '../event/id.ts'
import { allRows, type Reader } from '../event/table.ts'
import type { Log } from '../log/log.ts'
import { UNNAMED } from '../event/speaker.ts'
import { documentAt } from './contract/document.ts'
import { fateOf, labelOf, updateLabelOf, type Said, type Told } from './scope/fate.ts'
import type { Found, Hit, People, Recall, Search, Within } from './contract/recall.ts'
import { treeOf, withinOf, type Whose } from './scope/scope.ts'
import { versionsOf } from './scope/standing.ts'
import { snippetOf } from './snippet.ts'
import { speakersMeant } from './speaker.ts'
import { isStopWord } from './words/stop-words.ts'
import { termsOf, wordsIn } from './words/words.ts'

export interface AskingParts {
  readonly log: Pick<Log, 'read'>
  readonly recall: Pick<Recall, 'search' | 'people'>
  /** The message or save that told main of an update; null while the update is pending. */
  readonly told: (reader: Reader, update: Said) => Told | null
  readonly whose: Whose
}

/** A question to recall, with its filters. */
export interface Wish {
  readonly text: string
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** Only what this one said: `user` and `me` mean the asker, `assistant` and `you` the agent. */
  readonly speaker?: string | undefined
  /** Only this branch. */
  readonly only?: BranchId | undefined
  /** Only what has this label; `standing`: what has none. */
  readonly label?: Labelled | undefined
  readonly limit: number
  readonly snippetTokensMax: number
  readonly now: number
  /** The person who asks, or on whose behalf. */
  readonly asker: string
  readonly branch: BranchId
  /** Later messages of the branch are left out: they are the question itself. */
  readonly upTo?: Position
}

export const labelledKinds = [
  'standing',
  'rewound',
  'cleared',
  'discarded',
  'superseded',
  'pending',
] as const satisfies ('standing' | NonNullable<RecallHit['label']>)[]
type Labelled = (typeof labelledKinds)[number]

export type RecallAnswer =
  | { readonly kind: 'no-words' }
  | (Pick<Found, 'repaired' | 'behind'> & {
      readonly kind: 'found'
      readonly hits: readonly RecallHit[]
      /** There are more hits than `limit`. */
      readonly isMore: boolean
      /** No hit has any of the words; these are only the nearest in meaning. */
      readonly isFar: boolean
    })

export interface RecallHit extends Hit {
  readonly branchName: string
  readonly branchTitle: string | null
  /** The asker said it. */
  readonly isOwn: boolean
  /** Or sent it, and some of it is not theirs. */
  readonly isPassedOn?: true
  /** Its fate; `pending` for an update that main was not told of yet. */
  readonly label: ReturnType<typeof updateLabelOf>
  /** The text, cut to `snippetTokensMax`. */
  readonly text: string
  /** The words of the question as they are written in the text. */
  readonly written: readonly string[]
}

/** Searches everything a person may see, and reads the hits from the log itself. */
export async function askRecall(parts: AskingParts, wish: Wish): Promise<RecallAnswer> {
  const terms = termsOf(wish.text)
  if (terms.length === 0) return { kind: 'no-words' }
  const people = await parts.recall.people()
  const within = await parts.log.read((reader) => scopeOf(reader, people, { ...wish, ...parts }))
  const { hits: all, repaired, behind } = await searchAll(parts, wish, within)
  const sought = [...terms, ...repaired.flatMap(({ taken }) => termsOf(taken))]
  const hits = await parts.log.read((reader) =>
    readHits(reader, worthwhile(all), { ...parts, wish, terms: sought }),
  )
  const isFar = !all.some(hasWords)
  const mended = new Map(repaired.map(({ typed, taken }) => [typed, wordFor(taken, hits)]))
  const limit = isFar ? Math.min(wish.limit, FAR_MAX) : wish.limit
  return {
    kind: 'found',
    hits: hits.slice(0, limit).map((hit) => withMended(hit, mended)),
    isMore: !isFar && hits.length > limit,
    isFar: isFar && hits.length > 0,
    repaired: [...mended].map(([typed, taken]) => ({ typed, taken })),
    behind,
  }
}

/** Shows the corrected word, which is in the text, instead of the misspelt one. */
function withMended(hit: RecallHit, mended: ReadonlyMap<string, string>): RecallHit {
  const matched = hit.why.matched.map((word) => mended.get(word) ?? word)
  return { ...hit, why: { ...hit.why, matched } }
}

/** Hits without any of the words are limited: something is always the nearest. */
const FAR_MAX = 3
const NEAR_SHARE = 0.5

function hasWords({ why }: Hit): boolean {
  return why.matched.length > 0 || why.coverage > 0
}

/** Next to hits that have the words, a hit without them must be close in meaning. */
function worthwhile(hits: readonly Hit[]): readonly Hit[] {
  const best = hits.find(hasWords)
  return best === undefined
    ? hits
    : hits.filter((hit) => hasWords(hit) || hit.score >= best.score * NEAR_SHARE)
}

/** The word as it is written in a hit, so that a name keeps its capital. */
function wordFor(taken: string, hits: readonly RecallHit[]): string {
  const [term] = termsOf(taken)
  for (const { text } of hits) {
    const word = wordsIn(text).find((one) => one.term === term)
    if (word !== undefined) return word.typed
  }
  return taken
}

/** Computed for each branch up front: during the search there is no reader any more. */
function scopeOf(reader: Reader, people: People, wish: Wish & Pick<AskingParts, 'whose' | 'log'>): Within {
  const trees = treesIn(reader, wish.log)
  const within = withinOf(reader, people, { ...wish, topOf: (id) => trees.get(id) ?? treeOf(reader, id) })
  const seen = new Map(childrenOf(reader, null).map((tree) => [tree, within(tree)]))
  return (id) => {
    const tree = wish.only === undefined || wish.only === id ? trees.get(id) : undefined
    return (tree && seen.get(tree)) ?? []
  }
}

const treesKnown = new WeakMap<object, { readonly trees: Map<BranchId, BranchId>; newest: string }>()

/** The top of every branch. It never changes, and to find it anew for each of many thousand branches takes long. */
function treesIn(reader: Reader, log: object): ReadonlyMap<BranchId, BranchId> {
  const known = treesKnown.get(log) ?? { trees: new Map<BranchId, BranchId>(), newest: '' }
  treesKnown.set(log, known)
  const { trees } = known
  // Ids begin with the time: only where a clock went back, new ones stand before those that are known.
  for (const from of [known.newest, '']) {
    if (trees.size === countBranches(reader)) break
    for (const { id, parent } of allRows(reader, branchTable, { prefix: [], from })) {
      if (!trees.has(id)) trees.set(id, (parent && trees.get(parent)) ?? treeOf(reader, id))
      known.newest = id
    }
  }
  return trees
}

/** Extra hits to ask for, because duplicates and empty ones are dropped; with a label most may be. */
const SPARE = 10
const SPARE_FOR_LABEL = 400

/** Falls back to echoes (earlier looks into the log) when nothing else has the words. */
async function searchAll(parts: AskingParts, wish: Wish, within: Within): Promise<Found> {
  const found = await search(parts, wish, { within })
  return found.hits.some(hasWords) ? found : search(parts, wish, { within, withEchoes: true })
}

function search(
  { recall }: AskingParts,
  { text, limit, now, asker, since, until, speaker, upTo, label }: Wish,
  scope: Pick<Search, 'within' | 'withEchoes'>,
): Promise<Found> {
  return recall.search({
    text,
    ...scope,
    limit: limit * 2 + (label === undefined ? SPARE : SPARE_FOR_LABEL),
    now,
    asker,
    isPatient: true,
    since,
    until,
    speakers: speaker === undefined ? undefined : speakersMeant(speaker, asker),
    askedAt: upTo,
  })
}

interface Looked extends Pick<AskingParts, 'told'> {
  readonly wish: Wish
  readonly terms: readonly string[]
}

/** Reads hits in order, without repetitions of the same words and with one summary at most; one more than the limit. */
function readHits(reader: Reader, hits: readonly Hit[], { wish, terms, told }: Looked): RecallHit[] {
  const nameOf = branchNames(reader)
  const [seen, sought, versions] = [new Set<string>(), new Set(terms), versionsOf(reader)]
  const read: RecallHit[] = []
  for (const hit of hits) {
    if (read.length > wish.limit) break
    if (isAsking(hit, wish)) continue
    if (hit.kind === 'summary' && read.some(({ kind }) => kind === 'summary')) continue
    const { text, speaker, isPassedOn } = documentAt(reader, hit)
    const key = singleSpaced(beginningOf(text, limits.textCharsMax)).toLowerCase()
    if (key === '' || seen.has(key)) continue
    seen.add(key)
    const label =
      hit.kind === 'update'
        ? updateLabelOf(reader, hit, told(reader, hit))
        : labelOf(fateOf(reader, hit, versions))
    if (wish.label !== undefined && (label ?? 'standing') !== wish.label) continue
    const isOwn =
      (hit.kind === 'user' || hit.kind === 'note') && (speaker === wish.asker || speaker === UNNAMED)
    const snippet = snippetOf(text, { terms, tokensMax: wish.snippetTokensMax })
    const written = wordsIn(snippet).flatMap(({ typed, term }) =>
      sought.has(term) && !isStopWord(typed) ? typed : [],
    )
    const words = { text: snippet, written: [...new Set(written)] }
    const branch = { branchName: nameOf(hit.branch), branchTitle: getBranch(reader, hit.branch).title }
    read.push({ ...hit, ...branch, isOwn, ...(isPassedOn && { isPassedOn }), label, ...words })
  }
  return read
}

/** Whether a hit is part of the question. Updates never are, even if they arrive meanwhile. */
function isAsking({ kind, branch, position }: Hit, wish: Wish): boolean {
  return kind !== 'update' && wish.upTo !== undefined && branch === wish.branch && position > wish.upTo
}
