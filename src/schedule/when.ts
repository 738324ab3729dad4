import { oneLine, shorten } from '../base/width.ts'
import { shownAt } from '../base/zone-time.ts'
import { zoneField } from './field-type.ts'
import { runAtField } from './moment-field.ts'
import { runAtInstant } from './run-at.ts'
import { spanIn } from './spoken-span.ts'
import { HOUR_OF_TWELVE, spokenTimes, type Place, type SpokenTime } from './spoken-time.ts'

export type WhenRead = { readonly at: number } | { readonly problem: string }

/** Reads a text that is a time and nothing else: `in 20 minutes`, `tomorrow 9:00`, `2026-08-01T09:00`. Never throws. */
export async function readWhen(text: string, place: Place): Promise<WhenRead> {
  const given = oneLine(text).trim()
  if (given === '') return { problem: `No time is given. ${EXAMPLES}` }
  if (text.length > CHARS_MAX)
    return { problem: `The time is longer than ${CHARS_MAX} characters. ${EXAMPLES}` }
  const { time, zone } = zoneApart(spelled(given.replace(/[.!]+$/, '')))
  const there = { now: place.now, zone: zone ?? place.zone }
  const bare = time.replace(/^(?:at|on|by)\s+/i, '')
  const exact = runAtField.read(bare)
  if ('value' in exact) return checked(runAtInstant(exact.value, there.zone), { given, place })
  if (exact.because !== null && bare.length > DATE_CHARS)
    return { problem: `${quoted(given)} is no time: ${exact.because}. ${EXAMPLES}` }
  const span = spanIn(bare, there)
  if (span !== undefined) return checked(span, { given, place })
  const alone = spelledAlone(time)
  const found = await foundIn(alone, there)
  if (found === undefined) return { problem: `${quoted(given)} is no time that can be read. ${EXAMPLES}` }
  const rest = restOf(alone, found.pieces)
  if (rest !== '')
    return {
      problem: `${quoted(given)} is not only a time: ${quoted(rest)} is left. Give the time alone. ${EXAMPLES}`,
    }
  return checked(found.at, { given, place })
}

export interface WhenFound {
  readonly at: number
  /** As it stands in the text. */
  readonly found: string
  /** The text without it. */
  readonly rest: string
}

/** The first time to come that a sentence speaks of. Never throws. */
export async function findWhen(text: string, place: Place): Promise<WhenFound | undefined> {
  if (text.length > CHARS_MAX) return undefined
  const sentence = spelled(text)
  const opening = OPENING_SPAN.exec(sentence)?.[0] ?? ''
  const early = opening === '' ? undefined : spanIn(opening, place)
  if (early !== undefined && isAhead(early, place))
    return { at: early, found: opening.trim(), rest: tidied(sentence.slice(opening.length)) }
  const found = await foundIn(sentence.replaceAll(NO_MOMENT, masked), place)
  if (found === undefined || !isAhead(found.at, place)) return undefined
  return {
    at: found.at,
    found: found.pieces.map((piece) => piece.text.trim()).join(' … '),
    rest: restOf(sentence, found.pieces),
  }
}

/** `today 18:30, in 20 min`; within a week `Tuesday 09:00, in 3 days`, else with the date. */
export function whenText(at: number, { now, zone }: Place): string {
  const [then, current] = [shownAt(at, zone), shownAt(now, zone)]
  const days = Math.floor(then / DAY_MS) - Math.floor(current / DAY_MS)
  const iso = new Date(then).toISOString()
  const weekday = DAYS[new Date(then).getUTCDay()] ?? ''
  const day = NEAR.get(days) ?? (Math.abs(days) < 7 ? weekday : `${weekday} ${iso.slice(0, 10)}`)
  return `${day} ${iso.slice(11, 16)}, ${distance(at - now, days)}`
}

const CHARS_MAX = 500
const DATE_CHARS = '2026-08-01'.length
const DAY_MS = 86_400_000
const AHEAD_MS_MAX = 3_653 * DAY_MS

const EXAMPLES = 'Write one such as in 20 minutes, 18:30, tomorrow 9:00, Friday 14:00 or 2026-08-01T09:00.'

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const NEAR = new Map([
  [-1, 'yesterday'],
  [0, 'today'],
  [1, 'tomorrow'],
])

/** `20m tea` */
const OPENING_SPAN =
  /^\s*(?:\d{1,4}\s?(?:s|secs?|m|mins?|h|hrs?|d)\s?)+(?=$|[,:]|\s+(?!(?:after|before|of|past|ago|at|on|from|later)\b))/i

const MONTH =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?'

/** How long something takes, how often it comes, and what only looks like a day or a month, is not when it is due. */
const NO_MOMENT = new RegExp(
  [
    String.raw`\bfor\s+(?:about\s+)?(?:\d+|an?|one|two|three|half)\s*(?:an?\s+)?(?:[smhdw]|min|sec|hour|minute|second|day|week|month|year)s?\b`,
    String.raw`\b(?:every|each)\s+\w+(?:\s+(?:at\s+)?\d[\d:]*(?:\s*[ap]m)?\b)?`,
    String.raw`(?<!\b(?:in|of|next|this)\s|\d(?:st|nd|rd|th)?\s|\d)\b(?:${MONTH})\b(?!\.?\s+\d)`,
    String.raw`(?<!\b(?:on|next|this)\s)\b(?:sat|sun)\b(?!\s+(?:at\s+)?\d)`,
  ].join('|'),
  'gi',
)

