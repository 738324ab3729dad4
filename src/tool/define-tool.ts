import { z } from 'zod'
import { isJsonObject, type JsonObject } from '../base/json.ts'
import type { ToolSpec } from '../event/prompt.ts'
import { failed, type CallContext, type Tool, type ToolNature, type ToolResult } from './tool.ts'

/** The arguments of the model, or the error it gets. */
export type Meant<T> = { readonly is: T } | { readonly misfit: ToolResult }

export interface ToolDefinition<T> extends Pick<ToolSpec, 'name' | 'description'> {
  readonly schema: z.ZodType<T>
  /** How to call it; added to every error about arguments. */
  readonly usage: string
  readonly nature: ToolNature
  /** Checks that the schema cannot express, for arguments that fit it. */
  readonly check?: (args: JsonObject) => string | undefined
  readonly run: (given: T, call: CallContext) => Promise<ToolResult>
}

/** A tool whose schema both describes the arguments to the model and parses them. */
export function defineTool<T>(definition: ToolDefinition<T>): Tool {
  const { name, description, schema, usage, nature, check, run } = definition
  return {
    spec: { name, description, parameters: parametersOf(schema) },
    nature,
    check: (args) => {
      const read = readArguments(schema, args)
      return 'problem' in read ? `${read.problem} ${usage}` : check?.(args)
    },
    run: async (args, call) => {
      const read = readArguments(schema, args)
      return 'problem' in read ? failed(`${read.problem} ${usage}`) : run(read.is, call)
    },
  }
}

const QUOTED_MAX = 200

/** The arguments of a call; null counts as left out, as many models write it so. */
export function readArguments<T>(schema: z.ZodType<T>, args: JsonObject): { is: T } | { problem: string } {
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null))
  const read = schema.safeParse(given)
  if (read.success) return { is: read.data }
  const [issue] = read.error.issues
  const path = issue?.path.join('.') ?? ''
  const message = (issue?.message ?? 'they do not fit')
    .replace(/^Invalid input: expected .*, received undefined$/, 'it is missing')
    .replace('Invalid input: ', '')
  const problem = `${path === '' ? '' : `${path}: `}${message}`
  return { problem: `Bad arguments: ${problem.slice(0, QUOTED_MAX)}.` }
}

/** Hides an argument from the model; it is still accepted: `timeout: seconds.meta(HIDDEN)`. */
export const HIDDEN = { hidden: true }

/** The schema for the model, with only what helps to call the tool. */
export function parametersOf(schema: z.ZodType): JsonObject {
  return shown(z.toJSONSchema(schema, { io: 'input' }) as JsonObject)
}

function shown(schema: JsonObject): JsonObject {
  const { type, properties, items, enum: words, maximum, description, required, anyOf } = schema
  const [first] = Array.isArray(anyOf) ? anyOf : []
  if (isJsonObject(first)) return { ...shown(first), ...(description !== undefined && { description }) }
  const visible = Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, value]) =>
    isJsonObject(value) && value['hidden'] !== true ? [[name, shown(value)] as const] : [],
  )
  return JSON.parse(
    JSON.stringify({
      type,
      properties: properties && Object.fromEntries(visible),
      items: isJsonObject(items) ? shown(items) : undefined,
      enum: words,
      maximum: Number(maximum) < Number.MAX_SAFE_INTEGER ? maximum : undefined,
      description,
      required,
    }),
  ) as JsonObject
}
