import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { seededRandom } from '../../src/base/random.ts'
import { contextProjections } from '../../src/context/fold.ts'
import { toLine } from '../../src/event/codec.ts'
import type { Event } from '../../src/event/event.ts'
import { openSqliteStore } from '../../src/log/sqlite.ts'
import { StoreLog } from '../../src/log/store-log.ts'
import { dump, foldAgain } from '../model/dump.ts'
import { checkRebuild } from './rebuilding.ts'

const APPENDER = fileURLToPath(new URL('appender.ts', import.meta.url))
/** A process is killed at most this long after its log is open. */
const LIFE_MS = 150
const LIVES = 2

/** Events that belong together, as one work appended them: the position of the first, and the hash of each. */
interface Acknowledged {
  readonly first: number
  readonly hashes: readonly string[]
}

export interface Survived {
  readonly kills: number
  readonly acknowledged: number
  readonly events: number
}

/** Kills a process that writes to a log, twice on the same log, and checks what it finds each time. */
export async function killOnce(seed: number): Promise<Survived> {
  const random = seededRandom(seed)
  const folder = mkdtempSync(join(tmpdir(), 'mainstem-kill-'))
  const file = join(folder, 'log.db')
  const acknowledged: Acknowledged[] = []
  try {
    let events = 0
    for (let life = 0; life < LIVES; life++) {
      acknowledged.push(
        ...(await liveAndDie(file, { seed: seed * LIVES + life, lifeMs: random() % LIFE_MS })),
      )
      events = await checkLog(file, acknowledged)
    }
    const sum = acknowledged.reduce((count, { hashes }) => count + hashes.length, 0)
    return { kills: LIVES, acknowledged: sum, events }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
  }
}

async function liveAndDie(
  file: string,
  { seed, lifeMs }: { seed: number; lifeMs: number },
): Promise<readonly Acknowledged[]> {
  const child = spawn(process.execPath, [APPENDER, file, String(seed)], { stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  const said = { output: '', errors: '' }
  child.stderr.on('data', (chunk: Buffer) => (said.errors += chunk.toString()))
  const ready = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      said.output += chunk.toString()
      if (said.output.startsWith('ready\n')) resolve()
    })
  })
  await Promise.race([ready, closed])
  await sleep(lifeMs)
  child.kill('SIGKILL')
  const [, signal] = await closed
  if (signal !== 'SIGKILL') throw new Error(`the appender ended by itself:\n${said.errors}`)
  // The text after the last line break was cut off by the kill.
  const lines = said.output.split('\n').slice(1, -1)
  return lines.map((line) => {
    const [first, ...hashes] = line.split(' ')
    return { first: Number(first), hashes }
  })
}

/** Opens the log as the next process does; returns the number of its events. */
async function checkLog(file: string, acknowledged: readonly Acknowledged[]): Promise<number> {
  const holder = { command: 'kill test', pid: process.pid, since: 0 }
  const store = openSqliteStore({ file, projections: contextProjections, holder })
  const log = new StoreLog(store, contextProjections)
  const events: Event[] = []
  for await (const event of log.events()) events.push(event)
  const hashes = events.map((event) => createHash('sha256').update(toLine(event)).digest('hex'))
  hold(
    events.every((event, index) => event.position === index + 1),
    '[LOG1] the positions have a gap',
  )
  for (const { first, hashes: promised } of acknowledged) {
    const found = hashes.slice(first - 1, first - 1 + promised.length)
    hold(String(found) === String(promised), `[LOG3] what was acknowledged at ${first} is not there`)
  }
  hold((await log.read(dump)) === dump(foldAgain(events)), '[CTX2] the state is not what the log folds to')
  await checkRebuild(store, log)
  checkWorks(events)
  await log.close()
  return events.length
}

/** LOG2: the appender writes a mark or a compaction only together with the message before it. */
function checkWorks(events: readonly Event[]): void {
  const messages = new Map<string, number>()
  for (const [index, event] of events.entries()) {
    if (event.kind === 'branch-created') messages.set(event.branch, 0)
    if (event.kind !== 'message-added') continue
    const count = (messages.get(event.branch) ?? 0) + 1
    messages.set(event.branch, count)
    const next = events[index + 1]
    const isWhole = count % 3 !== 0 || (next?.kind === 'mark-set' && next.branch === event.branch)
    hold(isWhole, `[LOG2] the message at ${event.position} lacks the mark that was written with it`)
  }
}

function hold(condition: boolean, law: string): asserts condition {
  if (!condition) throw new Error(law)
}
