import { fold } from './folding.ts'
import { sentencesOf, withoutOpeners } from './sentences.ts'

/** At the start of a message: tags, explaining lines and times that the host wrote, headings of its blocks. */
const HOST_LINE =
  /^(?:\[(?:(?:routine|routine-bg|reminder|reminder-bg|webhook):[^\]\n]+|fork-started|fork-timeout|button|system|note from [^\]\n]+)\]|\((?:written by the host|you are a child)[^\n]*\)|\[\d{4,}-\d\d-\d\d [^\]\n]*\]|RECENT BACKGROUND UPDATES[^\n]*|## Conversation History[^\n]*)\s*/u
/** Data is what somebody else wrote, and may say anything. */
const DATA = /<data\b[^>\n]*>[\s\S]*?(?:<\/data>|$)/g
const CODE_BLOCK = /(^|\n)[ \t]*(```|~~~)[\s\S]*?(?:\n[ \t]*\2[^\n]*|$)/g
const UNSEEN = /[\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]|(?![\n\t])\p{Cc}/gu
const TABLE_LINE = /^[ \t]*\|.*$/gm
/** Lists, headings and quotations of Markdown. */
const LINE_MARK = /^[ \t]*(?:[-*+•]\s+|#{1,6}\s+|>+\s*|\d{1,2}[.)]\s+(?=\D))+/gm
const EMPHASIS = /(\*\*|__)(?=\S)([^\n]{0,200}?\S)\1/g
const LINK = /\[([^\]\n]{1,200})\]\((?:https?:)[^)\s]{1,400}\)/g

/** Of one message: its beginning and its end. The middle of what is longer was pasted. */
const CHARACTERS_MAX = 24_000

/** What somebody said, without what the host wrote around it, code, tables and Markdown's marks. */
export function spokenText(text: string): string {
  let rest = text
  if (rest.length > CHARACTERS_MAX)
    rest = `${rest.slice(0, CHARACTERS_MAX / 2)}\n${rest.slice(-CHARACTERS_MAX / 2)}`
  rest = rest.replaceAll(DATA, '\n').replaceAll(UNSEEN, '').trimStart()
  for (let line = HOST_LINE.exec(rest); line; line = HOST_LINE.exec(rest)) rest = rest.slice(line[0].length)
  if (rest.startsWith('\\[')) rest = rest.slice(1)
  return rest
    .replaceAll(CODE_BLOCK, '\n')
    .replaceAll(TABLE_LINE, '')
    .replaceAll(LINK, '$1')
    .replaceAll(LINE_MARK, '')
    .replaceAll(EMPHASIS, '$2')
    .trim()
}

const SIGN = /[{}()[\]<>=;|\\/_$%&*+^~`"]/g
const LOG_LINE = /^(?:\d{4}-\d\d-\d\dT|at \S+ \(|(?:npm )?(?:ERR|WARN|INFO|DEBUG|ERROR)\b|[+-]{3}\s|@@ )/

/** Whether it reads like code, a log or a table rather than like something said. */
export function isMachineText(sentence: string): boolean {
  if (LOG_LINE.test(sentence)) return true
  const signs = sentence.match(SIGN)?.length ?? 0
  return signs > 3 && signs * 8 > sentence.length
}

/** What the offline model says of itself; of what was asked, only a quotation. */
const RULES =
  /\bi(?: am|'m) (?:[\w'-]+ ){0,4}offline (?:model|stand-in)\b|^a real model would answer|^to connect one, set its key|^connect a real model|^i couldn't do this task:|^say "help"|^i understood that, but the tool|^we're (?:not )?in a fork|^"save this", "report back"|^i'll (?:take you into|save|leave|report) (?:a fork|this)/
const QUOTED_ASK = /(I couldn't do this task: )"[^\n]{0,170}?"(?=\.(?:\s|$))/g
const SORRY =
  /^(?:(?:i'm |i am )?(?:so |very )?(?:sorry|afraid)|i apologi[sz]e|(?:my )?apologies|unfortunately|as an? (?:[\w-]+ ){0,3}(?:assistant|model|ai)|leider|(?:es )?tut mir leid|lo siento|lamentablemente|抱歉|对不起)[,.:;，。]?\s*(?:(?:but|aber|pero) )?/
const CANNOT =
  /^i(?:'m| am)? (?:really |simply |only |just |currently )?(?:can't|cannot|can not|(?:not )?(?:un)?able to|not allowed to|have no (?:way|access)|(?:don't|do not) have (?:[\w-]+ )?access|an? (?:[\w-]+ ){0,3}(?:ai|model|assistant)\b)|^(?:ich kann|kann ich) (?:\w+ ){0,4}(?:nicht|kein)|^no (?:puedo|tengo acceso)|^我(?:不能|无法|没办法)/
/** A refusal with a reason, or a search without result, tells something. */
const TELLING =
  /[:;–—] |, ?but | but |\b(?:because|since|until|unless|weil|porque|hasta)\b|因为|(?:not|'t|unable to) (?:find|see|locate|reach|reproduce|confirm|verify|recommend|connect|log in)\b/

/** The sentences of what a model said, without what it says only of itself and what it quotes of the question. */
export function sentencesBeyond(text: string): string[] {
  const sentences = sentencesOf(text.replaceAll(QUOTED_ASK, '$1"…"'))
  // "I'm the offline stand-in, and these are the things I understand:" goes with the list behind it.
  const list = sentences.findIndex((sentence) => sentence.endsWith(':') && RULES.test(fold(sentence)))
  return (list < 0 ? sentences : sentences.slice(0, list)).filter((sentence) => !isRefusal(sentence))
}

/** Whether a sentence of a model says only what the model is and cannot do. */
function isRefusal(sentence: string): boolean {
  const folded = fold(withoutOpeners(sentence)).trim()
  const bare = folded.replace(SORRY, '')
  return RULES.test(folded) || (CANNOT.test(bare) && !TELLING.test(bare))
}
