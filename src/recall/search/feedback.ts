import { gainOf, type Worth } from './matches.ts'
import type { Question } from './question.ts'
import { isStopWord } from '../words/stop-words.ts'
import type { TextIndex } from '../index/text-index.ts'
import { FEEDBACK, FEEDBACK_TERMS, FEEDBACK_WORDS_MAX } from './weights.ts'
import { wordsIn } from '../words/words.ts'

/** A hit of the first round, best first. */
export interface FirstHit {
  readonly text: string
  readonly score: number
}

const TERM_LENGTH_MIN = 3
const DOCUMENTS_MIN = 2
/** A word that stands in a larger share of all documents says too little. */
const COMMON = 0.05
/** Where the log is long, a word in so many documents says too little as well. */
const COMMON_MAX = 20_000

/** Words which the best hits share and the question lacks: what is meant is often said in other words nearby. */
export function feedbackFrom(index: TextIndex, question: Question, hits: readonly FirstHit[]): Worth[] {
  const best = hits[0]?.score ?? 0
  if (best <= 0) return []
  const known = new Set(question.sought.map(({ term }) => term))
  const names = new Set(question.speakers.map((speaker) => index.speakers[speaker]?.toLowerCase()))
  const shares = new Map<string, number>()
  for (const { text, score } of hits) {
    const words = wordsIn(text)
    if (words.length > FEEDBACK_WORDS_MAX) continue
    const terms = words.filter(({ typed, term }) => {
      const isOther = !known.has(term) && !names.has(typed.toLowerCase())
      return isOther && term.length >= TERM_LENGTH_MIN && !isStopWord(typed)
    })
    for (const term of new Set(terms.map((word) => word.term)))
      shares.set(term, (shares.get(term) ?? 0) + score / best)
  }
  return worthsOf(index, shares)
}

function worthsOf(index: TextIndex, shares: ReadonlyMap<string, number>): Worth[] {
  const { count } = index.columns
  const found = [...shares].flatMap(([term, share]) => {
    const postings = index.postings(term)
    const { length } = postings.documents
    if (length < DOCUMENTS_MIN || length > Math.min(count * COMMON, COMMON_MAX)) return []
    const gain = gainOf(length, count)
    return [{ postings, gain, worth: share * gain }]
  })
  const chosen = found.toSorted((a, b) => b.worth - a.worth).slice(0, FEEDBACK_TERMS)
  const most = chosen[0]?.worth ?? 1
  return chosen.map(({ postings, gain, worth }) => ({ postings, gain: (FEEDBACK * gain * worth) / most }))
}
