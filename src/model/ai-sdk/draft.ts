import type { LanguageModelUsage, TextStreamPart, ToolSet } from 'ai'
import { isJsonObject } from '../../base/json.ts'
import type { Reasoning } from '../../event/prompt.ts'
import { type Reply, type ReplyCall, replyCall, type Usage } from '../contract/model.ts'
import { plainMetadata, signatureIn, type Thought, thoughtData } from './reasoning.ts'

export type StreamPart = TextStreamPart<ToolSet>
export type Finish = Extract<StreamPart, { type: 'finish-step' }>

/** A reply that is still streaming. */
interface Draft {
  readonly model: string
  text: string
  readonly calls: ReplyCall[]
  readonly thoughts: DraftThought[]
  /** Unfinished thoughts, by their id in the stream. */
  readonly open: Map<string, DraftThought>
}

interface DraftThought {
  text: string
  data: Thought
}

export function startDraft(model: string): Draft {
  return { model, text: '', calls: [], thoughts: [], open: new Map() }
}

export function take(draft: Draft, part: StreamPart): void {
  switch (part.type) {
    case 'text-end':
      return sign(draft, part.providerMetadata, { text: true })
    case 'reasoning-start':
      begin(draft, part.id)
      return goOn(draft, part)
    case 'reasoning-delta':
      return goOn(draft, part)
    case 'reasoning-end':
      goOn(draft, part)
      draft.open.delete(part.id)
      return
    case 'tool-call':
      sign(draft, part.providerMetadata, { call: draft.calls.length })
      draft.calls.push(replyCall(part.toolCallId, part.toolName, part.input))
      return
    default:
  }
}

export function finished({ text, calls, thoughts }: Draft, { finishReason, usage }: Finish): Reply {
  return {
    text,
    reasoning: finishedThoughts(thoughts),
    calls,
    finish: readFinish(finishReason, calls.length),
    usage: readUsage(usage),
  }
}

function begin({ model, text, calls, thoughts, open }: Draft, id: string): void {
  const thought = { text: '', data: { model, after: { text: text.length, calls: calls.length } } }
  thoughts.push(thought)
  open.set(id, thought)
}

/** Any piece of a thought may carry metadata; the last one is complete. */
function goOn({ open }: Draft, part: { id: string; text?: string; providerMetadata?: unknown }): void {
  const thought = open.get(part.id)
  if (!thought) return
  thought.text += part.text ?? ''
  const metadata = plainMetadata(part.providerMetadata)
  if (metadata) thought.data = { ...thought.data, metadata }
}

function sign({ model, thoughts }: Draft, metadata: unknown, on: NonNullable<Thought['on']>): void {
  const signature = signatureIn(metadata)
  if (signature) thoughts.push({ text: '', data: { model, metadata: signature, on } })
}

function finishedThoughts(thoughts: readonly DraftThought[]): Reasoning[] {
  const isThought = thoughts.some(({ data }) => !data.on)
  return thoughts
    .filter(({ text, data }) => text !== '' || data.metadata !== undefined)
    .filter(({ data }) => !(isThought && isCopy(data)))
    .map(({ text, data }) => ({ text, data: thoughtData(data) }))
}

/** OpenRouter also attaches all thoughts of an answer to its calls. */
function isCopy({ on, metadata }: Thought): boolean {
  const fields = metadata?.['openrouter']
  return on !== undefined && fields !== undefined && isJsonObject(fields) && 'reasoning_details' in fields
}

function readFinish(reason: Finish['finishReason'], calls: number): Reply['finish'] {
  if (reason === 'length') return 'length'
  if (reason === 'content-filter') return 'refused'
  return calls > 0 ? 'calls' : 'stop'
}

function readUsage({ inputTokens, outputTokens, inputTokenDetails }: LanguageModelUsage): Usage {
  return {
    tokensIn: inputTokens ?? 0,
    tokensOut: outputTokens ?? 0,
    tokensCached: inputTokenDetails.cacheReadTokens ?? 0,
    tokensCacheWritten: inputTokenDetails.cacheWriteTokens ?? 0,
  }
}
