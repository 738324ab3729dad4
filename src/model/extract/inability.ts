import { either, words } from './cue-words.ts'
import { STATED } from './cues.ts'
import { fold } from './folding.ts'
import { sentencesOf } from './sentences.ts'
import { withoutOpeners } from './shorten.ts'

/** What the offline model says of itself; of what was asked, only a quotation. */
const RULES =
  /\bi(?: am|'m) (?:[\w'-]+ ){0,4}(?:offline model|set of rules)\b|\bnone of my rules fits?\b|`\/model` connects a|^connect a model with `\/model`|\bi may not use commands here\b|^(?:so )?nothing was looked up, tried|^if you meant something like that, say|^i (?:was given (?:this:|a task, but)|did not understand the rest:|recognise some requests|work as i should)|^say "help" for|^several at once work too|^go on\.?$|^in plain words, "save this"|^i (?:take you into|save|leave|report) (?:a|this) fork/
const QUOTED_ASK =
  /((?:none of my rules fits|I was given this:|I did not understand the rest:) )"[^\n]{0,170}?"(?=\.(?:\s|$))/g

const SORRY =
  /^(?:(?:i'm|i am|we're)? ?(?:so |very |really )?(?:sorry|afraid)(?: that)?|i apologi[sz]e|(?:my )?apologies|unfortunately|as an? (?:[\w-]+ ){0,3}(?:assistant|model|ai)|leider|es tut mir leid|tut mir leid|lo siento|desafortunadamente|lamentablemente|por desgracia|抱歉|对不起|很遗憾)[,.:;，。]?\s*(?:(?:but|aber|pero|however)\s+)?/
/** Beginning with the speaker: "the hotel is full, so I cannot book it" tells something else too. */
const CANNOT = either(
  words(
    "^(?:i|i'm) (?:really |simply |just |currently |still |also )?(?:can't|cannot|can not|am unable to|unable to|am not able to|not able to|am not allowed to|not allowed to|may not|am not permitted to|won't be able to|have no (?:way|access|ability|means|tools?)|(?:don't|do not) have (?:any |the |direct |real-time )?(?:access|ability|tools?|way|means|permission|information about|knowledge)|(?:don't|do not) know your|lack the|am (?:only |just )?(?:an?|the) (?:[\\w-]+ ){0,3}(?:ai|model|assistant|bot)|am (?:only |just )?an ai)",
    "^i'm (?:only |just )?an? (?:[\\w-]+ ){0,2}(?:ai|language model|assistant|bot)",
    "^(?:that|this)(?: is|'s) (?:beyond|outside)(?: of)? (?:what i|my)",
    '^(?:ich kann|kann ich) (?:\\w+ ){0,4}(?:nicht|kein(?:e|en)?)|^ich (?:habe|hab) (?:\\w+ )?keinen? (?:zugriff|zugang|moglichkeit)|^ich bin (?:nur )?ein (?:\\w+ )?(?:sprachmodell|assistent)',
    '^no (?:puedo|tengo (?:acceso|forma))|^solo soy un',
  ),
  /^(?:我(?:不能|无法|没办法|没有权限|只是一个))/,
)
/** Having looked and not found is a result. */
const FOUND_OUT = either(
  words(
    "^(?:i|i'm) (?:\\w+ )?(?:can't|cannot|can not|unable to|am unable to|am not able to|not able to) (?:recommend|find|see any|locate|reach|reproduce|confirm|verify|match|connect|log in|detect)",
    'because|since|until|unless|weil|bis|porque|hasta',
  ),
  /(?:因为|找不到)/,
)
const BETWEEN_CLAUSES = /[:;–—]\s+|\s-\s|[,，]\s*(?:(?:but|so|and|aber|pero)\s+)?|\s+but\s+/
const OF_ITSELF = /^(?:i|i'm|i've|as|which|or|if|you|so you|ich|yo|我)(?![a-z])/
const DID =
  /\bi(?:'ve| have)? (?:found|booked|sent|saved|wrote|set|put|added|noted|asked|called|checked)\b|\bi(?:'ll| will)\b/

/** Of a model's sentences, those that are not only about what it is and cannot do. */
export function withoutInability(sentences: readonly string[]): string[] {
  // "I am a set of rules, and this is what I can do:" goes with the list behind it.
  const list = sentences.findIndex((sentence) => sentence.endsWith(':') && RULES.test(fold(sentence)))
  const read = list < 0 ? sentences : sentences.slice(0, list)
  return read.filter((sentence) => !isInability(sentence))
}

/** The sentences of what a model said, without what it says only of itself and what it quotes of the question. */
export function sentencesBeyond(words: string): string[] {
  return withoutInability(sentencesOf(withoutQuotedAsk(words)))
}

/** Whether a sentence of a model's says only what the model is and cannot do. */
export function isInability(sentence: string): boolean {
  const folded = fold(withoutOpeners(sentence)).trim()
  if (RULES.test(folded)) return true
  const bare = folded.replace(SORRY, '')
  return CANNOT.test(bare) && !FOUND_OUT.test(bare) && !tellsMore(bare)
}

/** "I can't book it: the hotel is full." */
function tellsMore(bare: string): boolean {
  return bare
    .split(BETWEEN_CLAUSES)
    .slice(1)
    .some((clause) => DID.test(clause) || (STATED.test(clause) && !OF_ITSELF.test(clause)))
}

/** What was asked stands in the refusal once more, and is no sentence of the model's. */
export function withoutQuotedAsk(text: string): string {
  return text.replaceAll(QUOTED_ASK, '$1"…"')
}
