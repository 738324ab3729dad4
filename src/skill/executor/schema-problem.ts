import type { Json, JsonObject } from '../../base/json.ts'
import { isObject } from './descriptor.ts'

/** Why these parameters cannot be compiled, although they are JSON Schema; undefined if they can. */
export function schemaProblem(parameters: JsonObject): string | undefined {
  if (parameters['type'] !== 'object') return 'must be of type object'
  const all = schemasIn(parameters)
  if (all.some((schema) => schema['$async'] !== undefined)) return 'must not be $async'
  if (all.some((schema) => schema !== parameters && typeof schema['$id'] === 'string'))
    return 'must not hold a schema with an $id of its own'
  const lost = all.map(refOf).find((ref) => ref !== undefined && targetOf(parameters, ref) === undefined)
  if (lost !== undefined)
    return `refer to ${JSON.stringify(lost)}: they may only refer to a part of themselves, such as "#/$defs/name"`
  const circle = circleIn(parameters, all)
  if (circle === undefined) return undefined
  const ref = refOf(circle)
  return `refer to themselves endlessly${ref === undefined ? '' : ` (${JSON.stringify(ref)})`}: a circular reference must be below properties or items`
}

/** Whether a check against it may take long, because of its keywords or its size. */
export function mayTakeLong(parameters: JsonObject): boolean {
  const all = schemasIn(parameters)
  const isCostly = all.some((schema) => COSTLY.some((keyword) => Object.hasOwn(schema, keyword)))
  return isCostly || all.length > QUICK_SCHEMAS_MAX
}

const QUICK_SCHEMAS_MAX = 500
const COSTLY = ['pattern', 'patternProperties', 'uniqueItems', '$ref', 'contains', 'format']

/** Keywords whose values are checked at the same place as the schema itself, so a circle through them never ends. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'dependencies']

/** A schema that is reached again while it is being checked. */
function circleIn(root: JsonObject, all: readonly JsonObject[]): JsonObject | undefined {
  const states = new Map<JsonObject, 'open' | 'done'>()
  for (const start of all) {
    const path = [start]
    for (let schema = path.at(-1); schema !== undefined; schema = path.at(-1)) {
      if (states.has(schema)) {
        states.set(schema, 'done')
        path.pop()
        continue
      }
      states.set(schema, 'open')
      for (const next of inPlaceOf(root, schema)) {
        if (states.get(next) === 'open') return next
        if (!states.has(next)) path.push(next)
      }
    }
  }
  return undefined
}

function inPlaceOf(root: JsonObject, schema: JsonObject): JsonObject[] {
  const ref = refOf(schema)
  const target = ref === undefined ? undefined : targetOf(root, ref)
  const below = IN_PLACE.flatMap((keyword) => {
    const value = Object.hasOwn(schema, keyword) ? schema[keyword] : undefined
    if (!isObject(value)) return Array.isArray(value) ? (value as readonly Json[]).filter(isObject) : []
    return keyword.startsWith('depend') ? Object.values(value).filter(isObject) : [value]
  })
  return target === undefined ? below : [target, ...below]
}

/** Every object in it: a parameter may be named like a keyword, so only the context says what is a schema. */
function schemasIn(root: JsonObject): JsonObject[] {
  const found: JsonObject[] = []
  const ahead: Json[] = [root]
  for (let value = ahead.pop(); value !== undefined; value = ahead.pop()) {
    if (Array.isArray(value)) for (const entry of value as readonly Json[]) ahead.push(entry)
    if (!isObject(value)) continue
    found.push(value)
    for (const entry of Object.values(value)) ahead.push(entry)
  }
  return found
}

function refOf(schema: JsonObject): string | undefined {
  const ref = Object.hasOwn(schema, '$ref') ? schema['$ref'] : undefined
  return typeof ref === 'string' ? ref : undefined
}

function targetOf(root: JsonObject, ref: string): JsonObject | undefined {
  if (ref === '#') return root
  if (!ref.startsWith('#/')) return undefined
  let value: Json | undefined = root
  for (const step of stepsOf(ref)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as Record<string, Json>)[step]
  }
  return isObject(value) ? value : undefined
}

function stepsOf(ref: string): string[] {
  try {
    const steps = decodeURIComponent(ref).split('/').slice(1)
    return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  } catch {
    return ['']
  }
}
