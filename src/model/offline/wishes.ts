import { sentencesOf } from '../extract/sentences.ts'
import { commandIn, type Wish } from './commands.ts'
import { hear, type Heard } from './heard.ts'
import type { Place } from './place.ts'
import { type Lookup, lookupIn, perhapsIn } from './recall.ts'
import { REPEATS, TIMES, WHAT, WHEN } from './talk.ts'

/** The meaning of one sentence. */
export type Meaning = Wish | { readonly kind: 'look'; readonly lookup: Lookup } | { readonly kind: 'unclear' }

export interface Hearing {
  readonly place: Place
  readonly heard: Heard
}

const UNCLEAR: Meaning = { kind: 'unclear' }
/** More or longer sentences are a text to read: acting on a line of it would be foolish. */
const SENTENCES_MAX = 3
const SENTENCE_CHARS_MAX = 300
const OPEN_CHARS_MAX = 4_000
/** Quoted or pasted text is nobody's wish. */
const QUOTED = /```|^\s*>/m

/** The meaning of a person's message, sentence by sentence. */
export async function meaningsIn(said: string, hearing: Hearing): Promise<Meaning[]> {
  if (said === '') return []
  if (QUOTED.test(said) || said.length > OPEN_CHARS_MAX) return [UNCLEAR]
  const open = commandIn(said, hearing.place, true)
  if (open !== undefined) return [allowed(open, hearing.place)]
  const sentences = sentencesOf(said)
  if (sentences.length === 0 || sentences.length > SENTENCES_MAX) return [UNCLEAR]
  return Promise.all(sentences.map((sentence) => meaningOf(sentence, hearing)))
}

async function meaningOf(sentence: string, hearing: Hearing): Promise<Meaning> {
  if (sentence.length > SENTENCE_CHARS_MAX) return UNCLEAR
  const wish = commandIn(sentence, hearing.place) ?? (await remindingIn(sentence, hearing))
  if (wish !== undefined) return allowed(wish, hearing.place)
  const lookup = lookupIn(sentence) ?? perhapsIn(sentence)
  return lookup === undefined ? UNCLEAR : { kind: 'look', lookup }
}

/** A child has a task of its own: it must not change the person's lists. */
function allowed(wish: Wish, { kind }: Place): Meaning {
  return kind === 'child' && wish.kind === 'call' && wish.tool !== 'slash' ? UNCLEAR : wish
}

const REMIND =
  /^(?<before>.{0,60}?)\b(?:remind me|(?:set|create|add) (?:me )?a reminder|(?:don't|do not) let me forget)\b[\s,:]*(?<rest>.*)$/isu
const POLITE =
  /^(?:(?:please|ok|okay|hey|hi|and|also|so|then|can you|could you|would you|will you)\b[\s,:!–-]*)*/iu
const ASKS_BACK = /^(?:(?:of|about) )?(?:what|who|where|which|why|how)\b/iu
const IS_REPEATED =
  /\b(?:every|each) (?:\w+ )?(?:day|morning|evening|night|hour|week|weekday|month|year|\w+day)s?\b|\b(?:daily|hourly|weekly|monthly)\b/iu
const LINK = /^(?:please\s+)?(?:to|about|of|that|for)(?:\s*:)?\s+/iu

/** "Remind me to call mum tomorrow at 9": the tool parses the time in the person's own words. */
async function remindingIn(sentence: string, { heard }: Hearing): Promise<Wish | undefined> {
  const asked = await withTimeAnswered(sentence, heard)
  const { before, rest } = REMIND.exec(asked.replaceAll('’', "'").replace(POLITE, ''))?.groups ?? {}
  if (before === undefined || rest === undefined) return undefined
  const words = rest.replace(/(?:[\s,]+(?:please|thanks))*[\s.!?]*$/iu, '')
  const lead = before.replace(/[\s,]+(?:please|can you|could you)?[\s,]*$/iu, '')
  const early = lead === '' ? undefined : await timeIn(lead)
  if (ASKS_BACK.test(words) || (lead !== '' && early?.rest !== '')) return undefined
  if (IS_REPEATED.test(words)) return { kind: 'say', text: REPEATS }
  const time = early === undefined ? await timeIn(words) : { when: early.when, rest: words }
  if (time === undefined) return { kind: 'say', text: words === '' ? WHAT : WHEN }
  const [, others = ''] = /\b(?:and|or) (.*)$/iu.exec(time.rest) ?? []
  if ((await timeIn(others)) !== undefined) return { kind: 'say', text: TIMES }
  const text = time.rest.replace(LINK, '').trim()
  if (text === '') return { kind: 'say', text: WHAT }
  return { kind: 'call', tool: 'add_reminder', args: { text, when: time.when } }
}

/** A time alone answers "When should I remind you?": both together are the wish. */
async function withTimeAnswered(sentence: string, { answer, before }: Heard): Promise<string> {
  if (!answer.endsWith(WHEN)) return sentence
  const time = await timeIn(sentence.replace(/[\s.!]+$/u, ''))
  return time?.rest === '' ? `${hear(before).said.replace(/[\s.!?]+$/u, '')} ${sentence}` : sentence
}

/** Words that chrono reads as a time and hardly anybody means as one. */
const NO_TIME = /^(?:for\s|may$|mar(?:ch)?$|sat$|sun$|second$)|\b(?:ago|yesterday|last)\b/iu
/** "At 9:00 get milk": GET is a time zone in Georgia. */
const WORD_AS_ZONE = /(?<=:\d\d)\s(?!utc|gmt)[a-z]{3,4}$/u

/** Clock times in words, which the tool understands and chrono does not. */
const SPOKEN =
  /\bat (?:(?:a )?(?:half|quarter|five|ten|twenty) (?:past|to) \w+|\w+ o'clock)(?: in the (?:morning|afternoon|evening))?\b/iu

/** The words for a time in a sentence, and the rest; if day and time of day are apart, both. */
async function timeIn(text: string): Promise<{ when: string; rest: string } | undefined> {
  const { casual } = await import('chrono-node/en')
  const spoken = SPOKEN.exec(text)?.[0]
  const found = casual
    .parse(spoken === undefined ? text : text.replace(spoken, ' '), new Date(0))
    .filter((one) => !NO_TIME.test(one.text))
  const day = found.find(({ start }) => !start.isCertain('hour'))
  const hour = found.find(
    ({ start }) => start.isCertain('hour') && !start.isCertain('day') && !start.isCertain('weekday'),
  )
  const both = day !== undefined && hour !== undefined ? [day, hour] : found.slice(0, 1)
  const pieces = [
    ...both.map((one) => one.text.replace(WORD_AS_ZONE, '')),
    ...(spoken === undefined ? [] : [spoken]),
  ]
  if (pieces.length === 0) return undefined
  const rest = pieces.reduce(
    (words, piece) =>
      words.replace(new RegExp(`(?:\\b(?:at|on|in|by)(?: the)? +)?${RegExp.escape(piece)}`, 'iu'), ' '),
    text,
  )
  return {
    when: pieces.join(' ').trim(),
    rest: rest.replaceAll(/\s+/gu, ' ').replaceAll(/^[\s,:;–-]+|[\s,:;–-]+$| (?=[,:;])/gu, ''),
  }
}
