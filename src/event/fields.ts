import { z } from 'zod'
import { branchIdSchema, turnIdSchema } from './id.ts'

const LAST_TIME = 8.64e15

/** A person's day. */
export const daySchema = z.string().regex(/^\d{4}-\d\d-\d\d$/, { error: 'a day looks like 2026-03-01' })

export const timeSchema = z.int().min(0).max(LAST_TIME)

/** The schema of one kind of event: its own fields, and those every event has. */
export function event<K extends string, F extends z.ZodRawShape>(kind: K, fields: F) {
  // Whoever writes an event writes its newest version, and need not say so.
  const version = z.literal(1).default(1)
  const header = { kind: z.literal(kind), branch: branchIdSchema, at: timeSchema, v: version }
  return z.strictObject({ ...header, ...fields })
}

/** Text in a column of its own must survive UTF-8, so it must be well-formed. */
export const columnText = z
  .string()
  .refine((text) => text.isWellFormed(), { error: 'it is well-formed text' })
export const columnWord = columnText.min(1)
/** A text that is not empty. */
export const word = z.string().min(1)
export const count = z.int().min(0)

export const authorSchema = z.discriminatedUnion('by', [
  /** Left out: the owner. */
  z.strictObject({ by: z.literal('person'), person: columnWord.exactOptional() }),
  z.strictObject({ by: z.literal('model'), turn: turnIdSchema }),
  z.strictObject({ by: z.literal('policy'), name: z.string().min(1) }),
])

/** Whether a run reports to main. */
export const reportingSchema = z.enum(['on_ping', 'always', 'freely', 'blocked'])

/** SHA-256 of a text, in hexadecimal. */
export const hashSchema = z.string().regex(/^[0-9a-f]{64}$/, { error: 'a hash has 64 hexadecimal digits' })
