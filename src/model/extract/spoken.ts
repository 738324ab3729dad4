import { fold } from './folding.ts'
import { sentencesOf, withoutOpeners } from './sentences.ts'

/** At the start of a message: the host's tags, explanations, times, and headings of its blocks. */
const HOST_LINE =
  /^(?:\[(?:(?:routine|routine-bg|reminder|reminder-bg|webhook):[^\]\n]+|fork-started|fork-timeout|button|system|note from [^\]\n]+)\]|\((?:written by the host|you are a child|scheduled background run|background run;)[^\n]*\)|\[\d{4,}-\d\d-\d\d [^\]\n]*\]|RECENT BACKGROUND UPDATES[^\n]*|## Conversation History[^\n]*)\s*/u
/** Data was written by somebody else and may say anything. */
const DATA = /<data\b[^>\n]*>[\s\S]*?(?:<\/data>|$)/g
const CODE_BLOCK = /(^|\n)[ \t]*(```|~~~)[\s\S]*?(?:\n[ \t]*\2[^\n]*|$)/g
const UNSEEN = /[\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]|(?![\n\t])\p{Cc}/gu
const TABLE_LINE = /^[ \t]*\|.*$/gm
/** Markdown lists, headings and quotations. */
const LINE_MARK = /^[ \t]*(?:[-*+•]\s+|#{1,6}\s+|>+\s*|\d{1,2}[.)]\s+(?=\D))+/gm
const EMPHASIS = /(\*\*|__)(?=\S)([^\n]{0,200}?\S)\1/g
const LINK = /\[([^\]\n]{1,200})\]\((?:https?:)[^)\s]{1,400}\)/g

/** Per message: its beginning and its end. The middle of a longer one was pasted. */
const CHARACTERS_MAX = 24_000

/** A person's or a model's words, without the host's additions, code, tables and Markdown. */
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

/** Whether it looks like code, a log or a table rather than speech. */
export function isMachineText(sentence: string): boolean {
  if (LOG_LINE.test(sentence)) return true
  const signs = sentence.match(SIGN)?.length ?? 0
  return signs > 3 && signs * 8 > sentence.length
}

/** The offline model's sentences about itself; of the question it only repeats a quotation. */
const RULES =
  /\bi(?: am|'m) (?:[\w'-]+ ){0,4}offline (?:model|stand-in)\b|^a real model would answer|^to connect one, set its key|^connect a real model|^i couldn't do this task:|^say "help"|^i understood that, but the tool|^we're (?:not )?in a fork|^"save this", "report back"|^i'll (?:take you into|save|leave|report) (?:a fork|this)/
const QUOTED_ASK = /(I couldn't do this task: )"[^\n]{0,170}?"(?=\.(?:\s|$))/g
const SORRY =
  /^(?:(?:i'm |i am )?(?:so |very )?(?:sorry|afraid)|i apologi[sz]e|(?:my )?apologies|unfortunately|as an? (?:[\w-]+ ){0,3}(?:assistant|model|ai)|leider|(?:es )?tut mir leid|lo siento|lamentablemente|抱歉|对不起)[,.:;，。]?\s*(?:(?:but|aber|pero) )?/
const CANNOT =
  /^i(?:'m| am)? (?:really |simply |only |just |currently )?(?:can't|cannot|can not|(?:not )?(?:un)?able to|not allowed to|have no (?:way|access)|(?:don't|do not) have (?:[\w-]+ )?access|an? (?:[\w-]+ ){0,3}(?:ai|model|assistant)\b)|^(?:ich kann|kann ich) (?:\w+ ){0,4}(?:nicht|kein)|^no (?:puedo|tengo acceso)|^我(?:不能|无法|没办法)/
/** A refusal with a reason, or a search without result, does say something. */
const TELLING =
  /[:;–—] |, ?but | but |\b(?:because|since|until|unless|weil|porque|hasta)\b|因为|(?:not|'t|unable to) (?:find|see|locate|reach|reproduce|confirm|verify|recommend|connect|log in)\b/

/** A model's sentences, without those about itself and its quotations of the question. */
export function sentencesBeyond(text: string): string[] {
  const sentences = sentencesOf(text.replaceAll(QUOTED_ASK, '$1"…"'))
  // "I'm the offline stand-in, and these are the things I understand:" goes together with its list.
  const list = sentences.findIndex((sentence) => sentence.endsWith(':') && RULES.test(fold(sentence)))
  return (list < 0 ? sentences : sentences.slice(0, list)).filter((sentence) => !isRefusal(sentence))
}

/** Whether a model's sentence only says what the model is and cannot do. */
function isRefusal(sentence: string): boolean {
  const folded = fold(withoutOpeners(sentence)).trim()
  const bare = folded.replace(SORRY, '')
  return RULES.test(folded) || (CANNOT.test(bare) && !TELLING.test(bare))
}
