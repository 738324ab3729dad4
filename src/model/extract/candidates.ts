import { estimateTokens } from '../../base/tokens.ts'
import { DECIDED, DEFERRED, NEEDS, OPEN, OWN, PROMISED } from './cues.ts'
import type { Entry, Section, Spoken, Who } from './entry.ts'
import { nearness, raise, type Focus } from './focus.ts'
import { fold } from './folding.ts'
import { LINE_TOKENS_MAX, sentencesOf, shorten } from './sentences.ts'
import { isMachineText, sentencesBeyond, spokenText } from './spoken.ts'
import { dayOf, type Told } from './summary-text.ts'
import { makeEntry } from './worth.ts'

/** How many messages are read closely: if there are more, the most promising ones. */
const MESSAGES_MAX = 400
/** How many lines are compared with each other. */
const ENTRIES_MAX = 300

/** A possible line. If its section is not known, it is read from its words. */
interface Found {
  readonly text: string
  readonly section: Section | undefined
}

/** The sentences of these messages that may be worth a line. */
export function candidatesIn(messages: readonly Spoken[], focus: Focus): readonly Entry[] {
  const hearing = hearingOf(messages)
  const entries = promising(messages, focus).flatMap((index) => {
    const message = hearing(index)
    if (message === undefined) return []
    const found = [...openQuestions(hearing, index), ...statements(hearing, index, focus)]
    return found.map(({ text, section }, place) => {
      const order = index + place / 1_000
      return weigh(message, makeEntry({ text, section, who: message.who, day: message.day, order }))
    })
  })
  const byWorth = raise(entries, focus).toSorted((a, b) => b.worth - a.worth || b.order - a.order)
  return byWorth.slice(0, ENTRIES_MAX).toSorted((a, b) => a.order - b.order)
}

/** The most promising messages, in order. A quick look is enough: of thousands, most are dropped anyway. */
function promising(messages: readonly Spoken[], focus: Focus): number[] {
  const all = [...messages.keys()]
  if (messages.length <= MESSAGES_MAX) return all
  const looks = messages.map(({ who, text }) => {
    if (who === 'tool') return -1
    const folded = text.slice(0, GLANCE_CHARACTERS).toLowerCase()
    const cues = [DECIDED, PROMISED, NEEDS, OPEN, OWN, /\d/].filter((cue) => cue.test(folded)).length
    // One word of the focus counts more than all cues together.
    return (
      (who === 'assistant' ? cues / 3 : cues) + 10 * nearness(focus, text.slice(0, SEARCHED_CHARACTERS)).size
    )
  })
  return all
    .toSorted((a, b) => (looks[b] ?? 0) - (looks[a] ?? 0) || b - a)
    .slice(0, MESSAGES_MAX)
    .toSorted((a, b) => a - b)
}
const GLANCE_CHARACTERS = 800
const SEARCHED_CHARACTERS = 8_000

/** A message as sentences. */
interface Heard {
  readonly who: Who
  readonly day: number | undefined
  readonly sentences: readonly string[]
  readonly folded: string
}

/** Messages by their place, each cut into sentences at first use; undefined for tool results. */
type Hearing = (index: number) => Heard | undefined

function hearingOf(messages: readonly Spoken[]): Hearing {
  const heard = new Map<number, Heard>()
  return (index) => {
    const message = messages[index]
    if (message === undefined || message.who === 'tool') return undefined
    const known = heard.get(index) ?? hear(message)
    heard.set(index, known)
    return known
  }
}

function hear({ who, text, at }: Spoken): Heard {
  const words = spokenText(text)
  const said = who === 'assistant' ? sentencesBeyond(words) : sentencesOf(words)
  const sentences = said.filter((sentence) => !isMachineText(sentence))
  // A refusal makes no line, but it was the answer to the question.
  return { who, day: dayOf(at), sentences, folded: fold(words) }
}

