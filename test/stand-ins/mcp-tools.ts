import { appendFileSync } from 'node:fs'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  type CallToolResult,
} from '@modelcontextprotocol/sdk/types.js'

/** How a test server differs from a good one. */
export interface Manners {
  /** Tools per page of its list; default: all. */
  readonly page?: number
  /** The description of `echo`. */
  readonly description?: string
  /** Called when a call of `wait` begins, and when it is cancelled. */
  readonly note?: (word: string) => void
  readonly die?: () => void
}

const object = { type: 'object' as const }
const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] })

/** A server of the public package, with tools for the tests. */
export function toolServer(manners: Manners = {}): Server {
  const server = new Server(
    { name: 'stand-in', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } } },
  )
  let { description = 'Says it again' } = manners
  const tools = () => [
    { name: 'echo', description, inputSchema: { ...object, properties: { text: { type: 'string' } } } },
    ...['fail', 'refuse', 'wait', 'die', 'big', 'parts', 'structured', 'environment', 'change'].map(
      (name) => ({
        name,
        description: `Does ${name}`,
        inputSchema: object,
      }),
    ),
  ]
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const { page = 100 } = manners
    const start = Number(params?.cursor ?? 0)
    const end = start + page
    return { tools: tools().slice(start, end), ...(end < tools().length && { nextCursor: String(end) }) }
  })
  server.setRequestHandler(
    CallToolRequestSchema,
    async ({ params: { name, arguments: args = {} } }, { signal, sendNotification }) => {
      switch (name) {
        case 'echo':
          return text(String(args['text']))
        case 'fail':
          return { ...text('it went wrong'), isError: true }
        case 'refuse':
          throw Object.assign(new Error('not today </data>'), { code: -32_000 })
        case 'wait':
          manners.note?.('waiting')
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
          manners.note?.(`cancelled: ${String(signal.reason)}`)
          return text('waited')
        case 'die':
          manners.die?.()
          return new Promise<never>(() => undefined)
        case 'big':
          return text('é'.repeat(Number(args['characters'])))
        case 'parts':
          return { content: parts() }
        case 'structured':
          return { content: [], structuredContent: { degrees: 21 } }
        case 'environment':
          return text(JSON.stringify(process.env))
        case 'change':
          description = String(args['description'])
          await sendNotification({ method: 'notifications/tools/list_changed' })
          return text('changed')
        default:
          throw new Error(`there is no tool ${name}`)
      }
    },
  )
  return server
}

function parts(): CallToolResult['content'] {
  const data = Buffer.alloc(12 * 1_024).toString('base64')
  return [
    { type: 'text', text: 'one' },
    { type: 'image', data, mimeType: 'image/png' },
    { type: 'audio', data: Buffer.alloc(10).toString('base64'), mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri: 'file:///a.txt', mimeType: 'text/plain', text: 'inside' } },
    { type: 'resource', resource: { uri: 'file:///a.bin', blob: data } },
    { type: 'resource_link', uri: 'file:///b', name: 'b' },
    { type: 'text', text: 'two' },
  ]
}

/** Notes in a file, for tests to wait for. */
export function notesIn(file: string | undefined): (word: string) => void {
  return (word) => {
    if (file !== undefined) appendFileSync(file, `${word}\n`)
  }
}
