import { z } from 'zod'
import { type Json, parsedJson } from '../../base/json.ts'
import { nearest } from '../../base/nearest.ts'
import { isNone, numberFromText, readBy, type ValueType, words, written } from './value-type.ts'

export const providers = [
  'anthropic',
  'openai',
  'google',
  'openrouter',
  'ollama',
  'openai-compatible',
] as const

const MODEL = new RegExp(
  `^(?:offline|(?:${providers.join('|')})/[^\\s,]+|scripted:[^\\s,](?:[^,]*[^\\s,])?)$`,
)
export const MODEL_WITHOUT_PATH = `PROVIDER/MODEL (a provider is ${providers.join(', ')}), offline`
const MODEL_ALLOWED = `${MODEL_WITHOUT_PATH}, scripted:FILE`
const modelSchema = z
  .string()
  .regex(MODEL)
  .refine((text) => !/\p{Cc}/u.test(text))

export const modelName: ValueType<string> = {
  ...written(modelSchema, MODEL_ALLOWED),
  meant: (json) => (typeof json === 'string' ? meantModel(json) : undefined),
}

/** Whether it names a path of this machine: a script is a file. */
export function namesPath(value: string): boolean {
  return value.startsWith('scripted:')
}

const FALLBACKS_MAX = 10

const models = words('models', modelSchema, FALLBACKS_MAX)
export const modelNames = { ...models, allowed: `${models.allowed}; a model is ${MODEL_ALLOWED}` }

const THINKING_TOKENS_MAX = 1_000_000

export const thinking: ValueType<'off' | 'adaptive' | number> = {
  schema: z.union([z.literal('off'), z.literal('adaptive'), z.int().min(1).max(THINKING_TOKENS_MAX)]),
  allowed: `off, adaptive, or a budget of 1 to ${THINKING_TOKENS_MAX} tokens`,
  fromText: (text) => numberFromText(text),
  toText: String,
  meant: (json) => nearestWord(json, ['off', 'adaptive']),
}

export const timeZone: ValueType<string> = {
  schema: z.string().refine(isTimeZone),
  allowed: 'the name of a time zone such as Europe/Berlin',
  fromText: (text) => spelled(text.trim()),
  toText: (value) => value,
  meant: (json) => (typeof json === 'string' ? meantZone(json) : undefined),
}

const embedding = providers.filter((provider) => provider !== 'anthropic')
/** `minilm` is no longer one, but a home that names it starts, and is told what to do. */
const EMBEDDER = new RegExp(
  String.raw`^(?:static-en-128|none|(?:${embedding.join('|')})/[^\s,\p{Cc}]+|minilm(?::[^\p{Cc}]*)?)$`,
  'u',
)

export const embedder: ValueType<string> = {
  ...written(
    z.string().regex(EMBEDDER),
    `static-en-128, PROVIDER/MODEL (a provider is ${embedding.join(', ')}), or none`,
  ),
  meant: (json) => nearestWord(json, ['static-en-128', 'none']),
}

/** Whether what is said is sent to a server to be compared. */
export function sendsTexts(embedder: string): boolean {
  return embedder.includes('/') && !embedder.startsWith('minilm')
}

/** A daily limit: money, or tokens if models are local. */
export interface DayLimit {
  readonly unit: 'money' | 'tokens'
  readonly max: number
}

export const dayLimit: ValueType<DayLimit> = {
  schema: z.union([z.number(), z.string()]).transform(String).transform(readBy(parseDayLimit)),
  allowed: 'money such as 2.50 or $2.50, or tokens such as 500000 tokens, more than zero',
  fromText: (text) => text.trim(),
  // Money has at least two digits behind the point, and as many as there are.
  toText: ({ unit, max }) =>
    unit === 'tokens' ? `${max} tokens` : `$${max.toFixed(4).replace(/0{1,2}$/, '')}`,
}

/** Both in minutes since midnight; they may lie on both sides of it. */
export interface DayHours {
  readonly from: number
  readonly to: number
}

/** In minutes since midnight. */
export const timeOfDay: ValueType<number> = {
  schema: z.string().transform(readBy(minutesOf)),
  allowed: 'a time such as 18:00',
  fromText: (text) => text.trim(),
  toText: clockText,
}

export const dayHours: ValueType<DayHours> = {
  schema: z.string().transform(readBy(hoursOf)),
  allowed: 'two different times such as 22:00-08:00',
  fromText: (text) => text.trim(),
  toText: ({ from, to }) => `${clockText(from)}-${clockText(to)}`,
}

const ownSettings = z.strictObject({
  timezone: timeZone.schema.exactOptional(),
  quietHours: dayHours.schema.exactOptional(),
  costDayMax: dayLimit.schema.exactOptional(),
})

type OwnSettings = z.infer<typeof ownSettings>

/** By the ids of guests and groups; no id is `costDayMax`, which is the limit of each guest without one. */
type GuestsValue = Readonly<Record<string, OwnSettings>> & { readonly costDayMax?: DayLimit }

