import { sentencesOf } from '../extract/sentences.ts'

/** A part of what was said: something to be remembered for good, or the words between two such parts. */
export type WishPart =
  | { readonly kind: 'remember'; readonly line: string }
  | { readonly kind: 'other'; readonly text: string }

/** A text of more sentences is something to read. */
const SENTENCES_MAX = 12

/** "Remember that I like tea. Any mail?": undefined where nothing is to be remembered. */
export function wishParts(said: string): WishPart[] | undefined {
  const own = said.replaceAll(/^[ \t]*>.*$/gmu, '')
  const sentences = sentencesOf(own)
  if (sentences.length > SENTENCES_MAX || !WISHES.test(own)) return undefined
  const parts: WishPart[] = []
  for (const sentence of sentences) {
    const line = wishIn(sentence)
    const last = parts.at(-1)
    if (line !== undefined) parts.push({ kind: 'remember', line })
    else if (last?.kind === 'other') parts.splice(-1, 1, { kind: 'other', text: `${last.text}\n${sentence}` })
    else parts.push({ kind: 'other', text: sentence })
  }
  return parts.some(({ kind }) => kind === 'remember') ? parts : undefined
}

/** Without one of these nothing is looked for. */
const WISHES = /\b(?:remember|forget|mind|note|memori[sz]e|memory)\b/iu

const POLITE = String.raw`(?:(?:please|pls|plz|kindly|ok|okay|hey|hi|hello|mainstem|and|also|oh|so|well|yes|btw|by the way|for the future|for later|from now on|always|just|now|then)\b[\s,:!–-]*)*`
const ASKED = String.raw`(?<asked>(?:can|could|would|will) you (?:please )?)`
const TOLD = String.raw`(?:i want you to|i'd like you to|i would like you to|i need you to|you (?:should|must|have to|need to)|make sure (?:to|you))\s+`
const KEEP = String.raw`(?:remember|memori[sz]e|keep in mind|bear in mind|make a note|take note|(?:do not|don't|dont|never) forget)(?:\s+(?:for me|for later|for good|always))?`
const PUT = String.raw`(?:add|save|put|write|store|note)\s+(?:this\s+|it\s+|the following\s+)?(?:down\s+)?(?:to|in|into)\s+(?:my\s+|your\s+|the\s+)?memory(?:\.md)?`
const LEAD = String.raw`^${POLITE}(?:${ASKED}|${TOLD})?${POLITE}`

const STATED = new RegExp(
  String.raw`${LEAD}(?:${KEEP}|${PUT})(?:\s+(?:this|the following|one thing))?(?:\s*[:–]\s*|\s+-\s+)(?<line>\S.*)$`,
  'isu',
)
const CLAUSE = new RegExp(String.raw`${LEAD}(?:${KEEP}|${PUT}),?\s+that\s+(?<line>\S.*)$`, 'isu')
const BARE = new RegExp(
  String.raw`${LEAD}${KEEP},?\s+(?<line>(?:i|i'm|i've|we|we're|my|our|the)\s.*)$`,
  'isu',
)
const ADDED = new RegExp(
  String.raw`${LEAD}(?:add|save|put|store)\s+(?:that\s+)?(?<line>.*\s.*?)\s+(?:to|in|into)\s+(?:my|your|the)\s+memory(?:\.md)?$`,
  'isu',
)

/** What is to be remembered, without what people say around it. */
function wishIn(sentence: string): string | undefined {
  const text = sentence.replaceAll('’', "'").trim()
  const isQuestion = /\?\s*$/u.test(text)
  const bare = text.replace(ENDING, '')
  const clause = CLAUSE.exec(bare) ?? BARE.exec(bare)
  const found = STATED.exec(bare) ?? clause ?? ADDED.exec(bare)
  const { line = '', asked } = found?.groups ?? {}
  if (line === '' || (isQuestion && asked === undefined)) return undefined
  const isSaid = found !== clause || isStatement(line, { isQuestion })
  return isSaid ? lineOf(line) : undefined
}

const ENDING = /(?:[\s,]+(?:please|pls|thanks|thank you|ok|okay))?[\s.!?…]*$/iu
const SOMEBODY =
  /^(?:i|i'm|i've|i'd|you|we|we're|we've|he|she|they|it|it's|he's|she's|my|our|your|his|her|their|the|an?|this|these|there|there's|no|nobody|all|every|each|some|both|on|in|at|when|if)\b/iu
const VERB =
  /\b(?:is|are|am|was|were|has|have|had|do|does|can|cannot|can't|will|won't|must|should|likes?|loves?|hates?|lives?|works?|needs?|wants?|prefers?|eats?|drinks?|goes|comes|starts?|ends?|takes?|gets?|costs?|leaves?|opens?|closes?|speaks?|owns?|uses?|isn't|aren't|doesn't|don't)\b|'s\s|'m\s|'re\s/iu
/** "Remember that evening in Rome" tells nothing. */
const NO_CLAUSE =
  /^(?:time|day|night|evening|morning|one|once|thing|place|song|film|movie|trip|guy|man|woman|moment|weekend|summer|winter|year)\b/iu

function isStatement(line: string, { isQuestion }: { isQuestion: boolean }): boolean {
  if (line.split(/\s+/u).length < WORDS_MIN || NO_CLAUSE.test(line)) return false
  if (/^(?:i|i'm|i've|we|we're)\s/iu.test(line)) return !/^(?:i|we)\s+(?:love|miss)\s+you\b/iu.test(line)
  if (VERB.test(line)) return true
  const isNamed = /^\p{Lu}/u.test(line)
  return isNamed || (!isQuestion && SOMEBODY.test(line) && !/^(?:my|our|the)\s/iu.test(line))
}
const WORDS_MIN = 2

function lineOf(line: string): string | undefined {
  const bare = line.replaceAll(/^["“„«'‘]+|["”“»'’]+$/gu, '').trim()
  if (!/[\p{L}\p{N}]/u.test(bare)) return undefined
  const [first = ''] = bare.split(/\s/u)
  return /^\p{Ll}+(?:'\p{Ll}+)?$/u.test(first) ? bare.charAt(0).toUpperCase() + bare.slice(1) : bare
}
