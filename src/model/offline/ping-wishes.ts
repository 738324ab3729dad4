import { sentencesOf } from '../extract/sentences.ts'
import { capital } from '../../base/words.ts'

/** What a task says to tell the person, in their own words turned round; '' where it says nothing of the kind. */
export function pingIn(task: string): string {
  return wordsIn(task, [TOLD, KNOWN, SENT])
}

/** What a task says to tell main. */
export function reportIn(task: string): string {
  return wordsIn(task, [REPORTED])
}

const POLITE = String.raw`(?:(?:please|pls|kindly|ok|hey|and|also|so|then|just|now|always|every time)\b[\s,:!–-]*)*`
const ASKED = String.raw`(?:(?:can|could|would|will) you |i (?:want|need) you to |i'd like you to |i would like you to |you should )?`
const LEAD = String.raw`^${POLITE}${ASKED}${POLITE}`
const ME = String.raw`(?:me|us|the user|the person|him|her|them)`
const COLON = String.raw`\s*[:–]\s*|\s+-{1,2}\s+`
const LINK = String.raw`(?<colon>${COLON})|,?\s+(?:that|to|about|of|regarding|saying)\s+`

const A = String.raw`(?:(?:a|an|another|one|short|quick|little)\s+)*`
const NOTE = String.raw`(?:message|reminder|ping|note|notification|nudge|line)`

const TOLD = new RegExp(
  String.raw`${LEAD}(?:(?:tell|inform|write(?: to)?|text|message|warn|alert|notify)\s+${ME}(?:${LINK})|(?:remind|nudge|ping|poke)\s+${ME}(?:${LINK.replace('colon', 'pause')}|\s+))(?<words>\S.*)$`,
  'isu',
)
const KNOWN = new RegExp(String.raw`${LEAD}let ${ME} know(?:${LINK})(?<words>\S.*)$`, 'isu')
const SENT = new RegExp(
  String.raw`${LEAD}(?:(?:send|write|give|drop) ${ME} ${A}${NOTE}|(?:send|write) ${A}${NOTE} to ${ME}|${A}(?:ping|reminder)(?: for ${ME})?(?=\s*:))(?:${LINK})(?<words>\S.*)$`,
  'isu',
)
const REPORTED = new RegExp(
  String.raw`${LEAD}(?:(?:tell|inform) (?:the )?main(?: session| conversation)?|report(?: (?:back )?to (?:the )?main(?: session| conversation)?)?)(?:${LINK})(?<words>\S.*)$`,
  'isu',
)

/** What these words begin has to be found out first. */
const OPEN_QUESTION =
  /^(?:if|when|whenever|whether|once|what|which|who|whom|whose|where|why|how|as soon as|every|each|everything|anything|something|all|any)\b/iu
const CONDITION = /^(?:if|when|whenever|once|unless|until|after|as soon as|suppose|assuming|only)\b/iu
const ENDING = /(?:[\s,]+(?:please|pls|thanks|thank you))*[\s.!?…]*$/iu
const REQUEST = /^(?:please,? )?(?:can|could|would|will) you\b/iu
/** "Every morning: …" says when it is due, which somebody decided already. */
const WHEN = /^(?:every|each|on|at|in)\b[^:]{1,40}:\s*/iu

function wordsIn(task: string, forms: readonly RegExp[]): string {
  const sentences = sentencesOf(task.replaceAll('’', "'"))
  const found = sentences.flatMap((sentence) => {
    const isQuestion = sentence.endsWith('?') && !REQUEST.test(sentence)
    if (CONDITION.test(sentence) || isQuestion) return []
    const bare = sentence.replace(WHEN, '').replace(ENDING, '')
    for (const form of forms) {
      const { words = '', colon, pause } = form.exec(bare)?.groups ?? {}
      if (words === '' || OPEN_QUESTION.test(words)) continue
      const isQuoted = colon !== undefined || pause !== undefined
      return [capital(isQuoted ? unquoted(words) : turnedRound(unquoted(words)))]
    }
    return []
  })
  return found.join('. ')
}

function unquoted(words: string): string {
  return words.replaceAll(/^["“„«'‘]+|["”“»’]+$/gu, '').trim()
}

const TURNED: ReadonlyMap<string, string> = new Map([
  ["i'm", 'you are'],
  ['i am', 'you are'],
  ["i've", 'you have'],
  ["i'll", 'you will'],
  ['i was', 'you were'],
  ['i', 'you'],
  ['me', 'you'],
  ['my', 'your'],
  ['mine', 'yours'],
  ['myself', 'yourself'],
])

/** "Call my mother" is told as "Call your mother". */
export function turnedRound(words: string): string {
  return words.replaceAll(
    /\b(?:I am|I'm|I've|I'll|I was|I|my|mine|myself|me)\b/giu,
    (own) => TURNED.get(own.toLowerCase()) ?? own,
  )
}
