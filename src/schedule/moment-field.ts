import { readIso } from '../base/iso-time.ts'
import { readDuration } from '../base/span.ts'
import { NOT_ALLOWED, type FieldType } from './field-type.ts'

/** When a reminder is due, as ISO text. Without an offset it is a time of the job's zone. */
export const runAtField: FieldType<string> = {
  allowed: 'a date and a time, such as 2026-08-01T09:00 or 2026-08-01T09:00+02:00',
  read: (value) => {
    const iso = typeof value === 'string' ? readIso(value) : undefined
    if (iso === undefined || 'because' in iso) return iso ?? NOT_ALLOWED
    if (iso.unit === 'minute' || iso.unit === 'second') return { value: iso.text }
    return iso.unit === 'day' ? { because: 'the time of day is missing' } : NOT_ALLOWED
  },
}

/** What happens to a firing that was missed. */
export type CatchUp =
  | { readonly kind: 'skip' }
  | { readonly kind: 'once' }
  /** Once, if it was missed by less. */
  | { readonly kind: 'within'; readonly ms: number }

const CATCH_UP_MS_MAX = 3_660 * 86_400_000

export const catchUpField: FieldType<CatchUp> = {
  allowed: 'skip, once, or a duration such as 1h or 90min',
  read: (value) => {
    const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
    if (word === 'skip' || word === 'once') return { value: { kind: word } }
    const ms = readDuration(word)
    return ms === undefined || ms > CATCH_UP_MS_MAX ? NOT_ALLOWED : { value: { kind: 'within', ms } }
  },
}
