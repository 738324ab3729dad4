import { isJsonObject, type Json, type JsonObject } from '../base/json.ts'

/** What a webhook may be sent, as a JSON Schema of an object. */
export type PayloadSchema = JsonObject & { readonly properties: JsonObject }

type PayloadRead = { readonly schema: PayloadSchema } | { readonly problem: string }

const PROPERTIES_MAX = 20
const TEXT_CHARS_MAX = 500

export const PAYLOAD_ALLOWED =
  'a JSON Schema of an object, such as {properties: {title: {type: string}}, required: [title]}'

/** Texts are bounded where the file says nothing else. A problem ends the sentence "fields …". */
export function payloadSchema(json: Json | undefined): PayloadRead {
  if (!isJsonObject(json)) return { problem: 'is no map' }
  const { properties, type = 'object', ...rest } = asSchema(json)
  if (type !== 'object') return { problem: `has the type ${JSON.stringify(type)}, and object is needed` }
  if (!isJsonObject(properties)) return { problem: 'has no properties' }
  const entries = Object.entries(properties)
  if (entries.length > PROPERTIES_MAX)
    return { problem: `has ${entries.length} properties, and ${PROPERTIES_MAX} are the most` }
  const bad = entries.find(([, schema]) => !isJsonObject(schema))
  if (bad !== undefined) return { problem: `says of '${bad[0]}' no map such as {type: string}` }
  const bounded = entries.map(([name, schema]) => [name, boundedText(schema)] as const)
  return { schema: { ...rest, type, properties: Object.fromEntries(bounded) } }
}

/** The properties alone will do. */
function asSchema(json: JsonObject): JsonObject {
  return isJsonObject(json['properties']) || !Object.values(json).every((value) => isJsonObject(value))
    ? json
    : { properties: json }
}

/** Where these stand, it is they who say what a text may be. */
const ELSEWHERE = ['enum', 'const', 'maxLength', '$ref', 'anyOf', 'oneOf', 'allOf']

/** Also of texts within lists and maps: whoever sends them is the same. */
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
