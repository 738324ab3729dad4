import { fold } from '../../model/extract/folding.ts'
import { stemOf } from '../words/stem.ts'
import { bagOf, isUnknown, stemsIn, type Bag } from './bag.ts'
import type { Claim, Found } from './claim.ts'
import { clausesIn, type Clause } from './clauses.ts'
import { complementsIn } from './complements.ts'
import { occasionsIn } from './occasions.ts'
import { CALLED, RELATIONS } from './relations.ts'
import { toldIn, type Told } from './told.ts'
import { isFunctionalRole } from './word-classes.ts'

export function claimsIn(text: string): Claim[] {
  return clausesIn(text).flatMap((clause) => {
    const { isPersonal } = clause
    const isCertain = CERTAIN.test(clause.text)
    return claimsOf(clause).map((claim) => ({ ...claim, isPersonal, isCertain }))
  })
}

const CERTAIN = /\b(?:my|our|your|the)\s/iu

function claimsOf(clause: Clause): Found[] {
  const found = [
    ...related(clause),
    ...labelled(clause),
    ...stated(clause),
    ...apposed(clause),
    ...complementsIn(clause),
  ]
  const valued = found.filter(({ about }) => !isUnknown(about))
  const plain = plainOf(clause)
  const measured = toldIn(clause.text, { isWhole: true })
  const amounts =
    valued.length === 0 && measured.measures.length > 0 && clause.isHeld && !isUnknown(plain.about)
      ? [{ about: countedIn(clause, plain), told: measured, isHeld: true, ...occasionsOf(clause, measured) }]
      : []
  const isPlain = !isUnknown(plain.about) && plain.about.size > 0
  const status = STATUS.exec(clause.text)?.groups?.['status']
  return [
    ...valued,
    ...amounts,
    ...(isPlain ? listed(plain, clause.text) : []),
    ...(status === undefined ? [] : [{ about: bagOf(status), told: undefined, isHeld: clause.isHeld }]),
  ]
}

const OWNS = /^(?:(?:i|we|you)\s+)?(?:have|has|owns?)\s+\d+\s+(?<what>\p{L}+)$/iu

/** "We have 2 kids" is about kids, which else are only what is counted. */
function countedIn({ text }: Clause, { about }: Found): Bag {
  const what = about.size === 0 ? OWNS.exec(text)?.groups?.['what'] : undefined
  return what === undefined ? about : new Set(['@count', stemOf(fold(what))])
}

/** "Comes on Mondays": a day that alone is told is no occasion of anything else. */
function occasionsOf({ text }: Clause, { measures }: Told): Pick<Claim, 'occasions'> {
  const isDayTold = measures.every(({ kind }) => kind === 'weekday')
  return isDayTold ? {} : { occasions: occasionsIn(text) }
}

