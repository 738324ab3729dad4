import { capital } from '../../base/words.ts'
import { sentencesOf } from '../extract/sentences.ts'
import { forkHint, NO_FORK } from './fork-questions.ts'
import type { Place } from './place.ts'

/** A wish about the fork in which the person talks, or would like to. */
export interface ForkWish {
  readonly kind: 'fork'
  readonly tool: 'enter_fork' | 'save_context' | 'report_updates' | 'exit_fork'
  /** The topic, or what main is to be told; '' where none is named. */
  readonly words: string
}

export type ForkPart =
  | ForkWish
  | { readonly kind: 'other'; readonly text: string }
  /** Asks how one ends, or for an end where there is none. */
  | { readonly kind: 'say'; readonly text: string }

/** A text of more sentences is something to read. */
const SENTENCES_MAX = 12

/** "That settles it. Save this.": undefined where no fork is meant. */
export function forkParts(said: string, place: Place['kind']): ForkPart[] | undefined {
  if (place === 'child' || place === 'run') return undefined
  const sentences = sentencesOf(said)
  if (sentences.length > SENTENCES_MAX) return undefined
  const parts: ForkPart[] = []
  for (const sentence of sentences) {
    const part = forkPart(sentence, place)
    const last = parts.at(-1)
    if (part !== undefined) parts.push(part)
    else if (last?.kind === 'other') parts.splice(-1, 1, { kind: 'other', text: `${last.text}\n${sentence}` })
    else parts.push({ kind: 'other', text: sentence })
  }
  return parts.every(({ kind }) => kind === 'other') ? undefined : parts
}

const POLITE = String.raw`(?:(?:please|pls|plz|kindly|ok|okay|hey|hi|mainstem|and|also|oh|so|well|yes|great|good|right|fine|btw|by the way|just|now|then|maybe|perhaps|actually|quickly|thanks|side note)\b[\s,:!–-]*)*`
const ASKED = String.raw`(?:(?:can|could|would|will|shall|should) (?:you|we)|can i|may i|let's|lets|let us|let me|i want (?:you )?to|i'd like (?:you )?to|i'd rather|i would rather|i would like (?:you )?to|i wanna|i need (?:you )?to|we should|you should|why don't we|how about we|it is time to|time to)\s+`
const LEAD = String.raw`^${POLITE}(?:${ASKED})?${POLITE}`
const ASIDE_NOUN = String.raw`(?:fork|tangent|side[ -]?(?:conversation|chat|thread|talk|discussion|topic|track)|sidebar|aside)`
const KIND = String.raw`(?:(?:a|an|another|one|new|quick|quiet|little|small|short|brief|separate|side|own|interactive)\s+)*`
const ABOUT = String.raw`(?:\s*[:–]\s*|\s+-{1,2}\s+|\s+(?:about|on|for|regarding|over|(?:where we|to|in which we) (?:talk|speak|chat|discuss|think|brainstorm)(?:\s+(?:about|over|through))?|to discuss)\s+)`
const TALK = String.raw`(?:(?:step|go|move|turn) aside (?:and|to) )?(?:talk|speak|chat|discuss|think|brainstorm|go|look|plan|explore|work out)(?:\s+(?:about|over|through|into))?`

const OPEN = new RegExp(
  String.raw`${LEAD}(?:open|start|begin|enter|create|make|have|give me|give us|go (?:into|on|off on)|(?:take|bring|move|put|carry) (?:me |us |this |that |it )?(?:in|into|to|onto)|move (?:in)?to|branch off into|fork off into)\s+${KIND}${ASIDE_NOUN}(?:${ABOUT}(?<topic>\S.*))?$`,
  'isu',
)
const TALKED = new RegExp(
  String.raw`${LEAD}${TALK}\s+(?<topic>\S.*?)[\s,]+(?:on the side|off to the side|aside|separately|(?:in|as|on) ${KIND}${ASIDE_NOUN})$`,
  'isu',
)
const FORKED_OFF = new RegExp(
  String.raw`${LEAD}(?:(?:fork|branch)(?: off| (?:this|the|our) (?:conversation|chat|talk))?,? (?:to|and|so we can|so that we can) |(?:step|go|move) aside (?:to|and) )(?:talk|chat|speak|discuss|think)(?:\s+about)?\s+(?<topic>\S.*)$`,
  'isu',
)
const NAMED = new RegExp(
  String.raw`${LEAD}${KIND}(?:tangent|aside|side (?:topic|question|track))(?:,? please)?\s*[:–]\s*(?<topic>\S.*)$`,
  'isu',
)
/** Alone, a fork that both go into; else a child is meant. */
const WE_FORK = new RegExp(
  String.raw`^${POLITE}(?:let's|lets|let us|(?:can|could|shall|should) we|we should|how about we|why don't we) fork(?: off| here| this)?$`,
  'isu',
)

const MAIN = String.raw`(?:the )?main(?: (?:conversation|session|chat|thread|branch|line))?`
const HERE = String.raw`(?:(?:this|the|our|that) (?:whole |entire |little |side )*(?:${ASIDE_NOUN}))`
const TALKED_HERE = String.raw`(?:(?:this|the|our) (?:whole |entire )*(?:conversation|chat|discussion|talk|thread)|what we (?:said|discussed|talked about|worked out)|all (?:of )?(?:this|it|that)|everything)(?: here| in here)?`
const IT = String.raw`(?:this|it|that)`
const BACK_TO_MAIN = String.raw`(?:\s+back)?\s+(?:to|into|in|with|for) ${MAIN}`

