import { z } from 'zod'
import { isJsonObject, type JsonObject } from '../base/json.ts'
import { authorSchema, columnText, event, timeSchema, word } from './fields.ts'
import { branchIdSchema, positionSchema, turnIdSchema, type Position } from './id.ts'
import { filesSchema } from './file.ts'
import { jobSchemas } from './job.ts'
import { itemsSchema, markNameSchema, markSchema, marksSchema, summarySchema } from './item.ts'
import { peopleSchemas } from './people.ts'
import { reasoningSchema } from './prompt.ts'
import { rightSchemas } from './right.ts'
import { runSchemas } from './run.ts'
import { workSchemas } from './work.ts'

const callSchema = z.strictObject({
  id: word,
  tool: word,
  args: z.custom<JsonObject>((value) => isJsonObject(value), {
    error: 'arguments are a JSON object, not too deep',
  }),
})

/** Messages and summaries are all that ever reaches a model. */
const messageSchema = z.discriminatedUnion('role', [
  z.strictObject({
    role: z.literal('user'),
    /** The words of a person or a job, escaped where they could be mistaken for the host's. */
    text: z.string(),
    /** `head`: tag, explanation and time. `before`: what the host puts before the text. Both are absent when empty. */
    head: word.exactOptional(),
    before: z.array(word).exactOptional(),
    /** Shown between `before` and the text. */
    files: filesSchema.exactOptional(),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    text: z.string(),
    calls: z.array(callSchema),
    /** Only ever sent back to the model that produced it. */
    reasoning: z.array(reasoningSchema).exactOptional(),
    model: word.exactOptional(),
    /** The answer ends here because a person stopped it, or because the provider broke off for good. */
    cut: z.enum(['stopped', 'broken']).exactOptional(),
  }),
  z.strictObject({
    role: z.literal('tool'),
    call: word,
    tool: word,
    text: z.string(),
    /** Whether the call failed. Left out in older logs: nobody knows. */
    isError: z.boolean().exactOptional(),
    /** Set when the host wrote this result because the real one never came; says why. */
    synthetic: z.string().exactOptional(),
    /** Nothing in it is anybody else's: what the host says of a call that was done or refused. */
    origin: z.literal('host').exactOptional(),
    /** Addresses that a page or a search offers, made plain: whoever wrote them gave them to everybody who reads it. */
    links: z.array(word).min(1).exactOptional(),
    /** The page's own address was made up by a model, so `links` may be, too: they lead no further than their site. */
    isMadeUp: z.literal(true).exactOptional(),
  }),
  z.strictObject({ role: z.literal('note'), author: authorSchema, text: z.string() }),
])

/** The list a new branch begins with. It is a reference, so a fork is small however long the list is. */
const baseSchema = z.discriminatedUnion('from', [
  z.strictObject({ from: z.literal('nothing') }),
  z.strictObject({ from: z.literal('parent'), version: positionSchema, head: positionSchema }),
  z.strictObject({ from: z.literal('items'), items: itemsSchema }),
])

/** Every change of a context carries the resulting list, so folding copies it and decides nothing. */
const change = { author: authorSchema, prev: positionSchema, items: itemsSchema, marks: marksSchema }

export const modeSchema = z.enum(['main', 'fork', 'background', 'child'])

