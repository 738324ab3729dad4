import { z } from 'zod'
import type { Place } from '../../base/time-text.ts'
import { jobKinds } from '../../event/job.ts'
import { OWNER } from '../../event/speaker.ts'
import { aheadView } from '../../view/background/ahead.ts'
import { runsView } from '../../view/background/runs.ts'
import { jobDetails, jobsView } from '../../view/jobs.ts'
import { LookError } from '../../view/named.ts'
import { budgetView, pingsPage } from '../../view/pings.ts'
import type { Served } from '../contract/route.ts'
import { cost, count, atMost, list, position, positionWord, read, text, time } from './read.ts'

export const kind = z.enum(jobKinds)
export const paused = z.union([z.boolean(), time])
const job = z.strictObject({
  id: text,
  kind,
  file: text,
  schedule: text.nullable(),
  next: time.nullable(),
  background: z.boolean(),
  for: text.nullable(),
  paused,
  failures: count,
  description: text,
  task: text,
  warnings: z.array(text),
  persistent: z.boolean(),
  check: z.array(count).nullable(),
  requests: z.strictObject({ secret: text.nullable(), waiting: count }).nullable(),
  last: list({ due: time, at: time, outcome: text, run: text.nullable() }),
})

/** Background work: jobs, their runs, and pings. */
export const backgroundReads = [
  read('/api/background', {
    summary: 'The hours to come: what is due, quiet hours, and how the ping budget refills',
    query: { hours: atMost(48, 12) },
    answer: z.strictObject({
      now: time,
      until: time,
      zone: text,
      paused,
      quiet: list({ from: time, to: time }),
      due: list({
        kind,
        id: text,
        title: text,
        background: z.boolean(),
        silent: z.boolean(),
        paused: z.boolean(),
        times: z.array(time),
        isOften: z.boolean(),
      }),
      left: count,
      criticalMax: count,
      refills: z.array(time),
      curve: list({ at: time, available: z.number() }),
    }),
    look: ({ served: { life }, query: { hours } }) => {
      const { shelf, now, settings } = life.desk
      const look = { shelf, now: now(), settings: settings(), hours }
      return life.log.read((reader) => aheadView(reader, look))
    },
  }),

  read('/api/runs', {
    summary: 'Background runs, the newest first, in pages',
    query: { before: positionWord, limit: atMost(200, 30) },
    answer: z.strictObject({
      runs: list({
        position,
        branch: text,
        handle: text,
        kind,
        job: text,
        title: text,
        byHand: z.boolean(),
        state: text,
        startedAt: time,
        endedAt: time.nullable(),
        tookMs: count.nullable(),
        cost,
        tokens: count,
        pings: count,
        report: text.nullable(),
        said: text.nullable(),
        why: text.nullable(),
      }),
      next: position.nullable(),
    }),
    look: ({ served, query }) => {
      const look = { person: OWNER, zone: whenOf(served).zone, ...query }
      return served.life.log.read((reader) => runsView(reader, look))
    },
  }),

  read('/api/jobs', {
    summary: 'Routines, reminders and webhooks, the next one first',
    query: { kind: kind.optional() },
    answer: z.strictObject({
      paused,
      jobs: z.array(job),
      problems: list({ file: text, line: count, reason: text }),
      waiting: list({ path: text, number: count }),
    }),
    look: ({ served, query }) => {
      const { shelf } = served.life.desk
      const of = query.kind === undefined ? {} : { kind: query.kind }
      return served.life.log.read((reader) => jobsView(reader, { shelf, when: whenOf(served), ...of }))
    },
  }),

  read('/api/jobs/:kind/:id', {
    summary: 'One job, with its next times and what became of the last ones',
    answer: job.extend({
      definition: z.looseObject({ kind, id: text }),
      times: z.array(time),
      pings: z.strictObject({ arrived: count, answered: count, less: count }).nullable(),
      allPaused: paused,
    }),
    look: ({ served, params: { kind: what, id } }) => {
      const { log, desk } = served.life
      const found = desk.shelf.jobs().find(({ definition: one }) => one.kind === what && one.id === id)
      if (found === undefined) throw new LookError('missing', `There is no ${what} '${id}'`)
      return jobDetails(log, found, whenOf(served))
    },
  }),

  read('/api/pings', {
    summary: 'What is left of your pings, and the last pings and refusals with their reasons, in pages',
    query: {
      before: positionWord,
      limit: atMost(200, 20),
      decision: z.enum(['sent', 'held', 'refused']).optional(),
      because: text.optional().describe('a reason as pings have it, such as quiet-hours'),
      who: text.optional().describe("a job, such as 'routine inbox'"),
    },
    answer: z.strictObject({
      budget: z.strictObject({
        capacity: z.number(),
        available: z.number(),
        refill_rate_minutes: z.number(),
        last_refill: time,
        critical_used: count,
        critical_reset_date: text,
        daily_used: count,
        daily_used_reset: text,
        next_refill: time.nullable(),
        quiet_hours: text.nullable(),
        quiet_until: time.nullable(),
        paused,
        on_the_way: count,
        held: count,
      }),
      pings: list({
        ts: time,
        position,
        job: text.nullable(),
        from: text,
        text,
        critical: z.boolean(),
        verdict: z.enum(['sent', 'refused', 'held']),
        because: text,
        reason: text,
        state: text,
        answer: text.nullable(),
        answers: z
          .strictObject({ delivery: position, choices: list({ label: text, command: text }) })
          .nullable(),
        who: text,
        after: z.enum(['hold', 'snooze']).nullable(),
        held: z.strictObject({ ts: time, reason: text }).nullable(),
        note: text.nullable(),
      }),
      next: position.nullable(),
    }),
    look: ({ served: { life }, query }) => {
      const look = { person: OWNER, now: life.desk.now(), settings: life.desk.settings() }
      return life.log.read((reader) => ({
        budget: budgetView(reader, look),
        ...pingsPage(reader, look, query),
      }))
    },
  }),
]

export function whenOf({ life: { desk } }: Served): Place {
  return { now: desk.now(), zone: desk.settings().zone }
}
