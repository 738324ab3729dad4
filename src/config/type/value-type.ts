import { z } from 'zod'
import { type Json, parsedJson } from '../../base/json.ts'
import { readDuration } from '../../base/span.ts'

/** A kind of value: its form in a file, its form in a text, and the words that say what is allowed. */
export interface ValueType<Value> {
  /** Turns the JSON of a file into the value. */
  readonly schema: z.ZodType<Value>
  /** Ends the sentence "write …". */
  readonly allowed: string
  /** What a number in config.json counts, which shows other units: `milliseconds`. */
  readonly unit?: string
  /** The JSON for a text from the environment or a command; `schema` refuses what it cannot read. */
  fromText(text: string): Json
  /** The text that means this value. */
  toText(value: Value): string
  /** A valid value that was probably meant by refused JSON. */
  meant?(json: Json): string | undefined
  /** What is wrong with refused JSON, and where, without values, which may be secrets; shown instead of `allowed`. */
  problem?(json: Json): string | undefined
}

/** A text that is its own value. */
export function written<Word extends string>(schema: z.ZodType<Word>, allowed: string): ValueType<Word> {
  return { schema, allowed, fromText: (text) => text.trim(), toText: (value) => value }
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

export function whole(range: Range): ValueType<number> {
  return numeric('a whole number', z.int(), range)
}

export function decimal(range: Range): ValueType<number> {
  return numeric('a number', z.number(), range)
}

function numeric(what: string, number: z.ZodNumber, { min, max }: Range): ValueType<number> {
  return {
    schema: number.min(min).max(max).overwrite(withoutSignOfZero),
    allowed: `${what} from ${min} to ${max}`,
    fromText: numberFromText,
    toText: String,
  }
}

type TimeUnit = keyof typeof UNIT_MS

const UNIT_MS = { milliseconds: 1, seconds: 1_000, minutes: 60_000 }

/** How long: a whole number of its unit in a file, shown and typed with the unit that reads best: `10 min`. */
export function time(unit: TimeUnit, range: Range): ValueType<number> {
  const { schema } = whole(range)
  const [min, max] = [timeText(range.min, unit), timeText(range.max, unit)]
  return {
    schema,
    unit,
    allowed: `a time from ${min} to ${max}, such as 10 min (in config.json: a whole number of ${unit})`,
    fromText: (text) => timeFromText(text, unit),
    toText: (value) => timeText(value, unit),
    meant: (json) => {
      if (typeof json !== 'string') return undefined
      const number = timeFromText(json, unit)
      return number !== json && schema.safeParse(number).success ? String(number) : undefined
    },
  }
}

/** Several times, such as `1 s, 5 s, 30 s`. */
export function times(unit: TimeUnit, { min, max }: Range, countMax: number): ValueType<readonly number[]> {
  const bounds = `${timeText(min, unit)} to ${timeText(max, unit)}`
  return {
    schema: z.array(whole({ min, max }).schema).min(1).max(countMax),
    unit,
    allowed: `1 to ${countMax} times from ${bounds}, such as 1 s, 30 s (in config.json: an array of whole numbers of ${unit})`,
    fromText: (text) => listFromText(text, (part) => timeFromText(part, unit)),
    toText: (value) => value.map((one) => timeText(one, unit)).join(', '),
  }
}

/** A number without a unit is in the setting's own. */
function timeFromText(text: string, unit: TimeUnit): number | string {
  const plain = numberFromText(text)
  if (typeof plain === 'number') return plain
  if (/^0 *[a-z]+$/i.test(plain)) return 0
  const [, ms] = /^(\d{1,9}) *ms$/i.exec(plain) ?? []
  const found = ms === undefined ? readDuration(plain) : Number(ms)
  // Half a minute is no whole number of minutes, and is refused as it was written.
  return found === undefined || found % UNIT_MS[unit] !== 0 ? plain : found / UNIT_MS[unit]
}

const SHOWN_IN = [
  ['day', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** In the largest unit that is exact; never rounded, for it is read back. */
function timeText(count: number, unit: TimeUnit): string {
  const ms = count * UNIT_MS[unit]
  if (ms === 0) return '0'
  const [name, each] = SHOWN_IN.find(([, each]) => ms % each === 0) ?? ['ms', 1]
  const shown = ms / each
  return `${shown} ${name}${name === 'day' && shown !== 1 ? 's' : ''}`
}

/** One of a few words. */
export function oneOf<const Word extends string>(words: readonly [Word, ...Word[]]): ValueType<Word> {
  return written(z.enum(words), words.join(' or '))
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

/** A list of different words such as `notes,git`. */
export function words(what: string, one: z.ZodType<string>, countMax: number): ValueType<readonly string[]> {
  return {
    schema: z
      .array(one)
      .max(countMax)
      .refine((list) => new Set(list).size === list.length),
    allowed: `up to ${countMax} different ${what} separated by commas (in config.json: an array), or none (in config.json: [])`,
    fromText: (text) => (isNone(text) ? [] : listFromText(text, (part) => part.trim())),
    toText: (value) => (value.length === 0 ? NONE : value.join(',')),
  }
}

/** Left out where only this setting is talked about, as in /timezone. */
export const OR_NONE = ', or none (in config.json: null)'

/** The same, or nothing: `none` as a text, null in a file. */
export function orNone<Value>(type: ValueType<Value>): ValueType<Value | null> {
  return {
    schema: type.schema.nullable(),
    allowed: `${type.allowed}${OR_NONE}`,
    fromText: (text) => (isNone(text) ? null : type.fromText(text)),
    toText: (value) => (value === null ? NONE : type.toText(value)),
    ...(type.unit !== undefined && { unit: type.unit }),
    ...(type.meant && { meant: (json: Json) => type.meant?.(json) }),
    ...(type.problem && { problem: (json: Json) => type.problem?.(json) }),
  }
}

const SECRET_LENGTH_MAX = 10_000

/** An API key. It is sent in a header, so it has no character that would end the header. */
export const secret = written(
  z
    .string()
    .max(SECRET_LENGTH_MAX)
    .regex(/^[!-~]+$/),
  'the key as the provider gave it, without spaces',
)

/** So long that nobody finds it by guessing. */
export const token = written(
  z
    .string()
    .max(SECRET_LENGTH_MAX)
    .regex(/^[!-~]{32,}$/),
  'at least 32 letters, digits or signs, such as openssl rand -hex 32 prints',
)

export const webAddress: ValueType<string> = {
  ...written(
    z.string().refine((text) => /^https?:\/\//i.test(text) && isAddress(text)),
    'a URL that starts with http:// or https://, without a user name or password',
  ),
  meant: (json) => (typeof json === 'string' && isAddress(`https://${json}`) ? `https://${json}` : undefined),
}

/** As OLLAMA_HOST has it: the scheme and the port may be missing. */
export const hostAddress = written(
  z.string().refine((text) => isAddress(/^https?:\/\//i.test(text) ? text : `http://${text}`)),
  'an address such as http://127.0.0.1:11434 or 127.0.0.1:11434, without a user name or password',
)

/** A URL without a path: the origin of pages. */
export const siteAddress = written(
  webAddress.schema.refine((text) => isAddress(text) && /^https?:\/\/[^/]+\/?$/i.test(new URL(text).href)),
  'a URL such as https://mainstem.example.com, without a path',
)

/** What a server listens on. */
export const hostName = written(
  z.string().regex(/^[\w.:-]{1,253}$/),
  'an address of this machine, such as 127.0.0.1 or ::1',
)

const NONE = 'none'
const OFF = 'off'

/** A limit that may be off: `off` as a text and in a file. */
export function orOff<Value>(type: ValueType<Value>): ValueType<Value | null> {
  return {
    ...orNone(type),
    schema: z.union([z.literal(OFF).transform(() => null), type.schema.nullable()]),
    allowed: `${type.allowed}, or ${OFF}`,
    toText: (value) => (value === null ? OFF : type.toText(value)),
  }
}

export function isNone(text: string): boolean {
  const word = text.trim().toLowerCase()
  return word === NONE || word === OFF
}

/** `a,b` is a list, and so is `["a", "b"]`, as config.json has it. */
function listFromText(text: string, one: (part: string) => Json): Json {
  const json = parsedJson(text)
  return Array.isArray(json) ? json : text.split(',').map(one)
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
