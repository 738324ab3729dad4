import type { Ajv, ErrorObject, ValidateFunction } from 'ajv'
import { isJsonObject, type JsonObject } from '../base/json.ts'
import { oneLine, shorten } from '../base/width.ts'
import { CHECK_MS_MAX, COMPILE_MS_MAX, misfitText, newAjv, placeOf, within } from '../tool/json-schema.ts'
import type { Webhook } from './definition.ts'
import type { PayloadSchema } from './payload-schema.ts'

export type PayloadChecked =
  | { readonly payload: JsonObject }
  /** Each a sentence, for who sent it. */
  | { readonly problems: readonly string[] }

/** Whether a webhook may be sent this. What its file does not name is refused. Never throws. */
export async function checkPayload(
  { id, fields }: Pick<Webhook, 'id' | 'fields'>,
  json: unknown,
): Promise<PayloadChecked> {
  if (!isJsonObject(json)) return { problems: ['The payload is no JSON object. Send one such as {"a": 1}.'] }
  const names = Object.keys(fields?.properties ?? {})
  const extra = Object.keys(json).filter((name) => !names.includes(name))
  if (extra.length > 0)
    return { problems: extra.slice(0, PROBLEMS_MAX).map((name) => unknownText(name, names)) }
  if (fields === null) return { payload: json }
  const validate = await compiled(fields)
  if (typeof validate === 'string')
    return { problems: [`The fields of webhook ${id} are no JSON Schema that can be used: ${validate}.`] }
  try {
    if (within(CHECK_MS_MAX, () => validate(json))) return { payload: json }
  } catch {
    return { problems: ['The payload could not be checked in time with the schema of this webhook.'] }
  }
  const problems = new Set((validate.errors ?? []).map(problemText))
  return { problems: [...problems].slice(0, PROBLEMS_MAX) }
}

/** Why nothing can be checked with it, to end the sentence "fields …"; undefined: it can. */
export async function schemaProblem(fields: PayloadSchema): Promise<string | undefined> {
  const validate = await compiled(fields)
  return typeof validate === 'string' ? `is no JSON Schema that can be used: ${validate}` : undefined
}

const PROBLEMS_MAX = 10

/** A check for each schema, as long as its definition is in use; a text says why there is none. */
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
  // What has names of its own in it would be known to all others.
  const ajv = JSON.stringify(schema).includes('"$id"') ? await newAjv(ALL) : await (shared ??= newAjv(ALL))
  try {
    return within(COMPILE_MS_MAX, () => ajv.compile(schema))
  } catch (error) {
    return shorten(oneLine(messageOf(error)), 200)
  } finally {
    ajv.removeSchema(schema)
  }
}

const ALL = { allErrors: true }
let shared: Promise<Ajv> | undefined

function messageOf(error: unknown): string {
  // Made in the context where it ran out of time, it is no Error of ours.
  if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message)
  return String(error)
}

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

/** Names come from outside too. */
function quoted(name: string): string {
  return `'${shorten(oneLine(name), 64)}'`
}
