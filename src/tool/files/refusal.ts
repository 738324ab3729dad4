import type { JsonObject } from '../../base/json.ts'
import { failed, type ToolResult } from '../tool.ts'
import { PathError } from './path.ts'

/** Reports a problem with a path or a file to the model, which can go on from there. */
export async function unlessPathError(work: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof PathError) return failed(error.message)
    throw error
  }
}

/** The text of a refusal, or undefined if the work succeeded. */
export function problemOf(work: () => void): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof PathError) return error.message
    throw error
  }
}

export function textIn(args: JsonObject, name: string): string {
  const value = args[name]
  return typeof value === 'string' ? value : ''
}
