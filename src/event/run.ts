import { z } from 'zod'
import { authorSchema, columnWord, daySchema, event, hashSchema, reportingSchema } from './fields.ts'
import { branchIdSchema, positionSchema, turnIdSchema } from './id.ts'
import { jobKinds } from './job.ts'
import { thinkingSchema } from './prompt.ts'
import { chainSchema, choicesSchema, embedSchema } from './work.ts'

/** What works or is talked to beside the main session, and what it says to people unasked. */

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
  // More critical ones in a day than are told one by one.
  'critical-cap',
] as const

const budgetSchema = z.strictObject({
  person: columnWord,
  capacity: z.int().min(1),
  refillMinutes: z.int().min(1),
  available: z.number().min(0),
  /** The person's day. */
  day: daySchema,
})

export const runSchemas = [
  /** All that was decided about a run when it was started; later changes of its file do not change it. */
  event('run-started', {
    job: columnWord,
    tag: z.enum(['routine-bg', 'reminder-bg', 'webhook']),
    /** Where it is defined, as people see it. */
    file: z.string().min(1).nullable(),
    isolated: z.boolean(),
    /** Null: as main has it when the run asks. */
    model: z.string().min(1).nullable(),
    thinking: thinkingSchema,
    reporting: reportingSchema,
    allowPing: z.boolean(),
    /** Patterns of what it may call beyond what every run may. */
    tools: z.array(z.string().min(1)),
    /** Names of the skills it has to read first. */
    skills: z.array(z.string().min(1)),
    /** Where it finds them, if it does not have to read each first: in what its prompts begin with. */
    skillsIn: z.literal('system').exactOptional(),
    timeoutMs: z.int().min(1),
    /** Whose job it is; left out: the owner's. */
    person: columnWord.exactOptional(),
    /** Of a reminder that may follow itself up. */
    chain: chainSchema.exactOptional(),
    /** The branch goes on with the next firing. */
    session: z.literal('persistent').exactOptional(),
    /** What its prompts begin with, where that is not what all others begin with. */
    setup: z.strictObject({ system: hashSchema, tools: hashSchema }).nullable(),
    author: authorSchema,
  }),

  /** It wanted to end and owed a report. */
  event('run-sent-back', { turn: turnIdSchema }),

  /** A person talks in it from here on. */
  event('fork-entered', {
    how: z.enum(['command', 'model', 'reply', 'copy']),
    /** The branch to whose message it is a reply. */
    replied: branchIdSchema.nullable(),
    /** So long nobody may say anything before the host asks; null: as the configuration says. */
    idleMs: z.int().min(1).nullable(),
  }),

  /** A model wanted to write to a person unasked: whether it was sent, and why. */
  event('ping-decided', {
    turn: turnIdSchema,
    /** The run on whose account it goes; null: none. */
    run: branchIdSchema.nullable(),
    what: z.enum(['message', 'embed']),
    isCritical: z.boolean(),
    /** `held`: the host decides again when the person is free, as another event with `of`. */
    verdict: z.enum(['sent', 'refused', 'held']),
    because: z.enum(reasons),
    /** The beginning of what it says. */
    text: z.string(),
    /** The ping of this run that was sent before it. */
    before: positionSchema.nullable(),
    /** Its delivery, when it is on its way. */
    delivery: positionSchema.nullable(),
    /** Whose budget counts, and what it was at this moment, before a token was taken; left out: no budget counts. */
    budget: budgetSchema.exactOptional(),
    /** The job on whose account it goes. */
    job: z.strictObject({ what: z.enum(jobKinds), job: columnWord }).exactOptional(),
    /** All of what is held. */
    held: z
      .strictObject({
        text: z.string(),
        embed: embedSchema.exactOptional(),
        choices: choicesSchema.exactOptional(),
      })
      .exactOptional(),
    /** What was held and is decided now. */
    of: positionSchema.exactOptional(),
  }),
] as const

export type PingReason = (typeof reasons)[number]
export type Chain = Readonly<z.infer<typeof chainSchema>>
export type Reporting = (typeof reportings)[number]
