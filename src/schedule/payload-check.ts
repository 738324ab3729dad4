import type { Ajv, ErrorObject, ValidateFunction } from 'ajv'
import type { Value } from '../base/front-matter.ts'
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts'
import { messageOf } from '../base/message-of.ts'
import { oneLine, shorten } from '../base/width.ts'
import { CHECK_MS_MAX, COMPILE_MS_MAX, misfitText, newAjv, placeOf, within } from '../tool/json-schema.ts'
import type { PayloadSchema, Webhook } from './definition.ts'
import type { FieldType } from './field-type.ts'

const PROPERTIES_MAX = 20
const TEXT_CHARS_MAX = 500

/** Read apart from the other fields, because it has numbers and booleans in it. */
export const payloadField: FieldType<Value> = {
  allowed: 'a JSON Schema of an object, such as {properties: {title: {type: string}}, required: [title]}',
  read: (value) => ({ value }),
}

type PayloadRead = { readonly schema: PayloadSchema } | { readonly problem: string }

/** Reads a webhook's schema and compiles it, so that the first request need not. A problem ends the sentence "fields …". */
export async function readPayload(json: Json | undefined): Promise<PayloadRead> {
  const read = payloadSchema(json)
  const validate = 'schema' in read ? await compiled(read.schema) : undefined
  return typeof validate === 'string' ? { problem: `is not a valid JSON Schema: ${validate}` } : read
}

/** Texts are bounded unless the file says otherwise. */
export function payloadSchema(json: Json | undefined): PayloadRead {
  if (!isJsonObject(json)) return { problem: 'is not a map' }
  const { properties, type = 'object', ...rest } = asSchema(json)
  if (type !== 'object') return { problem: `has the type ${JSON.stringify(type)}, but has to be object` }
  if (!isJsonObject(properties)) return { problem: 'has no properties' }
  const entries = Object.entries(properties)
  if (entries.length > PROPERTIES_MAX)
    return { problem: `has ${entries.length} properties; at most ${PROPERTIES_MAX} are allowed` }
  const bad = entries.find(([, schema]) => !isJsonObject(schema))
  if (bad !== undefined) return { problem: `needs a map such as {type: string} for '${bad[0]}'` }
  const bounded = entries.map(([name, schema]) => [name, boundedText(schema)] as const)
  return { schema: { ...rest, type, properties: Object.fromEntries(bounded) } }
}

/** A file may give just the properties. */
function asSchema(json: JsonObject): JsonObject {
  return isJsonObject(json['properties']) || !Object.values(json).every((value) => isJsonObject(value))
    ? json
    : { properties: json }
}

/** Keywords that limit a text in their own way. */
const ELSEWHERE = ['enum', 'const', 'maxLength', '$ref', 'anyOf', 'oneOf', 'allOf']

/** Bounds texts, also within lists and maps. */
function boundedText(schema: Json): Json {
  if (!isJsonObject(schema)) return schema
  const { type = 'string' } = schema
  const isText = [type].flat().includes('string')
  const isFree = ELSEWHERE.every((key) => schema[key] === undefined)
  const inner = Object.entries(schema).map(([key, value]) => [key, withinKey(key, value)] as const)
  return { ...Object.fromEntries(inner), ...(isText && isFree && { maxLength: TEXT_CHARS_MAX }) }
}

const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions'])
const SCHEMAS = new Set(['items', 'prefixItems', 'additionalProperties', 'anyOf', 'oneOf', 'allOf'])

function withinKey(key: string, value: Json): Json {
  if (SCHEMAS.has(key)) return Array.isArray(value) ? value.map(boundedText) : boundedText(value)
  if (!MAPS.has(key) || !isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, boundedText(schema)]))
}

/**
 * Checks a payload; problems are sentences for the sender. Fields that the file does not name are refused, or left out if
 * the file says `additionalProperties: true`: services such as GitHub send more than anybody names. Never throws.
 */
export async function checkPayload(
  { id, fields }: Pick<Webhook, 'id' | 'fields'>,
  json: unknown,
): Promise<
  { readonly payload: JsonObject } | { readonly problems: readonly string[]; readonly isLate?: true }
