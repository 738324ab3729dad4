import { z } from 'zod'
import type { JsonObject } from '../../base/json.ts'
import { environmentName, parameterOf } from '../key.ts'
import { type Key, keys } from '../settings.ts'

/** JSON Schema of config.json, so that editors complete and check it. */
export function configSchema(): JsonObject {
  const shape: Record<string, z.ZodType> = { $schema: z.string().optional() }
  const inner = new Map<string, Record<string, z.ZodType>>()
  for (const key of keys) {
    const [head = key, tail] = key.split('.')
    if (tail === undefined) shape[head] = described(key)
    else inner.set(head, { ...inner.get(head), [tail]: described(key) })
  }
  for (const [head, fields] of inner) shape[head] = z.strictObject(fields).optional()
  const schema = z.toJSONSchema(z.strictObject(shape), { io: 'input', target: 'draft-7' })
  return {
    ...(schema as JsonObject),
    title: 'The configuration of Mainstem',
    // Editors know these two; without them they underline what we allow.
    allowComments: true,
    allowTrailingCommas: true,
  }
}

function described(key: Key): z.ZodType {
  const { type, help, change, isSecret, default: standard } = parameterOf(key)
  const where = `In the environment: ${environmentName(key)}.`
  const when = { live: '', reload: ' A change needs /reload.', restart: ' A change needs a restart.' }[change]
  const hidden = isSecret === true ? ' Keep this file to yourself if you set it here.' : ''
  return type.schema.optional().meta({ description: `${help} ${where}${when}${hidden}`, default: standard })
}
