import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { stopwatchMs } from '../src/base/clock.ts'
import { say } from './recall-scale-data.ts'
import { questionKinds, type QuestionKind } from './recall-scale-questions.ts'
import { openScaleHome, quantile } from './recall-scale-search.ts'
import { talk } from './recall-scale-talk.ts'

/** How a process feels that logs and indexes so many messages a second. */
export interface Lived {
  readonly perSecond: number
  /** How late timers are. */
  readonly delayP50: number
  readonly delayP95: number
  readonly delayMost: number
  readonly cpuShare: number
  /** Searches meanwhile; empty where nobody searched. */
  readonly searchP50: number | null
  readonly searchP95: number | null
  /** From the last message to the last one indexed, vectors included. */
  readonly caughtUpMs: number
}

const RATE = 500
const EVERY_MS = 20
const SEARCH_EVERY_MS = 500
const RESOLUTION_MS = 5
const SEED = 99

type Home = ReturnType<typeof openScaleHome>

if (import.meta.main) {
  const [, , home = '', seconds = ''] = process.argv
  const opened = openScaleHome(home)
  const saying = talk(SEED)
  await opened.recall.catchUp()
  const kind = questionKinds(opened.built)[2] as QuestionKind
  for (let warmUp = 0; warmUp < 20; warmUp++) await opened.recall.search(kind.next())
  const quiet = await live(opened, { seconds: Number(seconds), saying, searches: null })
  const searched = await live(opened, { seconds: Number(seconds), saying, searches: kind })
  process.stdout.write(JSON.stringify({ quiet, searched }))
  await opened.recall.close()
  await opened.log.close()
}

interface Living {
  readonly seconds: number
  readonly saying: ReturnType<typeof talk>
  readonly searches: QuestionKind | null
}

async function live(home: Home, { seconds, saying, searches }: Living): Promise<Lived> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  const cpu = process.cpuUsage()
  delay.enable()
  const startedAt = stopwatchMs()
  const isOver = () => stopwatchMs() - startedAt > seconds * 1_000
  const searching = searches === null ? Promise.resolve([]) : searchMeanwhile(home, searches, isOver)
  const written = await writeMeanwhile(home, saying, { startedAt, isOver })
  const ms = stopwatchMs() - startedAt
  delay.disable()
  const { user, system } = process.cpuUsage(cpu)
  const times = await searching
  await home.recall.catchUp()
  const late = (share: number) => Math.max(0, delay.percentile(share) / 1e6 - RESOLUTION_MS)
  return {
    perSecond: (written * 1_000) / ms,
    delayP50: late(50),
    delayP95: late(95),
    delayMost: late(100),
    cpuShare: (user + system) / 1_000 / ms,
    searchP50: times.length === 0 ? null : quantile(times, 0.5),
    searchP95: times.length === 0 ? null : quantile(times, 0.95),
    caughtUpMs: stopwatchMs() - startedAt - ms,
  }
}

/** Each message is a work of its own, as messages come; the log tells recall of every one. */
async function writeMeanwhile(
  { log, recall, built }: Home,
  saying: Living['saying'],
  { startedAt, isOver }: { startedAt: number; isOver: () => boolean },
): Promise<number> {
  const open = new Set<Promise<void>>()
  let written = 0
  while (!isOver()) {
    for (const due = ((stopwatchMs() - startedAt) * RATE) / 1_000; written < due; written++) {
      const said = { ...saying.next().value, at: built.newestAt + written }
      const one: Promise<void> = log
        .write((writing) => say(writing, built.branches, said))
        .then(() => void open.delete(one))
      open.add(one)
      recall.nudge()
    }
    await sleep(EVERY_MS)
  }
  await Promise.all(open)
  return written
}

async function searchMeanwhile({ recall }: Home, { next }: QuestionKind, isOver: () => boolean) {
  const times: number[] = []
  while (!isOver()) {
    const startedAt = stopwatchMs()
    await recall.search(next())
    times.push(stopwatchMs() - startedAt)
    await sleep(SEARCH_EVERY_MS)
  }
  return times
}
