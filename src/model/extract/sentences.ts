import { estimateTokens } from '../../base/tokens.ts'

/** At the start of a message: the host's tags, explanations, times, and headings of its blocks. */
const HOST_LINE =
  /^(?:\[(?:(?:routine|routine-bg|reminder|reminder-bg|webhook):[^\]\n]+|fork-started|fork-timeout|button|system|note from [^\]\n]+)\](?:\n\([^\n]*\)(?=\n|$))?|\((?:written by the host|you are a child)[^\n]*\)|\[\d{4,}-\d\d-\d\d [^\]\n]*\]|\[late: [^\]\n]*\]|The person replies to this message:[ \t]*(?=\n|$)|RECENT BACKGROUND UPDATES[^\n]*|## Conversation History[^\n]*)\s*/u
/** Data was written by somebody else and may say anything. */
const DATA = /<data\b[^>\n]*>[\s\S]*?(?:<\/data>|$)/g
const CODE_BLOCK = /(^|\n)[ \t]*(```|~~~)[\s\S]*?(?:\n[ \t]*\2[^\n]*|$)/g
const UNSEEN = /[\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]|(?![\n\t])\p{Cc}/gu
const TABLE_LINE = /^[ \t]*\|.*$/gm
/** Markdown lists, headings and quotations. */
const LINE_MARK = /^[ \t]*(?:[-*+•]\s+|#{1,6}\s+|>+\s*|\d{1,2}[.)]\s+(?=\D))+/gm
const EMPHASIS = /(\*\*|__)(?=\S)([^\n]{0,200}?\S)\1/g
const LINK = /\[([^\]\n]{1,200})\]\((?:https?:)[^)\s]{1,400}\)/g

/** A message without its head and without fenced data: data is never taken for a wish (SAFE2). */
export function bodyOf(text: string): string {
  let rest = text.replaceAll(DATA, '\n').trimStart()
  for (let line = HOST_LINE.exec(rest); line; line = HOST_LINE.exec(rest)) rest = rest.slice(line[0].length)
  return rest
}

/** The sentences of a person or a model, without the host's additions, data, code, logs, tables and Markdown. */
export function spokenSentences(text: string): string[] {
  const plain = bodyOf(text.replaceAll(UNSEEN, ''))
    .replace(/^\\(?=\[)/, '')
    .replaceAll(CODE_BLOCK, '\n')
    .replaceAll(TABLE_LINE, '')
    .replaceAll(LINK, '$1')
    .replaceAll(LINE_MARK, '')
    .replaceAll(EMPHASIS, '$2')
  return sentencesOf(plain).filter((sentence) => !isMachineText(sentence))
}

const SIGN = /[{}()[\]<>=;|\\/_$%&*+^~`"]/g
const LOG_LINE = /^(?:\d{4}-\d\d-\d\dT|at \S+ \(|(?:npm )?(?:ERR|WARN|INFO|DEBUG|ERROR)\b|[+-]{3}\s|@@ )/

function isMachineText(sentence: string): boolean {
  const signs = sentence.match(SIGN)?.length ?? 0
  return LOG_LINE.test(sentence) || (signs > 3 && signs * 8 > sentence.length)
}

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
  const ends: number[] = []
  for (const { 0: sign, index } of text.matchAll(END)) {
    const before = text.slice(Math.max(ends.at(-1) ?? 0, index - 8), index)
    if (sign === '.' && index + 1 < text.length && ABBREVIATION.test(before)) continue
    if (ends.push(index + sign.length) >= SENTENCES_MAX) break
  }
  if (ends.length < SENTENCES_MAX) ends.push(text.length)
  return ends.flatMap((end, at) => {
    const sentence = text.slice(ends[at - 1] ?? 0, end).trim()
    return LETTERS.test(sentence) ? cutAtWord(sentence, CHARACTERS_MAX) : []
  })
}

/** "Oh, thanks! ": what opens a sentence and says nothing. */
const OPENERS =
  /^(?:(?:oh|ah|ok|okay|so|well|and|also|but|hi|hey|hmm|haha)[,!.: ]+|(?:hello|yes|yeah|no|right|great|thanks|thank you|sure|noted|ja|nein|gut|vale|si|sí)[,!.:]+\s*)+(?=\S)/iu

/** The sentence without what opens it, cut if it is too long. */
export function shorten(sentence: string, tokensMax: number): string {
  return cutToTokens(
    sentence.replaceAll('*', '').replaceAll(/\s+/g, ' ').replace(OPENERS, '').trim(),
    tokensMax,
  )
}

/** No token is longer: counting a whole book's tokens to keep one line takes long. */
export const CHARACTERS_PER_TOKEN_MAX = 16

/** Cuts at the end of a word, with an ellipsis for the rest. */
export function cutToTokens(text: string, tokensMax: number): string {
  if (estimateTokens(text) <= tokensMax) return text
  for (let left = tokensMax * CHARACTERS_PER_TOKEN_MAX; left > 1; left = Math.floor(left * 0.85)) {
    const cut = cutAtWord(text, left)
    if (cut !== '' && estimateTokens(`${cut}…`) <= tokensMax) return `${cut}…`
  }
  return '…'
}

/** Never within a character, and at a space if there is one nearby. */
function cutAtWord(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text
  const cut = text.slice(0, charactersMax).replace(/[\uD800-\uDBFF]$/, '')
  const space = cut.lastIndexOf(' ')
  return (space > charactersMax / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:–—-]+$/u, '')
}
