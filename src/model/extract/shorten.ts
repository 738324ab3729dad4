import { estimateTokens } from '../../base/tokens.ts'
import { cutAtWord } from './sentences.ts'

/** Said before anything is said: some words only where a comma or a full stop follows them. */
const OPENERS =
  /^(?:(?:oh|ah|ok|okay|so|well|and|also|but|hi|hello|hey|hmm+|btw|(?:no )?wait|by the way|anyway|lol|haha+|fyi|ach|hallo|hola|bueno|pues)(?:[,!.:;–—-]+\s*|\s+)|(?:yes|yeah|yep|no|nope|right|great|thanks|thank you|actually|sure|perfect|wonderful|nice|lovely|good|cool|alright|fine|agreed|got it|noted|understood|changed|good (?:question|idea|choice|plan|to know)|great choice|you're right|of course|wow|ja|nein|gut|vale|si|sí|claro)(?:[,!.:;–—-]+\s+))+(?=\S)/iu
const CLOSERS =
  /(?:[,;]?\s+(?:please|thanks|thank you|haha+|lol|bitte|danke|ok|right)|[\s\p{Extended_Pictographic}\u{FE0F}])+([.!?]*)$/iu
const BETWEEN_CLAUSES =
  /(?<=[,;])\s+|\s+[–—-]\s+|\s+(?=(?:because|since|although|even though|which|so that|weil|obwohl|porque|aunque)\s)/iu
const WORTH_KEEPING =
  /\d|(?<=\S\s)\p{Lu}|["“„«「]|\b(?:not|no|never|if|unless|except|only|nicht|kein|keine|nur|falls|wenn|sin|solo)\b/u

/** Lines are short: what takes more is cut. */
export const LINE_TOKENS_MAX = 30

export function shortLine(text: string): string {
  return shorten(text, LINE_TOKENS_MAX)
}

/** "Oh, thanks! " */
export function withoutOpeners(sentence: string): string {
  return sentence.replaceAll(/\s+/g, ' ').replace(OPENERS, '')
}

/** The same sentence without what it can do without. */
export function shorten(sentence: string, tokensMax: number): string {
  const bare = withoutOpeners(sentence).replace(CLOSERS, '$1').replaceAll('*', '').trim()
  const text = bare === '' ? sentence.trim() : bare
  if (estimateTokens(text) <= tokensMax) return text
  return cutToTokens(mainClauses(text, tokensMax), tokensMax)
}

/** Leaves out clauses from the end that tell nothing by themselves, as long as it is too long. */
function mainClauses(text: string, tokensMax: number): string {
  const clauses = text.split(BETWEEN_CLAUSES)
  for (let last = clauses.length - 1; last > 0; last--) {
    if (estimateTokens(clauses.join(' ')) <= tokensMax) break
    if (!WORTH_KEEPING.test(clauses[last] ?? '')) clauses.splice(last, 1)
  }
  return clauses.join(' ').replace(/[,;:–—-]+$/u, '')
}

export const CHARACTERS_PER_TOKEN_MAX = 16

/** At the end of a word, with an ellipsis in place of the rest. */
export function cutToTokens(text: string, tokensMax: number): string {
  if (estimateTokens(text) <= tokensMax) return text
  // No token is longer than that, and counting the tokens of a book to keep a line of it takes long.
  let charactersMax = Math.min(text.length, tokensMax * CHARACTERS_PER_TOKEN_MAX)
  let cut = cutAtWord(text, charactersMax)
  while (charactersMax > 1 && estimateTokens(`${cut}…`) > tokensMax) {
    charactersMax = Math.floor(charactersMax * 0.85)
    cut = cutAtWord(text, charactersMax)
  }
  return cut === '' || estimateTokens(`${cut}…`) > tokensMax ? '…' : `${cut}…`
}
