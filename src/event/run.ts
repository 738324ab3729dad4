import { z } from 'zod'
import { authorSchema, columnWord, daySchema, event, hashSchema, reportingSchema, word } from './fields.ts'
import { branchIdSchema, positionSchema, turnIdSchema } from './id.ts'
import { budget, jobName } from './job.ts'
import { chainSchema, choicesSchema, embedSchema, manner } from './work.ts'

/** Runs and forks beside the main session, and their unasked messages to people. */

export const reportings = reportingSchema.options

/** Why a ping was sent, refused or held. */
const reasons = [
  'allowed',
  'critical',
  'asked',
  'not-allowed',
  'nobody',
  'paused',
  'one-per-run',
  'one-per-work',
  'less',
  'quiet-hours',
  'busy',
  'budget',
  // More critical ones in a day than are sent one by one.
  'critical-cap',
] as const

/** With the person's day. */
const budgetSchema = z.strictObject({ ...budget, day: daySchema })

const heldSchema = z.strictObject({
  text: z.string(),
  embed: embedSchema.exactOptional(),
  choices: choicesSchema.exactOptional(),
})

export const runSchemas = [
  /** All settings of a run from its start; later changes of its file do not affect it. */
  event('run-started', {
    job: columnWord,
    tag: z.enum(['routine-bg', 'reminder-bg', 'webhook']),
    /** The file that defines it, as people see it. */
    file: word.nullable(),
    ...manner,
    allowPing: z.boolean(),
    /** Patterns that it may call beyond those of every run. */
    tools: z.array(word),
    /** Those of `tools` that name calls, in a file that a person wrote or approved (LEAVE1). Left out: none. */
    named: z.array(word).exactOptional(),
    /** Names of the skills it must read first. */
    skills: z.array(word),
    /** Set if its skills are in its system text, so that it need not read each first. */
    skillsIn: z.literal('system').exactOptional(),
    timeoutMs: z.int().min(1),
    /** The job's person; left out: the owner. */
    person: columnWord.exactOptional(),
    /** For a reminder that may follow itself up. */
    chain: chainSchema.exactOptional(),
    /** For a reminder that was set in a job's turn: what that turn goes back to. */
    root: positionSchema.exactOptional(),
    /** The branch continues with the next firing. */
    session: z.literal('persistent').exactOptional(),
    /** Its own setup of prompts; null: the one that all others share. */
    setup: z.strictObject({ system: hashSchema, tools: hashSchema }).nullable(),
    author: authorSchema,
  }),

  /** The run wanted to end but still owed a report. */
  event('run-sent-back', { turn: turnIdSchema }),

  /** A person talks in it from here on. */
  event('fork-entered', {
    how: z.enum(['command', 'model', 'reply', 'copy']),
    /** The branch whose message it replies to. */
    replied: branchIdSchema.nullable(),
    /** How long nobody may speak before the host asks; null: as configured. */
    idleMs: z.int().min(1).nullable(),
  }),

  /** A model wanted to write to a person unasked: whether it was sent, and why. */
  event('ping-decided', {
    turn: turnIdSchema,
    /** The run that it is counted for; null: none. */
    run: branchIdSchema.nullable(),
    what: z.enum(['message', 'embed']),
    isCritical: z.boolean(),
    /** `held`: the host decides again when the person is free, in another event with `of`. */
    verdict: z.enum(['sent', 'refused', 'held']),
    because: z.enum(reasons),
    /** The beginning of its text. */
    text: z.string(),
    /** The previous ping that this run sent. */
    before: positionSchema.nullable(),
    /** Its delivery, when it is on its way. */
    delivery: positionSchema.nullable(),
    /** The person's budget at this moment, before a token was taken; left out: no budget applies. */
    budget: budgetSchema.exactOptional(),
    /** The job that it is counted for. */
    job: z.strictObject(jobName).exactOptional(),
    /** The whole ping, if held. */
    held: heldSchema.exactOptional(),
    /** The held ping that is decided now. */
    of: positionSchema.exactOptional(),
  }),
] as const

export type PingReason = (typeof reasons)[number]
export type Chain = Readonly<z.infer<typeof chainSchema>>
export type Reporting = (typeof reportings)[number]
