import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { systemClock, stopwatchMs } from '../src/base/clock.ts'
import { seededRandom } from '../src/base/random.ts'
import { OwnerClient } from '../src/client/socket.ts'
import type { Position } from '../src/event/id.ts'
import { makeSocketPath } from '../src/owner/owner-file.ts'
import { newBrowser } from '../test/page/chromium.ts'
import { checkpoint, openLog, remove, type Data } from './data.ts'
import { share } from './measure.ts'
import { Progress } from './progress.ts'
import { atMost, type Group, type Measure } from './report.ts'
import { startServe, stopped } from './serve.ts'
import { Years } from './years.ts'

const DAY_MS = 86_400_000
const DAYS = 1_100
const SPANS = [DAYS, 365, 90, 30, 7, 2, 1, 1 / 4, 1 / 24, 1 / 288]
const PER_SPAN = 20
const PAGE_MS_MAX = 50
const FRAMES = 400
const FRAME_MS_MAX = 8
const BLOCK_MS_MAX = 50
const DRAWING = fileURLToPath(new URL('./page/draw-river.ts', import.meta.url))

/** How long a window of the river takes, and to draw one. */
export async function measureRiver(data: Data): Promise<Measure[]> {
  return [...(await measureWindows(data)), ...(await measureDrawing())]
}

async function measureWindows(data: Data): Promise<Measure[]> {
  const random = seededRandom(5)
  return withYears(data, async ({ client, name, until }) => {
    const times: number[] = []
    for (const span of SPANS)
      for (let n = 0; n <= PER_SPAN; n++) {
        const free = Math.max(1, (DAYS - span) * DAY_MS)
        const from = Math.floor(until - DAYS * DAY_MS + ((random() % 1_000_000) / 1_000_000) * free)
        const began = stopwatchMs()
        await client.call('GET', `/api/river?from=${from}&to=${from + Math.ceil(span * DAY_MS)}&pixels=1300`)
        // The first one of each span warms up.
        if (n > 0) times.push(stopwatchMs() - began)
      }
    return pageMeasures('river', `a window of the river, from years to minutes, ${name}`, times)
  })
}

/** Half of them take at most the first, nearly all at most the second. */
export function pageMeasures(group: Group, measure: string, times: readonly number[]): Measure[] {
  return [
    { group, measure: `${measure}: median`, value: share(times, 0.5), unit: 'ms' },
    {
      group,
      measure: `${measure}: 95 of 100`,
      value: share(times, 0.95),
      unit: 'ms',
      goal: atMost(PAGE_MS_MAX, 'value'),
    },
  ]
}

async function measureDrawing(): Promise<Measure[]> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: { write: false, minify: true, lib: { entry: DRAWING, formats: ['iife'], name: 'river' } },
  })
  const [made] = [built].flat() as unknown as readonly {
    readonly output: readonly { readonly code: string }[]
  }[]
  await using browser = await newBrowser()
  const page = await browser.newPage()
  await page.evaluate(`${made?.output[0]?.code ?? ''}; globalThis.river = river; undefined`)
  await page.evaluate(`river.drawFrames(60)`)
  const times = (await page.evaluate(`river.drawFrames(${FRAMES})`)) as number[]
  const measure = 'drawing the river, 100,000 events, moved and zoomed in Chromium'
  return [
    { group: 'river', measure: `${measure}: median`, value: share(times, 0.5), unit: 'ms' },
    {
      group: 'river',
      measure: `${measure}: 95 of 100`,
      value: share(times, 0.95),
      unit: 'ms',
      goal: atMost(FRAME_MS_MAX, 'value'),
    },
    {
      group: 'river',
      measure: `${measure}: the longest`,
      value: Math.max(...times),
      unit: 'ms',
      goal: atMost(BLOCK_MS_MAX, 'value'),
    },
  ]
}

interface ServedYears {
  readonly client: OwnerClient
  readonly name: string
  /** When its last event was. */
  readonly until: number
}

/** Serves a home of three years. It is made once, with everything that is indexed, and kept in `bench-data`. */
export async function withYears<T>(data: Data, use: (years: ServedYears) => Promise<T>): Promise<T> {
  const messages = data.sizes.at(-1) ?? 1_000
  const home = fileURLToPath(new URL(`../bench-data/years-${messages}`, import.meta.url))
  const until = await makeYears(home, messages)
  const { child } = await startServe(home)
  const client = new OwnerClient(makeSocketPath(home, {}))
  try {
    await indexed(client)
    return await use({ client, until, name: `${messages.toLocaleString('en')} messages` })
  } finally {
    client.close()
    await stopped(child)
  }
}

async function makeYears(home: string, messages: number): Promise<number> {
  const file = join(home, 'log.db')
  mkdirSync(home, { recursive: true })
  if (!existsSync(file)) await growYears(`${file}.new`, messages)
  if (existsSync(`${file}.new`)) renameSync(`${file}.new`, file)
  const opened = openLog(file)
  const until = await opened.log.read((reader) => reader.event(reader.end as Position).at)
  await opened.log.close()
  return until
}

async function growYears(file: string, messages: number): Promise<void> {
  remove(file)
  const opened = openLog(file)
  const years = new Years({ messages, days: DAYS, until: systemClock() })
  const progress = new Progress(`making three years with ${messages.toLocaleString('en')} messages`)
  while (!years.isOver) {
    await opened.log.write((writing) => years.day(writing))
    progress.update(years.said / messages)
  }
  checkpoint(opened)
  await opened.log.close()
}

/** Recall indexes a new log for minutes, which would be measured too. */
async function indexed(client: OwnerClient): Promise<void> {
  for (;;) {
    const { behind } = await client.call<{ behind: { events: number } }>('GET', '/api/recall?q=ferry&limit=1')
    if (behind.events === 0) return
    await sleep(1_000)
  }
}
