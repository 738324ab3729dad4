import { amountOf, spelledWhen, NUMBER, SPAN_UNIT, WEEKDAY, MONTH } from './time-spelling.ts'

/** A stretch of a sentence that says when something is due; whoever sets it reads the words. */
export interface TimePhrase {
  /** With what leads to it: `on Friday`. */
  readonly start: number
  readonly end: number
  /** As a tool reads it. */
  readonly when: string
  readonly has: readonly Sort[]
  /** The word that leads to it, in small letters: `on`, `for`; '' where none does. */
  readonly link: string
}

/** `vague` is a time that nobody can set a clock by. */
type Sort = 'span' | 'day' | 'clock' | 'part' | 'vague'

interface Piece {
  readonly sort: Sort
  readonly start: number
  readonly end: number
}

const HOUR = String.raw`(?:[01]?\d|2[0-3])`
const HOUR_WORD = '(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)'
const WHOLE_DAY = '(?:mon|tues|wednes|thurs|fri|satur|sun)day'
const AMOUNT = String.raw`(?:half an hour|a half hour|(?:a )?quarter of an hour|three[- ]quarters of an hour|an hour and a half|\d+h\d\d|(?:${NUMBER}(?: and a half)?[ -]?|(?:an?|a couple of|another)(?: and a half)?[ -])${SPAN_UNIT}(?: and a half)?)`
const PART_OF_DAY = '(?:morning|afternoon|evening|night)'
/** A number alone is a time of day only where no noun follows: not in "at 9 Main Street". */
const NO_NOUN = String.raw`(?=\s*(?:$|[,.;:!?)–]|(?:sharp|please|to|about|that|of|and|or|today|tomorrow|tonight|tmrw|on|in|at|next|this|with|for|remind|so|because|${WHOLE_DAY})\b))`

const FORMS: readonly (readonly [Sort, string])[] = [
  [
    'vague',
    String.raw`(?:later on|later today|later|soon|some ?time(?: soon| later)?|in a (?:bit|while|moment|minute or two|few (?:minutes|hours|days|weeks))|in a little while|in some time|at some point|one of these days)`,
  ],
  [
    'span',
    String.raw`(?:in|after) (?:(?:about|around|roughly|exactly|like|maybe) )?${AMOUNT}(?:(?:,| and)? ${AMOUNT})?(?:['’]s? time|['’] time| time| from now)?`,
  ],
  ['span', String.raw`${AMOUNT}(?:(?:,| and)? ${AMOUNT})? from now`],
  ['day', String.raw`\d{4}-\d\d-\d\d(?:T\d\d:\d\d)?`],
  ['day', String.raw`(?:the )?day after tomorrow|today|tomorrow|tmrw|tmr|tomoz|tonight`],
  [
    'day',
    String.raw`(?:${WEEKDAY},? )?(?:the )?\d{1,2}(?:st|nd|rd|th)?(?: of)? ${MONTH}(?:,? \d{4})?|(?:${WEEKDAY},? )?${MONTH} (?:the )?\d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?(?!:)`,
  ],
  ['day', String.raw`(?:${WEEKDAY},? )?the \d{1,2}(?:st|nd|rd|th)`],
  [
    'day',
    String.raw`(?:(?:this|next|the|this coming|the coming|coming) )?${WHOLE_DAY} (?:of )?next week|next week(?: on)? ${WHOLE_DAY}`,
  ],
  ['day', String.raw`(?:(?:this|next|coming|this coming|the coming) )${WEEKDAY}|${WHOLE_DAY}`],
  [
    'day',
    String.raw`(?<=\b(?:on|by|for) )${WEEKDAY}|(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)(?= (?:at )?\d)`,
  ],
  ['day', String.raw`next (?:week|month|year)|(?:this|next|the) weekend`],
  ['part', String.raw`(?:in the|this) (?:early |late )?${PART_OF_DAY}|at night`],
  ['part', String.raw`(?<=day |tomorrow |tmrw |week )(?:early |late )?${PART_OF_DAY}`],
  [
    'clock',
    String.raw`(?:half past|(?:a )?quarter (?:past|to)|(?:five|ten|twenty|\d\d?) (?:past|to)) (?:${HOUR_WORD}|1?\d)(?:\s?[ap]\.?m\b\.?)?`,
  ],
  ['clock', String.raw`${HOUR}(?::|h)[0-5]\d(?:\s?[ap]\.?m\b\.?)?(?: (?:h|uhr|o['’]?clock))?`],
  ['clock', String.raw`(?:1[0-2]|0?[1-9])(?:\.[0-5]\d)?\s?[ap]\.?m\b\.?`],
  ['clock', String.raw`(?:${HOUR_WORD}|${HOUR}) (?:o['’]?clock|uhr|in the ${PART_OF_DAY}|at night)`],
  ['clock', '(?:high )?noon|midday|midnight|lunch ?time'],
  ['clock', String.raw`(?<=\b(?:at|by|around|until|till|before|@) ?)${HOUR}[.][0-5]\d`],
  ['clock', String.raw`(?<=\b(?:at|by|around|until|till|before|@) ?)(?:${HOUR}|${HOUR_WORD})${NO_NOUN}`],
  ['clock', String.raw`(?<=\b(?:today|tomorrow|tmrw|tonight|day) )${HOUR}${NO_NOUN}`],
]
const PIECES = FORMS.map(
  ([sort, form]) => [sort, new RegExp(String.raw`(?:${form})(?![\w%€$])`, 'iuy')] as const,
)

