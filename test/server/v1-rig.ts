import OpenAI from 'openai'
import { onTestFinished, vi } from 'vitest'
import type { Event, EventOf, Kind } from '../../src/event/event.ts'
import { terminalAddress } from '../../src/runtime/terminal/place.ts'
import { startModelServer } from '../stand-ins/model-server.ts'
import { serving } from './stage.ts'

/** A real server in front of a real provider on a socket, and OpenAI's client. */
export async function talking(settings: Readonly<Record<string, string>> = {}, home?: string) {
  const provider = await startModelServer()
  onTestFinished(() => provider.close())
  const at = await serving({
    ...(home !== undefined && { home }),
    settings: {
      MODEL: 'openai-compatible/stand-in',
      OPENAI_COMPATIBLE_URL: `${provider.url}/v1`,
      RECALL_LIMIT: '0',
      MAX_RETRIES: '0',
      ...settings,
    },
  })
  const baseURL = `http://127.0.0.1:${at.port}/v1`
  const openai = new OpenAI({ baseURL, apiKey: at.token, maxRetries: 0 })
  const { log, programs } = at.life
  const left = Promise.withResolvers<void>()
  const wait = programs.wait.bind(programs)
  vi.spyOn(programs, 'wait').mockImplementation((key) => {
    const client = wait(key)
    return {
      ...client,
      leave: () => {
        client.leave()
        left.resolve()
      },
    }
  })
  const all = async (): Promise<Event[]> => Array.fromAsync(log.events())
  return {
    ...at,
    provider,
    baseURL,
    openai,
    events: async <K extends Kind>(kind: K): Promise<EventOf<K>[]> =>
      (await all()).filter((event): event is EventOf<K> => event.kind === kind),
    /** Resolves once this many such events are there. */
    until: (kind: Kind, count: number): Promise<boolean> =>
      at.life.agent.until((reader) => countOf(reader, kind) >= count, AbortSignal.timeout(30_000)),
    /** Resolves once the server has noticed that a client went away. */
    left: left.promise,
    /** Typed at the terminal. */
    type: (text: string) =>
      at.life.receive({ ...terminalAddress, origin: 'terminal', person: 'owner', messageId: null, text }),
  }
}

export type Talking = Awaited<ReturnType<typeof talking>>

function countOf(
  reader: Parameters<Parameters<Talking['life']['agent']['until']>[0]>[0],
  kind: Kind,
): number {
  let count = 0
  for (let position = 1; position <= reader.end; position++)
    if (reader.event(position as never).kind === kind) count++
  return count
}

export const said = (content: string) => ({
  model: 'mainstem',
  messages: [{ role: 'user' as const, content }],
})

export function text(words: string) {
  return { blocks: [{ text: words }] }
}

/** The text of a stream, and what else its chunks say. */
export async function read(stream: AsyncIterable<OpenAI.ChatCompletionChunk>) {
  const chunks = await Array.fromAsync(stream)
  return {
    chunks,
    text: chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''),
    roles: chunks.flatMap(({ choices }) => choices[0]?.delta.role ?? []),
    finish: chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? []),
    usage: chunks.at(-1)?.usage,
  }
}
