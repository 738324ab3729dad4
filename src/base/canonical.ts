import type { Json } from './json.ts'

/**
 * JSON without spaces, the keys of every object in order of their UTF-16 code units, as RFC 8785 has it: equal values
 * give equal texts, here and in any other program. Half of a surrogate pair is written as an escape, so the text
 * survives UTF-8.
 */
export function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  let members = ''
  // Written one by one: an object would put keys that look like numbers first, whatever order it was given.
  for (const key of Object.keys(value).toSorted()) {
    const inner = value[key]
    if (inner === undefined) continue
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(inner)}`
  }
  return `{${members}}`
}

/** The value with every half of a surrogate pair replaced: such text has no bytes, and receivers refuse it. */
export function wellFormed(value: Json): Json {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (isArray(value)) return value.map(wellFormed)
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)]),
  )
}

function isArray(value: object): value is readonly Json[] {
  return Array.isArray(value)
}
