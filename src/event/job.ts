import { z } from 'zod'
import { authorSchema, columnText, columnWord, header, timeSchema } from './fields.ts'
import { branchIdSchema, positionSchema } from './id.ts'

/** What is due at a time or waits for one: jobs and their files, pauses, the budget of pings, notices of the host. */

export const jobKinds = ['routine', 'reminder', 'webhook'] as const

const jobName = { what: z.enum(jobKinds), job: columnWord }

/** A job is known, or has another schedule than before: from here on it counts. */
const jobScheduled = z.strictObject({
  kind: z.literal('job-scheduled'),
  ...header,
  ...jobName,
  file: z.string().min(1),
  /** As its file says it: five fields and a zone of its own, or a date and a time; null: the file is gone. */
  schedule: columnText.nullable(),
  /** Of a reminder, for good: whatever zone is configured later, it keeps its instant. */
  due: timeSchema.nullable(),
})
/** The truth about what was done: a reminder with this `due` is not fired again. */
const jobFired = z.strictObject({
  kind: z.literal('job-fired'),
  ...header,
  ...jobName,
  due: timeSchema,
  isLate: z.boolean(),
  /** Where it works in the background; null: in `branch` itself, or nothing is left to do. */
  run: branchIdSchema.nullable(),
})
const jobSkipped = z.strictObject({
  kind: z.literal('job-skipped'),
  ...header,
  ...jobName,
  due: timeSchema,
  because: z.enum(['running', 'missed', 'nobody', 'broken']),
})
/** A run that goes on with the next firing of its job. */
const runRested = z.strictObject({
  kind: z.literal('run-rested'),
  ...header,
  reason: z.enum(['finished', 'failed', 'timed-out']),
})
/** No firings, and of all jobs no pings, until then; null: until somebody says so. */
const jobsPaused = z.strictObject({
  kind: z.literal('jobs-paused'),
  ...header,
  /** Null: all. */
  one: z.strictObject(jobName).nullable(),
  until: timeSchema.nullable(),
  author: authorSchema,
})
const jobsResumed = z.strictObject({
  kind: z.literal('jobs-resumed'),
  ...header,
  one: z.strictObject(jobName).nullable(),
  author: authorSchema,
})
/** A file was found to be wrong, or not to be wrong any more. */
const definitionJudged = z.strictObject({
  kind: z.literal('definition-judged'),
  ...header,
  file: columnWord,
  problem: z.strictObject({ line: z.int().min(1), reason: z.string().min(1) }).nullable(),
})
/** The person lives by this clock from here on. */
const zoneSet = z.strictObject({
  kind: z.literal('zone-set'),
  ...header,
  zone: columnWord,
  author: authorSchema,
})
/** The budget of somebody's pings is another one; `available` is what is left of it at that moment. */
const budgetSet = z.strictObject({
  kind: z.literal('budget-set'),
  ...header,
  person: columnWord,
  capacity: z.int().min(1),
  refillMinutes: z.int().min(1),
  available: z.number().min(0),
  author: authorSchema,
})
/** What became of a ping that was on its way, or held: nobody got it, and its token is given back. */
const pingSettled = z.strictObject({
  kind: z.literal('ping-settled'),
  ...header,
  ping: positionSchema,
  /** `moved`: it goes elsewhere, as `delivery`. */
  outcome: z.enum(['failed', 'expired', 'moved']),
  delivery: positionSchema.nullable(),
})
/** What the person said to a ping with a button or a word. */
const pingAnswered = z.strictObject({
  kind: z.literal('ping-answered'),
  ...header,
  ping: positionSchema,
  /** `more`: less of it was asked for, and that is taken back. */
  answer: z.enum(['done', 'snoozed', 'less', 'more']),
  /** When a snooze ends. */
  until: timeSchema.exactOptional(),
})
/** Something the host has to say that nobody asked for: told with others, not too often, and not in quiet hours. */
const noticeRaised = z.strictObject({
  kind: z.literal('notice-raised'),
  ...header,
  person: columnWord,
  cause: columnWord,
  text: z.string().min(1),
})
const noticesTold = z.strictObject({
  kind: z.literal('notices-told'),
  ...header,
  person: columnWord,
  causes: z.array(columnWord).min(1),
  delivery: positionSchema,
})
/** What was reported and never pinged, told once a day; everything up to `upTo` is. */
const digestSent = z.strictObject({
  kind: z.literal('digest-sent'),
  ...header,
  person: columnWord,
  upTo: positionSchema,
  delivery: positionSchema,
})

export const jobSchemas = [
  jobScheduled,
  jobFired,
  jobSkipped,
  runRested,
  jobsPaused,
  jobsResumed,
  definitionJudged,
  zoneSet,
  budgetSet,
  pingSettled,
  pingAnswered,
  noticeRaised,
  noticesTold,
  digestSent,
] as const

export type JobKind = (typeof jobKinds)[number]
export type JobEventKind = (typeof jobSchemas)[number]['shape']['kind']['value']

/** A job by its kind and id: two kinds may have the same id. */
export interface JobName {
  readonly what: JobKind
  readonly job: string
}

/** `routine morning-brief`: what people call it, and the key of it. */
export function jobText({ what, job }: JobName): string {
  return `${what} ${job}`
}
