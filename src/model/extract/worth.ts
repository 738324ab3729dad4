import { folded } from '../../recall/words/stem.ts'
import { isStopWord } from '../../recall/words/stop-words.ts'
import { wordsIn } from '../../recall/words/words.ts'

export type Who = 'user' | 'assistant' | 'tool' | 'note'

/** What a sentence tells and what it is for, as a number. A person's words count most: a model can often repeat its own. */
export function worthOf(said: string, who: Who | undefined): number {
  const text = cueText(said)
  const numbers = new Set(text.match(NUMBER)).size
  const values = new Set(text.match(VALUE)).size
  const isPromise = (who === 'assistant' ? OWN_PROMISE : PROMISED).test(text)
  const isOpenPoint = who !== 'assistant' && (MARKED.test(said) || OPEN.test(text))
  const isForLater = DECIDED.test(text) || isPromise || isOpenPoint
  const worth =
    Math.min(4, numbers + 1.2 * values + (numbers > 0 ? 0.5 : 0)) +
    Math.min(3.6, 1.2 * namesIn(said).size) +
    (isForLater ? 3.3 : 0) +
    (NEEDS.test(text) ? 3.5 : 0) +
    (OWN.test(text) ? 1.2 : 0) +
    (STATED.test(text) ? 0.8 : 0)
  return who === 'assistant' ? worth * (isForLater ? 0.3 : 0.1) : worth
}

/** Whatever has a digit, and days of the week. */
const NUMBER =
  /[\p{L}\p{Sc}#+/.:_-]*\d[\p{L}\p{N}.,:%/_-]*|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:mon|diens|donners|frei|sams|sonn)tag\b|\b(?:lunes|martes|miercoles|jueves|viernes)\b|[周期][一二三四五六日天]/gu
/** Addresses, prices, times, codes, dates: every story has numbers, few have these. */
const VALUE =
  /[\p{L}\p{N}][\p{L}\p{N}.-]*[@/_][\p{L}\p{N}@/_.-]+|[€$£¥] ?\d[\d.,]*k?|\d[\d.,]* ?(?:[€$£¥元块]|(?:euros?|usd|dollars?|pounds?|chf)\b)|\d+[:./-]\d[\d:./-]*|(?=\p{L}*\d)[\p{L}\d-]*\p{L}[\p{L}\d-]*|\d+,\d{3}|\d{4,}|\d{1,2}(?:st|nd|rd|th|\.)?(?: (?:de|of))? ?(?:jan|feb|mar|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz]|ene|abr|ago|dic|月|日)\p{L}*/gu
