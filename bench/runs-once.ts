import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openHomeRecall } from '../src/runtime/home/home-recall.ts'
import type { Stage } from '../test/agent/stage.ts'
import { openLog } from './data.ts'
import { runStage, submit } from './run-data.ts'

export interface Resident {
  readonly runs: number
  readonly firstHalfMb: number
  readonly allMb: number
}

const RUNS = 500
const AT_ONCE = 20
const LIMIT = 4
const values = () => ({ embedder: 'static-en-128', recallAlpha: null, recallDecay: 0.1 }) as const

if (import.meta.main) {
  const [, , file = '', directory = ''] = process.argv
  const home = mkdtempSync(join(directory, 'home-'))
  const { log } = openLog(file)
  const at = await runStage(log, LIMIT, {
    recall: () => openHomeRecall({ home, log, values, warn: console.error, fail: raise }),
  })
  const firstHalfMb = await residentAfter(at, RUNS / 2)
  const allMb = await residentAfter(at, RUNS / 2)
  process.stdout.write(JSON.stringify({ runs: RUNS, firstHalfMb, allMb } satisfies Resident))
  await at.close()
  await log.close()
  rmSync(home, { recursive: true, force: true })
}

function raise(error: unknown): never {
  throw error
}

/** So many more runs, and somebody who talks now and then. */
async function residentAfter(at: Stage, runs: number): Promise<number> {
  for (let n = 0; n < runs; n += Math.min(AT_ONCE, runs - n)) {
    await submit(at, Math.min(AT_ONCE, runs - n))
    await at.say(n % 100 === 0 ? '/clear' : `What did I say about part ${n}?`)
    // The stage remembers all that is told and sent, which no agent does.
    at.happenings.length = 0
    at.sent.length = 0
  }
  // What was freed is given back a little later.
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.()
    await sleep(200)
  }
  return process.memoryUsage.rss() / 1e6
}
