import type { JsonObject } from '../../base/json.ts'
import { firstOf } from '../../base/words.ts'
import type { Room } from '../../tool/process/box.ts'
import type { Boxes } from '../../tool/process/boxes.ts'
import { type ProgramOrder, type RunProgram, runProgram } from '../../tool/process/run-program.ts'
import { argumentChecks } from './argument-check.ts'
import { descriptorProblems, descriptorWarnings, usesOf } from './check-descriptor.ts'
import { isHarmless } from './code-flags.ts'
import { resolvesOf, type Descriptor } from './descriptor.ts'
import { parseDescriptor } from './parse-descriptor.ts'
import { planCall, type Plan } from './plan.ts'
import { programKind } from './program-names.ts'
import { useOf } from './program-use.ts'
import { fixedScript, locate, openToCode, realName, RUN_CODE } from './programs.ts'
import { findScript, scriptsOff } from './resolving.ts'
import type { Roots } from './root-path.ts'
import { skillTool, type ToolParts } from './skill-tool.ts'

export interface ToolsFile {
  /** The text of tools.json. */
  readonly text: string
  readonly skill: string
  /** The skill's folder, as an absolute path. */
  readonly directory: string
}

export interface ExecutorParts {
  /** Whether scripts and !`commands` of skills may run. */
  readonly allowScripts: boolean
  /** The folder where tools run; no path may leave it. */
  readonly workspace: string
  readonly roots?: Omit<Roots, 'workspace'>
  /** The complete environment of a program. */
  readonly environment: Readonly<Record<string, string>>
  /** The absolute path of a program. */
  readonly findBinary: (name: string) => string | undefined
  readonly run?: RunProgram
  /** Left out, programs run without a box. */
  readonly boxes?: Boxes
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 60_000

/** The tools of a tools.json, or why none of them can be used. */
export async function loadTools(file: ToolsFile, parts: ExecutorParts) {
  const parsed = parseDescriptor(file.text)
  if ('problem' in parsed) return parsed
  const { descriptor, warnings } = parsed
  const problems = descriptorProblems(descriptor)
  if (problems.length > 0) return { problem: firstOf(problems) }
  const { files, missing } = locateAll(descriptor, parts.findBinary)
  const disguised = missing.length > 0 ? missing : disguises(descriptor, files)
  if (disguised.length > 0) return { problem: firstOf(disguised) }
  const fixed = withScripts(descriptor, file, parts.allowScripts)
  if (fixed.problems.length > 0) return { problem: firstOf(fixed.problems) }
  const scripts = scriptsOf(fixed.descriptor, file.directory)
  const made = await toolParts(fixed.descriptor, { file, parts, files, scripts })
  if ('problem' in made) return made
  return {
    tools: made.all.map(skillTool),
    warnings: [...warnings, ...descriptorWarnings(descriptor), ...scripts.warnings],
    /** Not on the list of harmless ones. */
    unknownPrograms: unknownPrograms(descriptor),
    network: descriptor.network,
    /** The command that a call would run, without running anything. */
    plan: (tool: string, args: JsonObject) => planOf(made.all, tool, args),
  }
}

interface Found {
  readonly file: ToolsFile
  readonly parts: ExecutorParts
  readonly files: ReadonlyMap<string, string>
  readonly scripts: ReturnType<typeof scriptsOf>
}

async function toolParts(
  { tools, allowlist, executions, network }: Descriptor,
  { file, parts, files, scripts }: Found,
): Promise<{ readonly all: readonly ToolParts[] } | { readonly problem: string }> {
  const compile = await argumentChecks()
  const roots = { ...parts.roots, workspace: parts.workspace }
  const { boxes } = parts
  const box =
    boxes && skillBox(boxes, { ...file, network, folders: roots.others ?? [], writable: [parts.workspace] })
  const all: ToolParts[] = []
  const problems: string[] = []
  for (const spec of tools) {
    const execution = executions.find(({ tool }) => tool === spec.name)
    const check = compile(spec)
    if ('problem' in check) problems.push(check.problem)
    else if (execution !== undefined)
      all.push({
        spec,
        execution,
        check,
        allowlist,
        files,
        roots,
        network,
        ...(box && { box }),
        environment: parts.environment,
        scripts: { ...file, allowScripts: parts.allowScripts, fingerprints: scripts.fingerprints },
        run: parts.run ?? runProgram,
        timeoutMs: parts.timeoutMs ?? TIMEOUT_MS,
      })
  }
  return problems.length > 0 ? { problem: firstOf(problems) } : { all }
}

/** Sees its own folder, and no other skill's private one. */
export function skillBox(
  boxes: Boxes,
  {
    skill,
    directory,
    ...room
  }: Pick<ToolsFile, 'skill' | 'directory'> & Pick<Room, 'network' | 'folders' | 'writable'>,
): NonNullable<ProgramOrder['box']> {
  const name = `skill-${encodeURIComponent(skill)}`
  return (program) => boxes(program, { ...room, name, readable: [directory] })
}

function planOf(all: readonly ToolParts[], name: string, args: JsonObject): Plan {
  const parts = all.find(({ spec }) => spec.name === name)
  if (parts !== undefined) return planCall(parts, args)
  return {
    problem: `there is no tool ${name} here: ${all.map(({ spec }) => spec.name).join(', ') || 'none'}`,
  }
}

/** The file of each allowed program, looked up once: the checked file is the one that runs. */
function locateAll(
  { executions }: Descriptor,
  findBinary: ExecutorParts['findBinary'],
): { readonly files: ReadonlyMap<string, string>; readonly missing: readonly string[] } {
  const files = new Map<string, string>()
  const missing: string[] = []
  for (const binary of new Set(usesOf(executions).map(({ use }) => use.binary))) {
    const located = locate(binary, findBinary)
    if ('problem' in located) missing.push(located.problem)
    else files.set(binary, located.file)
  }
  return { files, missing }
}

/** A program may be a link to another one, whose rules then apply. */
function disguises({ executions }: Descriptor, files: ReadonlyMap<string, string>): string[] {
  return usesOf(executions).flatMap(({ tool, use }) => {
    const real = realName(files.get(use.binary) ?? use.binary)
    if (real === use.binary) return []
    const kind = programKind(real)
    if (kind in RUN_CODE && kind !== programKind(use.binary))
      return `tool ${tool}: ${use.binary} is ${real} under another name: name the program itself`
    const problem = openToCode({ ...use, binary: real })
    return problem === undefined ? [] : `tool ${tool}: ${use.binary} is ${real}: ${problem}`
  })
}

function unknownPrograms({ executions }: Descriptor): string[] {
  const uses = usesOf(executions).map(({ use }) => use)
  return [...new Set(uses.filter((use) => !isHarmless(use)).map(({ binary }) => binary))]
}

/** Gives interpreters the absolute path of their script: they would look for a bare name in the working directory. */
function withScripts(
  descriptor: Descriptor,
  { skill, directory }: ToolsFile,
  allowScripts: boolean,
): { readonly descriptor: Descriptor; readonly problems: readonly string[] } {
  const problems: string[] = []
  const executions = descriptor.executions.map((execution) => {
    const fixed = fixedScript(useOf(execution))
    if (fixed === undefined) return execution
    const found = allowScripts
      ? findScript(directory, fixed.name, 'interpreted')
      : { problem: scriptsOff(fixed.name, skill) }
    if ('problem' in found) problems.push(`tool ${execution.tool}: ${found.problem}`)
    return 'problem' in found ? execution : { ...execution, script: { ...fixed, file: found.file } }
  })
  return { descriptor: { ...descriptor, executions }, problems }
}

function scriptsOf({ executions }: Descriptor, directory: string) {
  const fingerprints = new Map<string, string>()
  const warnings: string[] = []
  const add = (name: string, how: 'run' | 'interpreted'): void => {
    const script = findScript(directory, name, how)
    if ('problem' in script) warnings.push(script.problem)
    else fingerprints.set(name, script.fingerprint)
  }
  const resolving = executions.flatMap(resolvesOf)
  const names = resolving.flatMap((one) => (one.kind === 'script' ? one.script : []))
  for (const name of new Set(names)) add(name, 'run')
  for (const { script } of executions) if (script !== undefined) add(script.name, 'interpreted')
  return { fingerprints, warnings }
}
