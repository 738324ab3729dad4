import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { staticEncoder } from '../../src/recall/vector/static-encoder.ts'

interface SeenTexts {
  readonly path: string
  readonly key: string | undefined
  readonly texts: readonly string[]
}

export interface EmbeddingServer {
  readonly url: string
  readonly seen: readonly SeenTexts[]
  /** `silent`: takes requests and answers none. */
  state: 'up' | 'silent' | { readonly status: number; readonly words: string }
  /** Longer texts are refused, with the words of Ollama. */
  charactersMax: number
  /** Makes the vector of a text; the built-in encoder does if nothing else is set. */
  vectorOf: (text: string) => readonly number[]
}

type Body = Readonly<{
  input?: string[]
  content?: Content
  requests?: readonly { content: Content }[]
}>
type Content = Readonly<{ parts: readonly { text: string }[] }>

const TOO_LONG = 'the input length exceeds the context length'

/** Speaks what OpenAI and servers like it speak, and what Google speaks. */
export async function startEmbeddingServer(): Promise<EmbeddingServer> {
  const encoder = staticEncoder()
  const seen: SeenTexts[] = []
  const server: EmbeddingServer = {
    url: '',
    seen,
    state: 'up',
    charactersMax: Infinity,
    vectorOf: (text) => [...encoder.encode(text)],
  }
  const http = createServer((request, response) => {
    void (async () => {
      const body = (await json(request)) as Body
      const path = request.url ?? ''
      const isGoogle = path.includes(':')
      const contents = body.requests?.map(({ content }) => content) ?? (body.content ? [body.content] : [])
      const texts = body.input ?? contents.map(({ parts }) => parts.map(({ text }) => text).join(''))
      const { authorization, 'x-goog-api-key': googleKey } = request.headers
      seen.push({ path, key: authorization ?? (googleKey as string | undefined), texts })
      if (server.state === 'silent') return
      response.setHeader('content-type', 'application/json')
      const isLong = texts.some(({ length }) => length > server.charactersMax)
      const refusal = isLong ? { status: 400, words: TOO_LONG } : server.state
      if (refusal !== 'up') {
        response.statusCode = refusal.status
        response.end(JSON.stringify({ error: { message: refusal.words, type: 'x', code: null } }))
        return
      }
      const vectors = texts.map((text) => server.vectorOf(text))
      const embeddings = vectors.map((values) => ({ values }))
      const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }))
      const google = body.requests ? { embeddings } : { embedding: embeddings[0] }
      const usage = { prompt_tokens: 1, total_tokens: 1 }
      response.end(JSON.stringify(isGoogle ? google : { object: 'list', model: 'm', data, usage }))
    })()
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  return Object.assign(server, { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}` })
}
