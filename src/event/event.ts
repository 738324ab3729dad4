import { z } from 'zod'
import { isJsonObject, type JsonObject } from '../base/json.ts'
import { authorSchema, columnText, event, timeSchema } from './fields.ts'
import { branchIdSchema, positionSchema, turnIdSchema, type Position } from './id.ts'
import { jobSchemas } from './job.ts'
import { itemsSchema, markNameSchema, markSchema, marksSchema, summarySchema } from './item.ts'
import { reasoningSchema } from './prompt.ts'
import { rightSchemas } from './right.ts'
import { runSchemas } from './run.ts'
import { workSchemas } from './work.ts'

const callSchema = z.strictObject({
  id: z.string().min(1),
  tool: z.string().min(1),
  args: z.custom<JsonObject>((value) => isJsonObject(value), {
    error: 'arguments are a JSON object, not too deep',
  }),
})

/** The only contents that ever reach a model, summaries apart. */
const messageSchema = z.discriminatedUnion('role', [
  z.strictObject({
    role: z.literal('user'),
    /** What people or jobs said, escaped where it could be taken for the host's words. */
    text: z.string(),
    /** Tag, explaining line and time; then what the host put before the text. Each absent when empty. */
    head: z.string().min(1).exactOptional(),
    before: z.array(z.string().min(1)).exactOptional(),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    text: z.string(),
    calls: z.array(callSchema),
    /** Sent back to the model that thought it, and to no other. */
    reasoning: z.array(reasoningSchema).exactOptional(),
    model: z.string().min(1).exactOptional(),
  }),
  z.strictObject({
    role: z.literal('tool'),
    call: z.string().min(1),
    tool: z.string().min(1),
    text: z.string(),
    /** Written by the host because the real result never came; says why. */
    synthetic: z.string().exactOptional(),
  }),
  z.strictObject({ role: z.literal('note'), author: authorSchema, text: z.string() }),
])

/** What a new branch begins with. By reference, so that a fork is small however long the list is. */
const baseSchema = z.discriminatedUnion('from', [
  z.strictObject({ from: z.literal('nothing') }),
  z.strictObject({ from: z.literal('parent'), version: positionSchema, head: positionSchema }),
  z.strictObject({ from: z.literal('items'), items: itemsSchema }),
])

/** Every change of a context carries the list that results: folding copies it and decides nothing. */
const change = {
  author: authorSchema,
  prev: positionSchema,
  items: itemsSchema,
  marks: marksSchema,
}

const contextSchemas = [
  event('branch-created', {
    mode: z.enum(['main', 'fork', 'background', 'child']),
    parent: branchIdSchema.nullable(),
    title: columnText.nullable(),
    base: baseSchema,
    author: authorSchema,
  }),
  event('branch-ended', {
    reason: z.enum(['saved', 'reported', 'discarded', 'finished', 'killed', 'failed', 'timed-out']),
    author: authorSchema,
  }),
  event('message-added', {
    turn: turnIdSchema.nullable(),
    message: messageSchema,
    /** As estimated when it was written; a later estimate never changes it. */
    tokens: z.int().min(0),
    /** What it took out of the inbox. */
    took: positionSchema.exactOptional(),
    /**
     * The updates that it shows or counts: of its own branch, and then no later message does again; or of the main
     * session above, at which it only looks.
     */
    updates: z.strictObject({ of: branchIdSchema, shown: z.array(positionSchema).min(1) }).exactOptional(),
  }),
  event('turn-started', {
    turn: turnIdSchema,
    version: positionSchema,
    head: positionSchema.nullable(),
    continues: turnIdSchema.nullable(),
  }),
  event('turn-ended', {
    turn: turnIdSchema,
    /** `deferred`: the model could not be reached; the work goes on at `retryAt`, without being asked again. */
    outcome: z.enum(['answered', 'interrupted', 'stopped', 'failed', 'deferred']),
    retryAt: timeSchema.exactOptional(),
  }),
  event('mark-set', { name: markNameSchema, author: authorSchema }),
  event('context-cleared', {
    ...change,
    /** The mark it went back to, and where that mark stands; null: everything was cleared. */
    to: markSchema.nullable(),
  }),
  event('context-compacted', {
    ...change,
    summaries: z.array(summarySchema).min(1),
    /** Who wrote the summaries: a model's name, or `extract` for the summariser without a model. */
    writer: z.string().min(1),
  }),
  event('compaction-abandoned', {
    author: authorSchema,
    because: z.enum(['context-changed', 'nothing-kept', 'writer-failed']),
  }),
  event('context-expanded', { ...change, summary: positionSchema, part: z.int().min(0) }),
  event('context-saved', {
    ...change,
    source: branchIdSchema,
    /** Updates that the saved messages show: they wait no longer, as long as this save stands. */
    settles: z.array(positionSchema).min(1).exactOptional(),
  }),
  event('context-undone', {
    author: authorSchema,
    undone: positionSchema,
    version: positionSchema,
  }),
  event('context-redone', { author: authorSchema, version: positionSchema }),
] as const

export const eventSchema = z.discriminatedUnion('kind', [
  ...contextSchemas,
  ...workSchemas,
  ...rightSchemas,
  ...runSchemas,
  ...jobSchemas,
])

/** A past fact, complete in itself, before the log gave it its place. */
export type Draft = Readonly<z.infer<typeof eventSchema>>
export type Event = Draft & { readonly position: Position }
export type Kind = Draft['kind']
export type ContextKind = (typeof contextSchemas)[number]['shape']['kind']['value']
export type EventOf<K extends Kind> = Extract<Event, { kind: K }>
export type DraftOf<K extends Kind> = Extract<Draft, { kind: K }>

export type Author = Readonly<z.infer<typeof authorSchema>>
export type Message = Readonly<z.infer<typeof messageSchema>>
export type Call = Readonly<z.infer<typeof callSchema>>
export type Base = Readonly<z.infer<typeof baseSchema>>
export type Mode = DraftOf<'branch-created'>['mode']
export type Outcome = DraftOf<'turn-ended'>['outcome']
export type EndReason = DraftOf<'branch-ended'>['reason']

export const kinds: readonly Kind[] = eventSchema.options.map((option) => option.shape.kind.value)
