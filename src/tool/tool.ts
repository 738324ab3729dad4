import type { JsonObject } from '../base/json.ts'
import type { BranchId, TurnId } from '../event/id.ts'
import type { ToolSpec } from '../event/prompt.ts'

/** Something a model can do. What it may not do, or what went wrong, is a result too: the model goes on from there. */
export interface Tool {
  readonly spec: ToolSpec
  /** Never throws for what a model did wrong; aborting the signal ends it at once. */
  run(args: JsonObject, call: CallContext): Promise<ToolResult>
}

export interface CallContext {
  readonly branch: BranchId
  readonly turn: TurnId
  readonly signal: AbortSignal
}

export interface ToolResult {
  /** JSON, as the model gets it. */
  readonly text: string
  readonly isError: boolean
}

export function said(text: string): ToolResult {
  return { text: JSON.stringify({ text }), isError: false }
}

export function failed(error: string): ToolResult {
  return { text: JSON.stringify({ error }), isError: true }
}
