import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Event } from '../src/event/event.ts'
import { openForReading } from '../src/runtime/home/open-log.ts'
import { collect, runProcess, start, tempFolder } from './cli/run.ts'
import { startModelServer, type SeenRequest, type Turn } from './stand-ins/model-server.ts'
import { hasTmux, openPane, why, type Pane } from './stand-ins/tmux.ts'

const MAINSTEM = fileURLToPath(new URL('../bin/mainstem.js', import.meta.url))
const SECRET = 'a-secret-that-is-long-enough'
const QUESTIONS = 3
const PROGRAMS = 10
const DELIVERIES = 40

/** Answers each question since the last answer with its own words: what two chats say at once is one turn. */
function echo({ body }: SeenRequest): Turn {
  const messages = body.messages as readonly { readonly role: string }[]
  const since = messages.findLastIndex(({ role }) => role === 'assistant') + 1
  const asked = JSON.stringify(messages.slice(since)).matchAll(/ask-([a-z]-\d+)/g)
  return { blocks: [{ text: [...asked].map(([, name]) => `heard ${name}`).join('\n\n') || 'noted' }] }
}

async function homeWithModel(): Promise<string> {
  const model = await startModelServer(echo)
  onTestFinished(() => model.close())
  const home = tempFolder()
  mkdirSync(join(home, 'workspace', 'webhooks'), { recursive: true })
  const settings = {
    model: 'openai-compatible/echo',
    openaiCompatible: { url: `${model.url}/v1` },
    webhookRateMax: 10_000,
  }
  writeFileSync(join(home, 'config.json'), JSON.stringify(settings))
  writeFileSync(join(home, '.env'), `MAINSTEM_HOOK_STORM=${SECRET}\n`, { mode: 0o600 })
  writeFileSync(
    join(home, 'workspace', 'webhooks', 'storm.md'),
    '---\nsecret-env: MAINSTEM_HOOK_STORM\nisolated: true\nfields: {n: {type: integer}}\n---\nNote build {n}.\n',
  )
  return home
}

async function startServe(home: string): Promise<string> {
  const child = start(['serve', '--port', '0'], { home })
  const closed = once(child, 'close')
  const out = collect(child.stdout)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await closed
  })
  await expect.poll(out).toMatch(/Ready at (http\S+),/)
  return /Ready at (http\S+),/.exec(out())?.[1] ?? ''
}

async function deliver(url: string, n: number): Promise<number> {
  const headers = {
    authorization: `Bearer ${SECRET}`,
    'content-type': 'application/json',
    'idempotency-key': `delivery-${n}`,
  }
  const { status } = await fetch(`${url}/hook/storm`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ n }),
  })
  return status
}

async function askAll(pane: Pane, name: string): Promise<void> {
  for (let n = 1; n <= QUESTIONS; n++) {
    pane.keys(`ask-${name}-${n}`)
    await pane.until(`│ ask-${name}-${n}`)
    pane.keys('Enter')
    await pane.until(`heard ${name}-${n}`)
  }
}

async function eventsIn(home: string): Promise<Event[]> {
  const log = openForReading(home)
  const events = await Array.fromAsync(log.events())
  await log.close()
  return events
}

function runsEnded(events: readonly Event[]): number {
  return events.filter(({ kind }) => kind === 'branch-ended').length
}

describe.skipIf(!hasTmux)(`everybody at once${why}`, () => {
  test('[OWNER1] two chats, ten questions of programs and a storm of webhooks at one serve: each is answered once, where it was asked', async () => {
    const home = await homeWithModel()
    const url = await startServe(home)
    const chats = await Promise.all(
      ['a', 'b'].map(() => openPane(80, 50, { program: `${MAINSTEM} --home ${home}` })),
    )
    const programs = Array.from({ length: PROGRAMS }, (_, n) => n + 1)
    // Every delivery comes twice, as platforms do when an answer is late.
    const twice = Array.from({ length: DELIVERIES * 2 }, (_, n) => 1 + (n % DELIVERIES))
    const [answers, statuses] = await Promise.all([
      Promise.all(programs.map((n) => runProcess(['-p', `ask-p-${n}`], { home }))),
      Promise.all(twice.map((n) => deliver(url, n))),
      ...chats.map((pane, index) => askAll(pane, index === 0 ? 'a' : 'b')),
    ])
    expect(answers).toEqual(programs.map((n) => ({ code: 0, out: `heard p-${n}\n`, err: '' })))
    expect(new Set(statuses)).toEqual(new Set([202]))
    const asked = [
      ...programs.map((n) => `p-${n}`),
      ...['a', 'b'].flatMap((name) => [1, 2, 3].map((n) => `${name}-${n}`)),
    ]
    await expect.poll(async () => runsEnded(await eventsIn(home))).toBe(DELIVERIES)
    const events = await eventsIn(home)
    const told = events.flatMap((event) =>
      event.kind === 'delivery-intended' ? event.text.split('\n\n') : [],
    )
    expect(told.toSorted()).toEqual(asked.map((name) => `heard ${name}`).toSorted())
    const admitted = events.filter(
      (event) => event.kind === 'inbound-admitted' && event.source.from === 'person',
    )
    expect(admitted).toHaveLength(asked.length)
    for (const pane of chats)
      for (const name of asked) expect(pane.shown('all').split(`heard ${name}\n`)).toHaveLength(2)
  })
})
