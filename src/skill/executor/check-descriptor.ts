import type { ToolSpec } from '../../event/prompt.ts'
import {
  declared,
  type Arg,
  type Descriptor,
  type Execution,
  PARAM_WORD,
  resolvesOf,
  type ValueArg,
} from './descriptor.ts'
import { type ProgramUse, resolvingUse, useOf, wordsOf } from './program-use.ts'
import { isScriptName, openToCode, refusedBinary } from './programs.ts'
import { schemaProblem } from './schema-problem.ts'

/** Why the parts of a tools.json do not fit together, or ask for something that no tool may do; empty if valid. */
export function descriptorProblems({ tools, allowlist, executions }: Descriptor): string[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const executed = executions.map(({ tool }) => tool)
  return [
    ...twice(tools.map(({ name }) => name)).map((name) => `two tools are named ${name}`),
    ...twice(executed).map((name) => `tool ${name} has two executions`),
    ...tools
      .filter(({ name }) => !executed.includes(name))
      .map(({ name }) => `tool ${name} has no execution`),
    ...executed
      .filter((name) => !byName.has(name))
      .map((name) => `there is an execution for ${name}, but no such tool`),
    ...tools.flatMap(({ name, parameters }) => {
      const problem = schemaProblem(parameters)
      return problem === undefined ? [] : `tool ${name}: its parameters ${problem}`
    }),
    ...[...allowlist.keys()]
      .flatMap((binary) => refusedBinary(binary) ?? [])
      .map((text) => `allowlist: ${text}`),
    ...executions.flatMap((execution) =>
      executionProblems(execution, { allowlist, spec: byName.get(execution.tool) }).map(
        (text) => `tool ${execution.tool}: ${text}`,
      ),
    ),
  ]
}

/** Things that are odd but not dangerous. */
export function descriptorWarnings({ executions }: Descriptor): string[] {
  const warnings: string[] = []
  for (const { tool, args } of executions)
    for (const arg of args.filter(takesValue)) {
      if (!arg.isPath && arg.kind !== 'stdin' && LIKE_A_PATH.test(arg.param))
        warnings.push(
          `tool ${tool}: ${arg.param} may be a path, and nothing keeps it in the workspace; "path": true does`,
        )
      for (const word of arg.resolve?.args ?? [])
        if (word !== PARAM_WORD && /\$[a-z_]/i.test(word))
          warnings.push(
            `tool ${tool}: ${JSON.stringify(word)} is passed on as it is; only "${PARAM_WORD}" alone is replaced`,
          )
    }
  return warnings
}

const LIKE_A_PATH =
  /(?:^|_)(?:path|file|filename|dir|directory|folder)s?$|(?:Path|File|Dir|Directory|Folder)s?$/

function twice(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))]
}

function executionProblems(
  execution: Execution,
  { allowlist, spec }: Pick<Descriptor, 'allowlist'> & { readonly spec: ToolSpec | undefined },
): string[] {
  const { args } = execution
  return [
    programProblem(allowlist, execution, useOf(execution)),
    ...args.flatMap((arg) => resolvingProblem(allowlist, arg, execution)),
    ...args.map((arg) => undeclaredProblem(arg, spec)),
    ...['stdin', 'workingdir'].map((kind) =>
      args.filter((arg) => arg.kind === kind).length > 1
        ? `only one argument may be of kind ${kind}`
        : undefined,
    ),
    behindTheEnd(execution),
  ].filter((problem) => problem !== undefined)
}

export function allowlistProblem(
  allowlist: Descriptor['allowlist'],
  { binary, subcommand }: { binary: string; subcommand: string },
): string | undefined {
  const allowed = allowlist.get(binary)
  if (allowed === undefined) return `binary not allowlisted: ${binary}`
  const isAllowed = allowed.includes(subcommand) || (subcommand === '' && allowed.length === 0)
  return isAllowed ? undefined : `subcommand not allowlisted: ${binary} ${subcommand}`.trimEnd()
}

function undeclaredProblem(arg: Arg, spec: ToolSpec | undefined): string | undefined {
  if (arg.kind === 'literal' || spec === undefined || declared(spec.parameters, arg.param) !== undefined)
    return undefined
  return `its execution uses ${arg.param}, which its parameters do not declare`
}

function resolvingProblem(allowlist: Descriptor['allowlist'], arg: Arg, execution: Execution): string[] {
  if (!takesValue(arg) || arg.resolve === null) return []
  const { resolve } = arg
  let problem: string | undefined
  if (resolve.kind === 'command')
    problem = programProblem(allowlist, resolve, resolvingUse(resolve, execution))
  else if (!isScriptName(resolve.script))
    problem = `script ${JSON.stringify(resolve.script)} has to be the name of a file in scripts/`
  return problem === undefined ? [] : [`resolveCommand of ${arg.param}: ${problem}`]
}

function programProblem(
  allowlist: Descriptor['allowlist'],
  program: { binary: string; subcommand: string },
  use: ProgramUse,
): string | undefined {
  return refusedBinary(program.binary) ?? allowlistProblem(allowlist, program) ?? openToCode(use)
}

/** Every program that these executions run, including those that resolve values. */
export function usesOf(executions: readonly Execution[]): { tool: string; use: ProgramUse }[] {
  return executions.flatMap((execution) => {
    const resolving = resolvesOf(execution).filter((one) => one.kind === 'command')
    const uses = [useOf(execution), ...resolving.map((one) => resolvingUse(one, execution))]
    return uses.map((use) => ({ tool: execution.tool, use }))
  })
}

/** After `--` nothing is an option any more, so an option there would be taken for a value. */
function behindTheEnd({ endOfOptions, args }: Execution): string | undefined {
  if (!endOfOptions) return undefined
  const first = args.findIndex(({ kind }) => kind === 'positional')
  const behind = first < 0 ? [] : args.slice(first).flatMap(wordsOf)
  const option = behind.find(({ text }) => text?.startsWith('-'))?.text
  return option === undefined
    ? undefined
    : `with endOfOptions, ${option} must come before the first positional`
}

export function takesValue(arg: Arg): arg is ValueArg {
  return arg.kind !== 'literal' && arg.kind !== 'flagifboolean'
}
