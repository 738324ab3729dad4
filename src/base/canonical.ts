import type { Json } from './json.ts'

/** JSON with the keys of every object in order: equal values give equal texts. */
export function canonicalJson(value: Json): string {
  return JSON.stringify(value, (_, inner: unknown) => (isPlain(inner) ? sorted(inner) : inner))
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sorted(value: Record<string, unknown>): Record<string, unknown> {
  const keys = Object.keys(value)
  if (keys.every((key, index) => index === 0 || (keys[index - 1] as string) <= key)) return value
  return Object.fromEntries(keys.toSorted().map((key) => [key, value[key]]))
}
