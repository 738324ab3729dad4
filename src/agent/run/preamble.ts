import { getBranch } from '../../context/branch.ts'
import type { ToolSpec } from '../../event/prompt.ts'
import type { Reader } from '../../event/table.ts'
import type { Chain } from '../../event/run.ts'
import {
  type ForeseenJob,
  type ScheduleEntry,
  forwardSchedule,
  isForeseen,
} from '../../schedule/forward-schedule.ts'
import type { LoadedJob } from '../../schedule/job-shelf.ts'
import { newReminder } from '../../schedule/new-reminder.ts'
import { budgetNow } from '../ping/budget-now.ts'
import { budgetText } from '../ping/budget-text.ts'
import { isBusy } from '../ping/ping-obstacle.ts'
import { chainText } from './chain-text.ts'
import { type JobRights, patternsText, toolRights } from '../right/gating.ts'
import type { Admitted } from '../state/inbox.ts'
import type { Preamble } from '../step/take-inbox.ts'
import type { Budget } from '../state/ping-budget.ts'
import { type Run, runIn } from '../state/run.ts'
import type { AgentSettings } from '../state/settings.ts'
import { contentOf, setupOf } from '../state/setup.ts'
import { mainAbove } from '../state/person.ts'
import { personOf } from '../../event/speaker.ts'
import type { JobName } from '../../event/job.ts'
import { nameOf, reminderDue } from '../state/jobs.ts'
import { firedAt, knownJob, nameOfRun, pauseOf } from '../state/jobs.ts'

export interface Surroundings {
  readonly now: number
  readonly settings: AgentSettings
  readonly jobs: readonly LoadedJob[]
}

/** Undefined: the job is no background run. */
export function preambleIn(around: Surroundings) {
  return (reader: Reader, { branch }: Pick<Admitted, 'branch'>): Preamble | undefined => {
    const run = runIn(reader, branch)
    if (run === undefined) return undefined
    const facts = factsOf(reader, run, around)
    return { text: preambleText(facts), elsewhere: facts.schedule.some(({ isByModel }) => isByModel) }
  }
}

function factsOf(reader: Reader, run: Run, around: Surroundings): PreambleFacts {
  const { now, settings } = around
  const { zone, pings } = settings
  const setup = setupOf(reader, run.branch)
  const specs = setup === undefined ? [] : (JSON.parse(contentOf(reader, setup.tools)) as ToolSpec[])
  const facts = { run, chain: run.chain ?? null, tools: specs.map(({ name }) => name), now, zone }
  if (!run.allowPing) return { ...facts, isBusy: false, budget: null, schedule: [] }
  const main = mainAbove(reader, run.branch)
  return {
    ...facts,
    isBusy: main !== undefined && isBusy(reader, main, { now, busyMs: pings.busyMs, run }),
    budget: budgetNow(reader, personOf(run), { now, settings }),
    schedule: foreseen(reader, run, around),
  }
}

export interface PreambleFacts {
  readonly run: JobRights & Pick<Run, 'skillsIn'>
  readonly isBusy: boolean
  /** Null: the budget is not mentioned. */
  readonly budget: Budget | null
  readonly schedule: readonly ScheduleEntry[]
  readonly chain: Chain | null
  /** The names of the tools in its prompts. */
  readonly tools: readonly string[]
  readonly now: number
  readonly zone: string
}

