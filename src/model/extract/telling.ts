import { CHANGED, DECIDED, LEANING, PROMISED } from './cues.ts'
import { DONE } from './doubt-cues.ts'
import type { Who } from './entry.ts'
import { fold } from './folding.ts'
import { isQuestion, type Found, type Hearing } from './hearing.ts'
import { shorten, shortLine } from './shorten.ts'

const OFFER =
  /\b(?:shall i|should i|want me to|would you like me to|do you want me to|soll ich|quieres que)\b/
const YES = /^(?:(?:yes|yeah|yep|sure|please|ok|okay|do it|ja|gerne|bitte|si|claro)\b|[好是])/
/** Agreeing to what was just proposed. */
const ACCEPTED =
  /^(?:fine|agreed|deal|sounds good|works for me|perfect|einverstanden|passt|de acuerdo|vale)\b/i

/** What is told in a message, a few sentences of it or one. */
export function told(hearing: Hearing, index: number, toLine: (sentence: string) => string): Found[] {
  const message = hearing(index)
  if (message === undefined) return []
  const statements = joinBreaths(message.sentences.filter((sentence) => !isQuestion(sentence)))
  const question = questionBefore(hearing, index)
  return statements.map((statement, place): Found => {
    if (place > 0) return { text: toLine(statement), section: undefined }
    if (question !== undefined && isBare(message.who, statement)) return answer(question, statement)
    const isAccepting = ACCEPTED.test(statement) && /\d/.test(statement)
    return { text: toLine(statement), section: isAccepting ? 'decisions' : undefined }
  })
}

/** What the other one asked last: without it "10 days" tells nothing. */
function questionBefore(hearing: Hearing, index: number): string | undefined {
  const before = hearing(index - 1)
  if (before === undefined || before.who === hearing(index)?.who || before.who === 'tool') return undefined
  const last = before.sentences.at(-1)
  return last !== undefined && isQuestion(last) ? last : undefined
}

/** Of an answer that cannot be understood without its question. */
const BARE_WORDS_MAX = 10

/** Of a model's bare answers only those that tell a number are worth a line. */
function isBare(who: Who, statement: string): boolean {
  if (who === 'assistant' && !/\d/.test(statement)) return false
  return statement.split(' ').length <= BARE_WORDS_MAX
}

const QUESTION_TOKENS_MAX = 14

function answer(question: string, statement: string): Found {
  const section = OFFER.test(fold(question)) && YES.test(fold(statement)) ? 'promises' : undefined
  return { text: `${shorten(question, QUESTION_TOKENS_MAX)} ${shortLine(statement)}`, section }
}

const PLEASANT =
  /^(?:great|good|nice|lovely|wonderful|perfect|noted|got it|understood|sure|of course|thanks|thank you|sorry|wow|cool|ok|okay|congratulations|well done|done|agreed|right|fine|alles klar|gut|schon|vale|perfecto)\b[^.!?\d]{0,20}[.!]*$/i

/** "Booked the flights! TP567 at 6" and "The Ibis is nicer. Let's take that" are one thing told in two breaths. */
function joinBreaths(sentences: readonly string[]): string[] {
  const joined: string[] = []
  for (const sentence of sentences.filter((sentence) => !PLEASANT.test(sentence))) {
    const before = joined.at(-1)
    if (before !== undefined && belongs(before, sentence)) joined[joined.length - 1] = `${before} ${sentence}`
    else joined.push(sentence)
  }
  return joined
}

/** Such a sentence is about something that the one before it names. */
const POINTING =
  /\b(?:that|it|this|them|those|there|she|he|they|her|him|das|es|sie|er|ihn|dort|eso|ella|el)\b/i
const BREATH_WORDS_MAX = 16

function belongs(before: string, sentence: string): boolean {
  const words = before.split(' ').length
  if (words <= 4) return !before.endsWith('!') || tellsSomething(before)
  const isPointing = POINTING.test(sentence) || CHANGED.test(fold(sentence))
  if (words > BREATH_WORDS_MAX || !isPointing) return false
  return sentence.split(' ').length <= BREATH_WORDS_MAX && tellsSomething(sentence)
}

function tellsSomething(sentence: string): boolean {
  const folded = fold(sentence)
  return [DECIDED, LEANING, PROMISED, CHANGED, DONE].some((cue) => cue.test(folded))
}
