export type Json = string | number | boolean | null | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/** Deeper than anybody writes by hand, and shallow enough for every reader that calls itself. */
const DEPTH_MAX = 100

/** True for a value that comes back the same from JSON text. */
export function isJson(value: unknown, depth = 0): value is Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0)
  if (depth >= DEPTH_MAX) return false
  return Array.isArray(value) ? value.every((entry) => isJson(entry, depth + 1)) : isJsonObject(value, depth)
}

export function isJsonObject(value: unknown, depth = 0): value is JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  return Object.values(value).every((entry) => isJson(entry, depth + 1))
}

/** What others sent, as text. Nested by the ten thousand, it would overflow the stack, so only that is said. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch (error) {
    if (error instanceof RangeError) return '(nested too deeply to be shown)'
    throw error
  }
}

/** The value of a JSON text; undefined for any other text. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
