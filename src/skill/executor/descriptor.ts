import type { Json, JsonObject } from '../../base/json.ts'
import type { ToolSpec } from '../../event/prompt.ts'

/** A tools.json in plain form: defaults filled in, flags with their dashes. */
export interface Descriptor {
  readonly tools: readonly ToolSpec[]
  /** The allowed subcommands of each program; '' for none. */
  readonly allowlist: ReadonlyMap<string, readonly string[]>
  readonly executions: readonly Execution[]
  /** Whether its programs reach the network from their box. */
  readonly network: boolean
}

/** How a tool runs a program. */
export interface Execution {
  readonly tool: string
  readonly binary: string
  /** '' for none; one with blanks is several words. */
  readonly subcommand: string
  readonly args: readonly Arg[]
  /** Whether the program supports `--` as the end of its options. */
  readonly endOfOptions: boolean
  /** The folder in the workspace where it runs, unless a parameter names one. */
  readonly workingDirectory: string | null
  readonly successExitCodes: readonly number[]
  /** For an interpreter: the skill's file that it runs, and its place among the words. */
  readonly script?: { readonly name: string; readonly file: string; readonly at: number }
}

export type Arg =
  | { readonly kind: 'literal'; readonly value: string }
  | {
      readonly kind: 'flagifboolean'
      readonly param: string
      readonly flagIfTrue: string | null
      readonly flagIfFalse: string | null
    }
  | ({ readonly kind: 'positional'; readonly isOptional: boolean } & ValueRules)
  | ({ readonly kind: 'flag'; readonly flag: string } & ValueRules)
  | ({ readonly kind: 'stdin' } & ValueRules)
  | ({ readonly kind: 'workingdir' } & ValueRules)

/** An argument that takes the value of a parameter. */
export type ValueArg = Exclude<Arg, { kind: 'literal' | 'flagifboolean' }>

export interface ValueRules {
  readonly param: string
  /** A literal `\n` or `\t` in the value becomes the character. */
  readonly normalizeNewlines: boolean
  /** A path that must not leave the workspace. */
  readonly isPath: boolean
  /** The schema allows numbers only, so `-5` cannot be an option. */
  readonly isNumber: boolean
  readonly resolve: Resolving | null
}

/** Another program that computes the value from the model's. `$param` in `args` stands for that. */
export type Resolving =
  | { readonly kind: 'script'; readonly script: string; readonly args: readonly string[] }
  | {
      readonly kind: 'command'
      readonly binary: string
      readonly subcommand: string
      readonly args: readonly string[]
    }

export const PARAM_WORD = '$param'

export function subcommandWords(subcommand: string): string[] {
  return subcommand.split(/\s+/).filter((word) => word !== '')
}

/** A parameter's schema; undefined if there is no such parameter. */
export function declared(parameters: JsonObject, param: string): JsonObject | undefined {
  const all = propertiesOf(parameters)
  if (!Object.hasOwn(all, param)) return undefined
  const one = all[param]
  return isObject(one) ? one : {}
}

export function propertiesOf({ properties }: JsonObject): JsonObject {
  return isObject(properties) ? properties : {}
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The programs and scripts that compute values for an execution. */
export function resolvesOf({ args }: Execution): Resolving[] {
  return args.flatMap((arg) => ('resolve' in arg && arg.resolve !== null ? arg.resolve : []))
}
