import { documentKinds } from '../document.ts'
import { KIND_MASK } from '../index/columns.ts'
import type { Search, Stretch } from '../recall.ts'
import type { TextIndex } from '../index/text-index.ts'

export type MayBe = (document: number) => boolean

/** Whether a document may be found by this search. Each branch is asked about once. */
export function filterFor(index: TextIndex, search: Search): MayBe {
  const { columns, branches, speakers } = index
  const within = new Map<number, 'all' | readonly Stretch[]>()
  const speaker = search.speaker === undefined ? undefined : spokenBy(speakers, search.speaker)
  const since = (search.since ?? 0) / 1_000
  const until = (search.until ?? Number.POSITIVE_INFINITY) / 1_000
  const summary = documentKinds.indexOf('summary')
  return (document) => {
    const at = columns.at[document] as number
    if (at < since || at > until) return false
    if (speaker !== undefined && !speaker.has(columns.speaker[document] as number)) return false
    const branch = columns.branch[document] as number
    let places = within.get(branch)
    if (places === undefined) {
      const id = branches[branch]
      places = id === undefined ? [] : search.within(id)
      within.set(branch, places)
    }
    if (places === 'all') return true
    if (places.length === 0 || ((columns.flags[document] as number) & KIND_MASK) === summary) return false
    return isInside(places, columns.position[document] as number)
  }
}

/** Names are compared as people say them. */
function spokenBy(speakers: readonly string[], name: string): ReadonlySet<number> {
  const wanted = name.trim().toLowerCase()
  return new Set(speakers.flatMap((speaker, number) => (speaker.toLowerCase() === wanted ? [number] : [])))
}

/** The stretches ascend and do not overlap. */
function isInside(stretches: readonly Stretch[], position: number): boolean {
  let [low, high] = [0, stretches.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((stretches[middle] as Stretch).to < position) low = middle + 1
    else high = middle
  }
  const found = stretches[low]
  return found !== undefined && found.from <= position
}
