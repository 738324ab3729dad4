/**
 * The naive idea of a context: an array of entries, copied for every branch. A mark is a sentinel in the array; a
 * summary holds a copy of the entries it covers. There are no positions and no ranges here.
 */
export type Entry = Said | Sentinel | Summed

export interface NaiveMessage {
  readonly id: string
  /** Number of the branch that wrote it. */
  readonly src: number
  readonly role: 'user' | 'assistant' | 'tool' | 'note'
  /** Ids of the calls it makes, or of the call it answers. */
  readonly calls: readonly string[]
  /** Number of its turn; null outside of turns. */
  readonly turn: number | null
  readonly tokens: number
}

export interface Said {
  readonly kind: 'said'
  readonly message: NaiveMessage
  /** The save that brought it into this array; null: written here or inherited. */
  readonly joined: number | null
}

/** A mark, or a hidden place: where the running turn, or the step that just ended, begins. */
export interface Sentinel {
  readonly kind: 'sentinel'
  readonly name: string
}

export interface Summed {
  readonly kind: 'summed'
  /** Text of the summary, its identity. */
  readonly id: string
  /** Of two, the higher one is newer. */
  readonly age: number
  /** Number of the branch whose compaction made it. */
  readonly madeIn: number
  readonly tokens: number
  readonly covers: readonly Entry[]
  readonly joined: number | null
}

export type Content = Said | Summed

export function isContent(entry: Entry): entry is Content {
  return entry.kind !== 'sentinel'
}

/** Without sentinels, even within summaries: a child inherits this. */
export function bare(entries: readonly Entry[]): readonly Content[] {
  return entries
    .filter(isContent)
    .map((entry) => (entry.kind === 'said' ? entry : { ...entry, covers: bare(entry.covers) }))
}

/** All sentinels in order, including those within summaries. */
export function sentinelsIn(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap((entry) => {
    if (entry.kind === 'said') return []
    return entry.kind === 'sentinel' ? [entry.name] : sentinelsIn(entry.covers)
  })
}

/** All messages in order, including those within summaries. */
export function messagesUnder(entries: readonly Entry[]): readonly NaiveMessage[] {
  return entries.flatMap((entry) => {
    if (entry.kind === 'sentinel') return []
    return entry.kind === 'said' ? [entry.message] : messagesUnder(entry.covers)
  })
}

export function tokensIn(entries: readonly Entry[]): number {
  return entries.filter(isContent).reduce((sum, entry) => {
    return sum + (entry.kind === 'said' ? entry.message.tokens : entry.tokens)
  }, 0)
}

/** The author of any message of an entry; summaries never mix authors that matter here. */
export function writerOf(entry: Content): number {
  const [first] = messagesUnder([entry])
  if (first === undefined) throw new Error('an entry without a message')
  return first.src
}

export function withoutSentinel(entries: readonly Entry[], name: string): readonly Entry[] {
  if (!sentinelsIn(entries).includes(name)) return entries
  return entries.flatMap((entry): readonly Entry[] => {
    if (entry.kind === 'sentinel') return entry.name === name ? [] : [entry]
    return entry.kind === 'said' ? [entry] : [{ ...entry, covers: withoutSentinel(entry.covers, name) }]
  })
}

/** Up to and including the sentinel; a summary that holds it is opened. */
export function upTo(entries: readonly Entry[], name: string): readonly Entry[] {
  const index = placeOfSentinel(entries, name)
  const entry = entries[index]
  if (entry === undefined) return entries
  const before = entries.slice(0, index)
  return entry.kind === 'summed' ? [...before, ...upTo(entry.covers, name)] : [...before, entry]
}

/** Everything after the sentinel; a summary that holds it is opened. Empty if it is not there. */
export function behind(entries: readonly Entry[], name: string): readonly Entry[] {
  const index = placeOfSentinel(entries, name)
  const entry = entries[index]
  if (entry === undefined) return []
  const rest = entries.slice(index + 1)
  return entry.kind === 'summed' ? [...behind(entry.covers, name), ...rest] : rest
}

/** Opens the last summaries until the array itself has this many messages. */
export function openedTo(entries: readonly Entry[], messages: number): readonly Entry[] {
  if (entries.filter((entry) => entry.kind === 'said').length >= messages) return entries
  const index = entries.findLastIndex((entry) => entry.kind === 'summed')
  return index === -1 ? entries : openedTo(openedAt(entries, index), messages)
}

export function openedAt(entries: readonly Entry[], index: number): readonly Entry[] {
  const entry = entries[index]
  if (entry?.kind !== 'summed') throw new Error('only a summary can be opened')
  return [...entries.slice(0, index), ...entry.covers, ...entries.slice(index + 1)]
}

/** A summary of these entries. Sentinels at its edges stay outside: nothing in it is older or newer than they are. */
export function summed(
  entries: readonly Entry[],
  summary: Omit<Summed, 'kind' | 'covers' | 'joined'>,
): readonly Entry[] {
  const first = entries.findIndex(isContent)
  const last = entries.findLastIndex(isContent)
  const covers = entries.slice(first, last + 1)
  const made: Summed = { kind: 'summed', ...summary, covers, joined: null }
  return [...entries.slice(0, first), made, ...entries.slice(last + 1)]
}

export function joinedBy(entries: readonly Content[], save: number): readonly Content[] {
  return entries.map((entry): Content => {
    if (entry.kind === 'said') return { ...entry, joined: save }
    return { ...entry, covers: joinedBy(entry.covers.filter(isContent), save), joined: save }
  })
}

/** The same messages and summaries in the same order, joined by the same saves; sentinels do not count. */
export function sameContent(a: readonly Entry[], b: readonly Entry[]): boolean {
  const [left, right] = [a.filter(isContent), b.filter(isContent)]
  return left.length === right.length && left.every((entry, index) => sameEntry(entry, right[index]))
}

export function sameEntry(a: Content, b: Content | undefined): boolean {
  return b !== undefined && a.kind === b.kind && a.joined === b.joined && idOf(a) === idOf(b)
}

function idOf(entry: Content): string {
  return entry.kind === 'said' ? entry.message.id : entry.id
}

function placeOfSentinel(entries: readonly Entry[], name: string): number {
  return entries.findIndex((entry) => sentinelsIn([entry]).includes(name))
}