const SAVE = new RegExp(
  String.raw`${LEAD}(?:(?:save|keep) (?:${HERE}|${TALKED_HERE})(?:${BACK_TO_MAIN})?|save ${IT}(?:${BACK_TO_MAIN})?|(?:keep|merge|add|bring|put|take|copy|move|fold|join) (?:${IT}|${HERE}|${TALKED_HERE})${BACK_TO_MAIN}|merge (?:${IT}|${HERE})(?: back)?|make (?:${IT}|${HERE}|${TALKED_HERE}) part of ${MAIN})$|^${POLITE}(?:(?:${IT}|${HERE}|${TALKED_HERE}) (?:should|must|can|may) (?:go|be) (?:in|into|part of) ${MAIN}|${MAIN} (?:should|must) (?:have|get|see|keep) (?:${IT}|${HERE}|${TALKED_HERE}))$`,
  'isu',
)
const TELL = new RegExp(
  String.raw`${LEAD}(?:(?:tell|inform) ${MAIN}(?:\s*[:,–]\s*|\s+that\s+)|let ${MAIN} know(?:\s*[:,–]\s*|\s+that\s+)|${MAIN} (?:should|must|has to|needs to) know(?:\s*[:,–]\s*|\s+that\s+)|report(?: (?:back )?to ${MAIN})?(?:\s*[:–]\s*|\s+that\s+))(?<text>\S.*)$`,
  'isu',
)
const REPORT = new RegExp(
  String.raw`${LEAD}(?:report(?: ${IT}| ${HERE})?(?: back)?(?: to ${MAIN})?|(?:tell|inform) ${MAIN}(?: about (?:${IT}|${HERE})| what we (?:said|discussed|talked about)(?: here)?)?|(?:send|give|write|post|leave) ${MAIN} (?:a |an |the |short |brief |quick |little )*(?:summary|report|update|note)(?: of (?:${IT}|${HERE}))?|(?:send|give|report|write|post) (?:a |an |the |short |brief |quick )*(?:summary|report|update)(?: of (?:${IT}|${HERE}))? (?:back )?to ${MAIN}|(?:sum (?:${IT} )?up|summari[sz]e(?: ${IT})?) for ${MAIN})(?: and (?:close|leave|exit|end)(?: ${IT}| ${HERE})?)?$`,
  'isu',
)
const EXIT = new RegExp(
  String.raw`${LEAD}(?:(?:leave|exit|close|end|quit|drop|discard|abandon|forget|scrap|stop|cancel|ditch|finish|(?:get|take|bring) (?:me |us )?out of|get out of|throw away) ${HERE}|throw (?:${IT}|${HERE}) away|(?:(?:go|get|return|switch|come|head|take (?:me|us)|bring (?:me|us)|jump) )?back to ${MAIN}|return to ${MAIN})$`,
  'isu',
)
/** What names a fork is about one, also where there is none. */
const NAMES_FORK = new RegExp(ASIDE_NOUN, 'iu')

const ENDING =
  /(?:[\s,]+(?:please|pls|thanks|thank you|ok|okay|now|then|for a (?:minute|moment|bit|while|second)|first|quickly))*[\s.!?…]*$/iu
/** What may not stand before a request that follows a comma. */
const NO_LEAD =
  /^(?:if|when|whenever|once|unless|until|after|before|suppose|assuming|do not|don't|dont|never|no|not|he|she|they|my|what|how|why|should|shall)\b|\b(?:said|says|told|wrote|asked|not|never)\b/iu
const QUESTION = /^(?:should|may|do|does|did|is|are|what|how|why|when|who|which|where)\b/iu

function forkPart(
  sentence: string,
  place: 'main' | 'fork',
): Exclude<ForkPart, { kind: 'other' }> | undefined {
  const text = sentence.replaceAll('’', "'").trim()
  const isQuestion = text.endsWith('?') && QUESTION.test(text)
  const bare = text.replace(ENDING, '')
  const hint = forkHint(text, place)
  if (hint !== undefined) return { kind: 'say', text: hint }
  if (isQuestion || bare === '') return undefined
  return wishIn(bare, place) ?? behindComma(bare, place)
}

function behindComma(bare: string, place: 'main' | 'fork'): ReturnType<typeof wishIn> {
  const comma = bare.lastIndexOf(',')
  if (comma < 0 || NO_LEAD.test(bare.slice(0, comma))) return undefined
  return wishIn(bare.slice(comma + 1).trim(), place)
}

function wishIn(bare: string, place: 'main' | 'fork'): Exclude<ForkPart, { kind: 'other' }> | undefined {
  const entering = OPEN.exec(bare) ?? TALKED.exec(bare) ?? FORKED_OFF.exec(bare) ?? WE_FORK.exec(bare)
  const topic = entering ?? (place === 'main' ? NAMED.exec(bare) : null)
  if (topic) return { kind: 'fork', tool: 'enter_fork', words: topic.groups?.['topic']?.trim() ?? '' }
  const end = endIn(bare)
  if (end === undefined || place === 'fork') return end
  return NAMES_FORK.test(bare) || end.tool === 'save_context' ? { kind: 'say', text: NO_FORK } : undefined
}

function endIn(bare: string): ForkWish | undefined {
  const told = TELL.exec(bare)?.groups?.['text']
  if (told !== undefined) return { kind: 'fork', tool: 'report_updates', words: capital(told.trim()) }
  if (SAVE.test(bare)) return { kind: 'fork', tool: 'save_context', words: '' }
  if (REPORT.test(bare)) return { kind: 'fork', tool: 'report_updates', words: '' }
  return EXIT.test(bare) ? { kind: 'fork', tool: 'exit_fork', words: '' } : undefined
}
