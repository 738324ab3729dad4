import type { Log } from '../src/log/log.ts'
import type { BranchId } from '../src/event/id.ts'
import { HOST, UNNAMED } from '../src/event/speaker.ts'
import { documentsOf, type Document } from '../src/recall/contract/document.ts'
import type { Found, Hit, People, Recall, Search, Within } from '../src/recall/contract/recall.ts'
import { termsOf } from '../src/recall/words/words.ts'

/** Recall without an index: every search reads the whole log and counts words. What it is asked is kept. */
export interface NaiveRecall extends Recall {
  readonly searches: Search[]
  /** Told with the next answers. */
  aside: Partial<Pick<Found, 'repaired' | 'behind'>>
}

export function naiveRecall(log: Log): NaiveRecall {
  const searches: Search[] = []
  const naive: NaiveRecall = {
    searches,
    aside: {},
    search: async (search) => {
      searches.push(search)
      const typed = termsOf(search.text)
      const mended = (naive.aside.repaired ?? []).flatMap(({ taken }) => termsOf(taken))
      const wanted = new Set([...typed, ...mended])
      const found = (await everything(log))
        .filter((document) => isMeant(document, search))
        .flatMap((document) => hitIn(document, wanted) ?? [])
        .toSorted((a, b) => b.score - a.score || b.position - a.position)
      const hits = found.slice(0, search.limit)
      return { hits, repaired: [], behind: { events: 0, vectors: 0 }, ...naive.aside }
    },
    people: async () => peopleIn(await everything(log)),
    catchUp: async () => undefined,
    close: async () => undefined,
  }
  return naive
}

async function everything(log: Log): Promise<Document[]> {
  return log.read((reader) => {
    const documents: Document[] = []
    for (let position = 1; position <= reader.end; position++)
      documents.push(...documentsOf(reader, reader.event(position as Document['position'])))
    return documents
  })
}

function isMeant(document: Document, search: Search): boolean {
  const { at, speaker, kind } = document
  if (kind === 'echo' && search.withEchoes !== true) return false
  if (search.since !== undefined && at < search.since) return false
  if (search.until !== undefined && at > search.until) return false
  if (search.speakers !== undefined && !search.speakers.includes(speaker)) return false
  return isWithin(search.within, document)
}

/** Of an update there is what was reported, and what messages show of it: never both are found. */
function isWithin(within: Within, { branch, position, kind, part }: Document): boolean {
  const places = within(branch)
  const isShown = kind === 'update' && part > 0
  if (places === 'all') return !isShown
  return (
    kind !== 'summary' &&
    (kind !== 'update' || isShown) &&
    places.some(({ from, to }) => from <= position && position <= to)
  )
}

function hitIn({ text, ...place }: Document, wanted: ReadonlySet<string>): Hit | undefined {
  const has = new Set(termsOf(text))
  const matched = [...wanted].filter((term) => has.has(term))
  if (matched.length === 0) return undefined
  const words = matched.length / wanted.size
  return {
    ...place,
    score: words,
    why: { words, vector: null, meaning: null, alpha: 1, recency: 1, spread: 1, matched, coverage: words },
  }
}

function peopleIn(documents: readonly Document[]): People {
  const people = new Map<string, Set<BranchId>>()
  for (const { kind, branch, speaker } of documents) {
    const isSaid = kind === 'user' || kind === 'note'
    if (isSaid && speaker !== HOST && speaker !== UNNAMED)
      people.set(speaker, (people.get(speaker) ?? new Set()).add(branch))
  }
  return people
}
