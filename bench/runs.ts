import { execFile } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { stopwatchMs } from '../src/base/clock.ts'
import type { Channel } from '../src/channel/channel.ts'
import type { Stage } from '../test/agent/stage.ts'
import { checkpoint, copyOf, remove, withCopies, type Data, type Opened } from './data.ts'
import { measureEnded } from './ended-branches.ts'
import { median, share } from './measure.ts'
import { atMost, type Measure } from './report.ts'
import { runStage, submit } from './run-data.ts'
import type { Resident } from './runs-once.ts'

const AT_ONCE = 20
const LIMITS = [4, 20] as const
const TRIES = 150
const WARM_UP = 15
/** Before a conversation fills the model. */
const CLEAR_EVERY = 15
const DELAY_MS_MAX = 50
const COUNTED_RUNS = 200
const RESIDENT_MAX = 1.1
const PROGRAM = fileURLToPath(new URL('runs-once.ts', import.meta.url))

/** What background runs cost us, and whoever talks meanwhile. Models answer at once, so all of it is our own work. */
export async function measureRuns(data: Data): Promise<Measure[]> {
  const beside: Measure[] = []
  for (const limit of LIMITS) beside.push(...(await measureBeside(data, limit)))
  return [...beside, ...(await measureOne(data)), await measureResident(data), ...(await measureEnded(data))]
}

/** A person's turn alone and among runs that were submitted at once, by turns. */
async function measureBeside(data: Data, limit: number): Promise<Measure[]> {
  return withCopies(data, [{ name: `runs-${limit}`, size: 0 }], async ([opened]) => {
    const person = await personOn(opened as Opened, limit)
    const tries: Try[] = []
    for (let n = 0; n < WARM_UP + TRIES; n++) {
      if (n % CLEAR_EVERY === 0) await person.at.say('/clear')
      const alone = await person.turn()
      await submit(person.at, AT_ONCE)
      const among = await person.turn()
      await person.at.settle()
      if (n >= WARM_UP) tries.push({ alone, among })
    }
    await person.at.close()
    return delayMeasures(limit, tries)
  })
}

interface Try {
  readonly alone: Turn
  readonly among: Turn
}

function delayMeasures(limit: number, tries: readonly Try[]): Measure[] {
  const alone = tries.map((one) => one.alone.ms)
  const delays = tries.map((one) => one.among.ms - one.alone.ms)
  const cpuDelays = tries.map((one) => one.among.cpuMs - one.alone.cpuMs)
  const common = { group: 'runs', unit: 'ms' } as const
  const name = `a person's turn is delayed by ${AT_ONCE} runs, ${limit} at once`
  const comparedWith = { name: 'alone', value: share(alone, 0.5) }
  return [
    { ...common, measure: `${name}, p50`, value: share(delays, 0.5), comparedWith },
    {
      ...common,
      measure: `${name}, p95`,
      value: share(delays, 0.95),
      comparedWith: { name: 'alone', value: share(alone, 0.95) },
      goal: atMost(DELAY_MS_MAX, 'value'),
    },
    { ...common, measure: `${name}, processor time, p95`, value: share(cpuDelays, 0.95) },
  ]
}

interface Turn {
  readonly ms: number
  readonly cpuMs: number
}

interface Person {
  readonly at: Stage
  /** From a message that is typed to its answer, whatever else goes on. */
  turn(): Promise<Turn>
}

async function personOn({ log }: Opened, limit: number): Promise<Person> {
  const waiting = new EventEmitter()
  const send: Channel['send'] = async ({ form }) => {
    waiting.emit(form)
    return null
  }
  const at = await runStage(log, limit, { send })
  const turn = async (): Promise<Turn> => {
    const answer = once(waiting, 'answer')
    const [start, cpu] = [stopwatchMs(), process.cpuUsage()]
    await at.type('What is new since this morning?')
    await answer
    const { user, system } = process.cpuUsage(cpu)
    return { ms: stopwatchMs() - start, cpuMs: (user + system) / 1_000 }
  }
  return { at, turn }
}

/** One run after the other: what each takes from its start to its end, and what it leaves in the log. */
async function measureOne(data: Data): Promise<Measure[]> {
  return withCopies(data, [{ name: 'runs-one', size: 0 }], async ([opened]) => {
    const at = await runStage((opened as Opened).log, 1)
    for (let n = 0; n < WARM_UP; n++) await at.say(`What did I say about part ${n}?`)
    const before = checkpoint(opened as Opened)
    const runs: { startMs: number; wholeMs: number }[] = []
    for (let n = 0; n < COUNTED_RUNS; n++) {
      const start = stopwatchMs()
      await submit(at, 1)
      const startMs = stopwatchMs() - start
      await at.settle()
      runs.push({ startMs, wholeMs: stopwatchMs() - start })
    }
    const bytes = (checkpoint(opened as Opened) - before) / COUNTED_RUNS
    await at.close()
    const common = { group: 'runs', unit: 'ms' } as const
    return [
      { ...common, measure: 'a run is started', value: median(runs.map((run) => run.startMs)) },
      {
        ...common,
        measure: 'a run is started, answers and ends',
        value: median(runs.map((run) => run.wholeMs)),
      },
      { group: 'runs', measure: 'file growth by a run', value: bytes, unit: 'bytes' },
    ]
  })
}

/** In a process of its own: ours has the memory of all that was measured before. */
async function measureResident(data: Data): Promise<Measure> {
  const file = copyOf(data, 'runs-resident', 0)
  const args = ['--expose-gc', PROGRAM, file, data.directory]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  remove(file)
  const { runs, firstHalfMb, allMb } = JSON.parse(stdout) as Resident
  return {
    group: 'runs',
    measure: `resident memory after ${runs} runs, garbage collected`,
    value: allMb,
    unit: 'MB',
    comparedWith: { name: `÷ after ${runs / 2}`, value: firstHalfMb },
    ratio: allMb / firstHalfMb,
    goal: atMost(RESIDENT_MAX),
  }
}
