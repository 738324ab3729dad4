import type { Value } from '../../model/extract/signals.ts'

/** A number, a date or a code, in a form in which two ways of writing it are the same. */
export type Measure =
  | { readonly kind: 'time'; readonly minutes: number; readonly isHalfDay: boolean; readonly isRough?: true }
  | {
      readonly kind: 'date'
      readonly day: number | undefined
      readonly month: number | undefined
      readonly year: number | undefined
    }
  | { readonly kind: 'weekday'; readonly day: string }
  | { readonly kind: 'number'; readonly count: number; readonly unit: string; readonly isRough?: true }
  | { readonly kind: 'code'; readonly text: string }

const ROUGHLY =
  /(?:\b(?:about|around|roughly|approximately|circa|ca|nearly|almost|over|under|up to|at least|at most|more than|less than)\s+|~\s*)$/u

/** A value, and what stands before it. */
export function measureOf(value: Value, lead: string): Measure | undefined {
  const measure = exactly(value, lead)
  const isRough = ROUGHLY.test(lead) && (measure?.kind === 'time' || measure?.kind === 'number')
  return isRough ? { ...measure, isRough } : measure
}

function exactly({ kind, text }: Value, lead: string): Measure | undefined {
  switch (kind) {
    case 'time':
      return timeOf(text)
    case 'date':
      return dateOf(text)
    case 'weekday':
      return { kind: 'weekday', day: text.slice(0, 3) }
    case 'money':
    case 'amount':
      return countOf(text)
    case 'number':
      return /\b(?:at|until|till|around|by|from|before|after)\s+$/u.test(lead) &&
        /^\d{1,2}(?::\d\d)?$/.test(text)
        ? timeOf(text)
        : countOf(text)
    case 'code':
      return /^\d+(?:[.,]\d+)?k$/.test(text) ? countOf(text) : codeOf(text)
    case 'link':
    case 'path':
      return codeOf(text)
  }
}

function codeOf(text: string): Measure {
  return { kind: 'code', text: text.replaceAll(/[\s/-]/gu, '') }
}

function timeOf(text: string): Measure | undefined {
  const [, hours, minutes = '0', half] = /^(\d{1,2})(?:[:h.]?(\d\d))?\s*([ap])?/.exec(text) ?? []
  if (hours === undefined || Number(hours) > 24) return undefined
  const base = half === undefined ? Number(hours) : (Number(hours) % 12) + (half === 'p' ? 12 : 0)
  const isHalfDay = half === undefined && Number(hours) <= 12 && !/:/.test(text)
  return { kind: 'time', minutes: base * 60 + Number(minutes), isHalfDay }
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

function dateOf(text: string): Measure | undefined {
  const [, y, m, d] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []
  if (y !== undefined) return { kind: 'date', year: Number(y), month: Number(m), day: Number(d) }
  const [, day, month, year] = /^(\d{1,2})[./](\d{1,2})[./](\d{2,4})?$/.exec(text) ?? []
  if (day !== undefined)
    return {
      kind: 'date',
      day: Number(day),
      month: Number(month),
      year: year === undefined ? undefined : Number(year),
    }
  const named = MONTHS.findIndex((one) => new RegExp(String.raw`\b${one}|\d${one}`).test(text))
  const days = /(?<!\d)(\d{1,2})(?!\d)/.exec(text)?.[1]
  const years = /\b(\d{4})\b/.exec(text)?.[1]
  if (days === undefined && named < 0) return undefined
  return {
    kind: 'date',
    day: days === undefined ? undefined : Number(days),
    month: named < 0 ? undefined : named + 1,
    year: years === undefined ? undefined : Number(years),
  }
}

const UNITS: Readonly<Record<string, string>> = {
  '€': 'eur',
  euro: 'eur',
  eur: 'eur',
  $: 'usd',
  dollar: 'usd',
  usd: 'usd',
  buck: 'usd',
  '£': 'gbp',
  pound: 'gbp',
  quid: 'gbp',
  hour: 'h',
  hr: 'h',
  h: 'h',
  minute: 'min',
  min: 'min',
}

function countOf(text: string): Measure | undefined {
  const [digits] = /\d+(?:[.,:' \u00A0\u202F]\d+)*/u.exec(text) ?? []
  if (digits === undefined) return undefined
  const thousands = digits.replaceAll(/[.,' \u00A0\u202F](?=\d{3}(?!\d))/gu, '').replace(',', '.')
  const rest = text.replace(digits, '').trim()
  const isThousand = /^k\b/u.test(rest)
  const unit = rest
    .replace(/^k\b\s*/u, '')
    .replace(/s$/u, '')
    .replace(/^-/u, '')
  const count = Number(thousands) * (isThousand ? 1_000 : 1)
  return Number.isNaN(count) ? undefined : { kind: 'number', count, unit: UNITS[unit] ?? unit }
}

/** What two say of each other: `unknown` where they tell of different things. */
export type Likeness = 'same' | 'other' | 'unknown'

export function compareMeasures(a: readonly Measure[], b: readonly Measure[]): Likeness {
  const judged = a.flatMap((one) => {
    const likes = b.map((two) => compare(one, two)).filter((like) => like !== 'unknown')
    return likes.length === 0 ? [] : [likes.includes('same') ? ('same' as const) : ('other' as const)]
  })
  if (judged.length === 0) return 'unknown'
  return judged.includes('other') ? 'other' : 'same'
}

/** So much people mean by "about". */
const ROUGH_MINUTES = 60
const ROUGH_SHARE = 0.25

function compare(a: Measure, b: Measure): Likeness {
  if (a.kind === 'time' && b.kind === 'time') {
    const apart = Math.abs(a.minutes - b.minutes)
    if ((a.isRough || b.isRough) && apart <= ROUGH_MINUTES) return 'same'
    return apart === 0 || ((a.isHalfDay || b.isHalfDay) && apart === 12 * 60) ? 'same' : 'other'
  }
  if (a.kind === 'date' && b.kind === 'date') {
    const fields = (['day', 'month', 'year'] as const).filter(
      (field) => a[field] !== undefined && b[field] !== undefined,
    )
    if (fields.length === 0) return 'unknown'
    return fields.every((field) => a[field] === b[field]) ? 'same' : 'other'
  }
  if (a.kind === 'weekday' && b.kind === 'weekday') return a.day === b.day ? 'same' : 'other'
  if (a.kind === 'code' && b.kind === 'code') return isSameCode(a.text, b.text) ? 'same' : 'other'
  if (a.kind === 'number' && b.kind === 'number') {
    if (a.unit !== b.unit && a.unit !== '' && b.unit !== '') return 'unknown'
    const isNear = Math.abs(a.count - b.count) <= ROUGH_SHARE * Math.max(a.count, b.count)
    return a.count === b.count || ((a.isRough || b.isRough) && isNear) ? 'same' : 'other'
  }
  return 'unknown'
}

/** A phone number with the code of its country, and without. */
function isSameCode(a: string, b: string): boolean {
  const isPhone = [a, b].every((text) => /^\+?\d{7,}$/.test(text))
  return a === b || (isPhone && a.slice(-PHONE_DIGITS) === b.slice(-PHONE_DIGITS))
}
const PHONE_DIGITS = 7
