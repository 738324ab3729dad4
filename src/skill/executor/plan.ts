import type { JsonObject } from '../../base/json.ts'
import { type Built, buildArgv, type Refused, type Resolved } from './argv.ts'
import type { ArgumentCheck } from './argument-check.ts'
import type { Execution } from './descriptor.ts'
import { type ResolveStep, resolveSteps, scriptFile, type ScriptRules } from './resolving.ts'
import { insideRoot, type Roots } from './root-path.ts'
import { wordsText } from './subject.ts'

/** The command that a call would run. */
export type Plan =
  | {
      readonly file: string
      readonly argv: readonly string[]
      readonly cwd: string
      readonly stdin?: string
      /** By parameter, the command that would compute its value first; it was not run, so the given value is shown. */
      readonly unresolved: readonly { readonly param: string; readonly command: string }[]
    }
  | Refused

export interface PlanParts {
  readonly execution: Execution
  readonly check: ArgumentCheck
  /** The files of the allowed programs, by name. */
  readonly files: ReadonlyMap<string, string>
  readonly roots: Roots
  readonly scripts: ScriptRules
}

export function planCall(parts: PlanParts, args: JsonObject): Plan {
  const prepared = prepareCall(parts, args)
  if ('problem' in prepared) return prepared
  const { argv, stdin, cwd } = prepared.ready
  return {
    file: fileOf(parts, parts.execution.binary),
    argv,
    cwd,
    ...(stdin === null ? {} : { stdin }),
    unresolved: prepared.steps.map((step) => ({ param: step.param, command: commandText(step) })),
  }
}

/** The words of a call and the values to resolve first, or why it cannot run; nothing is run for this. */
export function prepareCall(
  parts: PlanParts,
  args: JsonObject,
): { readonly ready: Ready; readonly steps: readonly ResolveStep[] } | Refused {
  const misfit = parts.check(args)
  if (misfit !== undefined) return { problem: misfit }
  const ready = readyCall(parts, args, new Map())
  if ('problem' in ready) return ready
  const { script } = parts.execution
  const fixed = script === undefined ? undefined : scriptFile(script.name, parts.scripts, 'interpreted')
  if (fixed !== undefined && 'problem' in fixed) return fixed
  const steps = resolveSteps(parts.execution, args)
  if ('problem' in steps) return steps
  for (const { resolve } of steps) {
    const script = resolve.kind === 'script' ? scriptFile(resolve.script, parts.scripts) : undefined
    if (script !== undefined && 'problem' in script) return script
  }
  return { ready, steps }
}

type Ready = Built & { readonly cwd: string }

/**
 * The words and the folder of a run. A path that is still to be resolved must not leave either: the resolving program
 * would get it.
 */
export function readyCall(parts: PlanParts, args: JsonObject, resolved: Resolved): Ready | Refused {
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
