import { z } from 'zod'
import {
  authorSchema,
  columnText,
  columnWord,
  daySchema,
  event,
  hashSchema,
  reportingSchema,
  timeSchema,
} from './fields.ts'
import { branchIdSchema, positionSchema, turnIdSchema } from './id.ts'
import { thinkingSchema } from './prompt.ts'

/** The events of an agent at work. None of them changes a context: what a model sees is in messages and versions. */

const count = z.int().min(0)

/** Who spoke, and where; `key` is the platform's id of the message. */
const personSource = z.strictObject({
  from: z.literal('person'),
  channel: columnWord,
  conversation: columnWord,
  person: columnWord,
  key: columnText.nullable(),
  /** It was no text but a button, and this is what the button says. */
  isButton: z.literal(true).exactOptional(),
  /** It was handed in from a command line: nobody sits where it says, and nobody has just written there. */
  isOrder: z.literal(true).exactOptional(),
})
/** `depth` of `max` follow-ups came before it; `parent` is the reminder that began it. */
export const chainSchema = z.strictObject({
  max: z.int().min(0),
  depth: z.int().min(0),
  parent: columnWord,
})
/** What the file of a reminder said that means nothing where it works, and something where its follow-up does. */
const mannerSchema = z.strictObject({
  isolated: z.boolean(),
  model: z.string().min(1).nullable(),
  thinking: thinkingSchema,
  reporting: reportingSchema,
  tools: z.array(z.string().min(1)),
})
const hostSource = z.strictObject({
  from: z.literal('host'),
  /** Stands before the text in brackets and says what the message is. */
  tag: z.enum([
    'fork-started',
    'fork-timeout',
    'system',
    'routine',
    'routine-bg',
    'reminder',
    'reminder-bg',
    'webhook',
  ]),
  /** Of the job, for a tag that names one. */
  id: columnWord.exactOptional(),
  /** Of a reminder that may follow itself up, with what a follow-up takes over from it: its file is gone by now. */
  chain: chainSchema
    .extend({
      description: z.string(),
      skills: z.array(z.string().min(1)),
      /** Left out: as where nobody says anything. */
      manner: mannerSchema.exactOptional(),
    })
    .exactOptional(),
  /** Whose job it is; left out: the owner's. */
  person: columnWord.exactOptional(),
  /** Of a job that may not write to the person unasked. */
  allowPing: z.literal(false).exactOptional(),
  /** The turn whose model asked for it: a command that waits for the end of that turn. */
  turn: turnIdSchema.exactOptional(),
})
/** What is shown as a card where a channel can, and as tidy text elsewhere. */
export const embedSchema = z.strictObject({
  title: z.string().min(1),
  description: z.string().min(1).exactOptional(),
  /** `#3b82f6` */
  color: z.string().min(1).exactOptional(),
  fields: z.array(z.strictObject({ name: z.string().min(1), value: z.string().min(1) })).exactOptional(),
})
/** A person who picks it means the command. */
const choiceSchema = z.strictObject({ label: z.string().min(1), command: z.string().min(1) })
export const choicesSchema = z.array(choiceSchema)
/** `person`: who is meant; left out: the owner. */
const addressSchema = z.strictObject({
  channel: columnWord,
  conversation: columnWord,
  person: columnWord.exactOptional(),
})

/** A program in a process group of its own. */
const startedProcessSchema = z.strictObject({
  /** The id of its first process as well; 1 and below would mean other processes. */
  group: z.int().min(2),
  /** Tells that process from a later one with the same id. Null: the system does not say. */
  startTime: z.string().min(1).nullable(),
})

const usageSchema = z.strictObject({
  tokensIn: count,
  tokensOut: count,
  tokensCached: count,
  tokensCacheWritten: count,
})

