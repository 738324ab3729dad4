import { z } from 'zod'
import { authorSchema, columnText, columnWord, event, timeSchema } from './fields.ts'
import { branchIdSchema, positionSchema } from './id.ts'

/** What is due at a time or waits for one: jobs and their files, pauses, the budget of pings, notices of the host. */

export const jobKinds = ['routine', 'reminder', 'webhook'] as const

const jobName = { what: z.enum(jobKinds), job: columnWord }

export const jobSchemas = [
  /** A job is known, or has another schedule than before: from here on it counts. */
  event('job-scheduled', {
    ...jobName,
    file: z.string().min(1),
    /** As its file says it: five fields and a zone of its own, or a date and a time; null: the file is gone. */
    schedule: columnText.nullable(),
    /** Of a reminder, for good: whatever zone is configured later, it keeps its instant. */
    due: timeSchema.nullable(),
  }),
  /** The truth about what was done: a reminder with this `due` is not fired again. */
  event('job-fired', {
    ...jobName,
    due: timeSchema,
    isLate: z.boolean(),
    /** Where it works in the background; null: in `branch` itself, or nothing is left to do. */
    run: branchIdSchema.nullable(),
  }),
  event('job-skipped', {
    ...jobName,
    due: timeSchema,
    because: z.enum(['running', 'missed', 'nobody', 'broken']),
  }),
  /** A run that goes on with the next firing of its job. */
  event('run-rested', {
    reason: z.enum(['finished', 'failed', 'timed-out']),
  }),
  /** No firings, and of all jobs no pings, until then; null: until somebody says so. */
  event('jobs-paused', {
    /** Null: all. */
    one: z.strictObject(jobName).nullable(),
    until: timeSchema.nullable(),
    author: authorSchema,
  }),
  event('jobs-resumed', { one: z.strictObject(jobName).nullable(), author: authorSchema }),
  /** A file was found to be wrong, or not to be wrong any more. */
  event('definition-judged', {
    file: columnWord,
    problem: z.strictObject({ line: z.int().min(1), reason: z.string().min(1) }).nullable(),
  }),
  /** The person lives by this clock from here on. */
  event('zone-set', { zone: columnWord, author: authorSchema }),
  /** The budget of somebody's pings is another one; `available` is what is left of it at that moment. */
  event('budget-set', {
    person: columnWord,
    capacity: z.int().min(1),
    refillMinutes: z.int().min(1),
    available: z.number().min(0),
    author: authorSchema,
  }),
  /** What became of a ping that was on its way, or held: nobody got it, and its token is given back. */
  event('ping-settled', {
    ping: positionSchema,
    /** `moved`: it goes elsewhere, as `delivery`. */
    outcome: z.enum(['failed', 'expired', 'moved']),
    delivery: positionSchema.nullable(),
  }),
  /** What the person said to a ping with a button or a word. */
  event('ping-answered', {
    ping: positionSchema,
    /** `more`: less of it was asked for, and that is taken back. */
    answer: z.enum(['done', 'snoozed', 'less', 'more']),
    /** When a snooze ends. */
    until: timeSchema.exactOptional(),
  }),
  /** Something the host has to say that nobody asked for: told with others, not too often, and not in quiet hours. */
  event('notice-raised', { person: columnWord, cause: columnWord, text: z.string().min(1) }),
  event('notices-told', {
    person: columnWord,
    causes: z.array(columnWord).min(1),
    delivery: positionSchema,
  }),
  /** What was reported and never pinged, told once a day; everything up to `upTo` is. */
  event('digest-sent', { person: columnWord, upTo: positionSchema, delivery: positionSchema }),
] as const

export type JobKind = (typeof jobKinds)[number]

/** A job by its kind and id: two kinds may have the same id. */
export interface JobName {
  readonly what: JobKind
  readonly job: string
}

/** `routine morning-brief`: what people call it, and the key of it. */
export function jobText({ what, job }: JobName): string {
  return `${what} ${job}`
}
