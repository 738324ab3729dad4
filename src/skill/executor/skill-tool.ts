import { createHash } from 'node:crypto'
import { canonicalJson } from '../../base/canonical.ts'
import { stopwatchMs } from '../../base/clock.ts'
import type { Json, JsonObject } from '../../base/json.ts'
import { fence } from '../../event/fence.ts'
import type { ToolSpec } from '../../event/prompt.ts'
import { excessText, exitText } from '../../tool/process/exit-text.ts'
import type { ProgramOrder, Ran, RunProgram } from '../../tool/process/run-program.ts'
import { failed, ok, type CallContext, type Tool, type ToolResult } from '../../tool/tool.ts'
import type { Refused, Resolved } from './argv.ts'
import { type Descriptor, resolvesOf } from './descriptor.ts'
import { prepareRepository, withoutQuotes } from './git-repository.ts'
import { hardened, isGit } from './hardening.ts'
import { fileOf, type PlanParts, prepareCall, readyCall } from './plan.ts'
import { type ResolveStep, resolvedValue, scriptFile } from './resolving.ts'
import { realName } from './programs.ts'
import { realRoots } from './root-path.ts'
import { subjectText } from './subject.ts'

export interface ToolParts extends PlanParts {
  readonly spec: ToolSpec
  readonly allowlist: Descriptor['allowlist']
  readonly environment: Readonly<Record<string, string>>
  readonly run: RunProgram
  readonly box?: NonNullable<ProgramOrder['box']>
  readonly network: boolean
  /** For everything that a call runs. */
  readonly timeoutMs: number
}

export function skillTool(parts: ToolParts): Tool {
  const { spec, scripts } = parts
  return {
    spec,
    nature: {
      origin: { kind: 'skill', skill: scripts.skill },
      effect: 'runs',
      subjectOf: (args) => subjectOf(parts, args),
      ...(parts.network && { shownAs: (args) => `${subjectOf(parts, args)}\n${NETWORK}` }),
      fingerprint: fingerprintOf(parts),
    },
    check: (args) => {
      const prepared = prepareCall(parts, args)
      return 'problem' in prepared ? prepared.problem : undefined
    },
    run: (args, call) => runCall(parts, args, call),
  }
}

const NETWORK = '(it reaches the network)'

function subjectOf(parts: ToolParts, args: JsonObject): string {
  const ready = readyCall(parts, args, new Map())
  if ('problem' in ready) return JSON.stringify(args)
  const [workspace] = realRoots(parts.roots)
  const isPending = parts.execution.args.some((arg) => arg.kind === 'workingdir' && arg.resolve !== null)
  const cwd = (isPending ? ready.workingDir : null) ?? ready.cwd
  return subjectText({ ...ready, cwd: cwd === workspace ? null : cwd })
}

async function runCall(parts: ToolParts, args: JsonObject, call: CallContext): Promise<ToolResult> {
  const prepared = prepareCall(parts, args)
  if ('problem' in prepared) return failed(prepared.problem)
  const endsAt = stopwatchMs() + parts.timeoutMs
  const bounds: Bounds = { ...call, endsAt }
  const resolved = await resolveAll(parts, { args, steps: prepared.steps }, bounds)
  if ('problem' in resolved) return failed(resolved.problem)
  // Checked again: a resolved value must follow the same rules as a given one.
  const ready = readyCall(parts, args, resolved.values)
  if ('problem' in ready) return failed(ready.problem)
  const { execution } = parts
  const ran = await runHardened(
    parts,
    {
      binary: execution.binary,
      file: fileOf(parts, execution.binary),
      argv: ready.argv,
      cwd: ready.cwd,
      ...(ready.stdin === null ? {} : { stdin: ready.stdin }),
    },
    bounds,
  )
  if (!('kind' in ran)) return failed(ran.problem)
  const timed = ran.kind === 'timed-out' ? { ...ran, timeoutMs: parts.timeoutMs } : ran
  return programResult(
    `${execution.binary} ${execution.subcommand}`.trim(),
    timed,
    execution.successExitCodes,
  )
}

interface Bounds extends Pick<CallContext, 'signal' | 'processStarted'> {
  readonly endsAt: number
}

function surroundings({ timeoutMs, box }: ToolParts, { endsAt, signal, processStarted }: Bounds) {
  return {
    timeoutMs: Math.min(timeoutMs, Math.max(1, Math.ceil(endsAt - stopwatchMs()))),
    ...(processStarted && { onStart: processStarted }),
    ...(box && { box }),
    signal,
  }
}

