import type { Clause, Filled, Known } from './slot.ts'
import { typed, type Word } from './words.ts'

const NAMERS = /^(?:as|called|named|labelled|labeled|titled|under)$/
const NAMERS_OF_IT = /^(?:call|name|label|title|tag)$/
const NAME_ENDS = /^(?:please|so|because|if|when|once|after|until|unless|for|in|and|thanks|now|then|later)$/

/** `… as NAME`, `… call it NAME`, `mark NAME`. */
export function nameSlot(clause: Clause): Filled {
  const { words } = clause
  const none = {
    used: [],
    weight: 0,
    missing: 'What should the checkpoint be called? Say for example "mark this as BEFORE_LUNCH".',
  }
  const after = afterNamer(words)
  const name = after > 0 ? nameAt(clause, after) : bareName(clause)
  if (name.length === 0) return none
  const args = joined(typed(clause.said, name))
  return args === '' || args.startsWith('-') || args.length > 64 ? none : { args, used: name, weight: 1 }
}

function afterNamer(words: readonly Word[]): number {
  const at = words.findIndex(({ norm }, index) => NAMERS.test(norm) || isNamerOfIt(words, index))
  if (at < 0) return 0
  let next = at + 1
  while (/^(?:it|this|that|the|name|mark|checkpoint|of|is|:|--)$/.test(words[next]?.norm ?? '')) next++
  return next
}

function isNamerOfIt(words: readonly Word[], index: number): boolean {
  return (
    NAMERS_OF_IT.test(words[index]?.norm ?? '') &&
    /^(?:it|this|that|is|:|--)$/.test(words[index + 1]?.norm ?? '')
  )
}

function nameAt({ said, words }: Clause, from: number): Word[] {
  const rest = words.slice(from)
  // "as a draft", "as soon as": no name follows.
  if (rest.length > 1 && /^(?:an?|well|soon|much|far|long)$/.test(typed(said, rest.slice(0, 1)))) return []
  const end = rest.findIndex(({ norm, kind }, at) => kind === 'pause' || (at > 0 && NAME_ENDS.test(norm)))
  const name = rest.slice(0, end < 0 ? rest.length : end)
  return name.length > 4 ? name.slice(0, 1) : name
}

/** Without a word that announces it: the last word, if it looks like a name or is all there is. */
function bareName({ said, words }: Clause): Word[] {
  const rest = words.filter(({ norm, kind }) => kind !== 'pause' && !/^(?:please|now|here|again)$/.test(norm))
  const last = rest.at(-1)
  if (!last || /^(?:this|that|it|me|checkpoint|mark|spot|point|place)$/.test(last.norm)) return []
  const before = rest.at(-2)?.norm
  const follows = before === undefined || /^(?:mark|checkpoint|bookmark|savepoint|marker)$/.test(before)
  return last.kind === 'quote' || looksLikeName(typed(said, [last])) || follows ? [last] : []
}

export function looksLikeName(raw: string): boolean {
  return /^(?:\p{Lu}[\p{Lu}\p{N}_.-]*|[\p{L}\p{N}]+(?:[_-][\p{L}\p{N}]+)+|\p{L}+\p{N}+)$/u.test(raw)
}

/** A mark's name has no blanks; "before the refactor" and "before refactor" are the same place. */
function joined(text: string): string {
  return text
    .replaceAll(/\b(?:the|my)\s+/gi, '')
    .trim()
    .replaceAll(/\s+/g, '_')
}

/** `… to MARK`: one that is known, one that looks like a name, or what follows. */
export function markSlot({ said, words, known }: Clause): Filled {
  const at = words.findLastIndex(({ norm }) => /^(?:to|since|after|at|until)$/.test(norm))
  const link = words.slice(Math.max(0, at), at + 1)
  const rest = words.slice(at + 1).filter(({ kind }) => kind !== 'pause')
  const name = rest.filter(
    ({ norm }) => !/^(?:the|my|mark|checkpoint|please|again|now|point|called|named)$/.test(norm),
  )
  const text = joined(name.map((word) => typed(said, [word])).join(' '))
  const spoken = knownMark(text, known)
  if (spoken !== undefined) return { args: spoken, used: [...link, ...name], weight: 1.5 }
  const single = rest.find((word) => word.kind === 'quote' || looksLikeName(typed(said, [word])))
  const shaped = single && joined(typed(said, [single]))
  if (shaped) return { args: knownMark(shaped, known) ?? shaped, used: [...link, single], weight: 1.5 }
  if (at >= 0 && text !== '' && name.length <= 4 && !name.some(({ norm }) => NEWEST.test(norm))) {
    const weight = name[0]?.norm === 'before' ? 1 : name.length === 1 ? 0.5 : 0
    return { args: text, used: [...link, ...name], weight }
  }
  const newest = known.marks.at(-1)
  const missing = 'Which checkpoint? Say for example "go back to BEFORE_LUNCH"; `/mark` alone lists them.'
  return { ...(newest === undefined ? { missing } : { args: newest }), used: link, weight: 0 }
}

const NEWEST = /^(?:last|previous|latest|newest)$/

/** As it was set, if it was spoken otherwise. */
export function knownMark(name: string, { marks }: Known): string | undefined {
  if (name === '') return undefined
  return marks.findLast((mark) => mark === name) ?? marks.findLast((mark) => plain(mark) === plain(name))
}

function plain(name: string): string {
  return joined(name.replaceAll(/[_-]/g, ' ')).replaceAll('_', '').toLowerCase()
}
