import { limits } from '../base/limits.ts'
import { estimateTokens } from '../base/tokens.ts'
import { termsOf } from './words/words.ts'

export interface SnippetWords {
  /** The terms of the question. */
  readonly terms: Iterable<string>
  readonly tokensMax: number
}

/** Approximate; the result is counted again afterwards. */
const CHARACTERS_PER_TOKEN = 4
/** No token is longer, so a longer text need not be counted. */
const CHARACTERS_PER_TOKEN_MAX = 16
const ELLIPSIS_TOKENS = 2

/** The passage of a text with most of the question's words, cut at ends of sentences; a short text stays whole. */
export function snippetOf(text: string, { terms, tokensMax }: SnippetWords): string {
  const whole = text.trim().toWellFormed()
  if (whole.length <= tokensMax * CHARACTERS_PER_TOKEN_MAX && estimateTokens(whole) <= tokensMax) return whole
  const room = Math.max(1, tokensMax - ELLIPSIS_TOKENS)
  const pieces = piecesOf(whole, { lengthMax: Math.max(PIECE_MIN, Math.min(PIECE_MAX, room)) })
  const core = bestStretch(whole, pieces, {
    terms: new Set(terms),
    charactersMax: room * CHARACTERS_PER_TOKEN,
  })
  return fitted(whole, grown(whole, pieces, { core, room }), tokensMax)
}

/** A sentence, a line, or some words of a long one. Together the pieces are the whole text. */
interface Piece {
  readonly from: number
  readonly to: number
}

const PIECE_MIN = 24
const PIECE_MAX = 240
// Looked for from the first sign of a row only: a million dots would be counted once for each of them.
const SENTENCE_END = /(?<![.!?…])[.!?…]+["'”’»)\]*_]*(?=\s)\s*|[。！？；]+[”」』]*|[؟।]+\s*|\n+/gu

function piecesOf(text: string, { lengthMax }: { lengthMax: number }): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  // Older logs have messages of any length: no expression reads more of one at once.
  for (let start = 0; start < text.length; start += limits.textCharsMax) {
    for (const { index, 0: end } of text.slice(start, start + limits.textCharsMax).matchAll(SENTENCE_END)) {
      const to = start + index + end.length
      pushParts(pieces, text, { piece: { from, to }, lengthMax })
      from = to
    }
  }
  pushParts(pieces, text, { piece: { from, to: text.length }, lengthMax })
  return pieces
}

