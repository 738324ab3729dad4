import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { createBranch } from '../src/context/fork.ts'
import { isRefusal } from '../src/context/decision.ts'
import { addMessage } from '../src/context/step.ts'
import { seededRandom } from '../src/base/random.ts'
import { estimateTokens } from '../src/base/tokens.ts'
import { makeBranchId, type BranchId, type Position } from '../src/event/id.ts'
import type { Writing } from '../src/event/table.ts'
import type { Log } from '../src/log/log.ts'
import { ASSISTANT } from '../src/event/speaker.ts'

const time = z.iso.datetime({ offset: true, local: true }).transform((text) => Date.parse(text))
const conversationSchema = z.object({
  id: z.string(),
  messages: z.array(z.object({ id: z.string(), speaker: z.string().min(1), at: time, text: z.string() })),
  questions: z.array(
    z.object({
      id: z.string(),
      text: z.string(),
      evidence: z.array(z.string()).min(1),
      category: z.string().default('all'),
    }),
  ),
})
const setSchema = z.object({ conversations: z.array(conversationSchema).min(1) })

export type Conversation = z.infer<typeof conversationSchema>
type Said = Conversation['messages'][number]
export type Question = Conversation['questions'][number]

/** Reads a set of questions with their evidence; throws what is wrong with it. */
export function readSet(file: string): readonly Conversation[] {
  const read = setSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')))
  if (read.success) return read.data.conversations
  throw new Error(`${file} is no set of conversations with questions:\n${z.prettifyError(read.error)}`)
}

/** A conversation that was written into a log. */
export interface Written {
  readonly conversation: Conversation
  readonly branch: BranchId
  /** Its message ids, by position in the log. */
  readonly ids: ReadonlyMap<Position, string>
  /** The one person in it, where the other one is an assistant: whoever asks later is that person. */
  readonly asker: string | undefined
}

const AUTHOR = { by: 'policy', name: 'bench' } as const
const random = seededRandom(1)
const PER_WRITE = 500

/** Writes it as the product does: what a person says is admitted and then taken into the branch. */
export async function writeConversation(log: Log, conversation: Conversation): Promise<Written> {
  const { messages } = conversation
  const at = messages[0]?.at ?? 0
  const branch = makeBranchId(at, random)
  await log.write((writing) => {
    const title = conversation.id
    writing.append(createBranch({ child: branch, mode: 'main', title, at, author: AUTHOR }).draft)
  })
  const ids = new Map<Position, string>()
  for (let from = 0; from < messages.length; from += PER_WRITE) {
    await log.write((writing) => {
      for (const said of messages.slice(from, from + PER_WRITE))
        ids.set(write(writing, branch, said), said.id)
    })
  }
  return { conversation, branch, ids, asker: askerOf(messages) }
}

function write(writing: Writing, branch: BranchId, said: Said): Position {
  const { at, text } = said
  const tokens = estimateTokens(text)
  if (isAssistantName(said.speaker))
    return add(writing, { branch, at, tokens, message: { role: 'assistant', text, calls: [] } })
  const took = admit(writing, branch, said)
  return add(writing, { branch, at, tokens, message: { role: 'user', text } }, took)
}

function add(writing: Writing, message: Parameters<typeof addMessage>[1], took?: Position): Position {
  const added = addMessage(writing, message)
  if (isRefusal(added)) throw new Error(`a message does not fit: ${added.refused}`)
  return writing.append(took === undefined ? added.draft : { ...added.draft, took })
}

function admit(writing: Writing, branch: BranchId, { at, speaker, text }: Said): Position {
  const place = { channel: 'bench', conversation: branch }
  const source = { from: 'person', ...place, person: speaker, key: null } as const
  return writing.append({ kind: 'inbound-admitted', branch, at, v: 1, source, form: 'message', text })
}

function isAssistantName(speaker: string): boolean {
  return speaker.toLowerCase() === ASSISTANT
}

function askerOf(messages: readonly Said[]): string | undefined {
  const speakers = new Set(messages.map(({ speaker }) => speaker))
  const people = [...speakers].filter((speaker) => !isAssistantName(speaker))
  return people.length === 1 && speakers.size === 2 ? people[0] : undefined
}
