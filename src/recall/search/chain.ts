import { NONE, type Columns } from '../contract/text-index.ts'
import { NEIGHBOUR_WORDS_MAX } from './weights.ts'

/** Long replies repeat what they answer, so they lend nothing to their neighbours. */
export function isShort({ words }: Pick<Columns, 'words'>, document: number): boolean {
  return (words[document] as number) <= NEIGHBOUR_WORDS_MAX
}

/**
 * The one that stands before or behind a document, whichever column is given. A long one lies between what was said
 * before it and after it without parting them: one is stepped over.
 */
export function stepFrom(columns: Columns, way: Uint32Array, document: number): number {
  const other = way[document] as number
  return other === NONE || isShort(columns, other) ? other : (way[other] as number)
}
