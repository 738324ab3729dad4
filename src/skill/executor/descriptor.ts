import type { Json, JsonObject } from '../../base/json.ts'
import type { ToolSpec } from '../../event/prompt.ts'

/** What tools.json says, made plain: defaults filled in, flags with their dashes. */
export interface Descriptor {
  readonly tools: readonly ToolSpec[]
  /** By the name of a program, the subcommands it may be run with; '' for none. */
  readonly allowlist: ReadonlyMap<string, readonly string[]>
  readonly executions: readonly Execution[]
}

/** How a tool becomes the run of a program. */
export interface Execution {
  readonly tool: string
  readonly binary: string
  /** '' for none; one with blanks is several words. */
  readonly subcommand: string
  readonly args: readonly Arg[]
  /** Whether the program takes `--` to mean that no option follows. */
  readonly endOfOptions: boolean
  /** Where it runs in the workspace, unless a parameter says so. */
  readonly workingDirectory: string | null
  readonly successExitCodes: readonly number[]
  /** Of an interpreter: the file of the skill that it runs, and where that stands among the words. */
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

/** Another program that makes the value out of what the model gave. `$param` in `args` stands for that. */
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

/** What a parameter's schema says; undefined if there is no such parameter. */
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

/** The programs and scripts that make values for an execution. */
export function resolvesOf({ args }: Execution): Resolving[] {
  return args.flatMap((arg) => ('resolve' in arg && arg.resolve !== null ? arg.resolve : []))
}

const FIRST_MAX = 5

/** The first problems, and how many more there are. */
export function firstOf(problems: readonly string[]): string {
  const more = problems.length - FIRST_MAX
  return [...problems.slice(0, FIRST_MAX), ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}
