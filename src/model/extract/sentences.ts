import { estimateTokens } from '../../base/tokens.ts'

// Looked for from the first sign of a row only: a million dots would be counted once for each of them.
const END = /(?<![.!?…])[.!?…]+["'”’»)\]*_]*(?=\s|$)|[。！？；]+[”」』]*|[؟।]+|\n+/gu
const ABBREVIATION =
  /(?:^|[\s(])(?:\p{L}|\d{1,2}|dr|mr|mrs|ms|prof|st|no|nr|vs|approx|ca|etc|e\.g|i\.e|z\.b|u\.a|bzw|usw|inkl|incl|excl|str|sr|sra|dra|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|tel|max|min|hr|fr)$/iu
const LETTERS = /[\p{L}\p{N}\p{Extended_Pictographic}]/u
/** Anything longer is not a sentence: somebody pasted it. */
const CHARACTERS_MAX = 600
/** Per message; pasted text would drown the rest. */
const SENTENCES_MAX = 60

/** Cuts at the ends of sentences and lines, in any script, but not after `Dr.` or `6. Juni`. */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = []
  let from = 0
  END.lastIndex = 0
  for (let end = END.exec(text); end !== null; end = END.exec(text)) {
    const before = text.slice(Math.max(from, end.index - 8), end.index)
    if (end[0] === '.' && end.index + 1 < text.length && ABBREVIATION.test(before)) continue
    push(sentences, text.slice(from, end.index + end[0].length))
    from = end.index + end[0].length
    if (sentences.length >= SENTENCES_MAX) return sentences
  }
  push(sentences, text.slice(from))
  return sentences
}

function push(sentences: string[], text: string): void {
  const trimmed = text.trim()
  if (trimmed === '' || !LETTERS.test(trimmed)) return
  sentences.push(trimmed.length > CHARACTERS_MAX ? cutAtWord(trimmed, CHARACTERS_MAX) : trimmed)
}

/** Never within a character, and at a space if there is one nearby. */
function cutAtWord(text: string, charactersMax: number): string {
  const cut = text.slice(0, charactersMax).replace(/[\uD800-\uDBFF]$/, '')
  const space = cut.lastIndexOf(' ')
  return (space > charactersMax / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:–—-]+$/u, '')
}

/** "Oh, thanks! ": some words only if a comma or a period follows them. */
const OPENERS =
  /^(?:(?:oh|ah|ok|okay|so|well|and|also|but|hi|hello|hey|hmm+|btw|(?:no )?wait|by the way|anyway|lol|haha+|fyi|ach|hallo|hola|bueno|pues)(?:[,!.:;–—-]+\s*|\s+)|(?:yes|yeah|yep|no|nope|right|great|thanks|thank you|actually|sure|perfect|wonderful|nice|lovely|good|cool|alright|fine|agreed|got it|noted|understood|good (?:question|idea|choice|plan|to know)|you're right|of course|wow|ja|nein|gut|vale|si|sí|claro)(?:[,!.:;–—-]+\s+))+(?=\S)/iu
const CLOSERS =
  /(?:[,;]?\s+(?:please|thanks|thank you|haha+|lol|bitte|danke|ok|right)|[\s\p{Extended_Pictographic}\u{FE0F}])+([.!?]*)$/iu

export function withoutOpeners(sentence: string): string {
  return sentence.replaceAll(/\s+/g, ' ').replace(OPENERS, '')
}

/** Longer lines are cut. */
export const LINE_TOKENS_MAX = 30

/** The sentence without pleasantries around it, cut if it is too long. */
export function shorten(sentence: string, tokensMax = LINE_TOKENS_MAX): string {
  const bare = withoutOpeners(sentence).replace(CLOSERS, '$1').replaceAll('*', '').trim()
  return cutToTokens(bare === '' ? sentence.trim() : bare, tokensMax)
}

export const CHARACTERS_PER_TOKEN_MAX = 16

/** Cuts at the end of a word, with an ellipsis for the rest. */
export function cutToTokens(text: string, tokensMax: number): string {
  if (estimateTokens(text) <= tokensMax) return text
  // No token is longer than this, and counting a whole book's tokens to keep one line takes long.
  let charactersMax = Math.min(text.length, tokensMax * CHARACTERS_PER_TOKEN_MAX)
  let cut = cutAtWord(text, charactersMax)
  while (charactersMax > 1 && estimateTokens(`${cut}…`) > tokensMax) {
    charactersMax = Math.floor(charactersMax * 0.85)
    cut = cutAtWord(text, charactersMax)
  }
  return cut === '' || estimateTokens(`${cut}…`) > tokensMax ? '…' : `${cut}…`
}
