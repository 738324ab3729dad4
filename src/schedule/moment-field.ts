import { readDuration } from './duration.ts'
import { NOT_ALLOWED, type FieldType, type Read } from './field-type.ts'

/** When a reminder is due. Without an offset it is a time of the job's zone. */
export interface RunAt {
  /** `2026-08-01T09:00:00` */
  readonly local: string
  /** East of Greenwich; null: the zone says. */
  readonly offsetMinutes: number | null
}

const ISO = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?\s*(Z|[+-]\d\d:?\d\d)?$/i

export const runAtField: FieldType<RunAt> = {
  allowed: 'a date and a time, such as 2026-08-01T09:00 or 2026-08-01T09:00+02:00',
  read: (value) => (typeof value === 'string' ? readRunAt(value.trim()) : NOT_ALLOWED),
}

function readRunAt(text: string): Read<RunAt> {
  const [, year, month, day, hour, minute, second = '00', offset] = ISO.exec(text) ?? []
  if (year === undefined)
    return /^\d{4}-\d\d-\d\d$/.test(text) ? { because: 'the time of the day is missing' } : NOT_ALLOWED
  const date = `${year}-${month ?? ''}-${day ?? ''}`
  const local = `${date}T${hour ?? ''}:${minute ?? ''}:${second}`
  // The 30th of February is taken for the 2nd of March.
  const parsed = new Date(`${local}Z`)
  if (Number.isNaN(parsed.getTime()) || parsed.toISOString().slice(0, 19) !== local)
    return { because: 'there is no such date or time' }
  const offsetMinutes = offset === undefined ? null : minutesIn(offset)
  return offsetMinutes === undefined
    ? { because: `${offset ?? ''} is no offset` }
    : { value: { local, offsetMinutes } }
}

const OFFSET_MINUTES_MAX = 14 * 60

function minutesIn(offset: string): number | undefined {
  if (offset.toUpperCase() === 'Z') return 0
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(offset) ?? []
  const total = Number(hours) * 60 + Number(minutes)
  if (total > OFFSET_MINUTES_MAX || Number(minutes) > 59) return undefined
  return sign === '-' && total > 0 ? -total : total
}

/** What becomes of a firing that nobody was there for. */
export type CatchUp =
  | { readonly kind: 'skip' }
  | { readonly kind: 'once' }
  /** Once, if it was missed by less. */
  | { readonly kind: 'within'; readonly ms: number }

export const catchUpField: FieldType<CatchUp> = {
  allowed: 'skip, once, or a duration such as 1h or 90min',
  read: (value) => {
    const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
    if (word === 'skip' || word === 'once') return { value: { kind: word } }
    const ms = readDuration(word)
    return ms === undefined ? NOT_ALLOWED : { value: { kind: 'within', ms } }
  },
}
