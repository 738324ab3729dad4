import { gainOf, type Worth } from './matches.ts'
import type { Question } from './question.ts'
import { isStopWord } from '../words/stop-words.ts'
import type { Indexed } from './indexed.ts'
import { heard } from './people.ts'
import { FEEDBACK, FEEDBACK_MAX, FEEDBACK_TERMS } from './weights.ts'
import { folded } from '../words/stem.ts'
import { wordsIn } from '../words/words.ts'

/** A hit of the first round, best first. */
export interface FirstHit {
  readonly text: string
  readonly score: number
}

const TERM_LENGTH_MIN = 3
const DOCUMENTS_MIN = 2
/** Words in a larger share of documents say too little. */
const COMMON = 0.05
/** In a long log, words in more documents than this say too little as well. */
const COMMON_MAX = 20_000

/** Words the best hits share and the question lacks: the answer is often phrased in other words. */
export function feedbackFrom(index: Indexed, question: Question, hits: readonly FirstHit[]): Worth[] {
  const best = hits[0]?.score ?? 0
  if (best <= 0) return []
  const known = new Set(question.sought.map(({ term }) => term))
  const { names } = heard(index)
  const shares = new Map<string, number>()
  for (const { text, score } of hits) {
    const words = wordsIn(text)
    // A hit found only through a neighbour leads away from the question.
    if (!words.some(({ term }) => known.has(term))) continue
    const others = words.filter(({ typed, term }) => {
      const isOther = !known.has(term) && !names.has(folded(typed))
      return isOther && term.length >= TERM_LENGTH_MIN && !isStopWord(typed)
    })
    for (const term of new Set(others.map((word) => word.term)))
      shares.set(term, (shares.get(term) ?? 0) + score / best)
  }
  const all = index.columns.count
  const asked = question.sought.reduce((sum, { count }) => sum + gainOf(count, all), 0)
  return bounded(worthsOf(index, shares), asked * FEEDBACK_MAX)
}

/** The words of a short question must not drown in those of its hits. */
function bounded(worths: readonly Worth[], gainMax: number): Worth[] {
  const sum = worths.reduce((total, { gain }) => total + gain, 0)
  const factor = sum > gainMax ? gainMax / sum : 1
  return worths.map(({ postings, gain }) => ({ postings, gain: gain * factor }))
}

function worthsOf(index: Indexed, shares: ReadonlyMap<string, number>): Worth[] {
  const all = index.columns.count
  const most = Math.min(all * COMMON, COMMON_MAX)
  const found = [...shares].flatMap(([term, share]) => {
    const count = index.count(term)
    if (count < DOCUMENTS_MIN || count > most) return []
    const gain = gainOf(count, all)
    return [{ term, gain, worth: share * gain }]
  })
  const chosen = found.toSorted((a, b) => b.worth - a.worth).slice(0, FEEDBACK_TERMS)
  const best = chosen[0]?.worth ?? 1
  return chosen.map(({ term, gain, worth }) => {
    return { postings: index.postings(term), gain: (FEEDBACK * gain * worth) / best }
  })
}
