import { z } from 'zod'
import { ApiError } from './error.ts'

/** The only model that this server has: main, whatever model answers there. */
export const MODEL = 'mainstem'

const part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  image_url: z.looseObject({ url: z.string() }).optional(),
})

const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.union([z.string(), z.array(part)]).nullish(),
})

/** The body of a request for an answer. Fields that are not named here are accepted and ignored. */
export const chatBody = z.looseObject({
  model: z.string(),
  messages: z.array(message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.int().nullish(),
  tools: z.array(z.unknown()).nullish(),
  functions: z.array(z.unknown()).nullish(),
  response_format: z.looseObject({ type: z.string() }).nullish(),
})

export type ChatBody = z.infer<typeof chatBody>

/** What a request asks for. */
export interface Wanted {
  readonly text: string
  /** A chat front end wants a title or the like: not a word to main. */
  readonly isSideJob: boolean
  readonly isStream: boolean
  readonly hasUsage: boolean
  /** What was accepted and has no effect, for a header. */
  readonly ignored: readonly string[]
}

/** Settings of the person's own, so a program has no say in them. */
const IGNORED = [
  'temperature',
  'top_p',
  'max_tokens',
  'max_completion_tokens',
  'stop',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'reasoning_effort',
]

const SIDE_JOB = '### Task:'

/** Throws an ApiError. */
export function readRequest(body: ChatBody): Wanted {
  refuse(body)
  const { messages, stream, stream_options: options } = body
  const text = newWords(messages)
  const roles = new Set(messages.map(({ role }) => role))
  const system = roles.has('system') || roles.has('developer') ? ['system messages'] : []
  return {
    text,
    isSideJob: text.startsWith(SIDE_JOB),
    isStream: stream === true,
    hasUsage: options?.include_usage === true,
    ignored: [...system, ...IGNORED.filter((name) => (body[name] ?? null) !== null)],
  }
}

function refuse({ model, n, tools, functions, response_format: format }: ChatBody): void {
  if (model !== MODEL)
    throw new ApiError(404, `There is no model '${short(model)}' here. The model is called '${MODEL}'.`, {
      param: 'model',
      code: 'model_not_found',
    })
  if ((n ?? 1) !== 1)
    throw new ApiError(400, 'There is one conversation, so there is one answer: leave n out.', { param: 'n' })
  if ((tools ?? functions ?? []).length > 0)
    throw new ApiError(
      400,
      'Tools of a request are not called: Mainstem calls its own tools. Leave tools out, or add them as a skill or an MCP server.',
      { param: 'tools' },
    )
  if ((format?.type ?? 'text') !== 'text')
    throw new ApiError(400, 'Answers are text. Ask for JSON in the message instead of in response_format.', {
      param: 'response_format',
    })
}

/** The user messages after the last assistant message, as one text. Main knows what came before. */
function newWords(messages: ChatBody['messages']): string {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  const texts = messages.flatMap((one, index) => {
    if (index <= last || one.role === 'system' || one.role === 'developer') return []
    const param = `messages.${index}`
    if (one.role !== 'user')
      throw new ApiError(400, `A message of role ${one.role} has no place here: no tool was called.`, {
        param,
      })
    return wordsOf(one.content ?? '', param)
  })
  const text = texts.join('\n\n').trim()
  if (text !== '') return text
  throw new ApiError(400, 'There is nothing to answer: no user message follows the last assistant message.', {
    param: 'messages',
  })
}

const IMAGE = '(An image came with this message. Images cannot be seen yet.)'

function wordsOf(content: NonNullable<ChatBody['messages'][number]['content']>, param: string): string {
  if (typeof content === 'string') return content
  const texts = content.map(({ type, text, image_url: image }) => {
    if (type === 'text' && text !== undefined) return text
    if (type !== 'image_url' || image === undefined)
      throw new ApiError(400, `A content part of type ${short(type)} cannot be read: send text.`, { param })
    if (!/^data:/i.test(image.url))
      throw new ApiError(400, 'Send images as data: URLs. Other addresses are not fetched.', { param })
    return IMAGE
  })
  return texts.join('\n')
}

const SHOWN_MAX = 60

function short(text: string): string {
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text
}
