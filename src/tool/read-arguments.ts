import type { z } from 'zod'
import type { JsonObject } from '../base/json.ts'
import { failed, type ToolResult } from './tool.ts'

/** What a model's words mean, or what it is told about them. */
export type Meant<T> = { readonly is: T } | { readonly misfit: ToolResult }

/** The arguments of a call; null counts as left out, for many models write it so. */
export function readArguments<T>(schema: z.ZodType<T>, args: JsonObject, usage: string): Meant<T> {
  const read = parsed(schema, args)
  return read.success ? { is: read.data } : { misfit: failed(problemText(read.error, usage)) }
}

/** Why `readArguments` would not take them. */
export function argumentProblem(schema: z.ZodType, args: JsonObject, usage: string): string | undefined {
  const read = parsed(schema, args)
  return read.success ? undefined : problemText(read.error, usage)
}

function parsed<T>(schema: z.ZodType<T>, args: JsonObject): z.ZodSafeParseResult<T> {
  return schema.safeParse(Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null)))
}

const QUOTED_MAX = 200

function problemText({ issues: [issue] }: z.ZodError, usage: string): string {
  const path = issue?.path.join('.') ?? ''
  const problem = `${path === '' ? '' : `${path}: `}${issue?.message ?? 'they do not fit'}`
  return `Bad arguments: ${problem.slice(0, QUOTED_MAX)}. ${usage}`
}