const NAME =
  /(?<=[^.!?\n]\s["'“„«(]*)\p{Lu}[\p{L}'’-]*(?![\p{L}\p{N}])|["“„«「『《][^"”“»」』》\n]{2,40}["”“»」』》]/gu

/** Names of people, places and things: capitals within a sentence, and quoted words. */
export function namesIn(text: string): Set<string> {
  return new Set((text.match(NAME) ?? []).filter((name) => !/^(?:I(?:['’]\w+)?|OK)$/.test(name)).map(folded))
}

const MARKED = /[?？؟][?!？！؟"'”’»)\]*_\s]*$/u
/** People leave out the question mark. A statement seldom begins like this. */
const ASKING =
  /^(?:(?:so|and|but|also),? )?(?:(?:who|what|when|where|why|how|which)(?:'s| (?:is|are|was|were|do|does|did|can|could|should|would|will|to|long|much|many|often|about))|(?:can|could|do|does|did|is|are|should|shall|would|will) (?:you|i|we|it|there|they|he|she|the|my|that|this))\b/iu

export function isQuestion(sentence: string): boolean {
  return MARKED.test(sentence) || ASKING.test(sentence)
}

/** Whether it says that nobody knows something yet. */
export function isOpen(text: string): boolean {
  return OPEN.test(cueText(text))
}

export function isOffline(sentence: string): boolean {
  return sentence.includes('offline stand-in')
}

/** Whether a model's sentence only says what the model is and cannot do. */
export function isAboutItself(sentence: string): boolean {
  const text = cueText(sentence)
  return isOffline(text) || (REFUSED.test(text) && !TELLING.test(text))
}

/** Terms of a text, as recall has them, without stop words; `1,800` is `1800`, and `3pm` is `3 pm`. */
export function wordsOf(text: string): Set<string> {
  const plain = text.replaceAll(/(?<=\d)[.,'](?=\d{3}(?!\d))/g, '').replaceAll(/(?<=\d)(?=[ap]m\b)/gi, ' ')
  const words = wordsIn(plain)
  const telling = words.filter(({ typed }) => !isStopWord(typed))
  // If there are no other words, these are meant.
  return new Set((telling.length > 0 ? telling : words).map(({ term }) => term))
}

function cueText(text: string): string {
  return folded(text).replaceAll(/[’‘]/g, "'")
}

/** Words that reveal a purpose, in folded text: English, German and Spanish; then Chinese, which has no word boundaries. */
function cue(spaced: string, unspaced: string): RegExp {
  const alternatives = spaced.trim().split(/\s*\n\s*/)
  return new RegExp(String.raw`\b(?:${alternatives.join('|')})\b|${unspaced}`)
}

const DECIDED = cue(
  String.raw`decided|decision is|settled|agreed|the plan is|approved|booked|ordered|hired|enrolled|signed up|cancel(?:l?ed)?
  rejected|root cause|turns out|it is|no going back|after all|in the end|for good|called off|off the table|gets? the job
  (?:go|going|went|stick|sticking|stay|staying) (?:with|for|to)|^(?:dropped|picked|chose|kept|accepted|cutting|passed on)
  (?:we|i|they) (?:\w+ )?(?:chose|picked|accepted|declined|bought|sold|rented|quit|dropped)|let'?s|(?:we|i) won't
  (?:i'll|we'll|i will|we will) (?:take|use|keep|do)|(?:i'm|we're|we are|i am) (?:not|taking|keeping|dropping|selling|buying)
  entschieden|beschlossen|vereinbart|gebucht|abgesagt|steht fest|wir (?:nehmen|machen|bleiben)|ich nehme
  decidido|decidimos|acordado|reservado|cancelado|contratamos|elegimos|quedamos en|vamos con|al final`,
  '决定|決定|说好|选了|定了|预订|订了|不要了|买了|就用',
)
const PROMISED = cue(
  String.raw`promis(?:e|ed)|remind (?:me|him|her|them)|reminder|(?:not|n'?t) (?:to )?forget|deadline|to-?do|make sure|must
  is due|due (?:on|by)|i should|(?:have|has|needs?|offered|supposed) to|versproche?n?|versprech\w*|erinner\w*
  nicht vergessen|muss|mussen|bis (?:zum|ende|montag|dienstag|mittwoch|donnerstag|freitag)|promet\w*|recuerdame
  no olvid\w*|(?:tengo|tenemos|hay) que`,
  '记得|答应|提醒|必须|别忘',
)
/** What a model says others must do is advice; only this is a promise of its own. */
const OWN_PROMISE = cue(`i'll|i will|i'm going to|i've set|remind you|ich werde|voy a`, '我会|提醒你')
/** A need or a refusal. */
const NEEDS = cue(
  String.raw`allerg\w*|intoleran\w*|prefer\w*|hates?|dislikes?|favou?rite|would rather|vegetarian\w*|vegan\w*|gluten|seasick
  (?:can'?t|cannot|don'?t|doesn'?t|never|always|please) (?:stand|eat|drink|like|suggest|use|call|book|write|send|ask|schedule|no|keep|do)
  afraid of|please (?:never|don'?t|always|only)|mag kein\w*|lieber|hasse|vertragt?|prefier[oe]|odio|no me gusta
  alergic[oa]|no (?:como|bebo)`,
  '过敏|不吃|不喝|喜欢|讨厌|最爱',
)
/** A person or thing of the speaker's own. */
const OWN = cue(
  String.raw`(?:my|our|his|her|their|mein\w*|unser\w*|mi|mis|nuestr\w*) \w+|(?:i'?m|i am) (?:an?|from|at|in)|called|named|birthday
  born|married|(?:i|we|he|she|they|who) (?:live|work|run|owe|own|love|like)s?|used to|password|code|address|phone|important
  i want(?:ed)? to|heisst|wohn[et]|arbeite[tn]?|geburtstag|se llama|me llamo|viv[eo]|trabaj[ao]|me gusta|ich mag`,
  '我叫|我的|我们的|住在|生日|地址|电话|密码',
)
/** A state, not a single event. */
const STATED =
  /\b(?:is|are|has|costs?|starts?|ends?|needs?|wants?|lives|works|ist|sind|hat|kostet|es|son|tiene|cuesta)\b/
/** Nobody knows it yet. */
const OPEN = cue(
  String.raw`(?:not|n't|nobody|no one) (?:\w+ )?(?:sure|decided?|verified|reach|is|clear|certain|settled|told|know|ask(?:ed)?|yet)
  (?:not|n't|nobody|no one) (?:\w+ )?(?:find|found|check(?:ed)?|heard)|undecided|unclear|unsure|dunno|no (?:idea|clue|answer)
  beats me|who knows|still (?:open|thinking|waiting|nobody)|wonder(?:ing)?|split|back and forth|depends|not now|later
  (?:got to|gotta|have to|need to|must) (?:decide|ask|find out|talk to)|i(?:'ll| will) (?:check|ask|look)
  keine ahnung|noch (?:offen|nicht)|unklar|weiss (?:es |ich |das )?nicht|todavia no|aun no|pendiente|no (?:lo )?se|ni idea|ya veremos`,
  '不知道|不清楚|不确定|还没|没决定|待定|再说|再看',
)
const REFUSED =
  /^(?:i'm |i am )?(?:so |very )?(?:sorry|afraid)\b|^(?:my apologies|unfortunately|as an? [\w -]{0,40}(?:assistant|model|ai)\b|leider|(?:es )?tut mir leid|lo siento|抱歉|对不起)|^i(?:'m| am)? (?:can't|cannot|(?:not |un)able|not allowed|(?:do not|don't) have)\b|^(?:ich kann nicht|no puedo)\b|^我(?:不能|无法)/
/** A reason, or a search without result, does say something. */
const TELLING =
  /[:;–—] |, ?but (?!i (?:can|am|'m))|\b(?:because|since|until|unless|weil|porque)\b|因为|(?:not|'t|unable to) (?:find|see|reach|reproduce|confirm|verify|recommend|connect)\b/
