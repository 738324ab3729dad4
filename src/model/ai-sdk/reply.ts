import type { LanguageModelUsage, TextStreamPart, ToolSet } from 'ai'
import { isJsonObject } from '../../base/json.ts'
import type { Reasoning } from '../../event/prompt.ts'
import { ModelError, type Reply, type ReplyCall, type Usage } from '../model.ts'
import type { HostedProvider } from './providers.ts'
import { startRawArguments } from './raw-arguments.ts'
import { plainMetadata, signatureIn, thoughtData } from './reasoning.ts'

type StreamPart = TextStreamPart<ToolSet>
type Finish = Extract<StreamPart, { type: 'finish-step' }>

export interface ReadOptions {
  readonly model: string
  readonly provider: HostedProvider
  readonly onText: (piece: string) => void
}

/** Puts the pieces of a stream together. A stream that breaks off, or carries an error, is an error. */
export async function readReply(parts: AsyncIterable<StreamPart>, options: ReadOptions): Promise<Reply> {
  const draft = startDraft(options.model)
  const rawArguments = options.provider === 'openrouter' ? startRawArguments() : undefined
  let finish: Finish | undefined
  let isCalledUnasked = false
  let pieces = 0
  for await (const part of parts) {
    if (part.type === 'error') {
      if (saysEndless(part.error)) break
      if (!isUnwantedCall(part.error)) throw part.error
      isCalledUnasked = true
      continue
    }
    if (part.type === 'finish-step') finish = part
    else if (part.type === 'raw') rawArguments?.take(part.rawValue)
    else if (part.type !== 'start' && part.type !== 'start-step' && part.type !== 'finish') pieces++
    if (part.type === 'text-delta' && part.text !== '') options.onText(part.text)
    draft.take(part)
  }
  if (!finish || isBrokenOff(finish, options.provider)) throw brokenOff(options.model, pieces)
  const reply = draft.finish(isCalledUnasked ? { ...finish, finishReason: 'stop' } : finish)
  return rawArguments ? { ...reply, calls: rawArguments.corrected(reply.calls) } : reply
}

/** OpenRouter's package makes up an ending where none came. */
function isBrokenOff({ finishReason, rawFinishReason }: Finish, provider: HostedProvider): boolean {
  return finishReason === 'interrupted' || (provider === 'openrouter' && rawFinishReason === undefined)
}

/** The model called a tool although it was told not to: its text is the answer, and nothing is run. */
function isUnwantedCall(error: unknown): boolean {
  return error instanceof Error && error.name === 'AI_ToolChoiceViolationError'
}

/** How the package for compatible servers says that a stream broke off. */
function saysEndless(error: unknown): boolean {
  return error instanceof Error && error.message.includes('ended without a finish reason')
}

function brokenOff(model: string, pieces: number): ModelError {
  return pieces === 0
    ? new ModelError('garbled', `${model}: the provider's answer held no reply`)
    : new ModelError('network', `${model}: the answer broke off before its end`)
}

interface Draft {
  take(part: StreamPart): void
  finish(finish: Finish): Reply
}

function startDraft(model: string): Draft {
  let text = ''
  const calls: ReplyCall[] = []
  const thoughts: { text: string; data: Parameters<typeof thoughtData>[0] }[] = []
  const open = new Map<string, (typeof thoughts)[number]>()

  const remember = (id: string, more: { piece?: string; metadata?: unknown }): void => {
    const thought = open.get(id)
    if (!thought) return
    thought.text += more.piece ?? ''
    const metadata = plainMetadata(more.metadata)
    if (metadata) thought.data = { ...thought.data, metadata }
  }
  const sign = (metadata: unknown, on: { text: true } | { call: string }): void => {
    const signature = signatureIn(metadata)
    if (signature) thoughts.push({ text: '', data: { model, metadata: signature, on } })
  }
  return {
    take(part) {
      switch (part.type) {
        case 'text-delta':
          text += part.text
          return
        case 'text-end':
          return sign(part.providerMetadata, { text: true })
        case 'reasoning-start': {
          const thought = { text: '', data: { model, after: { text: text.length, calls: calls.length } } }
          thoughts.push(thought)
          open.set(part.id, thought)
          return remember(part.id, { metadata: part.providerMetadata })
        }
        case 'reasoning-delta':
          return remember(part.id, { piece: part.text, metadata: part.providerMetadata })
        case 'reasoning-end':
          remember(part.id, { metadata: part.providerMetadata })
          open.delete(part.id)
          return
        case 'tool-call':
          calls.push(readCall(part))
          return sign(part.providerMetadata, { call: part.toolCallId })
        default:
      }
    },
    finish: ({ finishReason, usage }) => {
      if (finishReason === 'error') {
        throw new ModelError('garbled', `${model}: the provider ended the answer with an error`)
      }
      return {
        text,
        reasoning: finishedThoughts(thoughts),
        calls,
        finish: readFinish(finishReason, calls.length),
        usage: readUsage(usage),
      }
    },
  }
}

function finishedThoughts(
  thoughts: readonly { text: string; data: Parameters<typeof thoughtData>[0] }[],
): Reasoning[] {
  const isThought = thoughts.some(({ data }) => !data.on)
  return thoughts
    .filter(({ text, data }) => text !== '' || data.metadata !== undefined)
    .filter(({ data }) => !(isThought && isCopy(data)))
    .map(({ text, data }) => ({ text, data: thoughtData(data) }))
}

/** OpenRouter hangs all thoughts of an answer on its calls too. */
function isCopy({ on, metadata }: Parameters<typeof thoughtData>[0]): boolean {
  const fields = metadata?.['openrouter']
  return on !== undefined && fields !== undefined && isJsonObject(fields) && 'reasoning_details' in fields
}

function readCall(part: Extract<StreamPart, { type: 'tool-call' }>): ReplyCall {
  const { toolCallId: id, toolName: tool } = part
  const input: unknown = part.input
  if (isJsonObject(input)) return { id, tool, args: input }
  return { id, tool, badArgs: typeof input === 'string' ? input : (JSON.stringify(input) ?? '') }
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