function pushParts(
  pieces: Piece[],
  text: string,
  { piece, lengthMax }: { piece: Piece; lengthMax: number },
): void {
  let { from } = piece
  while (piece.to - from > lengthMax) {
    const to = wordEnd(text, from, from + lengthMax) ?? signEnd(text, from)
    pieces.push({ from, to })
    from = to
  }
  if (from < piece.to) pieces.push({ from, to: piece.to })
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
const ASCII = /^[\x20-\x7E]*$/
/** Longer grapheme clusters are abuse, and may be split. */
const SIGN_MAX = 64

/** The last offset up to `to` after a space, or else after a whole character; undefined: there is none. */
function wordEnd(text: string, from: number, to: number): number | undefined {
  const looked = text.slice(from, to + SIGN_MAX)
  if (ASCII.test(looked)) {
    // Not in the whole text: a word of megabytes would be read once for each of its parts.
    const space = looked.lastIndexOf(' ', to - from - 1)
    return space >= 0 ? from + space + 1 : to
  }
  let [sign, word]: (number | undefined)[] = []
  for (const { index, segment } of graphemes.segment(looked)) {
    const end = from + index + segment.length
    if (end > to) break
    sign = end
    if (segment.trim() === '') word = end
  }
  return word ?? sign
}

function signEnd(text: string, from: number): number {
  const [first] = graphemes.segment(text.slice(from, from + SIGN_MAX))
  return from + (first?.segment.length ?? SIGN_MAX)
}

/** The numbers of the first and the last piece. */
interface Stretch {
  readonly first: number
  readonly last: number
}

/** The pieces close together that have most of the terms; terms that are rare in the text count more. */
function bestStretch(
  text: string,
  pieces: readonly Piece[],
  { terms, charactersMax }: { terms: ReadonlySet<string>; charactersMax: number },
): Stretch {
  const found = pieces.flatMap(({ from, to }, index) => {
    const has = termsOf(text.slice(from, to)).filter((term) => terms.has(term))
    return has.length === 0 ? [] : [{ index, has: new Set(has) }]
  })
  const counts = new Map<string, number>()
  for (const { has } of found) for (const term of has) counts.set(term, (counts.get(term) ?? 0) + 1)
  let best = { first: 0, last: 0, worth: 0 }
  for (const [start, { index: first }] of found.entries()) {
    const seen = new Set<string>()
    let worth = 0
    for (const { index: last, has } of found.slice(start, start + STRETCH_MAX)) {
      if ((pieces[last]?.to ?? 0) - (pieces[first]?.from ?? 0) > charactersMax && last > first) break
      for (const term of has) if (!seen.has(term)) worth += 1 + 1 / (counts.get(term) ?? 1)
      for (const term of has) seen.add(term)
      if (worth > best.worth) best = { first, last, worth }
    }
  }
  return best
}

/** At most this many sentences with the question's words are considered. */
const STRETCH_MAX = 24

/** Adds the surrounding sentences as far as they fit, those after it first. */
function grown(
  text: string,
  pieces: readonly Piece[],
  { core, room }: { core: Stretch; room: number },
): Piece {
  const tokens = (index: number): number => {
    const piece = pieces[index]
    return piece === undefined ? Infinity : estimateTokens(text.slice(piece.from, piece.to))
  }
  let { first, last } = core
  let left = room
  for (let index = first; index <= last; index++) left -= tokens(index)
  for (; left < 0 && last > first; last--) left += tokens(last)
  for (let isGrowing = true; isGrowing;) {
    isGrowing = false
    for (const next of [last + 1, first - 1]) {
      const more = tokens(next)
      if (more > left) continue
      left -= more
      first = Math.min(first, next)
      last = Math.max(last, next)
      isGrowing = true
    }
  }
  return { from: pieces[first]?.from ?? 0, to: pieces[last]?.to ?? text.length }
}

/** Joined texts may have more tokens than their sum; the excess is cut from the end. */
function fitted(text: string, { from, to }: Piece, tokensMax: number): string {
  // White space has hardly any tokens, and a megabyte of it is no snippet.
  const lengthMax = tokensMax * CHARACTERS_PER_TOKEN_MAX
  let end = to - from > lengthMax ? wordEnd(text, from, from + lengthMax) : to
  while (end !== undefined && end > from) {
    const said = text.slice(from, end).trim()
    const snippet = `${from > 0 ? '… ' : ''}${said}${end < text.length ? ' …' : ''}`
    if (estimateTokens(snippet) <= tokensMax) return snippet.toWellFormed()
    end = wordEnd(text, from, from + Math.floor((end - from) * 0.9))
  }
  return '…'
}

/** Share of common words from which the second of two texts says nothing new. */
const SAME_SHARE = 0.8

/**
 * Drops texts that repeat a better one, which comes before them: the same words, or a part of it word for word. A short
 * text does not replace a long one that contains it.
 */
export function withoutRepeats<T extends { readonly text: string }>(hits: readonly T[]): readonly T[] {
  const kept: { readonly hit: T; readonly words: string }[] = []
  for (const hit of hits) {
    const words = ` ${termsOf(hit.text.slice(0, COMPARED_MAX)).join(' ')} `
    if (!kept.some((better) => isRepeated(words, better.words))) kept.push({ hit, words })
  }
  return kept.map(({ hit }) => hit)
}

const COMPARED_MAX = 20_000

function isRepeated(words: string, better: string): boolean {
  if (better.includes(words)) return true
  return words.includes(better) && better.length >= SAME_SHARE * words.length
}
