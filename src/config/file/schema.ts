import { z } from 'zod'
import type { JsonObject } from '../../base/json.ts'
import { environmentName, specOf } from '../table/key.ts'
import { type Key, keys } from '../table/settings.ts'
import { TAKES_EFFECT } from '../table/wording.ts'

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
    title: 'Mainstem configuration',
    // Without these two, editors underline comments and trailing commas, which we allow.
    allowComments: true,
    allowTrailingCommas: true,
  }
}

function described(key: Key): z.ZodType {
  const { type, help, change, isSecret, default: standard } = specOf(key)
  const where = `In the environment: ${environmentName(key)}.`
  const counted = type.unit === undefined ? '' : ` Here a number of ${type.unit}.`
  const hidden = isSecret === true ? ' Keep this file private if you set it here.' : ''
  return type.schema
    .optional()
    .meta({ description: `${help}${counted} ${where}${TAKES_EFFECT[change]}${hidden}`, default: standard })
}
