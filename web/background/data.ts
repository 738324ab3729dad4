import type { aheadView } from '../../src/view/background/ahead.ts'
import type { runsView } from '../../src/view/background/runs.ts'
import type { JobDetails, JobsView } from '../../src/view/jobs.ts'
import type { budgetView, pingsPage } from '../../src/view/pings.ts'
import { useRead } from '../api/query.ts'

export type Ahead = ReturnType<typeof aheadView>
export type Budget = ReturnType<typeof budgetView>
export type Pings = ReturnType<typeof pingsPage> & { readonly budget: Budget }
export type Ping = Pings['pings'][number]
export type Runs = ReturnType<typeof runsView>
export type Run = Runs['runs'][number]
export type Job = JobsView['jobs'][number]

const JOB_EVENTS = ['job', 'definition-', 'zone-', 'run-', 'branch-ended', 'webhook-', 'approval-']

export function useAhead() {
  return useRead<Ahead>('/api/background', {}, { on: [...JOB_EVENTS, 'ping-', 'budget-'] })
}

export function useJobs() {
  return useRead<JobsView>('/api/jobs', {}, { on: JOB_EVENTS })
}

export function useJob({ kind, id }: Pick<Job, 'kind' | 'id'>) {
  const path = `/api/jobs/${kind}/${encodeURIComponent(id)}`
  return useRead<JobDetails>(path, {}, { on: [...JOB_EVENTS, 'ping-'] })
}

export function jobPath({ kind, id }: Pick<Job, 'kind' | 'id'>): string {
  return `/background/jobs/${kind}/${encodeURIComponent(id)}`
}
