import { assert } from '../../base/assert.ts'
import { estimateTokens } from '../../base/tokens.ts'
import { CHARACTERS_PER_TOKEN_MAX, cutToTokens, sentencesOf, shorten, spokenSentences } from './sentences.ts'
import { isAboutItself, isOpen, isOffline, isQuestion, namesIn, type Who, wordsOf, worthOf } from './worth.ts'

/** One spoken message to summarize. */
export interface Spoken {
  readonly who: Who
  readonly text: string
  readonly at?: number
}

/** A sentence of a conversation. */
interface Quote {
  readonly who: Who | undefined
  /** `3 May`, in UTC; empty if unknown, like the year. */
  readonly day: string
  readonly year: string
  readonly said: string
}

/** A sentence that may stand in the summary. */
interface Line extends Quote {
  /** Grows with time: below 0 for lines of the former summary, from 0 on for new messages. */
  readonly order: number
  /** How much would be lost without it. */
  readonly worth: number
  readonly words: ReadonlySet<string>
  /** Numbers, names and words of the focus: a line with others says something else. */
  readonly marks: ReadonlySet<string>
}

interface ExtractInput {
  /** The summary so far, ours or a model's; it is folded in. */
  readonly previous: string | null
  readonly messages: readonly Spoken[]
  readonly tokensMax: number
  /** The subject to keep before anything else. */
  readonly focus?: string
}

/**
 * Summarizes a conversation in its own sentences, as a Markdown list in order of time, of at most `tokensMax` tokens: those
 * that are worth most for their length, without repetitions. Never longer than its source: speakers and days are left out
 * if they would make it so. Empty if nobody said anything.
 */
export function extractSummary({ previous, messages, tokensMax, focus = '' }: ExtractInput): string {
  assert(tokensMax >= 1, `a summary of at most ${tokensMax} tokens has no room for a word`)
  const room = roomFor([previous ?? '', ...messages.map(({ text }) => text)], tokensMax)
  const sought = [...wordsOf(focus)]
  const lines = [...formerLines(previous ?? '', sought), ...newLines(messages, sought)]
  const listed = choose(lines, room, listRow)
  const bare = choose(lines, room, bareRow)
  if (listed.length > 0 && worthOfAll(listed) >= LISTED_SHARE_MIN * worthOfAll(bare))
    return write(listed, listRow)
  if (bare.length > 0) return write(bare, bareRow)
  const best = lines.toSorted((a, b) => b.worth - a.worth || b.order - a.order)[0]
  return best === undefined || room === 0 ? '' : cutToTokens(best.said, room)
}

/** Speakers and days may cost a short summary this share of what it could tell. */
const LISTED_SHARE_MIN = 0.7

function worthOfAll(lines: readonly Line[]): number {
  return lines.reduce((sum, { worth }) => sum + worth, 0)
}

/** As many tokens as the source has, up to the limit. */
function roomFor(texts: readonly string[], tokensMax: number): number {
  let tokens = 0
  for (const text of texts) {
    tokens += estimateTokens(text.slice(0, tokensMax * CHARACTERS_PER_TOKEN_MAX))
    if (tokens >= tokensMax) return tokensMax
  }
  return tokens
}

/** Below this a new line is chatter. A line that was kept before only goes for a better one. */
const WORTH_MIN = 0.1
/** How many are compared with each other. */
const LINES_MAX = 1_000

/** The lines with the most worth for their length that fit, best first. */
function choose(lines: readonly Line[], tokensMax: number, row: Row): Line[] {
  const ranked = lines
    .filter(({ worth, order }) => worth >= WORTH_MIN || order < 0)
    .map((line) => {
      const tokens = estimateTokens(row(line, line.year))
      return { line, tokens, rank: line.worth / (tokens + 1) ** 0.6 }
    })
    .toSorted((a, b) => b.rank - a.rank || b.line.order - a.line.order)
  const chosen: Line[] = []
  let left = tokensMax
  for (const { line, tokens } of ranked.slice(0, LINES_MAX)) {
    if (tokens > left || chosen.some((other) => isRepeated(line, other))) continue
    left -= tokens
    chosen.push(line)
  }
  // The ends of lines count too.
  while (estimateTokens(write(chosen, row)) > tokensMax) chosen.pop()
  return chosen
}

/** Whether a line says nothing that the other does not say. Former lines were compared when they were new. */
function isRepeated(line: Line, other: Line): boolean {
  if (line.order < 0 && other.order < 0) return false
  const common = line.words.intersection(other.words).size
  return line.marks.isSubsetOf(other.marks) && common >= 0.75 * Math.min(line.words.size, other.words.size)
}

type Row = (line: Line, yearTold: string) => string

