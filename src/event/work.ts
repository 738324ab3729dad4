import { z } from 'zod'
import {
  authorSchema,
  columnText,
  columnWord,
  count,
  daySchema,
  event,
  hashSchema,
  reportingSchema,
  timeSchema,
  word,
} from './fields.ts'
import { filesSchema } from './file.ts'
import { branchIdSchema, positionSchema, turnIdSchema } from './id.ts'
import { thinkingSchema } from './prompt.ts'

/** The events of an agent at work. None of them changes a context: what a model sees is in messages and versions. */

/** Who spoke, and where; `key` is the platform's id of the message. */
const personSource = z.strictObject({
  from: z.literal('person'),
  channel: columnWord,
  conversation: columnWord,
  person: columnWord,
  /** For a conversation of several people, which `person` is as a whole: who of them spoke. */
  speaker: z.strictObject({ person: columnWord, name: columnWord }).exactOptional(),
  key: columnText.nullable(),
  /** The platform's ids of the other messages of an album, and of the album itself. */
  parts: z.array(columnText).exactOptional(),
  /** A button was pressed, and this is its text. */
  isButton: z.literal(true).exactOptional(),
  /** Submitted from a command line: nobody is there, and nobody has just written there. */
  isOrder: z.literal(true).exactOptional(),
  /** Passed on by a program: nobody is there to be reached, and nobody has just written there. */
  isText: z.literal(true).exactOptional(),
  /** Set for one `-p` or one pipe: its messages have their own turns, and share the rest with the conversation. */
  thread: columnWord.exactOptional(),
  /** The folder in which it was typed, for a command that names a file from there. */
  folder: columnWord.exactOptional(),
})
/** `depth` of `max` follow-ups came before it; `parent` is the reminder that began the chain. */
export const chainSchema = z.strictObject({ max: count, depth: count, parent: columnWord })
/** Fields of a reminder's file that mean nothing where it works, but matter for its follow-up. */
export const manner = {
  isolated: z.boolean(),
  /** Null: main's model at the time of the call. */
  model: word.nullable(),
  thinking: thinkingSchema,
  reporting: reportingSchema,
}
const hostSource = z.strictObject({
  from: z.literal('host'),
  /** Shown in brackets before the text; says what the message is. */
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
  /** The job's id, for a tag that names one. */
  id: columnWord.exactOptional(),
  /** For a reminder that may follow itself up: what a follow-up takes over, since the file is gone by then. */
  chain: chainSchema
    .extend({
      description: z.string(),
      skills: z.array(word),
      /** Left out: the defaults. */
      manner: z.strictObject({ ...manner, tools: z.array(word) }).exactOptional(),
    })
    .exactOptional(),
  /** The job's person; left out: the owner. */
  person: columnWord.exactOptional(),
  /** For a job that may not write to the person unasked. */
  allowPing: z.literal(false).exactOptional(),
  /** For a reminder that a model set, or a file that one may have written: its text is not the person's. */
  isByModel: z.literal(true).exactOptional(),
  /** For a reminder that was set in a job's turn: what that turn goes back to. */
  root: positionSchema.exactOptional(),
  /** The turn whose model asked for it: the command waits for the end of that turn. */
  turn: turnIdSchema.exactOptional(),
  /** For a request to report a fork: when the host writes the report instead. */
  reportBy: timeSchema.exactOptional(),
})
/** Shown as a card if the channel has cards, and as plain text elsewhere. */
export const embedSchema = z.strictObject({
  title: word,
  description: word.exactOptional(),
  /** `#3b82f6` */
  color: word.exactOptional(),
  fields: z.array(z.strictObject({ name: word, value: word })).exactOptional(),
})
/** Picking the label means typing the command. */
const choiceSchema = z.strictObject({ label: word, command: word })
export const choicesSchema = z.array(choiceSchema)
/** The notices of the host, by what they are about. */
const noticeSchema = z.enum([
  'approval-carried-out',
  'catching-up',
  'child-ended',
  'compacted',
  'compaction-failed',
  'context-full',
  'digest',
  'failed',
  'fork-ended',
  'idle',
  'model-missing',
  'no-answer',
  'owner-asked',
  'pairing',
  'queued',
  'raised',
  'refused',
  'reminder',
  'reminder-set',
  'replied',
  'run-ended',
  'slowed',
  'spending',
  'unanswered',
  'undelivered',
  'welcome',
  'withdrawn',
])
/** `person`: left out for the owner. */
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
  startTime: word.nullable(),
})

