import { z } from 'zod'
import { authorSchema, columnText, columnWord, event, hashSchema, timeSchema, word } from './fields.ts'
import { branchIdSchema, positionSchema } from './id.ts'

/** Events of jobs and their files, pauses, ping budgets and the host's notices. */

export const jobKinds = ['routine', 'reminder', 'webhook'] as const

export const jobName = { what: z.enum(jobKinds), job: columnWord }

/** For a webhook: the `webhook-received` that is settled by this. */
const took = { took: positionSchema.exactOptional() }

/** A person's ping budget at a moment. */
export const budget = {
  person: columnWord,
  capacity: z.int().min(1),
  refillMinutes: z.int().min(1),
  available: z.number().min(0),
}

export const jobSchemas = [
  /** A job is new, or its schedule has changed. The schedule counts from here on. */
  event('job-scheduled', {
    ...jobName,
    file: word,
    /** As its file says it: five fields and a zone of its own, or a date and a time; null: the file is gone. */
    schedule: columnText.nullable(),
    /** When a reminder is due. It stays at this instant, whatever zone is configured later. */
    due: timeSchema.nullable(),
    /** Written by a call, before the file: the job that its turn goes back to, for which the reminder works as well. */
    root: positionSchema.exactOptional(),
  }),
  /** A reminder with this `due` is never fired again. */
  event('job-fired', {
    ...jobName,
    due: timeSchema,
    isLate: z.boolean(),
    /** The branch of its background run; null: it works in `branch`, or there is nothing to do. */
    run: branchIdSchema.nullable(),
    ...took,
  }),
  event('job-skipped', {
    ...jobName,
    due: timeSchema,
    because: z.enum(['running', 'missed', 'nobody', 'broken', 'gone']),
    ...took,
  }),
  /** A request to a webhook. It waits until a firing takes it; what is received later is taken later. */
  event('webhook-received', {
    job: columnWord,
    /** The sender's name for it, as the header gives it: `webhook-id msg_1`. Null: it has none. */
    key: columnWord.nullable(),
    /** Of the body as it came. */
    hash: hashSchema,
    /** The checked payload, as JSON. */
    data: word,
    /** The branch of the run to come, which the sender was told. */
    run: branchIdSchema,
  }),
  /** A persistent run has finished for now, and goes on when its job fires next. */
  event('run-rested', { reason: z.enum(['finished', 'failed', 'timed-out']) }),
  /** No firings until then, and no pings if all jobs are paused; null: until somebody resumes them. */
  event('jobs-paused', {
    /** Null: all. */
    one: z.strictObject(jobName).nullable(),
    until: timeSchema.nullable(),
    author: authorSchema,
  }),
  event('jobs-resumed', { one: z.strictObject(jobName).nullable(), author: authorSchema }),
  /** A job file has a problem, or its problem is fixed (null). */
  event('definition-judged', {
    file: columnWord,
    problem: z.strictObject({ line: z.int().min(1), reason: word }).nullable(),
  }),
  /** The person's time zone from here on. */
  event('zone-set', { zone: columnWord, author: authorSchema }),
  /** A person's ping budget has another size; `available` is what is left at that moment. */
  event('budget-set', { ...budget, author: authorSchema }),
  /** A ping that was held or on its way did not arrive, and its token is given back. */
  event('ping-settled', {
    ping: positionSchema,
    /** `moved`: it goes elsewhere, as `delivery`. */
    outcome: z.enum(['failed', 'expired', 'moved']),
    delivery: positionSchema.nullable(),
  }),
  /** A person's reaction to a ping. */
  event('ping-answered', {
    ping: positionSchema,
    /** `more` takes back an earlier `less`. */
    answer: z.enum(['done', 'snoozed', 'less', 'more']),
    /** When a snooze ends. */
    until: timeSchema.exactOptional(),
  }),
  /** Something the host has to tell unasked. Notices are told together, not too often and not in quiet hours. */
  event('notice-raised', { person: columnWord, cause: columnWord, text: word }),
  event('notices-told', {
    person: columnWord,
    causes: z.array(columnWord).min(1),
    delivery: positionSchema,
  }),
  /** The daily digest of what was reported but not pinged, up to `upTo`. */
  event('digest-sent', { person: columnWord, upTo: positionSchema, delivery: positionSchema }),
] as const

export type JobKind = (typeof jobKinds)[number]

/** A job by its kind and id: two kinds may have the same id. */
export interface JobName {
  readonly what: JobKind
  readonly job: string
}

/** `routine morning-brief`: a job's name for people, and its key. */
export function jobText({ what, job }: JobName): string {
  return `${what} ${job}`
}