/** What may stand between a day and its time. */
const JOINT = /^(?:,?\s+(?:(?:at|on|around|by|from|@)\s+)?(?:about\s+)?|,\s*|\s*@\s*)$/iu
const LEADING =
  /(?:^|[\s,(])((?:due\s+)?(?:at|on|by|around|for|until|till|before|due|from|since|starting|over|@)(?:\s+(?:about|around|the))?)\s*$/iu
/** Part of what is to be done: "the 9:30 train", "my Friday class". */
const ATTRIBUTE =
  /(?:\b(?:the|my|our|your|his|her|their|its|an?|every|each|last|past|than|per)|['’]s|[-–/\d])\s*$/iu
const NO_TIME_AFTER = /^(?:['’]s\b|\s+ago\b|-\w|\s*(?:-|–|to|until|till)\s*\d)/iu

/** All of them, in order. `today` is `2026-03-01`. */
export function timePhrases(text: string, today: string | undefined): TimePhrase[] {
  return joined(text, piecesIn(text)).flatMap((pieces) => phraseOf(text, pieces, today) ?? [])
}

function piecesIn(text: string): Piece[] {
  const found: Piece[] = []
  for (let at = 0; at < text.length;) {
    const piece = /[\p{L}\p{N}]/u.test(text.charAt(at - 1)) ? undefined : pieceAt(text, at)
    if (piece !== undefined) found.push(piece)
    at = piece?.end ?? at + 1
  }
  return found
}

function pieceAt(text: string, start: number): Piece | undefined {
  const pieces = PIECES.flatMap(([sort, form]) => {
    form.lastIndex = start
    const found = form.exec(text)
    return found === null || found[0] === '' ? [] : [{ sort, start, end: start + found[0].length }]
  })
  // The longest is the one that is meant: "Wednesday next week" is more than "Wednesday".
  return pieces.toSorted((a, b) => b.end - a.end)[0]
}

/** "Tomorrow at 9" is one time, "Friday, tomorrow" are two. */
function joined(text: string, pieces: readonly Piece[]): Piece[][] {
  const groups: Piece[][] = []
  for (const piece of pieces) {
    const group = groups.at(-1)
    const gap = group === undefined ? '' : text.slice(group.at(-1)?.end, piece.start)
    const fits = group?.every((one) => goTogether(one, piece, text)) ?? false
    if (group !== undefined && fits && JOINT.test(gap)) group.push(piece)
    else groups.push([piece])
  }
  return groups
}

function goTogether(one: Piece, other: Piece, text: string): boolean {
  if (one.sort === other.sort) return false
  const span = [one, other].find(({ sort }) => sort === 'span')
  if (span === undefined) return one.sort !== 'vague' && other.sort !== 'vague'
  // An hour from now has its time; two days from now may have one.
  return amountOf(text.slice(span.start, span.end)) === 'days'
}

function phraseOf(text: string, pieces: readonly Piece[], today: string | undefined): TimePhrase | undefined {
  const [first, last] = [pieces[0], pieces.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const before = text.slice(0, first.start)
  const leading = LEADING.exec(before)?.[1] ?? ''
  const start = leading === '' ? first.start : before.lastIndexOf(leading)
  const isAttribute = ATTRIBUTE.test(before) && !/\bthe$/iu.test(leading)
  if (isAttribute || NO_TIME_AFTER.test(text.slice(last.end))) return undefined
  const when = spelledWhen(
    pieces.map(({ sort, start: from, end }) => ({ sort, text: text.slice(from, end) })),
    today,
  )
  const link = leading.toLowerCase().split(/\s+/u)[0] ?? ''
  return { start, end: last.end, when, has: pieces.map(({ sort }) => sort), link }
}
