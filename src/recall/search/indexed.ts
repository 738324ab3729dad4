import type { Position } from '../../event/id.ts'
import { documentKinds } from '../contract/document.ts'
import { KIND_MASK, type TextIndex } from '../contract/text-index.ts'
import { termsOf } from '../words/words.ts'

/** The part of an index that a search needs. */
export type Indexed = Pick<TextIndex, 'columns' | 'branches' | 'speakers' | 'postings' | 'count' | 'near'>

/** A term in more documents than this cannot be in the question alone. */
const FEW = 8
const UPDATE = documentKinds.indexOf('update')

/**
 * The index as it is now: while a search waits, it may begin anew, and numbers found before would have no column. Where
 * the question stands in the log itself, what nobody said before it is an unknown word, not a rare one; an update that
 * came since is no part of the question.
 */
export function held(index: Indexed, askedAt?: Position): Indexed {
  const { columns, branches, speakers } = index
  const count = (term: string): number => {
    const all = index.count(term)
    if (askedAt === undefined || all > FEW) return all
    const isSaid = (document: number): boolean =>
      (columns.position[document] as number) < askedAt ||
      ((columns.flags[document] as number) & KIND_MASK) === UPDATE
    return index.postings(term).documents.filter(isSaid).length
  }
  const isKnown = (word: string): boolean => termsOf(word).some((term) => count(term) > 0)
  return {
    columns,
    branches,
    speakers,
    postings: (term) => index.postings(term),
    count,
    near: (typed) => (askedAt === undefined ? index.near(typed) : index.near(typed).filter(isKnown)),
  }
}