const ASKED = /[?？؟][?!？！؟"'”’»)\]*_\s]*$/u
/** People leave out the question mark. A statement seldom begins like this. */
const ASKING =
  /^(?:(?:so|and|but|ok|hey|also),? )?(?:(?:who|what|when|where|why|how|which)(?:'s| (?:is|are|was|were|do|does|did|can|could|should|would|will|to|long|much|many|often|about))|(?:can|could|do|does|did|is|are|should|shall|would|will) (?:you|i|we|it|there|they|he|she|the|my|that|this))\b/i

function isQuestion(sentence: string): boolean {
  return ASKED.test(sentence) || ASKING.test(sentence)
}

/** Per message. */
const QUESTIONS_MAX = 2
/** A doubt that stands alone must say what it is about. */
const ABOUT =
  /\b(?:whether|if|who|which|between|what|when|where|how|ob|wer|wann|wie|welche|si|quien|cuando|cual)\b/i

/** Unanswered questions. */
function openQuestions(hearing: Hearing, index: number): Found[] {
  const { who, sentences = [] } = hearing(index) ?? {}
  const questions = sentences.filter(isQuestion).slice(-QUESTIONS_MAX)
  const doubts = sentences.filter((sentence) => !isQuestion(sentence) && OPEN.test(fold(sentence)))
  const isOpen = who !== 'assistant' && (doubts.length > 0 || isPutOff(hearing, index))
  const asked = isOpen ? questions.map((question) => [question, ...doubts.slice(0, 1)].join(' ')) : []
  const found = questions.length > 0 ? asked : doubts.filter((doubt) => ABOUT.test(doubt)).slice(0, 1)
  return found.map((text) => ({ text: shorten(text), section: 'questions' }))
}

/** A longer answer counts as an answer. */
const EVASION_CHARACTERS_MAX = 240

/** Whether the answer is "I don't know", or the asker puts it off. In unknown scripts, a short answer is none. */
function isPutOff(hearing: Hearing, index: number): boolean {
  const next = [1, 2, 3, 4, 5, 6].flatMap((ahead) => hearing(index + ahead) ?? []).slice(0, 2)
  return next.some(({ folded }, place) => {
    if (!/[a-z\p{Script=Han}]/u.test(folded)) return folded.length <= EVASION_CHARACTERS_MAX / 4
    const isBrief = folded.length <= (place === 0 ? EVASION_CHARACTERS_MAX : 60)
    return isBrief && (OPEN.test(folded) || DEFERRED.test(folded))
  })
}

/** An answer this short cannot be understood without its question. */
const BARE_WORDS_MAX = 10
const QUESTION_TOKENS_MAX = 14

function statements(hearing: Hearing, index: number, focus: Focus): Found[] {
  const { who, sentences = [] } = hearing(index) ?? {}
  const before = hearing(index - 1)
  const last = before?.who === who ? undefined : before?.sentences.at(-1)
  const question = last !== undefined && isQuestion(last) ? last : undefined
  return sentences
    .filter((sentence) => !isQuestion(sentence))
    .map((sentence, place) => {
      const isBare =
        sentence.split(' ').length <= BARE_WORDS_MAX && (who !== 'assistant' || /\d/.test(sentence))
      const lead =
        place === 0 && isBare && question !== undefined ? `${shorten(question, QUESTION_TOKENS_MAX)} ` : ''
      return { text: lead + lineNear(sentence, focus), section: undefined }
    })
}

/** The focus may be in a part of the sentence that would be cut. */
function lineNear(sentence: string, focus: Focus): string {
  const line = shorten(sentence)
  const isCut = nearness(focus, line).size < nearness(focus, sentence).size
  return isCut ? shorten(sentence, 4 * LINE_TOKENS_MAX) : line
}

/** A model that speaks at length explains the world, and can explain it again. */
const LECTURE_CHARACTERS_MIN = 350
const LECTURE_SHARE = 0.25
const PERSONAL = /\b(?:i|i'll|i've|we|you|your|our|root cause|found it|ich|wir|yo|nosotros)\b|[我你]/

function weigh({ who, folded }: Heard, entry: Entry): Entry {
  const isLecture = who === 'assistant' && folded.length >= LECTURE_CHARACTERS_MIN
  const isPersonal = entry.section !== 'facts' && PERSONAL.test(entry.about.folded)
  return isLecture && !isPersonal ? { ...entry, worth: entry.worth * LECTURE_SHARE } : entry
}

/** Somebody else thought it worth telling. */
const TOLD_WORTH = 1.5
/** A model's words gain no worth from having been kept once. */
const KEPT_SHARE = 0.35

/** The lines of a former summary, older than everything said since. */
export function formerEntries(told: readonly Told[]): Entry[] {
  const lines = told.filter(isTold).flatMap(sentencesIn)
  return lines.map((line, index) => {
    const entry = makeEntry({ ...line, order: index - lines.length })
    const isModels = line.who === 'assistant' && entry.section === 'facts'
    const worth =
      line.who === undefined ? entry.worth + TOLD_WORTH : entry.worth * (isModels ? KEPT_SHARE : 1)
    return { ...entry, worth }
  })
}

function isTold({ who, text }: Told): boolean {
  return text !== '' && (who !== 'assistant' || sentencesBeyond(text).length > 0)
}

/** Our own lines stay as they are. A paragraph is cut into sentences. */
function sentencesIn(told: Told): Told[] {
  if (told.who !== undefined || estimateTokens(told.text) <= LINE_TOKENS_MAX) return [told]
  return sentencesOf(told.text).map((text) => ({ ...told, text: shorten(text) }))
}
