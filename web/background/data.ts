import type { aheadView } from '../../src/view/background/ahead.ts'
import type { runsView } from '../../src/view/background/runs.ts'
import type { JobsView } from '../../src/view/jobs.ts'
import type { budgetView, pingsPage } from '../../src/view/pings.ts'
import { useRead } from '../api/query.ts'
import { cronWords } from './schedule-words.ts'

export type Ahead = ReturnType<typeof aheadView>
export type Budget = ReturnType<typeof budgetView>
export type Pings = ReturnType<typeof pingsPage> & { readonly budget: Budget }
export type Runs = ReturnType<typeof runsView>
export type Job = JobsView['jobs'][number]
export type JobName = Pick<Job, 'kind' | 'id'>

export const JOB_EVENTS = ['job', 'definition-', 'zone-', 'run-', 'branch-ended', 'webhook-', 'approval-']

export function useJobs() {
  return useRead<JobsView>('/api/jobs', {}, { on: JOB_EVENTS })
}

export const JOBS_PATH = '/background/jobs'

export function jobPath({ kind, id }: JobName): string {
  return `${JOBS_PATH}/${kind}/${encodeURIComponent(id)}`
}

/** `finished`, `fired late, finished`: without the run, to which there is a link. */
export function outcomeWords(outcome: string): string {
  return outcome.replace(/, as \w+/, '').replace(/^fired, /, '')
}

/** `weekdays at 08:30`, or what its file says. */
export function scheduleWords({ kind, schedule }: Pick<Job, 'kind' | 'schedule'>): string {
  if (schedule === null) return kind === 'webhook' ? 'when somebody calls it' : 'only by hand'
  if (kind === 'reminder') return 'once'
  const [, cron = schedule, zone] = /^((?:\S+ ){4}\S+)(?: (\S+))?$/.exec(schedule) ?? []
  return `${cronWords(cron) ?? cron}${zone === undefined ? '' : ` (${zone})`}`
}

/** Markdown without its most frequent signs, in one line. */
export function plainly(text: string): string {
  return text.replaceAll(/\*\*|`/g, '').replaceAll(/\s+/g, ' ')
}
