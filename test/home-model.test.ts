import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { missingNotice } from '../src/agent/state/home-model.ts'
import type { Entry } from '../src/channel/terminal/port.ts'
import { Seating } from '../src/cli/talk/seating.ts'
import type { EventOf, Kind } from '../src/event/event.ts'
import { openForReading } from '../src/runtime/home/open-log.ts'
import { collect, run, start, tempFolder } from './cli/run.ts'
import { startModelServer, type ModelServer } from './stand-ins/model-server.ts'

const MODEL = 'openai-compatible/x'
const HOME = { name: MODEL, from: 'MAINSTEM_MODEL' }
const WITHDRAWN = missingNotice(HOME, { person: 'owner', isWithdrawn: true })

function homeFor({ url }: ModelServer): string {
  const home = join(tempFolder(), 'home')
  mkdirSync(home, { mode: 0o700 })
  const config = { openaiCompatible: { url: `${url}/v1` }, timezone: 'UTC' }
  writeFileSync(join(home, 'config.json'), JSON.stringify(config))
  return home
}

/** A real `serve`, with the model in its environment alone. */
async function serve(home: string): Promise<{ kill(): Promise<void> }> {
  const child = start(['serve', '--port', '0'], { home, environment: { MAINSTEM_MODEL: MODEL } })
  const closed = once(child, 'close')
  onTestFinished(() => void child.kill('SIGKILL'))
  const [out, err] = [collect(child.stdout), collect(child.stderr)]
  await expect.poll(() => out() + err()).toMatch(/Ready at/)
  return {
    kill: async () => {
      child.kill('SIGKILL')
      await closed
    },
  }
}

/** A chat without a screen, in a shell that names no model. */
async function chatIn(home: string) {
  const seating = new Seating({ home, environment: {}, flags: {}, fail, onWait: () => undefined })
  const kept = seating.keep()
  onTestFinished(async () => {
    await seating.close()
    await kept
  })
  const { port } = seating
  await port.isOpen
  const shown: Entry[] = []
  port.watch((happening) => {
    if (happening.kind === 'entry') shown.push(happening.entry)
  })
  const texts = (): string[] => shown.flatMap((entry) => ('text' in entry ? entry.text : []))
  return { port, texts }
}

async function eventsOf<K extends Kind>(home: string, kind: K): Promise<EventOf<K>[]> {
  const log = openForReading(home)
  try {
    return (await Array.fromAsync(log.events({ kind }))) as EventOf<K>[]
  } finally {
    await log.close()
  }
}

async function modelOf(home: string): Promise<unknown> {
  const { out } = await run(['status', '--json'], { home })
  return (JSON.parse(out) as { model: unknown }).model
}

test('[MODEL1] [OWNER1] a question whose serve was killed in mid-answer waits for its model, and gets its answer', async () => {
  const model = await startModelServer(() => ({ blocks: [{ text: 'The answer of x.' }] }))
  onTestFinished(() => model.close())
  const home = homeFor(model)
  const first = await serve(home)
  const chat = await chatIn(home)
  await chat.port.submit('hello')
  await expect.poll(chat.texts).toContain('The answer of x.')
  // This shell has no model either; what counts is the one of the process that answers.
  const source = 'the environment (MAINSTEM_MODEL)'
  expect(await modelOf(home)).toEqual({ name: MODEL, source, missing: null })

  const { promise: never } = Promise.withResolvers<void>()
  model.will({ held: { blocks: [{ text: 'One two three four.' }] }, after: 1, until: never })
  await chat.port.submit('and the trains?')
  await expect.poll(() => model.requests.length).toBe(2)
  await first.kill()

  await expect.poll(chat.texts).toContain(missingNotice(HOME, { person: 'owner', isWithdrawn: false }))
  expect(await modelOf(home)).toMatchObject({ missing: HOME })
  const asked = await run(['-p', 'and from a program?'], { home })
  expect([asked.code, asked.out]).toEqual([1, ''])
  expect(asked.err).toContain(WITHDRAWN)
  const answered = await eventsOf(home, 'model-answered')
  expect(answered.map((event) => event.model)).toEqual([MODEL])

  await serve(home)
  await expect.poll(() => chat.texts().filter((text) => text === 'The answer of x.')).toHaveLength(2)
  const turns = await eventsOf(home, 'turn-started')
  expect(new Set(turns.flatMap((turn) => turn.model?.name ?? []))).toEqual(new Set([MODEL]))
  const prompts = model.requests.map(({ body }) => JSON.stringify(body))
  expect(prompts.filter((prompt) => prompt.includes('from a program'))).toEqual([])
})

test('[MODEL1] -p answers with 1 where no model is set, and choosing one in another process wakes what waits', async () => {
  const model = await startModelServer(() => ({ blocks: [{ text: 'The answer of x.' }] }))
  onTestFinished(() => model.close())
  const home = homeFor(model)
  const environment = { MAINSTEM_MODEL: MODEL }
  expect(await run(['-p', 'hello'], { home, environment })).toMatchObject({ code: 0 })
  const alone = await run(['-p', 'and now?'], { home })
  expect([alone.code, alone.out]).toEqual([1, ''])
  expect(alone.err).toContain(WITHDRAWN)
  const chat = await chatIn(home)
  await chat.port.submit('from a person')
  await expect.poll(chat.texts).toContain(missingNotice(HOME, { person: 'owner', isWithdrawn: false }))
  // In another process, by the file.
  expect(await run(['config', 'set', 'model', MODEL], { home })).toMatchObject({ code: 0 })
  await expect.poll(chat.texts).toContain('The answer of x.')
  expect(model.requests).toHaveLength(2)
})

function fail(error: unknown): never {
  throw error
}
