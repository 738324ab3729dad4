import { sentencesOf } from '../extract/sentences.ts'
import { commandIn, type Wish } from './commands.ts'
import { hear, type Heard } from './heard.ts'
import type { Place } from './place.ts'
import { type Lookup, lookupIn, perhapsIn } from './recall.ts'
import { REPEATS, WHAT, WHEN } from './talk.ts'

/** Finds the time that a sentence speaks of, as it stands there, and the rest of the sentence. */
export type FindTime = (
  text: string,
  clock: { readonly now: number; readonly zone: string },
) => Promise<{ readonly found: string; readonly rest: string } | undefined>

/** What one sentence asks for. */
export type Meaning = Wish | { readonly kind: 'look'; readonly lookup: Lookup } | { readonly kind: 'unclear' }

export interface Hearing {
  readonly place: Place
  readonly heard: Heard
  readonly findTime: FindTime
}

const UNCLEAR: Meaning = { kind: 'unclear' }
/** More sentences, or longer ones, are a text to read: to act on a line of it would be folly. */
const SENTENCES_MAX = 3
const SENTENCE_CHARS_MAX = 300
const OPEN_CHARS_MAX = 4_000
/** What is quoted or pasted is nobody's wish. */
const QUOTED = /```|^\s*>/m

/** What a person said, sentence by sentence. */
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

/** A child has a task of its own: the lists of the person are not for it to change. */
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

/** "Remind me to call mum tomorrow at 9": the words of the time go to the tool as they are. */
async function remindingIn(sentence: string, hearing: Hearing): Promise<Wish | undefined> {
  const { heard, findTime } = hearing
  const bare = (await answeredQuestion(sentence, hearing)) ?? sentence
  const { before = '', rest = '' } = REMIND.exec(bare.replaceAll('’', "'").replace(POLITE, ''))?.groups ?? {}
  const words = rest.replace(/(?:[\s,]+(?:please|thanks))*[\s.!?]*$/iu, '')
  if ((rest === '' && before === '' && !REMIND.test(bare)) || ASKS_BACK.test(words)) return undefined
  const find = async (text: string) => (heard.clock === undefined ? undefined : findTime(text, heard.clock))
  const lead = before.replace(/[\s,]+(?:please|can you|could you)?[\s,]*$/iu, '')
  const early = lead === '' ? undefined : await find(lead)
  if (lead !== '' && early?.rest !== '') return undefined
  if (IS_REPEATED.test(words)) return { kind: 'say', text: REPEATS }
  const time = early === undefined ? await find(words) : { found: early.found, rest: words }
  if (time === undefined) return { kind: 'say', text: words === '' ? WHAT : WHEN }
  const text = time.rest.replace(LINK, '').trim()
  if (text === '') return { kind: 'say', text: WHAT }
  return { kind: 'call', tool: 'add_reminder', args: { text, when: time.found } }
}

/** "When should I remind you?" is answered by a time alone: both together are the wish. */
async function answeredQuestion(sentence: string, { heard, findTime }: Hearing): Promise<string | undefined> {
  if (!heard.answer.endsWith(WHEN) || heard.clock === undefined) return undefined
  const time = await findTime(sentence, heard.clock)
  return time?.rest === '' ? `${hear(heard.before).said.replace(/[\s.!?]+$/u, '')} ${sentence}` : undefined
}
