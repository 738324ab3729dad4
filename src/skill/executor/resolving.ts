import { messageOf } from '../../base/message-of.ts'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '../../base/json.ts'
import { isWithin } from '../../base/regular-file.ts'
import { fence } from '../../event/fence.ts'
import { excessText, exitText } from '../../tool/process/exit-text.ts'
import { isProgram } from '../../tool/process/find-binary.ts'
import type { Ran } from '../../tool/process/run-program.ts'
import { type Refused, valueOf } from './argv.ts'
import { takesValue } from './check-descriptor.ts'
import { type Execution, PARAM_WORD, type Resolving, subcommandWords } from './descriptor.ts'

/** A value that another program computes, and how to run that. */
export interface ResolveStep {
  /** The argument's place in `execution.args`. */
  readonly place: number
  readonly param: string
  readonly isWorkingDir: boolean
  /** The model's value: kept if nothing comes back. */
  readonly value: string
  readonly resolve: Resolving
  readonly argv: readonly string[]
}

/** The values to resolve before this call can run, the working directory first: the others run in it. */
export function resolveSteps(execution: Execution, args: JsonObject): readonly ResolveStep[] | Refused {
  const steps: ResolveStep[] = []
  for (const [place, arg] of execution.args.entries()) {
    if (!takesValue(arg) || arg.resolve === null) continue
    const value = valueOf(arg, args)
    if (value === undefined) continue
    if ('problem' in value) return { problem: `parameter ${arg.param}: ${value.problem}` }
    const { resolve, param } = arg
    if (value.text.startsWith('-') && resolve.args.includes(PARAM_WORD))
      return { problem: `parameter ${param}: a value that starts with - would be taken for an option` }
    const words = resolve.kind === 'command' ? subcommandWords(resolve.subcommand) : []
    const argv = [...words, ...resolve.args.map((word) => (word === PARAM_WORD ? value.text : word))]
    steps.push({ place, param, isWorkingDir: arg.kind === 'workingdir', value: value.text, resolve, argv })
  }
  return steps.toSorted((one, other) => Number(other.isWorkingDir) - Number(one.isWorkingDir))
}

export interface ScriptRules {
  readonly skill: string
  readonly directory: string
  readonly allowScripts: boolean
  /** Hashes of the scripts from when the skill was loaded: those were allowed. */
  readonly fingerprints: ReadonlyMap<string, string>
}

/** The file of a script that may run now, or why it may not. */
export function scriptFile(
  name: string,
  rules: ScriptRules,
  how: 'run' | 'interpreted' = 'run',
): { readonly file: string } | Refused {
  if (!rules.allowScripts) return { problem: scriptsOff(name, rules.skill) }
  const script = findScript(rules.directory, name, how)
  if ('problem' in script) return script
  if (script.fingerprint !== rules.fingerprints.get(name))
    return {
      problem: `scripts/${name} of the skill ${rules.skill} has changed since it was loaded: reload the skills`,
    }
  return script
}

export function scriptsOff(name: string, skill: string): string {
  return `it needs scripts/${name} of the skill ${skill}, and scripts of skills are off: mainstem config set skills.allowScripts true turns them on`
}

/**
 * A file in a skill's scripts/ folder, and its content's hash. Read when the skill is loaded and again when it runs: the
 * file may have changed in between.
 */
export function findScript(
  directory: string,
  name: string,
  how: 'run' | 'interpreted',
): { readonly file: string; readonly fingerprint: string } | Refused {
  const folder = join(directory, 'scripts')
  // Other agents pass scripts to a shell and leave the extension out.
  const names = how === 'run' ? [name, `${name}.sh`] : [name]
  const file = names.map((one) => join(folder, one)).find((path) => existsSync(path))
  if (file === undefined) return { problem: `there is no file scripts/${name} in the skill's folder` }
  try {
    const real = realpathSync(file)
    if (!isWithin(realpathSync(folder), real)) return { problem: `scripts/${name} leads out of scripts/` }
    if (!statSync(real).isFile()) return { problem: `scripts/${name} is not a file` }
    if (how === 'run' && !isProgram(real))
      return { problem: `scripts/${name} is not executable: chmod +x makes it so` }
    return { file: real, fingerprint: createHash('sha256').update(readFileSync(real)).digest('hex') }
  } catch (error) {
    return { problem: `scripts/${name} cannot be read: ${messageOf(error)}` }
  }
}

/** The computed value: the program's trimmed output, or the original value if there is none. */
export function resolvedValue(step: ResolveStep, ran: Ran): { readonly text: string } | Refused {
  if (ran.kind === 'exited' && ran.code === 0 && !ran.wasCut)
    return { text: ran.stdout.trim() === '' ? step.value : ran.stdout.trim() }
  return { problem: `parameter ${step.param} could not be resolved: ${failureText(ran)}` }
}

const STDERR_SHOWN_MAX = 500

function failureText(ran: Ran): string {
  if (ran.kind === 'not-started') return ran.problem
  if (ran.kind === 'stopped') return 'it was stopped'
  if (ran.kind === 'timed-out') return `it took longer than ${ran.timeoutMs} ms`
  if (ran.kind === 'exceeded') return `it ${excessText(ran.excess)} and was killed`
  if (ran.kind === 'flooded' || ran.code === 0) return 'its output was not a value'
  const stderr = ran.stderr.trim().slice(0, STDERR_SHOWN_MAX)
  return `${exitText(ran)}${stderr === '' ? '' : `\nstderr:\n${fence('SKILL TOOL', stderr)}`}`
}
