import { z } from 'zod'
import { authorSchema, columnWord, event, hashSchema, timeSchema, word } from './fields.ts'
import { branchIdSchema, turnIdSchema } from './id.ts'

/** A model's rights, who granted them, and a person's corrections. None of these changes a context. */

/** Approvals of a log are numbered from 1, so that a person can type the number. */
const approvalNumber = z.int().min(1)

/** `subject`: the text that patterns are matched with, shortened. */
const call = { turn: turnIdSchema, call: word, tool: word, subject: z.string() }

const wishSchema = z.discriminatedUnion('kind', [
  /** A call waits for it until its time is over. */
  z.strictObject({
    kind: z.literal('call'),
    ...call,
    /** Everything a person was shown of it. */
    shown: z.string(),
    /** Where, in its address, the part begins that nobody gave; left out: none does, or it asks no address. */
    composedFrom: z.int().min(0).exactOptional(),
    /** The pattern that "always" allows, and its tool. */
    pattern: word,
    fingerprint: word.nullable(),
  }),
  /** A change of a file that says what the agent is or may do. Texts are stored by hash; null: no such file. */
  z.strictObject({
    kind: z.literal('file'),
    turn: turnIdSchema,
    /** Relative to the workspace. */
    path: word,
    before: hashSchema.nullable(),
    after: hashSchema,
    /** Why it needs approval, as words that follow "it". */
    why: word.exactOptional(),
  }),
  /** A line for memory.md, possibly in place of another. */
  z.strictObject({ kind: z.literal('memory'), turn: turnIdSchema, line: word, replaces: word.nullable() }),
])

export const rightSchemas = [
  /** Whether a call may run, and why; written for every call, before it runs. */
  event('call-decided', {
    ...call,
    verdict: z.enum(['allowed', 'refused']),
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
      'composed',
    ]),
    /** The pattern that allowed it, if one did. */
    pattern: word.nullable(),
  }),
  /** Waits for a person. */
  event('approval-asked', {
    number: approvalNumber,
    wish: wishSchema,
    /** No answer by then means no; null: it waits as long as it takes. */
    until: timeSchema.nullable(),
  }),
  event('approval-decided', {
    number: approvalNumber,
    verdict: z.enum(['once', 'always', 'approved', 'denied', 'expired']),
    /** The person's text: a replacement for the proposal, or the reason for a no. */
    instead: word.exactOptional(),
    author: authorSchema,
  }),
  /** The approved change was made, or why it could not be. */
  event('proposal-done', { number: approvalNumber, problem: word.nullable() }),
  /** From here on, calls that match the pattern run without asking, as long as the tool is unchanged. */
  event('permission-granted', {
    pattern: columnWord,
    fingerprint: columnWord.nullable(),
    author: authorSchema,
  }),
  event('permission-revoked', { pattern: columnWord, author: authorSchema }),
  /** The lines of memory.md as read, each with the time since when it is there. */
  event('memory-changed', {
    lines: z.array(z.strictObject({ text: word, since: timeSchema })),
    /** Whose memory; left out: the owner's. */
    person: columnWord.exactOptional(),
    author: authorSchema,
  }),
  /** Something that happened elsewhere, for main's next turn; `branch` is the one to tell. */
  event('update-reported', {
    /** Its name for people: `mcp claude-code`, `routine morning-brief`. */
    source: word,
    text: word,
    /** The branch that reported it; null: it was submitted from outside. */
    from: branchIdSchema.nullable(),
    author: authorSchema,
    /** Key of the file it was submitted with: the same one counts once, for ever. */
    key: columnWord.nullable(),
  }),
] as const

export type Wish = Readonly<z.infer<typeof wishSchema>>