function write(lines: readonly Line[], row: Row): string {
  let yearTold = ''
  const rows = lines
    .toSorted((a, b) => a.order - b.order)
    .map((line) => {
      const text = row(line, yearTold)
      yearTold = line.year || yearTold
      return text
    })
  return rows.join('\n')
}

function bareRow({ said }: Line): string {
  return said
}

/** `- user 3 May 2026: …`; the year stands where it changes. */
function listRow({ who, day, year, said }: Line, yearTold: string): string {
  const head = [who, day, year === yearTold ? '' : year].filter(Boolean).join(' ')
  return head === '' ? `- ${said}` : `- ${head}: ${said}`
}

const LISTED =
  /^- (?:(user|assistant|tool|note)(?: (?=\d))?)?(?:(\d{1,2} [A-Z][a-z]{2})(?: (-?\d{1,6}))?)?: (.*)$/
const BULLET = /^\s*(?:[-*+•]|\d{1,2}[.)])\s+/
const HEADING = /^\s*#{1,6}\s|^\s*\*\*[^*]+\*\*:?\s*$/
/** Our older versions began with it, and the lines of that year do not name it. */
const UNTIL = /^Until \d{1,2} \w{3} (-?\d{1,6}):$/m
/** Of a line; longer ones are cut. */
const LINE_TOKENS_MAX = 30

/** The lines of a former summary, without its headings. A paragraph is cut into sentences. */
function formerLines(summary: string, sought: readonly string[]): Line[] {
  const until = UNTIL.exec(summary)?.[1]
  let last = ''
  const quotes = summary.split(/\r?\n/).flatMap((row): Quote[] => {
    const [, who, day = '', ownYear, text = ''] = LISTED.exec(row) ?? []
    last = ownYear ?? until ?? last
    if (who !== undefined || day !== '') return [{ who: who as Who, day, year: day && last, said: text }]
    const bare = row.replace(BULLET, '').trim()
    if (bare === '' || HEADING.test(row) || UNTIL.test(row)) return []
    const isLong = estimateTokens(bare) > LINE_TOKENS_MAX
    const sentences = isLong ? sentencesOf(bare).map((one) => shorten(one, LINE_TOKENS_MAX)) : [bare]
    return sentences.map((said) => ({ who: undefined, day: '', year: '', said }))
  })
  const told = quotes.filter(({ who, said }) => said !== '' && !(who === 'assistant' && isAboutItself(said)))
  return told.map((quote, at) => lineOf(quote, at - told.length, sought))
}

/** How many messages are read closely: if there are more, the most promising ones. */
const MESSAGES_MAX = 400
/** Per message: its beginning and its end. The middle of a longer one was pasted. */
const CHARACTERS_MAX = 24_000

interface Heard extends Omit<Quote, 'said'> {
  readonly sentences: readonly string[]
}

function newLines(messages: readonly Spoken[], sought: readonly string[]): Line[] {
  // Tool results are data: never quoted as if somebody had said them.
  const spoken = messages.filter(({ who }) => who !== 'tool')
  const known = new Map<number, Heard>()
  const heard = (index: number): Heard | undefined => {
    const message = spoken[index]
    if (message !== undefined && !known.has(index)) known.set(index, hear(message))
    return known.get(index)
  }
  return promising(spoken, sought).flatMap((index) => {
    const replies = [heard(index + 1), heard(index + 2)].map((reply) => reply?.sentences.join(' ') ?? '')
    const message = heard(index) as Heard
    return quotesIn(message, heard(index - 1), replies).map(({ said, share }, at) => {
      const line = lineOf({ ...message, said }, index + at / 1_000, sought)
      return { ...line, worth: line.worth * share }
    })
  })
}

const GLANCE_CHARACTERS = 200
/** One word of the focus counts more than everything else. */
const GLANCE_FOCUS_WORTH = 100
const SEARCHED_CHARACTERS = 8_000

/** The messages that are read, by their place. A glance is enough: of thousands, most are dropped anyway. */
function promising(messages: readonly Spoken[], sought: readonly string[]): number[] {
  const places = [...messages.keys()]
  if (messages.length <= MESSAGES_MAX) return places
  const glances = messages.map(({ who, text }) => {
    const near = nearIn(text.slice(0, SEARCHED_CHARACTERS), sought).length
    return worthOf(text.slice(0, GLANCE_CHARACTERS), who) + GLANCE_FOCUS_WORTH * near
  })
  return places
    .toSorted((a, b) => (glances[b] ?? 0) - (glances[a] ?? 0) || b - a)
    .slice(0, MESSAGES_MAX)
    .toSorted((a, b) => a - b)
}

