/**
 * Follows a running Mainstem: `mainstem serve` runs in a new home, a program reads the stream while somebody writes, goes
 * away, and resumes without missing anything. The model is `offline`, so it needs no key and no network.
 */
import { strict as assert } from 'node:assert'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

const home = mkdtempSync(join(tmpdir(), 'mainstem-example-'))
const program = join(import.meta.dirname, '../bin/mainstem.js')
const serve = spawn(
  process.execPath,
  [program, 'serve', '--home', home, '--model', 'offline', '--port', '0'],
  { stdio: ['ignore', 'pipe', 'inherit'] },
)

async function address(): Promise<string> {
  for await (const line of createInterface(serve.stdout)) {
    const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? []
    if (found !== undefined) return found
  }
  throw new Error('mainstem serve has ended')
}

interface Sent {
  /** The position of an event in the log. */
  readonly id: string | undefined
  readonly name: string | undefined
  readonly data: { readonly kind?: string; readonly text?: string }
}

/** Server-sent events until one is the last. Breaking off closes the connection. */
async function read(
  url: string,
  lastId: string | undefined,
  isLast: (sent: Sent) => boolean,
): Promise<Sent[]> {
  const token = readFileSync(join(home, 'token'), 'utf8').trim()
  const headers = {
    authorization: `Bearer ${token}`,
    ...(lastId !== undefined && { 'last-event-id': lastId }),
  }
  const closing = new AbortController()
  const { body } = await fetch(`${url}/api/stream?after=0`, { headers, signal: closing.signal })
  const got: Sent[] = []
  let text = ''
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (text + chunk).split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
      // A comment keeps the connection alive.
      if (field('data') === undefined) continue
      const sent: Sent = { id: field('id'), name: field('event'), data: JSON.parse(field('data') ?? '') }
      got.push(sent)
      if (!isLast(sent)) continue
      closing.abort()
      return got
    }
  }
  throw new Error('the stream has ended')
}

const say = (text: string) => promisify(execFile)(process.execPath, [program, '--home', home, '-p', text])

try {
  const url = await address()
  const isTurnEnd = ({ name, data }: Sent) => name === 'happening' && data.kind === 'turn-ended'
  const opened = Promise.withResolvers<void>()
  const live = read(url, undefined, (sent) => {
    opened.resolve()
    return isTurnEnd(sent)
  })
  await opened.promise
  await say('My name is Ada.')
  const first = await live
  const pieces = first.filter(({ name, data }) => name === 'happening' && data.kind === 'piece')
  console.log(pieces.map(({ data }) => data.text).join(''))
  assert.notEqual(pieces.length, 0)

  // Nobody reads now.
  await say('hello')
  const last = first.findLast(({ id }) => id !== undefined)?.id
  const isAnswered = ({ name, data }: Sent) => name === 'event' && data.kind === 'turn-ended'
  const resumed = await read(url, last, isAnswered)
  const ids = resumed.filter(({ name }) => name === 'event').map(({ id }) => Number(id))
  assert.deepEqual(
    ids,
    ids.map((_, index) => Number(last) + 1 + index),
  )
  console.log(`resumed after event ${last}, with ${ids.length} events and no gap`)
} finally {
  serve.kill()
  await once(serve, 'exit')
  rmSync(home, { recursive: true })
}
