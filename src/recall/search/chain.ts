import { NONE, type Columns } from '../contract/text-index.ts'
import { NEIGHBOUR_WORDS_MAX } from './weights.ts'

export function isShort({ words }: Pick<Columns, 'words'>, document: number): boolean {
  return (words[document] as number) <= NEIGHBOUR_WORDS_MAX
}

/**
 * The message before a document or behind it, whichever column is given; `NONE` if that one is long. A long reply
 * repeats what it answers and parts what was said before it from what was said after it.
 */
export function besideIn(columns: Columns, way: Uint32Array, document: number): number {
  const other = way[document] as number
  return other === NONE || isShort(columns, other) ? other : NONE
}