> {
  if (!isJsonObject(json))
    return { problems: ['The payload is not a JSON object. Send one such as {"a": 1}.'] }
  const names = Object.keys(fields?.properties ?? {})
  const extra = Object.keys(json).filter((name) => !names.includes(name))
  const isOpen = fields?.['additionalProperties'] === true
  if (extra.length > 0 && !isOpen)
    return { problems: extra.slice(0, PROBLEMS_MAX).map((name) => unknownText(name, names)) }
  if (fields === null) return { payload: json }
  const payload = isOpen ? (named(fields, json) as JsonObject) : json
  const validate = await compiled(fields)
  if (typeof validate === 'string')
    return { problems: [`The fields of webhook ${id} are not a valid JSON Schema: ${validate}.`] }
  try {
    const check = (): boolean => validate(payload)
    if (mayTakeLong(fields) ? within(CHECK_MS_MAX, check) : check()) return { payload }
  } catch {
    return {
      problems: ['The payload could not be checked in time with the schema of this webhook.'],
      isLate: true,
    }
  }
  const problems = new Set((validate.errors ?? []).map(problemText))
  return { problems: [...problems].slice(0, PROBLEMS_MAX) }
}

/** Others take as long as their payload is, also where the machine is busy and a second passes without any work. */
function mayTakeLong(fields: PayloadSchema): boolean {
  return /"(?:pattern|patternProperties|uniqueItems|\$ref|contains|format)":/.test(JSON.stringify(fields))
}

const PROBLEMS_MAX = 10

/** The value without fields that its schema does not name, also within lists and maps. */
function named(schema: Json | undefined, value: Json): Json {
  if (!isJsonObject(schema)) return value
  const { properties, items } = schema
  if (Array.isArray(value)) return value.map((entry) => named(items, entry))
  if (!isJsonObject(value) || !isJsonObject(properties)) return value
  const kept = Object.entries(value).filter(([name]) => Object.hasOwn(properties, name))
  return Object.fromEntries(kept.map(([name, entry]) => [name, named(properties[name], entry)]))
}

/** The compiled check of each schema in use, or a text that says why there is none. */
const known = new WeakMap<PayloadSchema, ValidateFunction | string>()

async function compiled(fields: PayloadSchema): Promise<ValidateFunction | string> {
  const found = known.get(fields)
  if (found !== undefined) return found
  const made = await compile(fields)
  known.set(fields, made)
  return made
}

async function compile(fields: PayloadSchema): Promise<ValidateFunction | string> {
  const { $schema: _, $id: __, ...schema } = fields
  // A schema with its own ids gets its own Ajv, or others could refer to them.
  const ajv = JSON.stringify(schema).includes('"$id"') ? await newAjv(ALL) : await (shared ??= newAjv(ALL))
  let tried = schema
  try {
    // A copy for each try: Ajv takes one whose time was up for one that it still compiles.
    return within(COMPILE_MS_MAX, () => ajv.compile((tried = { ...schema })))
  } catch (error) {
    return shorten(oneLine(messageOf(error)), 200)
  } finally {
    ajv.removeSchema(tried)
  }
}

const ALL = { allErrors: true }
let shared: Promise<Ajv> | undefined

function unknownText(name: string, names: readonly string[]): string {
  const allowed = names.length === 0 ? 'This webhook takes none' : `There are: ${names.join(', ')}`
  return `There is no field ${quoted(name)}. ${allowed}.`
}

function problemText(error: ErrorObject): string {
  const place = placeOf(error)
  if (error.keyword === 'required')
    return `The field ${quoted([...place, String(error.params['missingProperty'])].join('.'))} is missing.`
  const subject = place.length === 0 ? 'The payload' : `The field ${quoted(place.join('.'))}`
  return `${subject} ${shorten(oneLine(misfitText(error)), 300)}.`
}

/** Names may come from outside too. */
function quoted(name: string): string {
  return `'${shorten(oneLine(name), 64)}'`
}
