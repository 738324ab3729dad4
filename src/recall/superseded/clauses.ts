import { isQuestion } from '../../model/extract/hearing.ts'
import { sentencesOf } from '../../model/extract/sentences.ts'

/** A part of a sentence that states one thing, without what denies it. */
export interface Clause {
  readonly text: string
  /** False: the text denies it. */
  readonly isHeld: boolean
  /** It says of whom it speaks: of the one who says it, or to whom it is said. */
  readonly isPersonal: boolean
  /** Whoever wrote it leaves capitals out. */
  readonly isLower: boolean
}

/** So much of one text is judged. */
const CHARACTERS_MAX = 20_000

/** What a text states as a plain fact that holds: no questions, wishes or doubts, nothing past, nothing others said. */
export function clausesIn(text: string): Clause[] {
  const isLower = !/\p{Lu}/u.test(text)
  return sentencesOf(text.slice(0, CHARACTERS_MAX))
    .filter((sentence) => !isQuestion(sentence) && !isQuoted(sentence))
    .flatMap((sentence) => partsOf(bare(sentence)))
    .filter(
      (part) =>
        part !== '' &&
        ![UNSURE, MAY, GOING, PAST, DONE_THEN, ONCE, REPORTED].some((pattern) => pattern.test(part)),
    )
    .map((part) => clauseOf(part, isLower))
    .filter((clause) => clause.text !== '')
}

