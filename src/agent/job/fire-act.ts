import { clockIn } from '../../base/time-text.ts'
import type { BranchId } from '../../event/id.ts'
import { jobText } from '../../event/job.ts'
import { personOf } from '../../event/speaker.ts'
import type { HostSource } from '../../event/work.ts'
import type { Writing } from '../../event/table.ts'
import type { Actor } from '../contract/act.ts'
import { chainText } from '../run/chain-text.ts'
import { isAtWork, isStillDue, type Firing, type Skip } from './due-jobs.ts'
import { skipDraft } from './job-records.ts'
import { nameOf } from '../state/job-schedule.ts'
import { settingsFor } from '../state/settings.ts'
import { skillText } from '../run/preamble.ts'
import { actRun, type JobRuns, type RunAsked } from '../run/run-act.ts'
import { sendAgain, snoozedAt } from '../ping/snooze-act.ts'

export interface FireAct extends Firing, Pick<Actor, 'at' | 'seed' | 'settings'> {
  /** How a background job, or one with skills, is started. */
  readonly run: RunAsked | null
  /** The runs of its main session, found once for all jobs that are fired together. */
  readonly runs: JobRuns
}

/** Fires a job if it is still due. The firing and its effects are one transaction (JOB1). */
export function fireJob(writing: Writing, act: FireAct): Fired {
  const { job, at, runs } = act
  const { definition } = job
  if (!isStillDue(writing, act, at)) return { kind: 'left' }
  if (isAtWork(writing, nameOf(definition), runs)) return skipJob(writing, { ...act, because: 'running' }, at)
  const wake = definition.background ? inBackground(writing, act) : inMain(writing, act)
  return { kind: 'fired', wake }
}

export type Fired =
  /** `wake`: branches that have something to do now. */
  | { readonly kind: 'fired'; readonly wake: readonly BranchId[] }
  | { readonly kind: 'skipped' }
  /** It is no longer due, or it waits. */
  | { readonly kind: 'left' }

/** Skips this time of a routine. A reminder or a call of a webhook waits instead. */
export function skipJob(writing: Writing, skip: Skip, at: number): Fired {
  if (skip.job.definition.kind !== 'routine') return { kind: 'left' }
  writing.append(skipDraft(skip, at))
  return { kind: 'skipped' }
}

function inBackground(writing: Writing, act: FireAct): readonly BranchId[] {
  const { main, at, seed, settings, run, runs, call } = act
  if (run === null) throw new TypeError(`nobody said how to start ${jobText(nameOf(act.job.definition))}`)
  const actor: Actor = { branch: main, author: { by: 'policy', name: 'schedule' }, at, seed, settings }
  const said = actRun(writing, actor, {
    ...run,
    runs,
    ...lateOf(act),
    ...(call !== undefined && { as: call.run }),
  })
  if (said.run === undefined) throw new TypeError(`${jobText(nameOf(act.job.definition))}: ${said.text}`)
  writeFired(writing, act, said.run)
  return [said.run]
}

/** A turn of main takes everything that waits there, so jobs that are fired together are one turn. */
function inMain(writing: Writing, act: FireAct): readonly BranchId[] {
  const { main, at, settings } = act
  const { definition } = act.job
  const snoozeOf = definition.kind === 'reminder' ? definition.snoozeOf : null
  const snoozed = snoozeOf === null ? undefined : snoozedAt(writing, snoozeOf)
  writeFired(writing, act, null)
  if (snoozed !== undefined) {
    sendAgain(writing, snoozed, { main, at, settings })
    return []
  }
  const before = beforeOf(act)
  writing.append({
    kind: 'inbound-admitted',
    branch: main,
    at,
    v: 1,
    source: sourceOf(definition),
    form: 'message',
    text: definition.body,
    ...(before.length > 0 && { before }),
    ...lateOf(act),
  })
  return [main]
}

function writeFired(
  writing: Writing,
  { job, main, due, isLate, at, call }: FireAct,
  run: BranchId | null,
): void {
  const took = call === undefined ? {} : { took: call.position }
  const fired = { ...nameOf(job.definition), due, isLate, run, ...took }
  writing.append({ kind: 'job-fired', branch: main, at, v: 1, ...fired })
}

function lateOf({ job, due, isLate, at, settings }: FireAct): { readonly late?: string } {
  if (!isLate) return {}
  const { zone } = settingsFor(settings, personOf(job.definition))
  const { date, time } = clockIn(due, zone)
  const day = date === clockIn(at, zone).date ? '' : `${date} `
  return { late: `[late: was scheduled for ${day}${time.replace(/^0/, '')}, running now]` }
}

/** Includes the file's person, pings and chain: the file may be gone by the time this is read. */
function sourceOf(definition: Firing['job']['definition']): HostSource {
  const { kind: tag, id, person, allowPing } = definition
  const whose = person === null ? {} : { person }
  const job = { from: 'host', tag, id, ...whose, ...(!allowPing && { allowPing }) } as const
  if (definition.kind !== 'reminder') return job
  const source = { ...job, ...(definition.isByModel && { isByModel: true as const }) }
  if (definition.chain.max === 0) return source
  const { chain, description, skills, isolated, model, thinking, reporting, tools } = definition
  const manner = { isolated, model, thinking, reporting, tools: [...tools] }
  return { ...source, chain: { ...chain, description, skills: [...skills], manner } }
}

/** Chain and skills. The other parts of a preamble are about background runs, and a job in main has main's tools. */
function beforeOf({ job: { definition }, run }: FireAct): string[] {
  const chain = definition.kind === 'reminder' ? chainText(definition.chain) : ''
  const skillsIn = run?.skillsIn === undefined ? {} : { skillsIn: run.skillsIn }
  const skills = skillText({ skills: [...definition.skills], ...skillsIn })
  return [chain, skills].filter((part) => part !== '')
}