const contextSchemas = [
  event('branch-created', {
    mode: modeSchema,
    parent: branchIdSchema.nullable(),
    title: columnText.nullable(),
    base: baseSchema,
    author: authorSchema,
    /** For a branch that a person's command opened: what the command goes back to. */
    root: positionSchema.exactOptional(),
  }),
  event('branch-ended', {
    reason: z.enum(['saved', 'reported', 'discarded', 'finished', 'killed', 'failed', 'timed-out']),
    author: authorSchema,
  }),
  event('message-added', {
    turn: turnIdSchema.nullable(),
    message: messageSchema,
    /** Estimated when it was written. Better estimates later do not change it. */
    tokens: z.int().min(0),
    /** The inbox entry that became this message. */
    took: positionSchema.exactOptional(),
    /** Of a model's message: text from elsewhere stood in its prompt. Of others: words of theirs come from there. */
    elsewhere: z.literal(true).exactOptional(),
    /** Updates that it shows or counts. Those of its own branch are settled; others main shows again. */
    updates: z.strictObject({ of: branchIdSchema, shown: z.array(positionSchema).min(1) }).exactOptional(),
  }),
  event('turn-started', {
    turn: turnIdSchema,
    version: positionSchema,
    head: positionSchema.nullable(),
    continues: turnIdSchema.nullable(),
    /** The model this turn was started with, and where its name came from. Left out in older logs and in imports. */
    model: z.strictObject({ name: word, from: word }).exactOptional(),
    /** The event that caused this turn: a person's message or a job's firing. Left out: the turn is its own. */
    root: positionSchema.exactOptional(),
  }),
  event('turn-ended', {
    turn: turnIdSchema,
    /** `deferred`: the model could not be reached; the work goes on by itself at `retryAt`. */
    outcome: z.enum(['answered', 'interrupted', 'stopped', 'failed', 'deferred']),
    retryAt: timeSchema.exactOptional(),
    /** Why the model was not even called. */
    failure: z.strictObject({ reason: word, message: z.string() }).exactOptional(),
  }),
  event('mark-set', {
    name: markNameSchema,
    /** The message that it stands behind; left out: it stands where it was set. */
    behind: positionSchema.exactOptional(),
    author: authorSchema,
  }),
  event('context-cleared', {
    ...change,
    /** The mark it rewound to; null: everything was cleared. */
    to: markSchema.nullable(),
    /** Set when a person took back the last answer, which is asked for again, or the last exchange, to say it anew. */
    drops: z.enum(['answer', 'exchange']).exactOptional(),
    /** Updates that wait again because the messages that told them were dropped, until this is undone. */
    reopens: z
      .array(z.strictObject({ by: positionSchema, updates: z.array(positionSchema).min(1) }))
      .min(1)
      .exactOptional(),
  }),
  event('context-compacted', {
    ...change,
    summaries: z.array(summarySchema).min(1),
    /** Who wrote the summaries: a model's name, or `extract` for the summariser without a model. */
    writer: word,
    /** A model that had read text from elsewhere said what to keep: the summaries may say what that text wants. */
    elsewhere: z.literal(true).exactOptional(),
  }),
  event('compaction-abandoned', {
    author: authorSchema,
    because: z.enum(['context-changed', 'nothing-kept', 'writer-failed']),
  }),
  event('context-expanded', { ...change, summary: positionSchema, part: z.int().min(0) }),
  event('context-saved', {
    ...change,
    source: branchIdSchema,
    /** Updates that the saved messages show. They are settled until this save is undone. */
    settles: z.array(positionSchema).min(1).exactOptional(),
  }),
  event('context-undone', { author: authorSchema, undone: positionSchema, version: positionSchema }),
  event('context-redone', { author: authorSchema, version: positionSchema }),
] as const

export const eventSchema = z.discriminatedUnion('kind', [
  ...contextSchemas,
  ...workSchemas,
  ...rightSchemas,
  ...runSchemas,
  ...jobSchemas,
  ...peopleSchemas,
])

export type Checked = Readonly<z.infer<typeof eventSchema>>
/** An event before the log gave it a version and a position: a past fact, complete in itself. */
export type Draft = Unversioned<Checked>
type Unversioned<E> = E extends { readonly v: infer V } ? Omit<E, 'v'> & { readonly v?: V } : never
export type Event = Checked & { readonly position: Position }
export type Kind = Draft['kind']
/** Where and when an event is written. */
export type Placed = Pick<Draft, 'branch' | 'at'>
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
