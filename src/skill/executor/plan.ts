import type { JsonObject } from '../../base/json.ts'
import { type Built, buildArgv, type Refused, type Resolved } from './argv.ts'
import type { ArgumentCheck } from './argument-check.ts'
import type { Execution } from './descriptor.ts'
import { type ResolveStep, resolveSteps, scriptFile, type ScriptRules } from './resolving.ts'
import { insideRoot, type Roots } from './root-path.ts'
import { wordsText } from './subject.ts'

/** What a call would run. */
export type Plan =
  | {
      readonly file: string
      readonly argv: readonly string[]
      readonly cwd: string
      readonly stdin?: string
      /** By parameter, the command that would make its value first; it was not run, so the value is the one given. */
      readonly unresolved: readonly { readonly param: string; readonly command: string }[]
    }
  | Refused

export interface PlanParts {
  readonly execution: Execution
  readonly check: ArgumentCheck
  /** By name, the programs that may run. */
  readonly files: ReadonlyMap<string, string>
  readonly roots: Roots
  readonly scripts: ScriptRules
}

export function planCall(parts: PlanParts, args: JsonObject): Plan {
  const problem = callProblem(parts, args)
  if (problem !== undefined) return { problem }
  const ready = readyCall(parts, args, new Map())
  const steps = resolveSteps(parts.execution, args)
  if ('problem' in ready) return ready
  if ('problem' in steps) return steps
  const { argv, stdin, cwd } = ready
  return {
    file: fileOf(parts, parts.execution.binary),
    argv,
    cwd,
    ...(stdin === null ? {} : { stdin }),
    unresolved: steps.map((step) => ({ param: step.param, command: commandText(step) })),
  }
}

/** Why this call cannot run, as far as that can be known without running anything. */
export function callProblem(parts: PlanParts, args: JsonObject): string | undefined {
  const misfit = parts.check(args)
  if (misfit !== undefined) return misfit
  const ready = readyCall(parts, args, new Map())
  if ('problem' in ready) return ready.problem
  const { script } = parts.execution
  const fixed = script === undefined ? undefined : scriptFile(script.name, parts.scripts, 'interpreted')
  if (fixed !== undefined && 'problem' in fixed) return fixed.problem
  const steps = resolveSteps(parts.execution, args)
  if ('problem' in steps) return steps.problem
  for (const { resolve } of steps) {
    const script = resolve.kind === 'script' ? scriptFile(resolve.script, parts.scripts) : undefined
    if (script !== undefined && 'problem' in script) return script.problem
  }
  return undefined
}

export type Ready = (Built & { readonly cwd: string }) | Refused

/**
 * The words and the place of a run. Also a path that is still to be resolved must not leave: what resolves it would be
 * given it.
 */
export function readyCall(parts: PlanParts, args: JsonObject, resolved: Resolved): Ready {
  const { execution, roots } = parts
  const built = buildArgv(execution, args, resolved)
  if ('problem' in built) return built
  const place = execution.args.findIndex(({ kind }) => kind === 'workingdir')
  const folder = execution.args[place]
  const isPending = folder?.kind === 'workingdir' && folder.resolve !== null && !resolved.has(place)
  const chosen = insideRoot(built.workingDir ?? '.', { roots, from: roots.workspace })
  if ('problem' in chosen) return { problem: `working directory: ${chosen.problem}` }
  const cwd = insideRoot((isPending ? null : built.workingDir) ?? execution.workingDirectory ?? '.', {
    roots,
    from: roots.workspace,
  })
  if ('problem' in cwd) return { problem: `working directory: ${cwd.problem}` }
  for (const { param, path } of built.paths) {
    const inside = insideRoot(path, { roots, from: cwd.path })
    if ('problem' in inside) return { problem: `parameter ${param}: ${inside.problem}` }
  }
  return { ...built, cwd: cwd.path }
}

export function fileOf({ files }: PlanParts, binary: string): string {
  return files.get(binary) ?? ''
}

function commandText({ resolve, argv }: ResolveStep): string {
  return wordsText([resolve.kind === 'script' ? `scripts/${resolve.script}` : resolve.binary, ...argv])
}
