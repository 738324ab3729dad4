import { z } from 'zod'
import { authorSchema, columnWord, event, hashSchema, timeSchema } from './fields.ts'
import { branchIdSchema, turnIdSchema } from './id.ts'

/** What a model may do, who said so, and what a person corrected. None of these changes a context. */

/** Numbers count the approvals of a log from 1, so that a person can type them. */
const approvalNumber = z.int().min(1)

const wishSchema = z.discriminatedUnion('kind', [
  /** A call waits for it, until the approval's time is over. */
  z.strictObject({
    kind: z.literal('call'),
    turn: turnIdSchema,
    call: z.string().min(1),
    tool: z.string().min(1),
    subject: z.string(),
    /** All that a person was shown of it. */
    shown: z.string(),
    /** What "always" allows, and of what tool. */
    pattern: z.string().min(1),
    fingerprint: z.string().min(1).nullable(),
  }),
  /** A change of a file that says what the agent is or may do. Texts are kept by their hashes; null: no such file. */
  z.strictObject({
    kind: z.literal('file'),
    turn: turnIdSchema,
    /** From the workspace. */
    path: z.string().min(1),
    before: hashSchema.nullable(),
    after: hashSchema,
    /** Why it is not just done, in words behind "it". */
    why: z.string().min(1).exactOptional(),
  }),
  /** A line for memory.md, in place of another if so. */
  z.strictObject({
    kind: z.literal('memory'),
    turn: turnIdSchema,
    line: z.string().min(1),
    replaces: z.string().min(1).nullable(),
  }),
])

export const rightSchemas = [
  /** Whether a call may run, and why; written before it runs, for every call. */
  event('call-decided', {
    turn: turnIdSchema,
    call: z.string().min(1),
    tool: z.string().min(1),
    /** What its patterns are matched with, shortened. */
    subject: z.string(),
    verdict: z.enum(['allowed', 'refused']),
    /** The mode that held then. */
    mode: z.enum(['dontAsk', 'default', 'acceptEdits', 'bypassPermissions']),
    because: z.enum([
      'built-in',
      'granted',
      'edits-accepted',
      'bypass',
      'not-allowed',
      'changed',
      'cannot-ask',
      'too-long',
      'person',
      'no-answer',
      'not-offered',
    ]),
    /** What allowed it, where a pattern did. */
    pattern: z.string().min(1).nullable(),
  }),
  /** Waits for a person. */
  event('approval-asked', {
    number: approvalNumber,
    wish: wishSchema,
    /** No answer by then is a no; null: it waits as long as it takes. */
    until: timeSchema.nullable(),
  }),
  event('approval-decided', {
    number: approvalNumber,
    verdict: z.enum(['once', 'always', 'approved', 'denied', 'expired']),
    /** What a person wrote: in place of what was asked for, or why not. */
    instead: z.string().min(1).exactOptional(),
    author: authorSchema,
  }),
  /** What was approved is done; or why it could not be. */
  event('proposal-done', { number: approvalNumber, problem: z.string().min(1).nullable() }),
  /** From here on calls that fit the pattern run without asking, as long as the tool is what it was then. */
  event('permission-granted', {
    pattern: columnWord,
    fingerprint: columnWord.nullable(),
    author: authorSchema,
  }),
  event('permission-revoked', { pattern: columnWord, author: authorSchema }),
  /** The lines of memory.md as they were read, each with the time since which it stands there. */
  event('memory-changed', {
    lines: z.array(z.strictObject({ text: z.string().min(1), since: timeSchema })),
    author: authorSchema,
  }),
  /** Something that happened elsewhere, for main's next turn; `branch` is the one that is to be told. */
  event('update-reported', {
    /** As people call it: `mcp claude-code`, `routine morning-brief`. */
    source: z.string().min(1),
    text: z.string().min(1),
    /** The branch that reported it; null: it was handed in from outside. */
    from: branchIdSchema.nullable(),
    author: authorSchema,
    /** Of the file it was handed in with: the same one counts once, for ever. */
    key: columnWord.nullable(),
  }),
] as const

export type Wish = Readonly<z.infer<typeof wishSchema>>
