import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { capital, sentence } from '../../base/words.ts'
import { rawBody, Refusal, type Route } from './route.ts'

const BYTES_MAX = 1024 * 1024
const DEPTH_MAX = 32

/** The body of a request, as the schema of its route has it. */
export async function bodyOf(route: Route, incoming: IncomingMessage): Promise<unknown> {
  if (route.body === undefined) return undefined
  const bytes = await bytesOf(incoming, route.bodyBytesMax ?? BYTES_MAX)
  if (route.body === rawBody) return bytes
  const type = incoming.headers['content-type'] ?? ''
  // A page of another site can send a form, or plain text, without asking first.
  if (!/^application\/json *(?:;|$)/i.test(type))
    throw new Refusal(415, 'Send JSON, with the header content-type: application/json.')
  return checked(route.body, jsonOf(bytes), 'The body')
}

export function checked(schema: z.ZodType | undefined, value: unknown, what: string): unknown {
  if (schema === undefined) return undefined
  const problem = problemIn(value)
  if (problem !== undefined) throw new Refusal(400, `${what} ${problem}.`)
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  const problems = error.issues.map(({ path, message }) => [...path, capital(message)].join(': '))
  const param = error.issues[0]?.path.join('.') || undefined
  throw new Refusal(400, sentence(`${what} is wrong: ${problems.join('; ')}`), { param })
}

/** Finds text that the log, a model or a file cannot hold. */
function problemIn(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) return 'contains half a character (a lone surrogate)'
    return value.includes('\0') ? 'contains a NUL character' : undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  if (depth === DEPTH_MAX) return `is nested more than ${DEPTH_MAX} levels deep`
  for (const part of [...Object.keys(value), ...Object.values(value)]) {
    const problem = problemIn(part, depth + 1)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Decoded strictly, so that a signature, a hash and what is read are about the same bytes. */
export function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new Refusal(400, 'The body is not JSON.')
  }
}

/** Stops reading as soon as it is too long; what is not read is not buffered either. */
async function bytesOf(incoming: IncomingMessage, bytesMax: number): Promise<Uint8Array> {
  const tooLong = new Refusal(413, `The body can have at most ${bytesMax.toLocaleString('en')} bytes.`)
  if (Number(incoming.headers['content-length'] ?? 0) > bytesMax) throw tooLong
  const chunks: Buffer[] = []
  let length = 0
  try {
    // Keeps the connection open for the answer.
    const coming: AsyncIterable<Buffer> = incoming.iterator({ destroyOnReturn: false })
    for await (const chunk of coming) {
      length += chunk.length
      if (length > bytesMax) throw tooLong
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  } catch (error) {
    throw error === tooLong ? tooLong : new Refusal(400, 'The connection ended before the body did.')
  }
}
