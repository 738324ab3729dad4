import type { JsonObject } from '../base/json.ts'
import type { BranchId, TurnId } from '../event/id.ts'
import type { ToolSpec } from '../event/prompt.ts'
import type { StartedProcess } from '../event/work.ts'

/** Something a model can do. What it may not do, or what went wrong, is a result too: the model goes on from there. */
export interface Tool {
  readonly spec: ToolSpec
  readonly nature: ToolNature
  /** Why these arguments cannot be used. Asked before the call is judged, so nobody is asked to approve nonsense. */
  check?(args: JsonObject): string | undefined
  /** Never throws for what a model did wrong; aborting the signal ends it at once. */
  run(args: JsonObject, call: CallContext): Promise<ToolResult>
}

/** The facts about a tool that the permission check needs. */
export interface ToolNature {
  readonly origin: ToolOrigin
  /**
   * `looks`: changes nothing and reaches nobody. `steers`: changes only what this agent's own contexts, forks and mail
   * are, which a person can undo. `edits`: files of the workspace. `reaches`: other machines. `runs`: a program, or
   * whatever a server behind it does.
   */
  readonly effect: 'looks' | 'steers' | 'edits' | 'reaches' | 'runs'
  /** The effect of one call, where it depends on the arguments. */
  readonly effectOf?: (args: JsonObject) => ToolNature['effect']
  /** What a pattern `tool(GLOB)` is matched with, made plain: a path without `..`, a whole address. Default: the arguments as JSON. */
  readonly subjectOf?: (args: JsonObject) => string
  /** The pattern that "always" allows for such a call. Default: the tool's name. */
  readonly patternFor?: (args: JsonObject) => string
  /** What a person is shown of a call before it may run, in lines; `+ ` and `- ` begin what comes and goes. Default: the subject. */
  readonly shownAs?: (args: JsonObject) => string
  /** The address that a call asks, made plain; undefined: it asks none that a model chose. */
  readonly addressOf?: (args: JsonObject) => string | undefined
  /** Its results are the host's own words, and of the call at most. Left out: anybody's. */
  readonly says?: 'host'
  /** Calls of one step with the same queue run one after the other, in order; others in parallel. */
  readonly queue?: string
  /** A hash of what it really does. When it changes, earlier permissions no longer count. */
  readonly fingerprint?: string
  /** What models are told of it in place of its spec, until a person allows it. */
  readonly told?: ToolSpec
}

export type ToolOrigin =
  | { readonly kind: 'built-in' }
  | { readonly kind: 'skill'; readonly skill: string }
  | { readonly kind: 'mcp'; readonly server: string }

export function builtIn(effect: ToolNature['effect'], more: Partial<ToolNature> = {}): ToolNature {
  return { origin: { kind: 'built-in' }, effect, ...more }
}

export interface CallContext {
  readonly branch: BranchId
  readonly turn: TurnId
  readonly signal: AbortSignal
  /** To be told of each program that the call starts: if we die, the next start ends it. */
  readonly processStarted?: (process: StartedProcess) => void
}

export interface ToolResult {
  /** JSON, as the model gets it. */
  readonly text: string
  readonly isError: boolean
  /** Addresses that it offers to whoever reads it. */
  readonly links?: readonly string[]
}

export function ok(text: string): ToolResult {
  return { text: JSON.stringify({ text }), isError: false }
}

export function failed(error: string): ToolResult {
  return { text: JSON.stringify({ error }), isError: true }
}