/** The parts in order, each a paragraph. No part suggests anything the run may not do. */
export function preambleText(facts: PreambleFacts): string {
  const { run, chain } = facts
  const parts = [
    pingPart(run),
    reportPart(run),
    busyPart(facts),
    budgetPart(facts),
    toolPart(facts),
    skillText(run),
    chain === null ? '' : chainText(chain, run),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function pingPart({ allowPing }: JobRights): string {
  if (!allowPing) return 'PINGS: ping_user and send_embed are disabled for this run.'
  return 'PINGS: ping_user and send_embed write to the person, who did not ask for it.'
}

function reportPart({ reporting, allowPing }: JobRights): string {
  // A run that cannot ping would wonder what it may report.
  switch (reporting === 'on_ping' && !allowPing ? 'freely' : reporting) {
    case 'on_ping':
      return 'REPORTING: if you write to the person, also call report_updates with a summary before you end, and again if you write to them after that. Otherwise reporting is not needed.'
    case 'always':
      return 'REPORTING: call report_updates with a summary of what you found before you end. The main session learns of this run only by that.'
    case 'freely':
      return 'REPORTING: call report_updates if the main session should know what you found. You need not.'
    case 'blocked':
      return 'REPORTING: this run does not report, whatever your instructions say about that; the main session does not learn of it.'
  }
}

function busyPart({ run: { allowPing, reporting }, isBusy: isSo }: PreambleFacts): string {
  if (!isSo || !allowPing) return ''
  const instead = reporting === 'blocked' ? 'Do not ping' : 'Use report_updates instead of a ping'
  return `BUSY: the person is in the middle of a conversation. ${instead}, unless it is critical; with when_free=True a ping waits until they are free. Your task goes on as usual.`
}

function budgetPart({ run, budget, schedule, now, zone }: PreambleFacts): string {
  if (!run.allowPing || budget === null) return ''
  return budgetText({ budget, schedule, now, zone, canReport: run.reporting !== 'blocked' })
}

function toolPart({ run, tools }: PreambleFacts): string {
  if (tools.length === 0) return ''
  const { may, not } = toolRights(run, tools)
  const refused = not.length === 0 ? '' : ` Refused in this run: ${patternsText(not)}.`
  return `TOOLS: you may call ${may.length === 0 ? 'none' : patternsText(may)}.${refused}`
}

/** Empty: the job needs no skills. */
export function skillText({ skills, skillsIn }: Pick<PreambleFacts['run'], 'skills' | 'skillsIn'>): string {
  if (skills.length === 0) return ''
  const names = patternsText(skills)
  if (skillsIn === 'system')
    return `REQUIRED SKILLS: ${names}. Their instructions are in your system text: follow each.`
  return `REQUIRED SKILLS: ${names}. Load each with read_skill before you begin, and follow it.`
}

/** The background jobs around now on the same person's account. A run is not told of other people's jobs. */
function foreseen(reader: Reader, run: Run, { now, settings, jobs }: Surroundings): ScheduleEntry[] {
  const { zone } = settings
  const isPaused = (name: JobName): boolean => pauseOf(reader, name, now) !== null
  const counted = jobs.flatMap(({ definition, file }): ForeseenJob[] => {
    if (definition.kind === 'webhook' || !definition.background) return []
    if (personOf(definition) !== personOf(run) || isPaused(nameOf(definition))) return []
    if (definition.kind === 'routine') return [{ definition, file, dueAt: null }]
    const dueAt = reminderDue(reader, definition, zone)
    if (dueAt === null || !isForeseen(dueAt, now)) return []
    // A reminder that has fired is left out whether its file is gone already or not.
    return firedAt(reader, definition.id, dueAt) === undefined ? [{ definition, file, dueAt }] : []
  })
  const all = [...counted, ...firedReminder(reader, run)]
  return forwardSchedule(all, { now, zone, self: nameOfRun(run) })
}

/** The reminder of this run. Its file may be gone already, so the log says what it was. */
function firedReminder(reader: Reader, run: Run): ForeseenJob[] {
  const fired = knownJob(reader, nameOfRun(run))?.fired ?? null
  const event = fired === null ? undefined : reader.event(fired)
  if (run.tag !== 'reminder-bg' || event?.kind !== 'job-fired' || event.run !== run.branch) return []
  const { job: id, allowPing, chain } = run
  const description = getBranch(reader, run.branch).title ?? ''
  const said = { id, runAt: null, body: '', description, background: true, allowPing }
  const definition = newReminder({ ...said, ...(chain !== undefined && { chain }) })
  return [{ definition, file: run.file ?? `reminders/${id}.md`, dueAt: event.due }]
}
