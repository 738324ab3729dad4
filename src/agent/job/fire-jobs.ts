import { messageOf } from '../../base/message-of.ts'
import { fireJob, skipJob, type Fired } from './fire-act.ts'
import { jobRuns, type JobRead, type JobRuns, type RunAsked } from '../run/run-act.ts'
import type { Effects } from '../contract/effects.ts'
import { isStillDue, type Firing } from './due-jobs.ts'
import { brokenTold } from './job-records.ts'
import type { AgentSettings } from '../state/settings.ts'
import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import type { JsonObject } from '../../base/json.ts'
import { sentence } from '../../base/words.ts'
import { EventError } from '../../event/codec.ts'
import type { BranchId } from '../../event/id.ts'
import type { Writing } from '../../event/table.ts'
import type { Log } from '../../log/log.ts'
import type { JobShelf, LoadedJob } from '../../schedule/job-shelf.ts'

export interface FiringParts {
  readonly log: Log
  readonly now: Clock
  readonly random: Random
  readonly settings: () => AgentSettings
  readonly shelf: JobShelf
  /** How a job is started when it is due; the payload is a webhook's. */
  readonly jobFor: (job: LoadedJob, payload?: JsonObject) => Promise<JobRead>
  readonly agent: Pick<Effects, 'wake' | 'deliver'>
}

/** With the time when jobs that could not be started were last tried. */
type TryingParts = FiringParts & { readonly triedAt: WeakMap<LoadedJob, number> }

/** What waits and could not be started is tried again: what it lacks may be there by then. */
const TRY_AGAIN_MS = 60_000

/** Jobs that are prepared and fired together. In between, people are served. */
const TOGETHER_MAX = 20

/** Fires due jobs; returns whether anything changed. Jobs for main are one turn, others start a few at a time. */
export async function fireJobs(parts: TryingParts, firings: readonly Firing[], signal: AbortSignal) {
  const ready = firings.filter(({ job }) => !isTriedLately(parts, job))
  const inMain = ready.filter(({ job }) => !job.definition.background)
  const beside = ready.filter(({ job }) => job.definition.background)
  let hasChanged = false
  for (const some of [...chunks(inMain, Infinity), ...chunks(beside, TOGETHER_MAX)]) {
    const prepared = await Promise.all(some.map((firing) => prepare(parts, firing)))
    if (signal.aborted) return hasChanged
    if (await fireTogether(parts, prepared)) hasChanged = true
    await breathe()
  }
  return hasChanged
}

/** Reminders and calls of webhooks are tried again; a time of a routine is tried once. */
function isTriedLately({ now, triedAt }: TryingParts, job: LoadedJob): boolean {
  const ago = now() - (triedAt.get(job) ?? -Infinity)
  return job.definition.kind !== 'routine' && ago >= 0 && ago < TRY_AGAIN_MS
}

type Prepared = { readonly firing: Firing } & (
  | { readonly run: RunAsked | null }
  | { readonly problem: string }
)

/** A problem of one job does not affect others (JOB2). */
async function prepare({ jobFor }: FiringParts, firing: Firing): Promise<Prepared> {
  const { definition } = firing.job
  if (!definition.background && definition.skills.length === 0) return { firing, run: null }
  try {
    const { job, call } = firing
    const read = await jobFor(job, call && (JSON.parse(call.data) as JsonObject))
    return 'problem' in read ? { firing, problem: read.problem } : { firing, run: read.job }
  } catch (error) {
    return { firing, problem: whyOf(error) }
  }
}

async function fireTogether(parts: TryingParts, prepared: readonly Prepared[]): Promise<boolean> {
  const { agent, shelf } = parts
  // A job that was edited while it was prepared is looked at again.
  const now = new Set<LoadedJob>(shelf.jobs())
  const wanted = prepared.filter(({ firing }) => now.has(firing.job))
  const fired = await write(parts, wanted)
  agent.wake(fired.flatMap((one) => (one.kind === 'fired' ? one.wake : [])))
  agent.deliver()
  return fired.some(({ kind }) => kind !== 'left') || wanted.length < prepared.length
}

/** A job that no event can hold counts as broken, and the others are fired without it. */
async function write(parts: TryingParts, wanted: readonly Prepared[]): Promise<readonly Fired[]> {
  const moment = { at: parts.now(), seed: parts.random(), settings: parts.settings() }
  for (const one of wanted) if ('problem' in one) parts.triedAt.set(one.firing.job, moment.at)
  try {
    return await parts.log.write((writing) => {
      const known = new Map<BranchId, JobRuns>()
      return wanted.map((one) => {
        if ('problem' in one) return leaveOut(writing, one.firing, { ...moment, problem: one.problem })
        const { firing, run } = one
        const runs = known.get(firing.main) ?? jobRuns(writing, firing.main)
        known.set(firing.main, runs)
        return fireJob(writing, { ...firing, ...moment, run, runs })
      })
    })
  } catch (error) {
    const [first, ...others] = wanted
    if (!(error instanceof EventError) || first === undefined) throw error
    if (others.length === 0 && 'problem' in first) throw error
    if (others.length === 0) return write(parts, [{ firing: first.firing, problem: whyOf(error) }])
    const fired: Fired[] = []
    for (const one of wanted) fired.push(...(await write(parts, [one])))
    return fired
  }
}

function leaveOut(writing: Writing, firing: Firing, { at, problem }: { at: number; problem: string }): Fired {
  if (!isStillDue(writing, firing, at)) return { kind: 'left' }
  for (const draft of brokenTold(writing, { ...firing, problem }, at)) writing.append(draft)
  return skipJob(writing, { ...firing, because: 'broken' }, at)
}

export function whyOf(error: unknown): string {
  return sentence(messageOf(error))
}

export function chunks<T>(all: readonly T[], size: number): T[][] {
  if (all.length <= size) return all.length === 0 ? [] : [[...all]]
  return [all.slice(0, size), ...chunks(all.slice(size), size)]
}

/** Lets other work run in between. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