/** `"My dentist is Dr. Kim," says the man in the film.` */
function isQuoted(sentence: string): boolean {
  return /["“”]/u.test(sentence) && REPORTED.test(sentence)
}

const LEADING =
  /^(?:(?:no|nope|yes|yeah|ok|okay|sure|well|so|and|but|also|oh|hey|hi|thanks|thank you|great|right|actually|btw|by the way|fyi|for the record|got it|noted|i see|remember(?: that)?|note(?: that)?|correction|update|reminder|as (?:you|i) (?:said|mentioned|know|told me)|(?:i|you) (?:just |already )?(?:said|mentioned|told (?:me|you))(?: that)?|i (?:think|believe|guess|know)(?: that)?)\s*[,:!.–—-]\s*|(?:i|you) (?:just |already )?(?:said|mentioned|told (?:me|you))(?: that)?\s+|(?:please\s+)?(?:remember|do not forget|don't forget|keep in mind)\s+that\s+(?!time\b|day\b|night\b|one\b)|(?:so|and|but|also|actually|because|i (?:think|believe|guess|know)(?: that)?)\s+)+/iu

const NUMERALS = 'one two three four five six seven eight nine ten eleven twelve'.split(' ')
/** "No one" and "one of them" count nothing; "half past seven" is no seven. */
const NUMERAL = new RegExp(
  String.raw`(?<!\b(?:past|to|quarter|no|the|this|that|any|every|some)\s)\b(?:${NUMERALS.slice(1).join('|')})\b(?!\s+of\b)|(?<=\b(?:have|has|take|takes|eat|eats|drink|drinks|own|owns|need|needs)\s)one\b(?!\s+of\b)`,
  'giu',
)

/** Without a bullet, quotation marks and what people say before they say something. */
function bare(sentence: string): string {
  const plain = sentence
    .replaceAll('’', "'")
    .replace(/^\s*(?:[-*•>]|\d+[.)])\s+/u, '')
    .replaceAll(/[*_`"“”]/gu, '')
    .replaceAll(/\b(?:takes? place|is held)\b/giu, 'is')
    .replaceAll(NUMERAL, (word) => String(NUMERALS.indexOf(word.toLowerCase()) + 1))
    .trim()
  const lead = LEADING.exec(plain)?.[0] ?? ''
  return plain.slice(lead.length).trim()
}

const NEXT =
  "(?:no longer|never|i|i'm|you|you're|we|we're|he|she|she's|he's|they|it|it's|my|our|your|his|her|their|so|says|said)\\b"
const WILL_DENY = "(?:[\\p{L}']+\\s+){0,2}(?:no|not|never|don't|doesn't|isn't|aren't|can't|cannot|won't)\\s"
/** Where another thing is stated. What is denied there is not denied before: "I live in Lisbon and have no car". */
const BREAK = new RegExp(
  [
    String.raw`\s*;\s*|\s+[–—-]\s+|,\s+(?:and|so)\s+`,
    String.raw`,?\s+(?:but|because|although|though|while|whereas|so that|which|who|where)\s+`,
    String.raw`,\s+(?=${NEXT})|\s+and\s+(?=${NEXT}|the\b)`,
    String.raw`(?:,|\s+and)\s+(?!not\s)(?=${WILL_DENY})`,
  ].join('|'),
  'iu',
)
const COLON = /^(?<label>[^:]{1,60}):\s+(?<rest>\S.*)$/u
const NO_LABEL =
  /\b(?:no longer|not|never|no|doesn't|don't|isn't|is|are|lives?|works?|prefers?|likes?|hates?|eats?|drinks?)\b/iu

function partsOf(sentence: string): string[] {
  const whole = sentence.replaceAll(/\s*\((?!\s*(?:not|instead of)\b)[^)]*\)/giu, '')
  return whole.split(BREAK).flatMap((part) => {
    const { label = '', rest = '' } = COLON.exec(part)?.groups ?? {}
    return label !== '' && NO_LABEL.test(label) ? [trimmed(label), trimmed(rest)] : [trimmed(part)]
  })
}

function trimmed(part: string): string {
  const bare = part.replace(/^[\s,.:;!–—-]+/u, '').replace(ENDING, '')
  return bare.replace(/,\s?(?:right|ok|okay|then|too)$/iu, '').replace(ENDING, '')
}

const ENDING = /[\s,.:;!–—]+$/u

/** Wished, doubted, planned, or said of a case that is not there. */
const UNSURE =
  /\b(?:if|would|could|might|maybe|perhaps|probably|possibly|unsure|wish|hope|hopes|hoping|(?:want|wanted|like|love|need|planning|plans?|hoping|trying) to (?!be called)|should|must|whether|imagine|suppose|unless|not (?:quite )?(?:sure|certain)|i'd|we'd|you'd|he'd|she'd|let's|can you|could you|please (?:find|book|check|look|ask|remind))\b|\?/iu
/** Not the month. */
const MAY = /\bmay\s+\p{Ll}/u
/** "Going to sell it" is planned; "going to Greece" is where. */
const GOING = /\bgoing to (?!(?:the|my|our|an?)\s)\p{Ll}/u
const DONE_THEN =
  /\b(?:ate|woke|swam|ran|drank|went|slept|took|saw|bought|flew|drove|spent|got up|gave (?!up\b))\b/iu
/** What holds today alone. */
const ONCE = /\b(?:today|tonight|this (?:morning|afternoon|evening))\b/iu
const PAST =
  /\b(?:was|were|had|did|used to|ago|yesterday|last (?:night|week|month|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|back then|as a (?:child|kid|student|teenager)|when i was|lived|worked|old (?!\s*(?:is|are)\b)\w+ (?:is|are)|ex-\w+|former|previous)\b/iu
/** What somebody else said is theirs. */
const REPORTED = /\b(?:said|says|told|asked|asks|thinks|claims|wrote|writes|heard|mentioned|reckons)\b/iu

const INSTEAD_TAIL = /(?:,\s*|\s*\(\s*)(?:but\s+)?not\s+[^,]*$|\s+(?:instead of|rather than)\s+.*$/iu
const DENIED =
  /\b(?:no longer|not any ?more|not|no|never|don't|doesn't|do not|does not|isn't|aren't|is not|are not|am not|cannot|can't|won't|(?:has |have )?(?:stopped|stops|quit|quits|given up|gave up|gives up|cancelled|canceled)(?: the| my| our)?)\s+/giu
const DISLIKED = /\b(?:hates?|dislikes?|detests?|can't stand|cannot stand)\b/giu

function clauseOf(part: string, isLower: boolean): Clause {
  const tail = INSTEAD_TAIL.exec(part)?.[0] ?? ''
  const whole = part.slice(0, part.length - tail.length)
  let denials = 0
  const flip = (word: string) => (): string => {
    denials++
    return word
  }
  const liked = whole.replaceAll(DISLIKED, flip('likes'))
  const held = liked.replaceAll(DENIED, flip(''))
  const isPersonal = PERSONAL.test(whole) && !DONE_ONCE.test(whole)
  return { text: `${held.trim()}${tail}`, isHeld: denials % 2 === 0, isPersonal, isLower }
}

const PERSONAL = /^(?:i|i'm|i've|we|we're|we've|you|you're|you've|the (?:person|user))\b/iu
/** "I painted it": once, and not as a habit. */
const DONE_ONCE = /^(?:i|we|you)\s+(?:\w+ly\s+|just\s+)?\w{2,}[^e]ed\b/iu
