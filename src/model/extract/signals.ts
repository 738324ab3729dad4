import { fold } from './folding.ts'

/** A value in a sentence; its kind says what can replace it. */
export interface Value {
  readonly kind: (typeof VALUE_KINDS)[number]
  readonly text: string
}
const VALUE_KINDS = ['link', 'path', 'date', 'weekday', 'time', 'money', 'amount', 'code', 'number'] as const

const MONTH =
  'jan(?:uary|uar|ner)?|feb(?:ruary|ruar)?|mar(?:ch|z)?|apr(?:il)?|may|mai|june?|juni|july?|juli|aug(?:ust)?|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre'
const WEEKDAY =
  'mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|tue|wed|thu|thurs|fri|montags?|dienstags?|mittwochs?|donnerstags?|freitags?|samstags?|sonntags?|lunes|martes|miercoles|jueves|viernes|sabados?|domingos?|(?:next|this) (?:week(?:end)?|month|year)|weekdays|weekends|easter|christmas|ostern|weihnachten|(?:周|星期|礼拜)[一二三四五六日天]'
const UNIT =
  'k?g|mg|km|c?m|ms|kwh|gb|mb|tb|l|ml|hours?|hrs?|h|minutes?|mins?|seconds?|s|days?|weeks?|months?|years?|nights?|people|persons?|guests?|kids|children|percent|degrees|pages|words|miles|rooms?|sqm|times|uhr|stunden?|minuten|tage?n?|wochen?|monate?n?|jahre?n?|personen|prozent|dias|horas|semanas|meses|anos|personas|noches|公斤|公里|个|人|天|晚|年|岁|小时|分钟|月'
const MONEY = String.raw`[€$£¥]|euros?|eur|usd|dollars?|bucks|pounds?|quid|cents?|chf|francs?|yuan|pesos|元|块|欧元`
const NUMBER = String.raw`\d+(?:[.,:' \u00A0\u202F]\d+)*`

const VALUE = new RegExp(
  [
    String.raw`(?<link>\b(?:https?|ftp|s3|ssh|git):\/\/[^\s<>"')\]]+|\bwww\.[^\s<>"')\]]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+)`,
    String.raw`(?<path>(?:~|\.{1,2})?\/[\w.@-]+(?:\/[\w.@-]+)+|\b[\w@-]+(?:\/[\w.@-]+)+\.\w+|\b[\w-]+\.(?:tsx?|jsx?|py|rs|go|java|sql|json|ya?ml|md|pdf|docx?|xlsx?|csv|png|jpe?g|sh|txt|html|css)\b|\b[a-z]\w*\(\)|\b[a-z]+(?:_[a-z0-9]+)+\b)`,
    String.raw`(?<date>\b\d{4}-\d\d-\d\d\b|\d{1,4}年(?:\d{1,2}月(?:\d{1,2}[日号])?)?|\d{1,2}月(?:\d{1,2}[日号])?|\b\d{1,2}(?:st|nd|rd|th|\.)?(?: ?[-–to]+ ?\d{1,2}(?:st|nd|rd|th|\.)?)?(?: of| de)? ?(?:${MONTH})\b(?: \d{4}\b)?|\b(?:${MONTH})\.? \d{1,2}(?:st|nd|rd|th)?\b(?:,? \d{4}\b)?|\b(?:0?[1-9]|[12]\d|3[01])[./](?:0?[1-9]|1[0-2])[./](?:\d{4}|\d\d)?(?!\d)|\b\d{1,2}(?:st|nd|rd|th)\b)`,
    String.raw`(?<weekday>\b(?:${WEEKDAY})(?![a-z])|(?:周|星期)[一二三四五六日天])`,
    String.raw`(?<time>\b\d{1,2}[:h]\d\d\b(?: ?[ap]\.?m\b)?|\b\d{1,2} ?(?:[ap]\.?m\b|uhr\b|o'clock\b)|[上下]午\d{1,2}[点點](?:半|\d+分)?|\d{1,2}[点點](?:半|\d+分)?)`,
    String.raw`(?<money>[€$£¥] ?${NUMBER}(?: ?k\b)?|\b${NUMBER} ?(?:k )?(?:${MONEY})(?![a-z]))`,
    String.raw`(?<amount>${NUMBER} ?%|\b${NUMBER}[ -]?(?:${UNIT})(?![a-z]))`,
    String.raw`(?<code>#\d+|\+?\d[\d \-/]{7,}\d|\b(?=[a-z-]*\d)(?=[\d-]*[a-z])[a-z\d]+(?:-[a-z\d]+)*\b|\b\d{5,}\b|\b\d+\/\d+\b)`,
    String.raw`(?<number>${NUMBER})`,
  ].join('|'),
  'gu',
)
const MAY_HAVE_VALUE = new RegExp(String.raw`[\d/@_(]|\b(?:${WEEKDAY})\b|(?:周|星期)`)

