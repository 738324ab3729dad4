import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { EventOf, Kind } from '../../src/event/event.ts'
import { openForReading } from '../../src/runtime/home/open-log.ts'
import { tempFolder } from '../cli/run.ts'
import { askAt } from './stage.ts'

const PROCESS = fileURLToPath(new URL('hook-process.ts', import.meta.url))
const SECRET = 'correct-horse-battery-staple'
const HOOKS = ['one', 'two', 'three']

function newHome(): string {
  const home = tempFolder()
  mkdirSync(join(home, 'workspace/webhooks'), { recursive: true })
  for (const id of HOOKS)
    writeFileSync(
      join(home, `workspace/webhooks/${id}.md`),
      '---\nsecret-env: MAINSTEM_HOOK_CI\nfields: {n: {type: integer}}\nupdate-main-session: blocked\n---\nLook at {n}.',
    )
  return home
}

async function started(home: string, diesAfter = '') {
  const child = spawn(process.execPath, [PROCESS, home, diesAfter], {
    env: { ...process.env, MAINSTEM_HOOK_CI: SECRET },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(child, 'exit')
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await gone
  }
  return { port: Number(line.toString()), gone, kill }
}

/** The run that the sender was told of; undefined: nobody answered. */
async function send(port: number, n: number): Promise<string | undefined> {
  const headers = { authorization: `Bearer ${SECRET}`, 'idempotency-key': `delivery-${n}` }
  const sent = { method: 'POST', headers, body: JSON.stringify({ n }) }
  try {
    const { status, json } = await askAt(port, `/hook/${HOOKS[n % HOOKS.length]}`, sent)
    expect(status).toBe(202)
    return String(json['run'])
  } catch (error) {
    // The connection is cut by a kill.
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

async function eventsIn<K extends Kind>(home: string, kind: K): Promise<EventOf<K>[]> {
  const log = openForReading(home)
  try {
    return (await Array.fromAsync(log.events({ kind }))) as EventOf<K>[]
  } finally {
    await log.close()
  }
}

test('[HOOK1] a delivery that was durable when its process was killed, unanswered, is run once and answered later', async () => {
  const home = newHome()
  const told = new Map<number, string>()
  const take = async (port: number, n: number): Promise<void> => {
    const run = await send(port, n)
    // Whoever was answered gets the same answer for ever.
    if (run !== undefined && told.has(n)) expect(run).toBe(told.get(n))
    if (run !== undefined) told.set(n, run)
  }
  const first = await started(home, '3')
  for (const n of [0, 1, 2]) await take(first.port, n)
  await first.gone
  expect([...told.keys()]).toEqual([0, 1])
  expect((await eventsIn(home, 'webhook-received')).map(({ key }) => key)).toContain(
    'idempotency-key delivery-2',
  )

  const all = Array.from({ length: 30 }, (_, n) => n)
  const second = await started(home)
  const flood = Promise.all(all.map((n) => take(second.port, n)))
  await vi.waitFor(() => expect(told.size).toBeGreaterThan(5), { timeout: 300_000, interval: 1 })
  await second.kill()
  await flood

  const third = await started(home)
  for (const n of all) await take(third.port, n)
  expect(told.size).toBe(all.length)
  await vi.waitFor(async () => expect((await eventsIn(home, 'branch-ended')).length).toBe(all.length), {
    timeout: 300_000,
    interval: 100,
  })
  await third.kill()
  const received = await eventsIn(home, 'webhook-received')
  expect(received.length).toBe(all.length)
  for (const { key, run } of received) expect(told.get(Number(key?.split('-').at(-1)))).toBe(run)
  const runs = (await eventsIn(home, 'run-started')).map(({ branch }) => branch)
  expect(runs.toSorted()).toEqual([...told.values()].toSorted())
})
