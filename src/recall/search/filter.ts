import { documentKinds } from '../contract/document.ts'
import { KIND_MASK } from '../contract/text-index.ts'
import type { Indexed } from './indexed.ts'
import { isIn, type Search, type Stretch } from '../contract/recall.ts'
import { folded } from '../words/stem.ts'

export interface Filter {
  /** Whether a document is in the branches and times searched, by any speaker: answers are found through their question. */
  readonly isInside: (document: number) => boolean
  /** Whether a document may be found. */
  readonly mayBe: (document: number) => boolean
}

const SUMMARY = documentKinds.indexOf('summary')
const ECHO = documentKinds.indexOf('echo')
const UPDATE = documentKinds.indexOf('update')

/** Asks `within` once per branch. Documents indexed after the filter was made are excluded. */
export function filterFor({ columns, branches, speakers }: Indexed, search: Search): Filter {
  const { count } = columns
  const within = new Map<number, 'all' | readonly Stretch[]>()
  // Times of documents are whole seconds.
  const since = Math.floor((search.since ?? 0) / 1_000)
  const until = Math.floor((search.until ?? Number.POSITIVE_INFINITY) / 1_000)
  const isInside = (document: number): boolean => {
    if (document >= count) return false
    const kind = (columns.flags[document] as number) & KIND_MASK
    if (kind === ECHO && search.withEchoes !== true) return false
    const at = columns.at[document] as number
    if (at < since || at > until) return false
    const branch = columns.branch[document] as number
    let places = within.get(branch)
    if (places === undefined) {
      const id = branches[branch]
      places = id === undefined ? [] : search.within(id)
      within.set(branch, places)
    }
    const isReport = kind === UPDATE && columns.part[document] === 0
    // An update is found where it was reported; where only parts may be found, where it was shown.
    if (places === 'all') return kind !== UPDATE || isReport
    if (places.length === 0 || kind === SUMMARY || isReport) return false
    return isIn(places, columns.position[document] as number)
  }
  if (search.speakers === undefined) return { isInside, mayBe: isInside }
  const speaker = spokenBy(speakers, search.speakers)
  const isBy = (document: number) => speaker.has(columns.speaker[document] as number)
  return { isInside, mayBe: (document) => isBy(document) && isInside(document) }
}

/** Names are compared as people say them. */
function spokenBy(speakers: readonly string[], names: readonly string[]): ReadonlySet<number> {
  const wanted = new Set(names.map((name) => folded(name.trim())))
  return new Set(speakers.flatMap((speaker, number) => (wanted.has(folded(speaker)) ? [number] : [])))
}