/** Runs a program so that files in its folder cannot make it run something else, or says why it must not run there. */
async function runHardened(
  parts: ToolParts,
  { binary, ...order }: Pick<ProgramOrder, 'file' | 'argv' | 'cwd' | 'stdin'> & { readonly binary: string },
  bounds: Bounds,
): Promise<Ran | Refused> {
  const name = isGit(realName(order.file)) ? 'git' : binary
  const environment = hardened(name, parts.environment, parts.roots)
  const { file, cwd } = order
  const prepared = isGit(name)
    ? await prepareRepository({
        roots: parts.roots,
        environment,
        cwd,
        subcommand: order.argv[0] ?? '',
        run: (argv, more) =>
          parts.run({ file, argv, cwd, ...surroundings(parts, bounds), ...more, env: environment }),
      })
    : { environment }
  if ('ran' in prepared) return prepared.ran
  if ('problem' in prepared) return prepared
  const ran = await parts.run({ ...order, ...surroundings(parts, bounds), env: prepared.environment })
  return isGit(name) ? withoutQuotes(ran) : ran
}

async function resolveAll(
  parts: ToolParts,
  { args, steps }: { args: JsonObject; steps: readonly ResolveStep[] },
  bounds: Bounds,
): Promise<{ readonly values: Resolved } | Refused> {
  const values = new Map<number, string>()
  for (const step of steps) {
    const file = stepFile(parts, step)
    if ('problem' in file) return file
    const around = readyCall(parts, args, values)
    if ('problem' in around) return around
    const binary = step.resolve.kind === 'command' ? step.resolve.binary : ''
    const order = { binary, file: file.file, argv: step.argv, cwd: around.cwd }
    const ran = await runHardened(parts, order, bounds)
    if (!('kind' in ran)) return ran
    const value = resolvedValue(step, ran)
    if ('problem' in value) return value
    values.set(step.place, value.text)
  }
  return { values }
}

function stepFile(parts: ToolParts, { resolve }: ResolveStep): { readonly file: string } | Refused {
  if (resolve.kind === 'script') return scriptFile(resolve.script, parts.scripts)
  return { file: fileOf(parts, resolve.binary) }
}

/** A hash of everything that decides what a call runs. When it changes, earlier permissions no longer count. */
function fingerprintOf({ spec, execution, allowlist, files, scripts, network }: ToolParts): string {
  const resolves = resolvesOf(execution)
  const binaries = [
    execution.binary,
    ...resolves.flatMap((one) => (one.kind === 'command' ? one.binary : [])),
  ]
  const names = [
    ...resolves.flatMap((one) => (one.kind === 'script' ? one.script : [])),
    ...(execution.script === undefined ? [] : [execution.script.name]),
  ]
  const content = {
    spec,
    execution: execution as unknown as Json,
    allowlist: Object.fromEntries(binaries.map((binary) => [binary, allowlist.get(binary) ?? []])),
    // Another program of the same name, earlier on the PATH, is another tool.
    files: Object.fromEntries(binaries.map((binary) => [binary, files.get(binary) ?? null])),
    directory: scripts.directory,
    // Only where it is allowed, so that what was allowed before there were boxes stays so.
    ...(network && { network }),
    scripts: Object.fromEntries(names.map((name) => [name, scripts.fingerprints.get(name) ?? null])),
  }
  return createHash('sha256').update(canonicalJson(content)).digest('hex')
}

/** The model's result of a run. A program's output is data, whatever it says (SAFE2). */
function programResult(program: string, ran: Ran, successExitCodes: readonly number[]): ToolResult {
  if (ran.kind === 'not-started') return failed(`${program} was not started: ${ran.problem}`)
  if (ran.kind === 'stopped') return failed(`${program} was stopped`)
  if (ran.kind === 'timed-out')
    return failed(withOutput(`${program} took longer than ${secondsText(ran.timeoutMs)} and was killed`, ran))
  if (ran.kind === 'flooded')
    return failed(withOutput(`${program} wrote more than ${ran.floodMax} bytes and was killed`, ran))
  if (ran.kind === 'exceeded')
    return failed(withOutput(`${program} ${excessText(ran.excess)} and was killed`, ran))
  if (ran.code === 0 && ran.stderr === '') return ok(fencedOutput(ran.stdout))
  const isFine = ran.code !== null && (ran.code === 0 || successExitCodes.includes(ran.code))
  const text = withOutput(`${program} ${isFine ? 'ended' : 'failed'}: ${exitText(ran)}`, ran)
  return isFine ? ok(ran.code === 0 ? withOutput('', ran) : text) : failed(text)
}

function fencedOutput(text: string): string {
  return text === '' ? '(no output)' : fence('SKILL TOOL', text)
}

function withOutput(first: string, { stdout, stderr }: { stdout: string; stderr: string }): string {
  const parts = [
    ...(first === '' ? [] : [first]),
    ...(stderr === '' ? [] : [`stderr:\n${fence('SKILL TOOL', stderr)}`]),
    `stdout:\n${fencedOutput(stdout)}`,
  ]
  return parts.join('\n')
}

function secondsText(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 1_000)} s`
}