/** "Engaged to Priya" says that somebody is engaged. */
const STATUS =
  /^(?:(?:i am|i'm|you are|you're|we are|we're|is)\s+)?(?<status>married|engaged|divorced|separated|widowed|retired)\s+(?:to|since|from)\b/iu

function plainOf({ text, isHeld }: Clause): Found {
  const about = bagOf(text)
  const [subject] = /^(?:my|our|your|the|an?)\s/iu.test(text) ? stemsIn(about) : []
  const { measures } = toldIn(text, { isWhole: true })
  return { about, told: undefined, isHeld, measures, ...(subject !== undefined && { subject }) }
}

const LIST = /^(?<lead>.*?\b(?:to|like|likes|love|loves|eat|eats|drink|drinks))\s+(?<items>.+)$/iu

/** "Allergic to nuts and shellfish" says two things. */
function listed(plain: Found, text: string): Found[] {
  const { lead = '', items = '' } = LIST.exec(text)?.groups ?? {}
  const parts = items.split(/\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+/u).filter((part) => part !== '')
  if (parts.length < 2) return [plain]
  return parts.map((part) => ({ ...plain, about: bagOf(`${lead} ${part}`) }))
}

/** "Lives in Porto", "works at Acme". */
function related({ text, isHeld, isLower }: Clause): Found[] {
  for (const { name, pattern, manner } of RELATIONS) {
    const match = pattern.exec(text)
    const { object } = match?.groups ?? {}
    if (match === null || object === undefined) continue
    const about = bagOf(text.slice(0, match.index)).union(new Set([name]))
    const [what, ...not] = apart(object, name === '@prefer' ? PREFERRED : INSTEAD)
    const isName = manner === 'name'
    const valueOf = (words: string): Told => toldIn(words, { isName, isLower, isFull: !isName })
    return [
      { about, told: valueOf(what), isHeld },
      ...not.map((words) => ({ about, told: valueOf(words), isHeld: !isHeld })),
    ]
  }
  return []
}

const LABEL = /^(?<label>\p{L}[\p{L}\p{N}'’ /&-]{0,48}?)\s*(?:\([^)]*\))?\s*(?::|=|→|->)\s+(?<value>\S.*)$/u
const LABEL_WORDS_MAX = 5

/** "Dentist: Dr. Ono". */
function labelled({ text, isHeld }: Clause): Found[] {
  const { label = '', value = '' } = LABEL.exec(text)?.groups ?? {}
  if (label === '' || label.split(/\s+/u).length > LABEL_WORDS_MAX) return []
  return telling(subjectOf(label), value, isHeld)
}

const STATED =
  /^(?<subject>.+?)\s+(?:is|are|will be|remains)\s+(?:(?:now|currently|still|actually|always)\s+)*(?:(?:called|named)\s+)?(?<value>\S.*)$/iu
const SUBJECT_WORDS_MAX = 7
const NO_SUBJECT =
  /^(?:i|you|we|it|that|this|there|here|he|she|they|what|who|which|one|everything|nothing)$/iu
const OWNED = /^(?:my|our|your|the)\s+(?<noun>[\p{L}'’ -]{2,40})$/iu

/** "My dentist is Dr. Kim", "Dr. Kim is my dentist". */
function stated({ text, isHeld }: Clause): Found[] {
  const { subject = '', value = '' } = STATED.exec(text)?.groups ?? {}
  if (subject === '' || NO_SUBJECT.test(subject) || subject.split(/\s+/u).length > SUBJECT_WORDS_MAX)
    return []
  const { noun } = OWNED.exec(value)?.groups ?? {}
  const named = toldIn(subject, {})
  if (noun !== undefined && named.names.length > 0 && !/^(?:my|our|your|the)\s/iu.test(subject))
    return [{ about: bagOf(noun), told: named, isHeld }]
  return telling(subjectOf(subject), value, isHeld)
}

const OWN_NAME: Bag = new Set(['name'])

/** "My name": a name says nothing of whose it is, but alone it is the person's. */
function subjectOf(words: string): Bag {
  const about = bagOf(words)
  return about.size === 0 && /\bname$/iu.test(words) ? OWN_NAME : about
}

function telling(about: Bag, value: string, isHeld: boolean): Found[] {
  if (about.size === 0 || isUnknown(about)) return []
  const [what, ...not] = apart(value)
  const called = CALLED.exec(what)?.groups?.['name']
  return [
    { about, told: toldIn(called ?? what, {}), isHeld },
    ...not.map((words) => ({ about, told: toldIn(words, {}), isHeld: !isHeld })),
  ]
}

const APPOSED =
  /\b(?:[Mm]y|[Oo]ur|[Yy]our)\s+(?<role>\p{Ll}+),?\s+(?<name>(?:(?:Dr|Mr|Mrs|Ms|Prof|Herr|Frau)\.?\s+)?\p{Lu}[\p{L}'’-]+(?:\s+\p{Lu}[\p{L}'’-]+)*)/gu

/** "My doctor, Dr. Weiss, says…". */
function apposed({ text }: Clause): Found[] {
  return Array.from(text.matchAll(APPOSED)).flatMap(({ groups }) => {
    const { role = '', name = '' } = groups ?? {}
    return isFunctionalRole(fold(role)) ? [{ about: bagOf(role), told: toldIn(name, {}), isHeld: true }] : []
  })
}

const INSTEAD = /[,(]?\s*\b(?:not|instead of|rather than|no longer|formerly|previously|over)\s+/iu

const PREFERRED = new RegExp(`${INSTEAD.source}|\\s+to\\s+`, 'iu')

/** "Tea, not coffee": what it is, and what it is not. */
function apart(value: string, instead = INSTEAD): [string, ...string[]] {
  const at = instead.exec(value)
  if (at === null || at.index === 0) return [value]
  return [value.slice(0, at.index), value.slice(at.index + at[0].length).replace(/\)$/u, '')]
}