/** The values in folded text, in their order. */
export function valuesIn(folded: string): Value[] {
  return placedIn(folded).map(({ kind, text }) => ({ kind, text }))
}

function placedIn(folded: string): (Value & { readonly from: number })[] {
  if (!MAY_HAVE_VALUE.test(folded)) return []
  return Array.from(folded.matchAll(VALUE), ({ groups = {}, 0: text, index }) => {
    const kind = VALUE_KINDS.find((kind) => groups[kind] !== undefined) ?? 'number'
    return { kind, text: text.trim(), from: index }
  })
}

const NOUN = /(\p{L}[\p{L}'-]*|\p{Script=Han}) ?(?:(?:no|nr|num|number|nummer|numero)\b\.? ?)?#?$/u
/** After these words a number is a value that can change, not the name of a thing. */
const LEADING = new Set(
  `is are was were be to at on in from by for of with about around over under until till since than now costs cost need
  needs betragt want wants take takes pay pays paid owe owes weighs has have had get gets got only just another more and or a the
  budget price rent fee deposit salary total limit password code pin port ist sind war kostet um am bis ab fur mit von auf
  es son era cuesta de en a la las por`.split(/\s+/),
)

/** `invoice 4758`, `room 12`: a number right after a noun names a thing. Two such numbers are never a changed value. */
export function labelsIn(folded: string): Set<string> {
  const labels = new Set<string>()
  for (const { kind, text, from } of placedIn(folded)) {
    if (kind !== 'number' && kind !== 'code') continue
    const noun = NOUN.exec(folded.slice(Math.max(0, from - 40), from))?.[1]
    if (noun === undefined ? from === 0 && kind === 'code' : !LEADING.has(noun))
      labels.add(`${noun ?? ''} ${text.replace('#', '')}`)
  }
  return labels
}

const CAPITALISED = /(?<=[^.!?\n]\s["'“„«(]*)\p{Lu}[\p{L}'’-]*(?![\p{L}\p{N}])/gu
const QUOTED = /["“„«「『《]([^"”“»」』》\n]{2,40})["”“»」』》]/gu
const NO_NAME = new RegExp(
  String.raw`^(?:i(?:'\w+)?|ok|okay|yes|no|lol|haha|the|a|an|and|but|so|oh|hi|hey|hello|thanks|${WEEKDAY}|${MONTH}|english|german|spanish|french|info|warn|error|api|sql|ui|http|url|json|css|html|npm|pr)$`,
)

/** Names of people, places and things: capitals within a sentence, and quoted words. Folded. */
export function namesIn(text: string): Set<string> {
  const capitals = (text.match(CAPITALISED) ?? []).map(nameOf).filter((name) => name !== '')
  return new Set([...capitals, ...Array.from(text.matchAll(QUOTED), ([, quoted = '']) => fold(quoted))])
}

/** Folded; empty for a capital that names nothing. */
function nameOf(word: string): string {
  const folded = fold(word).replace(/'s?$/, '')
  return NO_NAME.test(folded) ? '' : folded
}