const GUEST_ID = /^[a-z\d][a-z\d-]*$/

/** What each guest may use in a day, and what is another for some guests and groups. */
export const guestSettings: ValueType<GuestsValue> = {
  schema: z
    .object({ costDayMax: dayLimit.schema.exactOptional() })
    .catchall(ownSettings)
    .refine((all) => Object.keys(all).every((id) => id === 'costDayMax' || GUEST_ID.test(id)))
    // No type says "every other key".
    .transform((all) => all as unknown as GuestsValue),
  allowed:
    'JSON such as {"costDayMax": "$0.50"} for each guest, and by the ids in /people, {"ana": {"timezone": "Europe/Lisbon", "quietHours": "22:00-07:00", "costDayMax": "$1.00"}}, or none (in config.json: {})',
  fromText: (text) => (isNone(text) ? {} : ((parsedJson(text) as Json | undefined) ?? text)),
  toText: (value) => {
    const { each, people } = guestsIn(value)
    const written = Object.entries(people).map(([id, { quietHours: hours, costDayMax: limit, ...rest }]) => [
      id,
      {
        ...rest,
        ...(hours && { quietHours: dayHours.toText(hours) }),
        ...(limit && { costDayMax: dayLimit.toText(limit) }),
      },
    ])
    const common = each === undefined ? {} : { costDayMax: dayLimit.toText(each) }
    return JSON.stringify({ ...common, ...Object.fromEntries(written) })
  },
}

/** The limit of each guest, and what is another for some. */
export function guestsIn(value: GuestsValue): {
  readonly each: DayLimit | undefined
  readonly people: Readonly<Record<string, OwnSettings>>
} {
  const { costDayMax: each, ...people } = value
  return { each, people }
}

const PLACE = /^[a-z][a-z0-9-]*(?::[^\s\p{Cc}][^\p{Cc}]*)?$/u

export const pingPlace = written(
  z.string().regex(PLACE),
  'the name of a channel such as terminal, or a channel and a conversation such as telegram:12345',
)

export const identities = words(
  'identities such as telegram:12345',
  z.string().regex(/^[a-z][a-z0-9-]*:[^\s,\p{Cc}]+$/u),
  50,
)

function hoursOf(text: string): DayHours | undefined {
  const [, first = '', second = ''] = /^\s*([\d:]+)\s*[-–]\s*([\d:]+)\s*$/.exec(text) ?? []
  const [from, to] = [minutesOf(first), minutesOf(second)]
  return from === undefined || to === undefined || from === to ? undefined : { from, to }
}

function minutesOf(text: string): number | undefined {
  const [, hour, minute] = /^\s*([01]?\d|2[0-3]):([0-5]\d)\s*$/.exec(text) ?? []
  return hour === undefined || minute === undefined ? undefined : Number(hour) * 60 + Number(minute)
}

/** `08:30` */
export function clockText(minutes: number): string {
  const [hour, minute] = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'))
  return `${hour}:${minute}`
}

function nearestWord(json: Json, known: readonly string[]): string | undefined {
  return typeof json === 'string' ? nearest(json, known) : undefined
}

function meantModel(name: string): string | undefined {
  const slash = name.indexOf('/')
  const [provider, rest] = slash < 0 ? [name, ''] : [name.slice(0, slash), name.slice(slash)]
  const near = nearestWord(provider.toLowerCase(), slash < 0 ? ['offline'] : providers)
  return near !== undefined && MODEL.test(`${near}${rest}`) ? `${near}${rest}` : undefined
}

function isTimeZone(name: string): boolean {
  // An offset such as +02:00 is taken too, and knows no summer time.
  if (!/^[A-Za-z][\w+/-]*$/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** `europe/berlin` as it is written everywhere. Old names stay: some know them only. */
function spelled(name: string): string {
  if (!isTimeZone(name)) return name
  const { timeZone: usual } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
  return usual.toLowerCase() === name.toLowerCase() ? usual : name
}

function meantZone(name: string): string | undefined {
  const zones = Intl.supportedValuesOf('timeZone')
  const city = `/${name.toLowerCase()}`
  return zones.find((zone) => zone.toLowerCase().endsWith(city)) ?? nearest(name, zones)
}

const TOKENS_DIGITS_MAX = 15

function parseDayLimit(text: string): DayLimit | undefined {
  const [, tokens] = /^(\d[\d,_]{0,30}) *tokens?$/i.exec(text.trim()) ?? []
  const [, money] = /^\$? *(\d{1,9}(?:\.\d{1,4})?)$/.exec(text.trim()) ?? []
  const digits = (tokens ?? money ?? '').replaceAll(/[,_]/g, '')
  const max = Number(digits)
  if (max === 0 || digits.length > TOKENS_DIGITS_MAX) return undefined
  return { unit: tokens === undefined ? 'money' : 'tokens', max }
}
