import type { Wish } from './commands.ts'
import { type Request, requestIn } from './request.ts'

const WHEN =
  'When should I remind you? Give me a time that\'s still ahead, such as "tomorrow at 9" or "in 20 minutes".'
const WHAT =
  'What should I remind you of? Say it in one sentence, such as "remind me to call mum tomorrow at 9".'
const TIMES = 'That names more than one time. Give me one reminder after the other, please.'
const REPEATS =
  'That repeats, so it\'s a routine and not a reminder. This sets one: `mainstem routine add "TEXT" --cron "0 8 * * *"`.'

const REMIND =
  /^(?:(?:please|ok|okay|hey|hi|and|also|so|then|(?:can|could|would|will) you)\b[\s,:!–-]*)*(?<before>.{0,60}?)\b(?:remind me|(?:set|create|add) (?:me )?a reminder|(?:don't|do not) let me forget)\b(?![\s,:]*(?:(?:of|about) )?(?:what|who|where|which|why|how)\b)[\s,:]*(?<rest>.*?)(?:[\s,]+(?:please|thanks))*[\s.!?]*$/isu
const REPEATED =
  /\b(?:every|each) (?:\w+ )?(?:day|morning|evening|night|hour|week|weekday|month|year|\w+day)s?\b|\b(?:daily|hourly|weekly|monthly)\b/iu

/** "Remind me to call mum tomorrow at 9": the tool parses the time in the person's own words. */
export async function remindingIn(said: string, { answer, before }: Request): Promise<Wish | undefined> {
  // A time alone answers "When should I remind you?": both together are the wish.
  const isTime = answer.endsWith(WHEN) && (await timeIn(said.replace(/[\s.!]+$/u, '')))?.rest === ''
  const asked = isTime ? `${requestIn(before).said.replace(/[\s.!?]+$/u, '')} ${said}` : said
  const found = REMIND.exec(asked.replaceAll('’', "'"))?.groups
  if (found === undefined) return undefined
  const words = found['rest'] ?? ''
  const lead = (found['before'] ?? '').replace(/[\s,]+(?:please|(?:can|could) you)?[\s,]*$/iu, '')
  const early = lead === '' ? undefined : await timeIn(lead)
  if (lead !== '' && early?.rest !== '') return undefined
  if (REPEATED.test(words)) return REPEATS
  const time = early === undefined ? await timeIn(words) : { when: early.when, rest: words }
  if (time === undefined) return words === '' ? WHAT : WHEN
  const [, others = ''] = /\b(?:and|or) (.*)$/iu.exec(time.rest) ?? []
  if ((await timeIn(others)) !== undefined) return TIMES
  const text = time.rest.replace(/^(?:please\s+)?(?:to|about|of|that|for)(?:\s*:)?\s+/iu, '').trim()
  return text === '' ? WHAT : { tool: 'add_reminder', args: { text, when: time.when } }
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
  const spoken = SPOKEN.exec(text)?.[0] ?? ''
  const found = casual.parse(text.replace(spoken, ' '), new Date(0)).filter((one) => !NO_TIME.test(one.text))
  const day = found.find(({ start }) => !start.isCertain('hour'))
  const hour = found.find(
    ({ start }) => start.isCertain('hour') && !start.isCertain('day') && !start.isCertain('weekday'),
  )
  const both = day !== undefined && hour !== undefined ? [day, hour] : found.slice(0, 1)
  const times = both.map((one) => one.text.replace(WORD_AS_ZONE, ''))
  const pieces = spoken === '' ? times : [...times, spoken]
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
