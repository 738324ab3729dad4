import type { Json, JsonObject } from '../../base/json.ts'
import { unreachable } from '../../base/assert.ts'
import { type Arg, type Execution, subcommandWords, type ValueArg } from './descriptor.ts'
import { plainPath } from './root-path.ts'

/** The command that a call becomes. */
export interface Built {
  readonly argv: readonly string[]
  readonly stdin: string | null
  /** From the call; null: none. */
  readonly workingDir: string | null
  /** Other paths that must not leave the workspace. */
  readonly paths: readonly NamedPath[]
}

interface NamedPath {
  readonly param: string
  readonly path: string
}

export type Refused = { readonly problem: string }

/** Resolved values, by the place of the argument in `execution.args`. */
export type Resolved = ReadonlyMap<number, string>

/** The words after the program, in the order of `execution.args`. Nothing is run or looked up. */
export function buildArgv(
  execution: Execution,
  args: JsonObject,
  resolved: Resolved = new Map(),
): Built | Refused {
  const draft: Draft = {
    argv: subcommandWords(execution.subcommand),
    stdin: null,
    workingDir: null,
    paths: [],
    // If no `--` follows, a value that looks like an option is one.
    options: execution.endOfOptions ? 'can-end' : 'never-end',
  }
  for (const [place, arg] of execution.args.entries()) {
    const problem = add(draft, { arg, args, resolved: resolved.get(place) })
    if (problem !== undefined) return { problem }
  }
  const { argv, stdin, workingDir, paths } = draft
  const { script } = execution
  return { argv: script === undefined ? argv : argv.with(script.at, script.file), stdin, workingDir, paths }
}

interface Draft {
  readonly argv: string[]
  stdin: string | null
  workingDir: string | null
  readonly paths: NamedPath[]
  options: 'never-end' | 'can-end' | 'ended'
}

function add(
  draft: Draft,
  { arg, args, resolved }: { arg: Arg; args: JsonObject; resolved: string | undefined },
): string | undefined {
  if (arg.kind === 'literal') {
    draft.argv.push(arg.value)
    return undefined
  }
  if (arg.kind === 'flagifboolean') return addSwitch(draft, arg, givenValue(args, arg.param))
  const value = valueOf(arg, args, resolved)
  if (value === undefined)
    return arg.kind === 'positional' && !arg.isOptional ? `missing parameter: ${arg.param}` : undefined
  const problem = 'problem' in value ? value.problem : addValue(draft, arg, value.text)
  if (problem !== undefined) return `parameter ${arg.param}: ${problem}`
  if (arg.isPath && arg.kind !== 'workingdir' && 'text' in value)
    draft.paths.push({ param: arg.param, path: value.text })
  return undefined
}

function addSwitch(
  draft: Draft,
  arg: Arg & { kind: 'flagifboolean' },
  given: Json | undefined,
): string | undefined {
  if (given !== undefined && typeof given !== 'boolean')
    return `parameter ${arg.param}: true or false is expected`
  const flag = given === true ? arg.flagIfTrue : arg.flagIfFalse
  if (flag !== null) draft.argv.push(flag)
  return undefined
}

function addValue(draft: Draft, arg: ValueArg, text: string): string | undefined {
  if (arg.kind === 'stdin') draft.stdin = text
  else if (arg.kind === 'workingdir') draft.workingDir = text
  else if (arg.kind === 'flag') {
    if (text.startsWith('-') && !(arg.isNumber && NEGATIVE.test(text))) return OPTION_PROBLEM
    draft.argv.push(arg.flag, text)
  } else if (arg.kind === 'positional') {
    if (draft.options === 'never-end' && text.startsWith('-')) return OPTION_PROBLEM
    if (draft.options === 'can-end') draft.argv.push('--')
    if (draft.options === 'can-end') draft.options = 'ended'
    draft.argv.push(text)
  } else unreachable(arg)
  return undefined
}

const NEGATIVE = /^-\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i
const OPTION_PROBLEM = 'a value that starts with - would be taken for an option; give one that does not'

/** The value of an argument as text, or its problem; undefined if the call has none. */
export function valueOf(
  arg: ValueArg,
  args: JsonObject,
  resolved?: string,
): { readonly text: string } | Refused | undefined {
  const given = resolved ?? givenValue(args, arg.param)
  if (given === undefined) return undefined
  if (typeof given === 'object') return { problem: 'a text, a number, true or false is expected' }
  const isNormalized = arg.normalizeNewlines && resolved === undefined
  const written = isNormalized ? String(given).replaceAll('\\n', '\n').replaceAll('\\t', '\t') : String(given)
  if (written.includes('\0')) return { problem: 'it holds a NUL character' }
  const bytes = Buffer.byteLength(written)
  if (bytes > VALUE_BYTES_MAX)
    return { problem: `it is too long: ${bytes} bytes, of ${VALUE_BYTES_MAX} at most` }
  if (!arg.isPath) return { text: written }
  return written === '' ? { problem: 'the path is empty' } : { text: plainPath(written) }
}

/** A word of a command line can have 128 KiB on Linux, including its final byte. */
const VALUE_BYTES_MAX = 128 * 1024 - 1

/** Null counts as missing: many models write it that way. */
function givenValue(args: JsonObject, param: string): Json | undefined {
  return Object.hasOwn(args, param) ? (args[param] ?? undefined) : undefined
}
