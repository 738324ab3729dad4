import { clockIn } from '../../base/time-text.ts'
import { oneLine, shorten } from '../../base/width.ts'
import { counted } from '../../base/words.ts'
import type { BranchId, Position } from '../../event/id.ts'
import { jobText } from '../../event/job.ts'
import { personOf } from '../../event/speaker.ts'
import type { HostSource } from '../../event/work.ts'
import type { Reader, Writing } from '../../event/table.ts'
import type { Reminder } from '../../schedule/definition.ts'
import type { Actor } from '../contract/act.ts'
import { chainText } from '../run/chain-text.ts'
import { isAtWork, isStillDue, isUsedUp, mustWait, type Firing, type Skip } from './due-jobs.ts'
import { skipDraft } from './job-records.ts'
import { nameOf } from '../state/jobs.ts'
import { ceilingOf, rootOfFiring } from '../state/cause.ts'
import { say } from '../state/outbox.ts'
import { hearerOf } from '../ping/notices.ts'
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
  const { job, at, runs, settings } = act
  const { definition } = job
  if (!isStillDue(writing, act, at)) return { kind: 'left' }
  if (mustWait(writing, definition, { now: at, settings })) return { kind: 'left' }
  if (isAtWork(writing, nameOf(definition), runs)) return skipJob(writing, { ...act, because: 'running' }, at)
  const why = definition.kind === 'reminder' ? whyBare(writing, act, definition) : undefined
  if (why !== undefined) return { kind: 'fired', wake: sayBare(writing, act, why) }
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

/** Why a reminder comes as its text, without a model (CAUSE2, CAUSE3). Undefined: the agent gets it as usual. */
function whyBare(reader: Reader, act: FireAct, reminder: Reminder): string | undefined {
  const { due, at, settings } = act
  // A ping that comes again needs no model.
  if (reminder.snoozeOf !== null) return undefined
  const { zone } = settingsFor(settings, personOf(reminder))
  const root = rootOfFiring(reader, reminder.id, due)
  const day = clockIn(at, zone).date
  const ceiling = root === undefined ? undefined : ceilingOf(reader, { root, day }, settings.causedMax)
  if (ceiling !== undefined) return `the job that set it has reached ${ceiling} today`
  return isUsedUp(reader, { now: at, settings })
    ? `jobs have reached ${counted(settings.unattendedMax, 'call')} of models today (unattendedMaxCalls)`
    : undefined
}

/** Delivers a reminder's text. A silent one becomes an update; the model of the main session learns of it by a note. */
function sayBare(writing: Writing, act: FireAct, why: string): readonly BranchId[] {
  const { job, main, at, settings } = act
  const { id, body, background, allowPing } = job.definition
  const { isByModel } = sourceOf(job.definition)
  const { late } = lateOf(act)
  const cause = writeFired(writing, act, null)
  const text = [...(late === undefined ? [] : [late]), body, `(Only its text: ${why}.)`].join('\n')
  const place = { branch: main, at } as const
  if (background && !allowPing) {
    const author = { by: 'policy', name: 'schedule' } as const
    const facts = { source: jobText(nameOf(job.definition)), text, from: main, author, key: null }
    writing.append({ kind: 'update-reported', ...place, ...facts })
    return []
  }
  const to = hearerOf(writing, personOf(job.definition), { settings })?.to
  if (to !== undefined) say(writing, { ...place, to, notice: 'reminder', text, cause })
  const words = shorten(oneLine(body), WORDS_COLUMNS)
  const note = `The person got the text of reminder ${id} without you, because ${why}: "${words}"`
  const source = { from: 'host', tag: 'system', ...(isByModel && { isByModel }) } as const
  const said = { source, form: 'note', text: note, ...lateOf(act) } as const
  writing.append({ kind: 'inbound-admitted', ...place, ...said })
  return [main]
}

const WORDS_COLUMNS = 300

function inBackground(writing: Writing, act: FireAct): readonly BranchId[] {
  const { main, at, seed, settings, run, runs, call } = act
  if (run === null) throw new TypeError(`nobody said how to start ${jobText(nameOf(act.job.definition))}`)
  const actor: Actor = { branch: main, author: { by: 'policy', name: 'schedule' }, at, seed, settings }
  const said = actRun(writing, actor, {
    ...run,
    runs,
    ...rootGiven(writing, act),
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
    source: { ...sourceOf(definition), ...rootGiven(writing, act) },
    form: 'message',
    text: definition.body,
    ...(before.length > 0 && { before }),
    ...lateOf(act),
  })
  return [main]
}

/** A reminder that a job set works for what that job works for. */
function rootGiven(reader: Reader, { job, due }: FireAct): { readonly root?: Position } {
  const { kind, id } = job.definition
  const root = kind === 'reminder' ? rootOfFiring(reader, id, due) : undefined
  return root === undefined ? {} : { root }
}

function writeFired(
  writing: Writing,
  { job, main, due, isLate, at, call }: FireAct,
  run: BranchId | null,
): Position {
  const took = call === undefined ? {} : { took: call.position }
  const fired = { ...nameOf(job.definition), due, isLate, run, ...took }
  return writing.append({ kind: 'job-fired', branch: main, at, ...fired })
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
