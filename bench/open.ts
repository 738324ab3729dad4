import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { stopwatchMs } from '../src/base/clock.ts'
import { Acts } from './acts.ts'
import { copyOf, mainOf, openLog, remove, type Data, type Size } from './data.ts'
import { median } from './measure.ts'
import { atMost, type Measure } from './report.ts'

const STARTS = 15
const OPEN_MS_MAX = 100
const RSS_MB_MAX = 150
const FLAT_MAX = 1.25
/** One less than the rows that follow the log may be behind. */
const BEHIND = 255
const PROGRAM = fileURLToPath(new URL('open-once.ts', import.meta.url))

interface Start {
  readonly ms: number
  readonly rssMb: number
  readonly shown: number
  readonly processMs: number
}

/** From the start of a process to the messages of the next prompt. */
export async function measureOpen(data: Data): Promise<Measure[]> {
  const files = data.sizes.map((size) => copyOf(data, `open-${size}`, size))
  const crashed = copyOf(data, 'open-crashed', data.sizes.at(-1) as Size)
  const starts = new Map([...files, crashed].map((file) => [file, [] as Start[]]))
  for (let n = 0; n < STARTS; n++) {
    await fallBehind(crashed, n)
    for (const [file, made] of starts) made.push(await startOnce(file))
  }
  files.forEach(remove)
  remove(crashed)
  const names = data.sizes.map((size) => `${size.toLocaleString('en')} messages`)
  const samples = files.map((file) => starts.get(file) as Start[])
  const [shortest] = samples as [Start[]]
  return [
    ...samples.flatMap((made, index) => measuresOf(names[index] as string, made, shortest)),
    opening(`${names.at(-1)}, ${BEHIND} of the index to fold`, starts.get(crashed) as Start[]),
  ]
}

async function startOnce(file: string): Promise<Start> {
  const start = stopwatchMs()
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, file])
  const processMs = stopwatchMs() - start
  return { ...(JSON.parse(stdout) as Omit<Start, 'processMs'>), processMs }
}

/** Leaves the log as a crash would: the newest messages are not in the index yet. */
async function fallBehind(file: string, seed: number): Promise<void> {
  const { store, log } = openLog(file)
  const acts = new Acts(100 + seed)
  const main = mainOf(store)
  await log.write((writing) => {
    for (let said = 1; said < BEHIND; said++) acts.say(writing, main)
    acts.compact(writing, main)
  })
  await log.close()
}

function opening(name: string, made: readonly Start[]): Measure {
  const value = medianOf(made, 'ms')
  return {
    group: 'open',
    measure: `open and assemble, ${name}`,
    value,
    unit: 'ms',
    goal: atMost(OPEN_MS_MAX, 'value'),
  }
}

function measuresOf(name: string, made: readonly Start[], shortest: readonly Start[]): Measure[] {
  const measures: Measure[] = [
    opening(name, made),
    { group: 'open', measure: `whole process, ${name}`, value: medianOf(made, 'processMs'), unit: 'ms' },
    {
      group: 'open',
      measure: `resident memory after it, ${name}`,
      value: medianOf(made, 'rssMb'),
      unit: 'MB',
      goal: atMost(RSS_MB_MAX, 'value'),
    },
  ]
  return made === shortest ? measures : [...measures, flat(name, made, shortest)]
}

function flat(name: string, made: readonly Start[], shortest: readonly Start[]): Measure {
  return {
    group: 'open',
    measure: `flat: open and assemble, ${name}`,
    value: medianOf(made, 'ms'),
    unit: 'ms',
    comparedWith: { name: '÷ 1,000 messages', value: medianOf(shortest, 'ms') },
    ratio: median(made.map(({ ms }, n) => ms / (shortest[n]?.ms ?? Number.NaN))),
    goal: atMost(FLAT_MAX),
  }
}

function medianOf(made: readonly Start[], figure: 'ms' | 'rssMb' | 'processMs'): number {
  return median(made.map((start) => start[figure]))
}
