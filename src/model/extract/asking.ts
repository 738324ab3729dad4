import { DEFERRED, OPEN } from './doubt-cues.ts'
import { fold } from './folding.ts'
import { isQuestion, type Found, type Heard, type Hearing } from './hearing.ts'
import { shortLine } from './shorten.ts'

/** Of one message. */
const QUESTIONS_MAX = 2

/** Questions that nobody has answered. */
export function asked(hearing: Hearing, index: number): Found[] {
  const message = hearing(index)
  if (message === undefined) return []
  const questions = message.sentences.filter(isQuestion).slice(-QUESTIONS_MAX)
  const doubts = message.sentences.filter((sentence) => !isQuestion(sentence) && OPEN.test(fold(sentence)))
  if (questions.length === 0) return doubts.filter(isAboutSomething).slice(0, 1).map(openQuestion)
  if (message.who === 'assistant' || (doubts.length === 0 && !isPutOff(hearing, index))) return []
  return questions.map((question) => openQuestion([question, ...doubts.slice(0, 1)].join(' ')))
}

function openQuestion(text: string): Found {
  return { text: shortLine(text), section: 'questions' }
}

/** A doubt that stands alone has to say what it is about. */
function isAboutSomething(sentence: string): boolean {
  return ABOUT.test(sentence)
}
const ABOUT =
  /\b(?:whether|if|who|which|between|what|when|where|how|ob|wer|wann|wie|welche|si|quien|cuando|cual)\b/i

/** Who answers at such length has answered. */
const EVASION_CHARACTERS_MAX = 240

/** Whether the one who was asked did not know, or the one who asked puts it off. */
function isPutOff(hearing: Hearing, index: number): boolean {
  const message = hearing(index)
  if (message === undefined) return false
  const [reply, next] = following(hearing, index)
  if (reply === undefined) return DELIBERATING.test(message.folded)
  if (reply.who === message.who) return false
  const isBrief = reply.folded.length <= EVASION_CHARACTERS_MAX
  const isTakenUp = next !== undefined && next.who === message.who && !isEvasive(next)
  if (isBrief && OPEN.test(reply.folded)) return true
  if (!HAS_CUES.test(message.folded)) return reply.folded.length <= EVASION_CHARACTERS_MAX / 4
  if (isBrief && DEFERRED.test(reply.folded)) return !isTakenUp
  return next !== undefined && next.who === message.who && isEvasive(next)
}

/** Of other scripts no word is known here, and a question is rather kept than lost. */
const HAS_CUES = /[a-z\p{Script=Han}]/u

/** Such a question waits for an answer even when nothing follows it yet. */
const DELIBERATING =
  /\b(?:should (?:we|i|they|he|she)|shall we|do (?:we|i) (?:need|have|want)|who (?:will|can|could|should|is)|can (?:we|i)|whether|or|sollen wir|wer|debemos|quien)\b|还是|要不要|应该/

/** Results of tools come between, some of them many. */
const LOOK_AHEAD = 6

function following(hearing: Hearing, index: number): Heard[] {
  const heard: Heard[] = []
  for (let at = index + 1; at <= index + LOOK_AHEAD && heard.length < 2; at++) {
    const message = hearing(at)
    if (message !== undefined && message.who !== 'tool') heard.push(message)
  }
  return heard
}

function isEvasive({ folded }: Heard): boolean {
  return folded.length < 60 && (DEFERRED.test(folded) || OPEN.test(folded))
}
