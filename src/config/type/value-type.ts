import { z } from 'zod'
import type { Json } from '../../base/json.ts'

/** A kind of value: how a file holds it, how a text spells it, and what a person is told that may stand there. */
export interface ValueType<Value> {
  /** Takes the JSON of a file, gives the value. */
  readonly schema: z.ZodType<Value>
  /** Ends the sentence "write …". */
  readonly allowed: string
  /** The JSON that a text of the environment or of a command means; what it cannot read, `schema` refuses. */
  fromText(text: string): Json
  /** The text that means this value. */
  toText(value: Value): string
  /** What was probably meant by JSON that is refused: a word to write in its place. */
  meant?(json: Json): string | undefined
  /** What is wrong where in JSON that is refused, without any value that could be a secret; in place of `allowed`. */
  problem?(json: Json): string | undefined
}

/** A value whose text is itself. */
export const asWritten = {
  fromText: (text: string): Json => text.trim(),
  toText: (value: string): string => value,
}

/** A schema for texts that `read` understands. */
export function readBy<Value>(read: (text: string) => Value | undefined) {
  return (text: string, context: z.RefinementCtx): Value => {
    const value = read(text)
    if (value !== undefined) return value
    context.addIssue({ code: 'custom' })
    return z.NEVER
  }
}

interface Range {
  readonly min: number
  readonly max: number
}

export function whole({ min, max }: Range): ValueType<number> {
  return {
    schema: wholeSchema({ min, max }),
    allowed: `a whole number from ${min} to ${max}`,
    fromText: numberFromText,
    toText: String,
  }
}

export function decimal({ min, max }: Range): ValueType<number> {
  return {
    schema: z.number().min(min).max(max).overwrite(withoutSignOfZero),
    allowed: `a number from ${min} to ${max}`,
    fromText: numberFromText,
    toText: String,
  }
}

/** One of a few words. */
export function oneOf<const Word extends string>(words: readonly [Word, ...Word[]]): ValueType<Word> {
  return { schema: z.enum(words), allowed: words.join(' or '), ...asWritten }
}

export const yesOrNo: ValueType<boolean> = {
  schema: z.boolean(),
  allowed: 'yes or no (in config.json: true or false)',
  fromText: (text) => {
    const word = text.trim().toLowerCase()
    if (/^(?:yes|true|on|1)$/.test(word)) return true
    return /^(?:no|false|off|0)$/.test(word) ? false : word
  },
  toText: (value) => (value ? 'yes' : 'no'),
}

/** A list such as `1000,5000,30000`. */
export function wholes({
  min,
  max,
  countMax,
}: Range & { readonly countMax: number }): ValueType<readonly number[]> {
  return {
    schema: z.array(wholeSchema({ min, max })).min(1).max(countMax),
    allowed: `1 to ${countMax} whole numbers from ${min} to ${max}, separated by commas (in config.json: an array)`,
    fromText: (text) => listFromText(text, numberFromText),
    toText: (value) => value.join(','),
  }
}

/** Means something where the whole configuration is written. */
export const OR_NONE = ', or none (in config.json: null)'

/** The same, or nothing: `none` as a text, null in a file. */
export function orNone<Value>(type: ValueType<Value>): ValueType<Value | null> {
  return {
    schema: type.schema.nullable(),
    allowed: `${type.allowed}${OR_NONE}`,
    fromText: (text) => (isNone(text) ? null : type.fromText(text)),
    toText: (value) => (value === null ? NONE : type.toText(value)),
    ...(type.meant && { meant: (json: Json) => type.meant?.(json) }),
    ...(type.problem && { problem: (json: Json) => type.problem?.(json) }),
  }
}

const SECRET_LENGTH_MAX = 10_000

/** A key that goes into a header of a request, so it holds nothing that would end the header. */
export const secret: ValueType<string> = {
  schema: z
    .string()
    .max(SECRET_LENGTH_MAX)
    .regex(/^[!-~]+$/),
  allowed: 'the key as the provider gave it, without spaces',
  ...asWritten,
}

export const webAddress: ValueType<string> = {
  schema: z.string().refine((text) => /^https?:\/\//i.test(text) && isAddress(text)),
  allowed: 'a URL that starts with http:// or https://, without a user name or password',
  ...asWritten,
  meant: (json) => (typeof json === 'string' && isAddress(`https://${json}`) ? `https://${json}` : undefined),
}

/** As OLLAMA_HOST has it: the scheme and the port may be missing. */
export const hostAddress: ValueType<string> = {
  schema: z.string().refine((text) => isAddress(/^https?:\/\//i.test(text) ? text : `http://${text}`)),
  allowed: 'an address such as http://127.0.0.1:11434 or 127.0.0.1:11434, without a user name or password',
  ...asWritten,
}

const NONE = 'none'

export function isNone(text: string): boolean {
  return text.trim().toLowerCase() === NONE
}

/** `a,b` is a list, and so is `["a", "b"]`, as config.json has it. */
export function listFromText(text: string, one: (part: string) => Json): Json {
  return arrayIn(text) ?? text.split(',').map(one)
}

/** Undefined also for what only begins as an array does, such as the host `[::1]:8080`. */
function arrayIn(text: string): readonly Json[] | undefined {
  if (!text.trim().startsWith('[')) return undefined
  try {
    const json = JSON.parse(text) as Json
    return Array.isArray(json) ? json : undefined
  } catch {
    return undefined
  }
}

function wholeSchema({ min, max }: Range) {
  return z.int().min(min).max(max).overwrite(withoutSignOfZero)
}

export function numberFromText(text: string): number | string {
  const trimmed = text.trim()
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : trimmed
}

function withoutSignOfZero(value: number): number {
  return value + 0
}

function isAddress(text: string): boolean {
  if (/[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) return false
  const { hostname, username, password } = new URL(text)
  return hostname !== '' && username === '' && password === ''
}