export const workSchemas = [
  /** Texts that many calls share, kept once: a system text, a tool list, settings, a tail. */
  event('content-kept', { hash: hashSchema, text: z.string() }),
  /** From here on it is in the branch's inbox, until a message or a command says that it took it. */
  event('inbound-admitted', {
    source: z.discriminatedUnion('from', [personSource, hostSource]),
    /** `step-command`: one that waits for the running step only, not for the whole turn. */
    form: z.enum(['message', 'note', 'command', 'step-command']),
    /** As it came. */
    text: z.string(),
    /** What the host puts before it when it is read: the message that it replies to. */
    before: z.array(z.string().min(1)).exactOptional(),
    /** Says first of all that it comes later than it was due. */
    late: z.string().min(1).exactOptional(),
  }),
  /**
   * Out of this inbox and into another: what waited in `took` is part of what was admitted at `to`. What a model asked for
   * may go to the end of the same inbox.
   */
  event('inbound-moved', { took: positionSchema, to: positionSchema }),
  /** Everything a prompt was made of, by reference, and the hash of what was made. */
  event('model-called', {
    turn: turnIdSchema,
    call: z.int().min(1),
    prompt: hashSchema,
    version: positionSchema,
    head: positionSchema.nullable(),
    system: hashSchema,
    tools: hashSchema,
    settings: hashSchema,
    /** The block that this turn alone shows, and the message behind which it stands. */
    tail: z.strictObject({ text: hashSchema, after: positionSchema }).nullable(),
  }),
  event('model-answered', {
    turn: turnIdSchema,
    call: z.int().min(1),
    /** Another than the one that was asked, when a fallback answered. */
    model: z.string().min(1),
    finish: z.enum(['stop', 'calls', 'length', 'refused']),
    usage: usageSchema,
    /** Money, as estimated then; null where the model has no known price. */
    cost: z.number().min(0).nullable(),
    purpose: z.enum(['person', 'background']),
    /** The person's day on which it counts. */
    day: daySchema,
  }),
  event('model-failed', {
    turn: turnIdSchema,
    call: z.int().min(1),
    reason: z.string().min(1),
    message: z.string(),
    retryAt: timeSchema.nullable(),
  }),
  event('command-run', {
    author: authorSchema,
    /** Where it was typed, when it acted at once; otherwise it came through the inbox, from `took`. */
    source: personSource.nullable(),
    took: positionSchema.nullable(),
    line: z.string(),
    output: z.string(),
    isError: z.boolean(),
  }),
  /** Before the network: whoever dies after sending and before the outcome is written finds this. */
  event('delivery-intended', {
    to: addressSchema,
    /** `question`: somebody waits for one of the choices. */
    form: z.enum(['answer', 'output', 'notice', 'question', 'ping']),
    /** All of it in words, also of what is shown as a card. */
    text: z.string(),
    turn: turnIdSchema.nullable(),
    embed: embedSchema.exactOptional(),
    /** Of a message that nobody waited for: counted in its conversation from 1, for good, so that a person can name it. */
    number: z.int().min(1).exactOptional(),
    /** What can be answered, and the command that answers it; a channel may make buttons of them. */
    choices: choicesSchema.exactOptional(),
    /** The event that it answers or tells of; left out where the host says it of its own accord. */
    cause: positionSchema.exactOptional(),
  }),
  event('delivery-done', { intent: positionSchema, platformId: z.string().nullable() }),
  event('delivery-failed', { intent: positionSchema, message: z.string() }),
  /** To `branch`; what a person sends comes from the branch where they sent it. */
  event('mail-sent', { from: branchIdSchema, text: z.string().min(1) }),
  event('mail-read', { upTo: positionSchema }),
  /** From here on what is said there goes to `branch`. */
  event('conversation-bound', {
    ...addressSchema.shape,
    author: authorSchema,
  }),
  /** What prompts begin with from here on. */
  event('setup-changed', { system: hashSchema, tools: hashSchema, author: authorSchema }),
  /** A model did something outside of any turn, and it counts. */
  event('model-used', {
    what: z.enum(['summary']),
    model: z.string().min(1),
    usage: usageSchema,
    cost: z.number().min(0).nullable(),
    purpose: z.enum(['person', 'background']),
    day: daySchema,
  }),
  /** How this branch's context is kept from here on, whatever the configuration says. */
  event('policy-set', {
    policy: z.enum(['managed', 'explicit']),
    author: authorSchema,
  }),
  /** Said once a day: that the limit is near, or that the person lets it be passed. */
  event('spending-noted', {
    day: daySchema,
    what: z.enum(['near', 'agreed']),
  }),
  /** A tool's call started a program in a process group of its own, which is over when the call has its result. */
  event('process-started', { turn: turnIdSchema, call: z.string().min(1), ...startedProcessSchema.shape }),
] as const

export type PersonSource = Readonly<z.infer<typeof personSource>>
export type HostSource = Readonly<z.infer<typeof hostSource>>
export type StartedProcess = Readonly<z.infer<typeof startedProcessSchema>>
export type Address = Readonly<z.infer<typeof addressSchema>>
export type Embed = Readonly<z.infer<typeof embedSchema>>
export type Choice = Readonly<z.infer<typeof choiceSchema>>
