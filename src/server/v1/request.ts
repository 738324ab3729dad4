import { z } from 'zod'
import { bytesText, cutText } from '../../base/words.ts'
import { contentTypeOf, isWholeImage } from '../../file/content-type.ts'
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

export interface Wanted {
  readonly text: string
  readonly images: readonly Uint8Array[]
  /** A chat front end asks for a title or the like, which main should not see. */
  readonly isSideJob: boolean
  readonly isStream: boolean
  readonly hasUsage: boolean
  /** Fields that were accepted and have no effect, for a header. */
  readonly ignored: readonly string[]
}

/** Names of fields as a header can have them. A program may send any, of any length. */
const FIELD = /^[a-z][\w.-]{0,39}$/i
const IGNORED_MAX = 30

const SIDE_JOB = '### Task:'
const SHOWN_MAX = 60

export function readRequest(body: ChatBody, { imageBytesMax }: { readonly imageBytesMax: number }): Wanted {
  refuse(body)
  const { messages, stream, stream_options: options } = body
  const { text, images } = newWords(messages, imageBytesMax)
  const roles = new Set(messages.map(({ role }) => role))
  const system = roles.has('system') || roles.has('developer') ? ['system messages'] : []
  return {
    text,
    images,
    isSideJob: text.startsWith(SIDE_JOB),
    isStream: stream === true,
    hasUsage: options?.include_usage === true,
    ignored: [...system, ...fieldsIgnored(body)],
  }
}

/** What this server does not read: its own settings decide about models, and its own tools are called. */
function fieldsIgnored(body: ChatBody): string[] {
  const unread = Object.keys(body).filter(
    (name) => !(name in chatBody.shape) && (body[name] ?? null) !== null,
  )
  return unread.filter((name) => FIELD.test(name)).slice(0, IGNORED_MAX)
}

function refuse({ model, n, tools, functions, response_format: format }: ChatBody): void {
  if (model !== MODEL)
    throw new ApiError(
      404,
      `There is no model '${cutText(model, SHOWN_MAX)}' here. The model is called '${MODEL}'.`,
      {
        param: 'model',
        code: 'model_not_found',
      },
    )
  if ((n ?? 1) !== 1) throw wrong('n', 'There is one conversation, so there is one answer: leave n out.')
  if ((tools ?? functions ?? []).length > 0)
    throw wrong(
      'tools',
      'Tools of a request are not called: Mainstem calls its own tools. Leave tools out, or add them as a skill or an MCP server.',
    )
  if ((format?.type ?? 'text') !== 'text')
    throw wrong(
      'response_format',
      'Answers are text. Ask for JSON in the message instead of in response_format.',
    )
}

function wrong(param: string, message: string): ApiError {
  return new ApiError(400, message, { param })
}

/** The user messages after the last assistant message, as one text and its images. Main knows what came before. */
function newWords(messages: ChatBody['messages'], bytesMax: number): Pick<Wanted, 'text' | 'images'> {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  const parts = messages.flatMap((one, index) => {
    if (index <= last || one.role === 'system' || one.role === 'developer') return []
    const param = `messages.${index}`
    if (one.role !== 'user')
      throw wrong(param, `A message of role ${one.role} has no place here: no tool was called.`)
    return partsOf(one.content ?? '', { param, bytesMax })
  })
  const text = parts
    .map((part) => part.text)
    .filter((part) => part !== '')
    .join('\n\n')
    .trim()
  const images = parts.flatMap((part) => part.images)
  if (text !== '' || images.length > 0) return { text, images }
  throw wrong('messages', 'There is nothing to answer: no user message follows the last assistant message.')
}

type Content = NonNullable<ChatBody['messages'][number]['content']>

interface PartBounds {
  readonly param: string
  readonly bytesMax: number
}

function partsOf(content: Content, bounds: PartBounds): Pick<Wanted, 'text' | 'images'> {
  if (typeof content === 'string') return { text: content, images: [] }
  const [texts, images]: [string[], Uint8Array[]] = [[], []]
  for (const [index, { type, text, image_url: image }] of content.entries()) {
    const param = `${bounds.param}.content.${index}`
    if (type === 'text' && text !== undefined) texts.push(text)
    else if (type !== 'image_url' || image === undefined)
      throw wrong(param, `A content part of type ${cutText(type, SHOWN_MAX)} cannot be read: send text.`)
    else if (!/^data:/i.test(image.url))
      throw wrong(param, 'Send images as data: URLs. Other addresses are not fetched.')
    else images.push(imageIn(image.url, { ...bounds, param }))
  }
  return { text: texts.join('\n'), images }
}

const IMAGE_URL = /^data:[^,]{0,200};base64,/i
const NOT_BASE64 = /[^a-z0-9+/\s]/i

/** The image of a `data:` URL. What is no image, or too large, is refused before main hears of it. */
function imageIn(url: string, { param, bytesMax }: PartBounds): Uint8Array {
  const [lead] = IMAGE_URL.exec(url) ?? []
  const encoded = url.slice(lead?.length).trimEnd()
  if (lead === undefined || NOT_BASE64.test(encoded.replace(/={1,2}$/, '')))
    throw wrong(param, 'This is no image as a data: URL: data:image/png;base64, and the bytes in base64.')
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.length > bytesMax)
    throw wrong(param, `This image has ${bytesText(bytes.length)}, and ${bytesText(bytesMax)} are allowed.`)
  if (isWholeImage(bytes)) return bytes
  const { mime } = contentTypeOf(bytes)
  const found = mime.startsWith('image/') ? 'This image is broken or cut off' : `This is no image (${mime})`
  throw wrong(param, `${found}. Send a whole PNG, JPEG, GIF or WebP.`)
}
