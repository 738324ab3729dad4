import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stopwatchMs } from '../src/base/clock.ts'
import { preferSmallHeap } from '../src/base/environment.ts'
import type { Recall, Search } from '../src/recall/contract/recall.ts'
import { openHomeRecall } from '../src/runtime/home/home-recall.ts'
import { openForWriting } from '../src/runtime/home/open-log.ts'
import type { Built } from './recall-scale-data.ts'
import { questionKinds, type QuestionKind } from './recall-scale-questions.ts'

/** Searches of one kind. */
export interface SearchTimes {
  readonly name: string
  readonly by: QuestionKind['by']
  readonly p50: number
  readonly p95: number
  readonly most: number
  /** Processor time: what a search takes where nothing else runs. */
  readonly cpuP50: number
  readonly cpuP95: number
}

export interface Searched {
  readonly firstMs: number
  readonly kinds: readonly SearchTimes[]
  readonly rssMb: number
}

const values = () => ({ embedder: 'static-en-128', recallAlpha: null, recallDecay: 0.1 })

const warn = (text: string) => process.stderr.write(`${text}\n`)
const fail = (error: unknown) => {
  throw error
}

/** A process of its own opens a home, so that its memory is that of searching alone. */
export function openScaleHome(home: string) {
  const log = openForWriting({ home, command: 'bench:recall-scale' })
  const recall = openHomeRecall({ home, log, values, warn, fail })
  const built = JSON.parse(readFileSync(join(home, 'built.json'), 'utf8')) as Built
  return { log, recall, built }
}

if (import.meta.main) {
  preferSmallHeap()
  const [, , home = '', rounds = '', warmUp = ''] = process.argv
  process.stdout.write(JSON.stringify(await searchIn(home, Number(rounds), Number(warmUp))))
}

async function searchIn(home: string, rounds: number, warmUp: number): Promise<Searched> {
  const startedAt = stopwatchMs()
  const { log, recall, built } = openScaleHome(home)
  const kinds = questionKinds(built)
  await recall.search((kinds[2] as QuestionKind).next())
  const firstMs = stopwatchMs() - startedAt
  const taken = kinds.map((): Taken[] => [])
  let rss = 0
  for (let round = -warmUp; round < rounds; round++) {
    // One of each kind in turn: whatever else the machine does falls on all of them alike.
    for (const [number, { next }] of kinds.entries()) {
      const one = await timed(recall, next())
      rss = Math.max(rss, process.memoryUsage.rss())
      if (round >= 0) taken[number]?.push(one)
    }
  }
  await recall.close()
  await log.close()
  return {
    firstMs,
    kinds: kinds.map(({ name, by }, number) => ({ name, by, ...quantiles(taken[number] ?? []) })),
    rssMb: rss / 1e6,
  }
}

interface Taken {
  readonly ms: number
  readonly cpuMs: number
}

async function timed(recall: Recall, search: Search): Promise<Taken> {
  const cpu = process.cpuUsage()
  const startedAt = stopwatchMs()
  await recall.search(search)
  const ms = stopwatchMs() - startedAt
  const { user, system } = process.cpuUsage(cpu)
  return { ms, cpuMs: (user + system) / 1_000 }
}

function quantiles(taken: readonly Taken[]): Omit<SearchTimes, 'name' | 'by'> {
  const [ms, cpuMs] = [taken.map((one) => one.ms), taken.map((one) => one.cpuMs)]
  return {
    p50: quantile(ms, 0.5),
    p95: quantile(ms, 0.95),
    most: quantile(ms, 1),
    cpuP50: quantile(cpuMs, 0.5),
    cpuP95: quantile(cpuMs, 0.95),
  }
}

export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? Number.NaN
}
