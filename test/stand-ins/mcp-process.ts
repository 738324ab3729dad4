import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { notesIn, toolServer } from './mcp-tools.ts'

/** A server over standard input and output: `mcp-process.ts HOW`, configured by environment variables. */
const { NOTES, PAGE, DESCRIPTION } = process.env
const note = notesIn(NOTES)
note(`started ${process.pid}`)

async function serve(): Promise<void> {
  const server = toolServer({
    ...(PAGE !== undefined && { page: Number(PAGE) }),
    ...(DESCRIPTION !== undefined && { description: DESCRIPTION }),
    note,
    die: () => {
      process.stderr.write('something broke inside\n', () => process.exit(3))
    },
  })
  await server.connect(new StdioServerTransport())
}

/** Answers the first message with exactly this. */
function answerOnce(line: string): void {
  process.stdin.once('data', () => void process.stdout.write(`${line}\n`))
}

function writeForEver(chunk: string): void {
  while (process.stdout.write(chunk)) {
    // Until the pipe is full.
  }
  process.stdout.once('drain', () => writeForEver(chunk))
}

const ways: Readonly<Record<string, () => Promise<void> | void>> = {
  well: serve,
  junk: async () => {
    console.log('Welcome to the server!')
    await serve()
    console.log('{"not": "a message"}')
  },
  hang: () => void process.stdin.resume(),
  exit: () => {
    console.error(`cannot start with the key ${process.env['KEY'] ?? ''}`)
    process.exitCode = 1
  },
  stubborn: async () => {
    process.on('SIGTERM', () => note('asked to end'))
    setInterval(() => undefined, 1_000)
    await serve()
  },
  flood: () => writeForEver('x'.repeat(65_536)),
  chatty: async () => {
    await serve()
    process.stdin.once('data', () =>
      writeForEver(
        `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: {} })}\n`.repeat(100),
      ),
    )
  },
  newer: () =>
    answerOnce(
      '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2999-01-01","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}',
    ),
  bare: () =>
    answerOnce(
      '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}',
    ),
}

await ways[process.argv[2] ?? 'well']?.()