function masked(text: string): string {
  return '·'.repeat(text.length)
}

/** Ways to say a time that the reader of times does not know. */
function spelled(text: string): string {
  return text
    .replaceAll(/(?<!\bthe\s+)\bday after tomorrow\b/gi, 'the day after tomorrow')
    .replaceAll(/\bthe\s+(?=weekend\b)/gi, 'this ')
    .replaceAll(ORDINAL_OF_MONTH, '')
    .replaceAll(/(?<=\d|\s)([ap])\.\s?m\b\.?/gi, '$1m')
    .replaceAll(/\b(in|within|after)\s+(\d{1,2})\s?h\s?([0-5]\d)\b/gi, '$1 $2 h $3 min')
    .replaceAll(/\b([01]?\d|2[0-3])h([0-5]\d)\b/gi, '$1:$2')
    .replaceAll(/\bat ([01]?\d|2[0-3])\.([0-5]\d)\b(?!\.)/gi, 'at $1:$2')
    .replace(HOUR_BEFORE_PART, '$2 at $1')
    .replace(/^(?:(?:by|at)\s+)?(?:the\s+)?end of (?:the )?day$/i, 'today at 18:00')
    .replaceAll(/\b(?:the\s+)?end of (?:the )?day\b/gi, '18:00')
}

/** The 3rd of December */
const ORDINAL_OF_MONTH = new RegExp(
  String.raw`\bthe\s+(?=\d{1,2}(?:st|nd|rd|th)\s+(?:of\s+)?(?:${MONTH})\b)`,
  'gi',
)

/** At 6 tomorrow morning */
const HOUR_BEFORE_PART = new RegExp(
  String.raw`(?:^|\bat\s+)(${HOUR_OF_TWELVE}|\d{1,2}:\d\d)\s+((?:tomorrow|this|[a-z]{3,6}day)\s+(?:morning|afternoon|evening|night))\b`,
  'i',
)

/** Where nothing but a time is expected, a number is one; one above 12 is not, as it may be meant as minutes. */
function spelledAlone(text: string): string {
  return text
    .replace(HOUR_ALONE, '$1at $2')
    .replace(/^(?=(?:five|ten|twenty(?:[\s-]five)?)\s+to\s)/i, 'at ')
    .replace(/^(?=\d{1,2}(?:st|nd|rd|th)$)/i, 'the ')
}

/** `6`, `nine`, `06`, `tomorrow 9` */
const HOUR_ALONE = new RegExp(`^(|(?:today|tonight|tomorrow)\\s+)(0\\d|${HOUR_OF_TWELVE})$`, 'i')

/** `9:00 Europe/London` */
function zoneApart(text: string): { time: string; zone?: string } {
  const [ending, name = ''] = /\s+\(?([A-Za-z_]+(?:\/[\w+-]+)+)\)?$/.exec(text) ?? []
  const read = ending === undefined ? undefined : zoneField.read(name)
  return ending === undefined || read === undefined || !('value' in read)
    ? { time: text }
    : { time: text.slice(0, -ending.length), zone: read.value }
}

function isAhead(at: number, { now }: Place): boolean {
  return at > now && at - now <= AHEAD_MS_MAX
}

function checked(at: number, { given, place }: { given: string; place: Place }): WhenRead {
  if (isAhead(at, place)) return { at }
  if (at > place.now)
    return { problem: `${quoted(given)} is more than ten years ahead. Give a time that is sooner.` }
  const told = at === place.now ? 'is now' : `has passed: ${whenText(at, place)}`
  return { problem: `${quoted(given)} ${told}. Give a time that is still to come. ${EXAMPLES}` }
}

interface Found {
  readonly at: number
  readonly pieces: readonly SpokenTime[]
}

/** The first time to come, or else the first of all; of a day and a time of day that stand apart: both as one. */
async function foundIn(text: string, place: Place): Promise<Found | undefined> {
  const times = await spokenTimes(text, place)
  const first = times.find(({ at }) => isAhead(at, place)) ?? times[0]
  const day = times.find(({ has }) => has === 'date')
  const time = times.find(({ has }) => has === 'time')
  if (day !== undefined && time !== undefined && (first === day || first === time)) {
    const [both] = await spokenTimes(`${day.text.trim()} ${time.text.trim()}`, place)
    if (both?.has === 'both' && isAhead(both.at, place))
      return { at: both.at, pieces: [day, time].toSorted((a, b) => a.index - b.index) }
  }
  return first === undefined ? undefined : { at: first.at, pieces: [first] }
}

function restOf(text: string, pieces: readonly SpokenTime[]): string {
  let [rest, from] = ['', 0]
  for (const { index, text: piece } of pieces) {
    rest += text.slice(from, index).replace(/\b(?:at|on|in|by)(?:\s+the)?\s*$/i, '') + ' '
    from = index + piece.length
  }
  return tidied(rest + text.slice(from))
}

function tidied(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ (?=[,.;:!?])/g, '')
    .replace(/^[\s,;:.!–-]+/, '')
    .replace(/[\s,;:–-]+$/, '')
}

function distance(ms: number, days: number): string {
  const seconds = Math.round(Math.abs(ms) / 1_000)
  if (seconds === 0) return 'now'
  const far = amount(seconds, Math.abs(days))
  return ms > 0 ? `in ${far}` : `${far} ago`
}

function amount(seconds: number, days: number): string {
  if (days > 1) return `${days} days`
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 120 && minutes !== 60 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}

function quoted(text: string): string {
  return `'${shorten(text, 60)}'`
}
