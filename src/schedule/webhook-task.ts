import { canonicalJson } from '../base/canonical.ts'
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts'
import { fence } from '../event/fence.ts'
import type { Webhook } from './definition.ts'

type Hook = Pick<Webhook, 'id' | 'fields' | 'body'>

/**
 * The task of a webhook with its payload. Words from outside are only in the data: the task gets numbers, booleans and
 * values that the file itself lists (SAFE2). `before`: the payload as fenced data, which goes before the task.
 */
export function webhookTask(hook: Hook, payload: JsonObject): { before: string[]; text: string } {
  const { id, fields, body } = hook
  if (fields === null) return { before: [], text: body }
  const text = body.replaceAll(PLACEHOLDER, (written, double?: string, single?: string) => {
    const name = double ?? single ?? ''
    const schema = schemaOf(hook, name)
    if (schema === undefined) return written
    const value = Object.hasOwn(payload, name) ? payload[name] : undefined
    return isHarmless(value, schema) ? String(value) : elsewhere(name)
  })
  return { before: [fence(`webhook ${id}`, canonicalJson(payload))], text }
}

/** Warnings about placeholders that are not replaced, which may not be what was meant. */
export function webhookWarnings(hook: Hook): string[] {
  const warnings = new Map<string, string>()
  for (const [written, double, single] of hook.body.matchAll(PLACEHOLDER)) {
    const name = double ?? single ?? ''
    const schema = schemaOf(hook, name)
    if (schema === undefined && NAME.test(name))
      warnings.set(name, `The task has ${written}, and fields has no '${name}': it stays as it is.`)
    if (schema !== undefined && !isAlwaysHarmless(schema))
      warnings.set(
        name,
        `The task has ${written}, which may be any text from outside. Only numbers, booleans and values of an enum are put into a task: it will say ${elsewhere(name)}.`,
      )
  }
  return [...warnings.values()]
}

/** Other words in braces are hardly meant as fields. */
const NAME = /^[A-Za-z_][\w-]{0,63}$/

/** Of three pairs of braces, two stay as they are. */
const PLACEHOLDER = /\{\{([^{}]+)\}\}|\{([^{}]+)\}/g

function elsewhere(name: string): string {
  return `the value of "${name}" in the data above`
}

function schemaOf({ fields }: Hook, name: string): JsonObject | undefined {
  const properties = fields?.properties ?? {}
  const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
  return isJsonObject(schema) ? schema : undefined
}

function isHarmless(value: Json | undefined, schema: JsonObject): value is string | number | boolean {
  if (typeof value === 'number' || typeof value === 'boolean') return true
  return typeof value === 'string' && listed(schema).includes(value)
}

function isAlwaysHarmless(schema: JsonObject): boolean {
  if (schema['enum'] !== undefined)
    return listed(schema).every((value) => typeof value !== 'object' || value === null)
  const type = schema['type'] ?? 'any'
  return [type].flat().every((one) => one === 'number' || one === 'integer' || one === 'boolean')
}

function listed(schema: JsonObject): readonly Json[] {
  const values = schema['enum']
  return Array.isArray(values) ? values : []
}
