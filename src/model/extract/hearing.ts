import { DECIDED, IMPORTANT } from './cues.ts'
import type { Section, Spoken, Who } from './entry.ts'
import { fold } from './folding.ts'
import { withoutInability, withoutQuotedAsk } from './inability.ts'
import { sentencesOf } from './sentences.ts'
import { isMachineText, spokenText } from './spoken.ts'
import { dayOf } from './summary-text.ts'

/** A message as sentences. */
export interface Heard {
  readonly who: Who
  readonly day: number | undefined
  readonly sentences: readonly string[]
  readonly folded: string
}

/** Messages by their place; each is cut into sentences when it is first asked for. */
export type Hearing = (index: number) => Heard | undefined

/** What may become a line. Its section is read from its words where nothing else tells it. */
export interface Found {
  readonly text: string
  readonly section: Section | undefined
}

export function hearingOf(messages: readonly Spoken[]): Hearing {
  const heard = new Map<number, Heard>()
  return (index) => {
    const message = messages[index]
    if (message === undefined) return undefined
    const known = heard.get(index) ?? hear(message)
    heard.set(index, known)
    return known
  }
}

function hear({ who, text, at }: Spoken): Heard {
  const words = spokenText(text)
  const all = sentencesOf(who === 'assistant' ? withoutQuotedAsk(words) : words)
  const said = all.filter((sentence) => !isMachineText(sentence) && (who !== 'tool' || isReport(sentence)))
  // A refusal makes no line, but whoever asked got it for an answer.
  const folded = fold(said.join(' '))
  return { who, day: dayOf(at), sentences: who === 'assistant' ? withoutInability(said) : said, folded }
}

/** The few words of a tool that are worth more than its result: what it did. */
function isReport(sentence: string): boolean {
  const folded = fold(sentence)
  return sentence.length < 200 && DECIDED.test(folded) && (IMPORTANT.test(folded) || /\d/.test(folded))
}

const ASKED = /[?？؟][?!？！؟"'”’»)\]*_\s]*$/u
/** People leave the mark out. A statement seldom begins like this. */
const ASKING =
  /^(?:(?:so|and|but|ok|hey|also),? )?(?:(?:who|what|when|where|why|how|which)(?:'s| (?:is|are|was|were|do|does|did|can|could|should|would|will|to|long|much|many|often|about))|(?:can|could|do|does|did|is|are|should|shall|would|will) (?:you|i|we|it|there|they|he|she|the|my|that|this))\b/i

export function isQuestion(sentence: string): boolean {
  return ASKED.test(sentence) || ASKING.test(sentence)
}