function hear({ who, text, at }: Spoken): Heard {
  const half = CHARACTERS_MAX / 2
  const read = text.length <= CHARACTERS_MAX ? text : `${text.slice(0, half)}\n${text.slice(-half)}`
  const sentences = spokenSentences(read)
  if (who !== 'assistant') return { who, ...dateOf(at), sentences }
  const telling = sentences.some(isOffline) ? [] : sentences.filter((one) => !isAboutItself(one))
  return { who, ...dateOf(at), sentences: telling }
}

const YEARS_END_MS = Date.UTC(10_000, 0)

function dateOf(at = -1): Pick<Quote, 'day' | 'year'> {
  if (!(at >= 0 && at < YEARS_END_MS)) return { day: '', year: '' }
  const [, day = '', month, year = ''] = new Date(at).toUTCString().split(' ')
  return { day: `${Number(day)} ${month}`, year }
}

/** An answer this short cannot be understood without its question. */
const BARE_WORDS_MAX = 10
const ASKED_TOKENS_MAX = 14
/** A model that says more at once explains the world, and can explain it again. */
const TOLD_SENTENCES = 3

/** What each sentence of a message says, and which share of that counts: of a person's questions, the open ones. */
function quotesIn(
  { who, sentences }: Heard,
  before: Heard | undefined,
  replies: readonly string[],
): { readonly said: string; readonly share: number }[] {
  const doubt = sentences.find((sentence) => !isQuestion(sentence) && isOpen(sentence))
  const hasQuestion = who !== 'assistant' && sentences.some(isQuestion)
  const isUnanswered = who !== 'assistant' && (doubt !== undefined || replies.some(isEvasive))
  const asked = before?.who === who ? undefined : before?.sentences.at(-1)
  return sentences.flatMap((sentence, at) => {
    if (isQuestion(sentence)) return { said: [sentence, doubt].join(' ').trim(), share: isUnanswered ? 1 : 0 }
    if (hasQuestion && sentence === doubt) return []
    const isBare = at === 0 && sentence.split(' ').length <= BARE_WORDS_MAX
    const isAnswer = isBare && asked !== undefined && (who !== 'assistant' || /\d/.test(sentence))
    const lead = isAnswer && isQuestion(asked) ? `${shorten(asked, ASKED_TOKENS_MAX)} ` : ''
    const share = who === 'assistant' ? Math.min(1, TOLD_SENTENCES / sentences.length) : 1
    return { said: lead + sentence, share }
  })
}

/** A longer reply is an answer. */
const EVASION_CHARACTERS_MAX = 240

function isEvasive(reply: string): boolean {
  // In a script without cues, a short answer is none.
  if (!/[a-z\p{Script=Han}]/iu.test(reply)) return reply !== '' && reply.length <= EVASION_CHARACTERS_MAX / 4
  return reply.length <= EVASION_CHARACTERS_MAX && isOpen(reply)
}

/** More than most lines are worth, for each of the first words. */
const FOCUS_WORTH = 6
const FOCUS_WORDS_MAX = 3
/** Somebody else thought a line without a speaker worth telling. */
const TOLD_WORTH = 1.5

function lineOf(quote: Quote, order: number, sought: readonly string[]): Line {
  const near = nearIn(quote.said, sought)
  const tokensMax = near.length > 0 ? 4 * LINE_TOKENS_MAX : LINE_TOKENS_MAX
  const said = order < 0 ? quote.said : shorten(quote.said, tokensMax)
  // A line with all the words is meant; one with some of them may be.
  const isMeant = near.length > 0 && near.length === sought.length
  const focus = FOCUS_WORTH * (Math.min(FOCUS_WORDS_MAX, near.length) + (isMeant ? 1 : 0))
  const worth = worthOf(said, quote.who) + (quote.who === undefined ? TOLD_WORTH : 0) + focus
  const marks = new Set([...near, ...(said.match(/\d+/g) ?? []), ...namesIn(said)])
  return { ...quote, said, order, worth, words: wordsOf(said), marks }
}

function nearIn(text: string, sought: readonly string[]): string[] {
  if (sought.length === 0) return []
  const words = [...wordsOf(text)]
  return sought.filter((one) => words.some((word) => isNear(one, word)))
}

/** A number must match whole, a word by its beginning: "allergy" finds "allergic". */
function isNear(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  return short === long || (short.length > 3 && !/\d/.test(short) && long.startsWith(short))
}

/** Our own summary as plain sentences: a short text of one paragraph, without days and speakers. */
export function plainSentences(summary: string): string {
  const rows = summary.split('\n').map((row) => LISTED.exec(row)?.[4] ?? row.replace(/^- /, ''))
  return rows
    .map((row) => row.trim())
    .filter((row) => row !== '')
    .join(' ')
}