/** What a model's answer cost. */
const used = {
  usage: z.strictObject({
    tokensIn: count,
    tokensOut: count,
    tokensCached: count,
    tokensCacheWritten: count,
  }),
  /** Estimated at that time; null: the model's price is unknown. */
  cost: z.number().min(0).nullable(),
  purpose: z.enum(['person', 'background']),
  /** The person's day that it counts for. */
  day: daySchema,
}

/** Why recall brought a message into a prompt: the parts of its score in the search of that moment. */
export const reasonSchema = z.strictObject({
  position: positionSchema,
  part: count,
  score: z.number(),
  words: z.number(),
  alpha: z.number(),
  vector: z.number().nullable(),
  meaning: z.number().nullable(),
  recency: z.number(),
  spread: z.number(),
  matched: z.array(z.string()),
  coverage: z.number(),
  /** The message that it answers, if it is shown with that. */
  answers: positionSchema.exactOptional(),
})
/** The parts of a system text in their order, each with its length. An empty line separates them. */
const sectionsSchema = z.array(
  z.strictObject({ name: z.enum(['agents', 'host', 'memory', 'skills']), length: count }),
)

const modelCall = { turn: turnIdSchema, call: z.int().min(1) }

export const workSchemas = [
  /** Texts that many calls share, kept once: a system text, a tool list, settings, a tail. */
  event('content-kept', {
    hash: hashSchema,
    text: z.string(),
    sections: sectionsSchema.exactOptional(),
  }),
  /** From here on it is in the branch's inbox, until a message or a command takes it. */
  event('inbound-admitted', {
    source: z.discriminatedUnion('from', [personSource, hostSource]),
    /** `step-command`: waits only for the running step, not for the whole turn. */
    form: z.enum(['message', 'note', 'command', 'step-command']),
    /** As it came. */
    text: z.string(),
    /** The host's text before it, when it is read: the message that it replies to. */
    before: z.array(word).exactOptional(),
    /** The first line, if it comes later than it was due. */
    late: word.exactOptional(),
    files: filesSchema.exactOptional(),
    /** It waits until then, since the person writes too much. */
    notBefore: timeSchema.exactOptional(),
    /** For a later part of a message, or one that was moved here: what it goes back to. Left out: it is its own. */
    root: positionSchema.exactOptional(),
  }),
  /** `took` is part of the entry at `to`. A model's command may move to the end of the same inbox. */
  event('inbound-moved', { took: positionSchema, to: positionSchema }),
  /** Everything that a prompt was made of, by reference, and the hash of the result. */
  event('model-called', {
    ...modelCall,
    prompt: hashSchema,
    version: positionSchema,
    head: positionSchema.nullable(),
    system: hashSchema,
    tools: hashSchema,
    settings: hashSchema,
    /** The person's day that it counts for. */
    day: daySchema.exactOptional(),
    /** The block that only this turn shows, and the message it follows. */
    tail: z
      .strictObject({
        text: hashSchema,
        after: positionSchema,
        /** For each recalled piece, in order; left out if the call before it in this turn has the same. */
        why: z.array(reasonSchema).min(1).exactOptional(),
      })
      .nullable(),
  }),
  event('model-answered', {
    ...modelCall,
    /** The model that answered: another than the one asked if a fallback did. */
    model: word,
    finish: z.enum(['stop', 'calls', 'length', 'refused']),
    ...used,
  }),
  event('model-failed', { ...modelCall, reason: word, message: z.string(), retryAt: timeSchema.nullable() }),
  event('command-run', {
    author: authorSchema,
    /** The address where it was typed, if it ran at once; otherwise it came through the inbox, from `took`. */
    source: personSource.nullable(),
    took: positionSchema.nullable(),
    line: z.string(),
    output: z.string(),
    isError: z.boolean(),
    /** What it goes back to; without an entry that it took, the first event that it caused. Left out: it is its own. */
    root: positionSchema.exactOptional(),
  }),
  /** Written before the network is used: a process that dies before it writes the outcome leaves this. */
  event('delivery-intended', {
    to: addressSchema,
    /** `question`: somebody waits for one of the choices. */
    form: z.enum(['answer', 'output', 'notice', 'question', 'ping']),
    /** Which notice it is. Left out in older logs. */
    notice: noticeSchema.exactOptional(),
    /** The whole message as text, even if it is shown as a card. */
    text: z.string(),
    turn: turnIdSchema.nullable(),
    embed: embedSchema.exactOptional(),
    /** For an unasked message: its number in the conversation, from 1 and for good, so that a person can name it. */
    number: z.int().min(1).exactOptional(),
    /** Possible answers and their commands; a channel may show them as buttons. */
    choices: choicesSchema.exactOptional(),
    files: filesSchema.exactOptional(),
    /** The event that it answers or reports; left out if the host speaks unprompted. */
    cause: positionSchema.exactOptional(),
    /** What its cause or its turn goes back to. Left out: it is its own. */
    root: positionSchema.exactOptional(),
  }),
  event('delivery-done', {
    intent: positionSchema,
    platformId: z.string().nullable(),
    /** Lines that were shown before and after the text. */
    head: word.exactOptional(),
    foot: word.exactOptional(),
  }),
  event('delivery-failed', { intent: positionSchema, message: z.string() }),
  /** The platform has this part of a message; more parts follow. */
  event('delivery-part', { intent: positionSchema, platformId: z.string() }),
  /** Written before the first try: a key for each choice of the delivery, in their order (BUTTON1). */
  event('buttons-made', { intent: positionSchema, keys: z.array(word) }),
  /** Written before the network is used: a message that grows while this turn answers. */
  event('preview-begun', { to: addressSchema, turn: turnIdSchema, text: z.string() }),
  event('preview-shown', { intent: positionSchema, platformId: z.string() }),
  /** It was not shown, or is not shown any more. A preview that becomes a message ends with that delivery. */
  event('preview-removed', { intent: positionSchema }),
  /** Sent to `branch`; a person's mail comes from the branch where they sent it. */
  event('mail-sent', { from: branchIdSchema, text: word }),
  event('mail-read', { upTo: positionSchema }),
  /** From here on, messages in that conversation go to `branch`. `before`: its id until the platform gave it this one. */
  event('conversation-bound', {
    ...addressSchema.shape,
    before: columnWord.exactOptional(),
    author: authorSchema,
  }),
  /** The setup of the person's prompts from here on; `person`: left out for the owner. */
  event('setup-changed', {
    system: hashSchema,
    tools: hashSchema,
    person: columnWord.exactOptional(),
    author: authorSchema,
  }),
  /** A model call outside of any turn, which also counts. */
  event('model-used', { what: z.enum(['summary', 'broken']), model: word, ...used }),
  /** The branch's context policy from here on, whatever the configuration says. */
  event('policy-set', { policy: z.enum(['managed', 'explicit']), author: authorSchema }),
  /** Noted once a day: the limit is near, or the person lets it be passed. */
  event('spending-noted', { day: daySchema, what: z.enum(['near', 'agreed', 'warned', 'unpriced']) }),
  /** A tool's call started a program in a process group of its own, which is over when the call has its result. */
  event('process-started', { turn: turnIdSchema, call: word, ...startedProcessSchema.shape }),
  /**
   * Everything before it was imported and carries no authority: inboxes, running turns, forks, runs, proposals, grants,
   * the outbox and jobs have ended (SAFE5).
   */
  event('import-closed', {}),
] as const

export type PersonSource = Readonly<z.infer<typeof personSource>>
export type HostSource = Readonly<z.infer<typeof hostSource>>
export type Reason = Readonly<z.infer<typeof reasonSchema>>
export type Sections = Readonly<z.infer<typeof sectionsSchema>>
export type StartedProcess = Readonly<z.infer<typeof startedProcessSchema>>
export type Address = Readonly<z.infer<typeof addressSchema>>
export type Notice = z.infer<typeof noticeSchema>
export type Embed = Readonly<z.infer<typeof embedSchema>>
export type Choice = Readonly<z.infer<typeof choiceSchema>>
