import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { stopwatchMs } from '../src/base/clock.ts'
import type { Kind } from '../src/event/event.ts'
import { openForReading } from '../src/runtime/home/open-log.ts'
import type { Data } from './data.ts'
import { atMost, type Measure } from './report.ts'

const PROCESS = fileURLToPath(new URL('../test/server/hook-process.ts', import.meta.url))
const SECRET = 'correct-horse-battery-staple'
const HOOKS = 100
const DELIVERIES = 5_000
const AT_ONCE = 50
/** A process that keeps more than this ends here. */
const HEAP_MB = 192
const RESIDENT_MB_MAX = 400
const HOOK =
  '---\nsecret-env: MAINSTEM_HOOK_CI\nfields: {n: {type: integer}}\nupdate-main-session: blocked\n---\nLook at {n}.'

/** A real server that is sent deliveries faster than it can run them. */
export async function measureWebhooks(data: Data): Promise<Measure[]> {
  const home = mkdtempSync(join(data.directory, 'hooks-'))
  mkdirSync(join(home, 'workspace/webhooks'), { recursive: true })
  // More than the jobs of a day may ask by default.
  writeFileSync(join(home, 'config.json'), JSON.stringify({ unattendedMaxCalls: DELIVERIES * 2 }))
  for (let id = 0; id < HOOKS; id++) writeFileSync(join(home, `workspace/webhooks/h${id}.md`), HOOK)
  const env = { ...process.env, MAINSTEM_HOOK_CI: SECRET }
  const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, PROCESS, home], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(child, 'exit')
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const port = Number(line.toString())
    const startedAt = stopwatchMs()
    const told = await sendAll(port)
    const sentMs = stopwatchMs() - startedAt
    while ((await branchesIn(home, 'branch-ended')).size < DELIVERIES && child.exitCode === null)
      await sleep(500)
    const doneMs = stopwatchMs() - startedAt
    const ran = await branchesIn(home, 'run-started')
    if (ran.size > told.length) throw new Error('a delivery was run twice')
    const lost = told.filter((run) => !ran.has(run)).length
    return measures({ sentMs, doneMs, mostMb: mostMb(child.pid ?? 0), lost })
  } finally {
    child.kill('SIGKILL')
    await gone
    rmSync(home, { recursive: true, force: true })
  }
}

interface Found {
  readonly sentMs: number
  readonly doneMs: number
  readonly mostMb: number
  readonly lost: number
}

function measures({ sentMs, doneMs, mostMb: most, lost }: Found): Measure[] {
  const [group, what] = ['jobs', `${DELIVERIES.toLocaleString('en')} deliveries over ${HOOKS} hooks`] as const
  return [
    { group, measure: `${what}, lost`, value: lost, unit: 'events', goal: atMost(0, 'value') },
    { group, measure: `${what}, accepted`, value: DELIVERIES / (sentMs / 1_000), unit: '/s' },
    { group, measure: `${what}, until all have run (offline model)`, value: doneMs, unit: 'ms' },
    {
      group,
      measure: `${what}, the most resident memory, with a heap of ${HEAP_MB} MB`,
      value: most,
      unit: 'MB',
      goal: atMost(RESIDENT_MB_MAX, 'value'),
    },
  ]
}

async function sendAll(port: number): Promise<string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  const numbers = Array.from({ length: DELIVERIES }, (_, n) => n).values()
  const told: string[] = []
  const work = async (): Promise<void> => {
    for (const n of numbers) told.push(await send(n, { port, agent }))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  agent.destroy()
  return told
}

/** The run that it is told of. */
async function send(n: number, { port, agent }: { port: number; agent: Agent }): Promise<string> {
  const headers = {
    host: `localhost:${port}`,
    authorization: `Bearer ${SECRET}`,
    'idempotency-key': `delivery-${n}`,
  }
  const options = { host: '127.0.0.1', port, path: `/hook/h${n % HOOKS}`, method: 'POST', headers, agent }
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const sent = request(options, (response) => void json(response).then(resolve, reject))
  sent.on('error', reject).end(JSON.stringify({ n }))
  const { run, error } = (await promise) as { run?: string; error?: unknown }
  if (run === undefined) throw new Error(`delivery ${n} was refused: ${JSON.stringify(error)}`)
  return run
}

async function branchesIn(home: string, kind: Kind): Promise<ReadonlySet<string>> {
  const log = openForReading(home)
  const branches = new Set<string>()
  for await (const { branch } of log.events({ kind })) branches.add(branch)
  await log.close()
  return branches
}

/** From what Linux says about the process. */
function mostMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / 1_024
}
