import { execFile } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { stopwatchMs, systemClock } from '../src/base/clock.ts'
import type { Channel } from '../src/channel/channel.ts'
import type { Model } from '../src/model/contract/model.ts'
import { copyOf, remove, withCopies, type Data, type Opened } from './data.ts'
import { jobStage, ROUTINES, routineText, type JobStage, type Month } from './jobs-once.ts'
import { median, share } from './measure.ts'
import { atMost, type Measure } from './report.ts'
import { processorMsOf, residentMbOf, restingAfter, startServe, stopped } from './serve.ts'
import { instant } from './turns.ts'
import { measureWebhooks } from './webhooks.ts'

const STARTS = 5
const REMINDERS = 100
const BROKEN = 20
const START_MS_MAX = 1_000
/** As long as anything rests that looks now and then. */
const IDLE_MS = 60_000
const IDLE_PERCENT_MAX = 1
const RESIDENT_MAX = 1.1
const FLAT_MAX = 1.25
const TURNS = 100
const WARM_UP = 30
const CLEAR_EVERY = 15
/** Nobody types faster, and runs need the disk too. */
const PAUSE_MS = 50
const DELAY_MS_MAX = 50
const MINUTE_MS = 60_000
/** Of the clock on the stage. */
const NEXT_MINUTE = '31 9 * * *'
const MONTH = fileURLToPath(new URL('jobs-once.ts', import.meta.url))
const MANY = ROUTINES.toLocaleString('en')

/** What a thousand routines cost while nothing is due, when they are, and when all are at once. */
export async function measureJobs(data: Data): Promise<Measure[]> {
  const served = await measureProcess(data)
  const storms = [...(await measureStorm(data)), ...(await measureWebhooks(data))]
  return [...served, ...(await measureMonth(data)), ...storms]
}

/** Real processes: a home with a thousand routines, and one without any. */
async function measureProcess(data: Data): Promise<Measure[]> {
  const directory = mkdtempSync(join(data.directory, 'homes-'))
  const homes = { full: join(directory, 'full'), empty: join(directory, 'empty') }
  try {
    writeHome(homes.full)
    mkdirSync(homes.empty)
    const first = await startsOf(homes, (home, n) => copied(home, n))
    const later = await startsOf(homes, (home) => home)
    const [idle, idleEmpty] = await Promise.all([idling(homes.full), idling(homes.empty)])
    return [
      ...startMeasures('first start', first),
      // The first of them was one.
      ...startMeasures('later start', later.slice(1)),
      {
        group: 'jobs',
        measure: `mainstem serve, ${MANY} routines, none due: processor time of ${IDLE_MS / 1_000} s, share of a core`,
        value: idle.percent,
        unit: '%',
        comparedWith: { name: 'no jobs', value: idleEmpty.percent },
        goal: atMost(IDLE_PERCENT_MAX, 'value'),
      },
      {
        group: 'jobs',
        measure: `resident memory of it, idle`,
        value: idle.residentMb,
        unit: 'MB',
        comparedWith: { name: '÷ no jobs', value: idleEmpty.residentMb },
        ratio: idle.residentMb / idleEmpty.residentMb,
      },
    ]
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

interface Homes {
  readonly full: string
  readonly empty: string
}

interface Starts {
  readonly full: Started
  readonly empty: Started
}

/** By turns, so that whatever the machine does besides falls on both alike. */
async function startsOf(homes: Homes, homeFor: (home: string, n: number) => string): Promise<Starts[]> {
  const starts: Starts[] = []
  for (let n = 0; n < STARTS; n++)
    starts.push({
      empty: await startOnce(homeFor(homes.empty, n)),
      full: await startOnce(homeFor(homes.full, n)),
    })
  return starts
}

function copied(home: string, n: number): string {
  const copy = `${home}-${n}`
  cpSync(home, copy, { recursive: true, preserveTimestamps: true })
  return copy
}

function startMeasures(name: string, starts: readonly Starts[]): Measure[] {
  const measure = (what: string, of: (start: Started) => number): Measure => ({
    group: 'jobs',
    measure: `mainstem serve, ${MANY} routines, ${name}, ${what}`,
    value: median(starts.map(({ full }) => of(full))),
    unit: 'ms',
    comparedWith: { name: '÷ no jobs', value: median(starts.map(({ empty }) => of(empty))) },
    ratio: median(starts.map(({ full, empty }) => of(full) / of(empty))),
  })
  return [
    { ...measure('until it is ready', (one) => one.readyMs), goal: atMost(START_MS_MAX, 'value') },
    measure('processor time until it rests', (one) => one.processorMs),
  ]
}

interface Started {
  readonly readyMs: number
  /** All that it took until it had nothing to do. */
  readonly processorMs: number
}

async function startOnce(home: string): Promise<Started> {
  const { child, readyMs } = await startServe(home)
  const processorMs = await restingAfter(child)
  await stopped(child)
  return { readyMs, processorMs }
}

interface Idle {
  readonly percent: number
  readonly residentMb: number
}

async function idling(home: string): Promise<Idle> {
  const { child } = await startServe(home)
  const before = await restingAfter(child)
  await sleep(IDLE_MS)
  const percent = ((processorMsOf(child) - before) / IDLE_MS) * 100
  const residentMb = residentMbOf(child)
  await stopped(child)
  return { percent, residentMb }
}

/** Nothing in it is due in the next hours: what is measured is what waits. */
function writeHome(home: string): void {
  const files = ['routines', 'reminders'].map((folder) => join(home, 'workspace', folder))
  const [routines = '', reminders = ''] = files
  for (const folder of files) mkdirSync(folder, { recursive: true })
  const hour = new Date(systemClock()).getUTCHours() + 8
  for (let n = 0; n < ROUTINES; n++) {
    const time = `${(n * 7) % 60} ${(hour + (n % 6)) % 24}`
    const days = [
      `* * *`,
      `* * 1-5`,
      `* * ${n % 7}`,
      `${1 + (n % 28)} * *`,
      `${1 + (n % 28)} ${1 + (n % 12)} *`,
    ]
    const routine = { cron: `${time} ${days[n % days.length]}`, background: n % 10 !== 0 }
    writeFileSync(join(routines, `inbox-${n}.md`), routineText(n, routine))
  }
  for (let n = 0; n < BROKEN; n++)
    writeFileSync(
      join(routines, `broken-${n}.md`),
      routineText(n, { cron: `61 ${n} * * *`, background: true }),
    )
  for (let n = 0; n < REMINDERS; n++) {
    const matter = `run-at: ${2100 + n}-01-01T09:00\nbackground: ${n % 2 === 0}`
    writeFileSync(join(reminders, `far-${n}.md`), `---\n${matter}\n---\nLook at part ${n} again.\n`)
  }
}

/** In a process of its own: ours has the memory of all that was measured before. */
async function measureMonth(data: Data): Promise<Measure[]> {
  const file = copyOf(data, 'jobs-month', 0)
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', MONTH, file, data.directory])
  remove(file)
  const month = JSON.parse(stdout) as Month
  const { firings, dayMb, monthMb } = month
  const common = { group: 'jobs' } as const
  const change = (measure: string, [first, last]: Month['looks']): Measure => ({
    ...common,
    measure: `flat: ${measure}, processor time, last week of a month`,
    value: last,
    unit: 'ms',
    comparedWith: { name: '÷ first week', value: first },
    ratio: last / first,
    goal: atMost(FLAT_MAX),
  })
  return [
    {
      ...common,
      measure: `resident memory after a month of ${MANY} routines, ${firings.toLocaleString('en')} firings, garbage collected`,
      value: monthMb,
      unit: 'MB',
      comparedWith: { name: '÷ after the first day', value: dayMb },
      ratio: monthMb / dayMb,
      goal: atMost(RESIDENT_MAX),
    },
    change(`a look at ${MANY} routines, none due`, month.looks),
    change('a firing with its run', month.costs),
    { ...common, measure: 'events of a firing with its run', value: month.eventsPerFiring, unit: 'events' },
    {
      ...common,
      measure: `calls of a model in ${month.idleHours} hours in which nothing was due`,
      value: month.idleCalls,
      unit: 'calls',
      goal: atMost(0, 'value'),
    },
  ]
}

/** Somebody who talks on and on, alone and while all routines fall due in one minute. */
async function measureStorm(data: Data): Promise<Measure[]> {
  return withCopies(data, [{ name: 'jobs-storm', size: 0 }], async ([opened]) => {
    const person = await personOn(opened as Opened)
    const { at } = person
    const [before, among, after]: [number[], number[], number[]] = [[], [], []]
    for (let n = 0; n < WARM_UP + TURNS; n++) before.push(await person.turn(n))
    const start = stopwatchMs()
    const due = at.clock.pass(MINUTE_MS)
    while (person.runs() < ROUTINES) among.push(await person.turn(among.length))
    const allMs = stopwatchMs() - start
    await due
    await at.settle()
    for (let n = 0; n < TURNS; n++) after.push(await person.turn(n))
    await at.close()
    return stormMeasures({ alone: [...before.slice(WARM_UP), ...after], among, allMs })
  })
}

interface Person {
  readonly at: JobStage
  /** From a message that is typed to its answer, whatever else goes on. */
  turn(number: number): Promise<number>
  /** Runs that have asked the model so far. */
  runs(): number
}

async function personOn({ log }: Opened): Promise<Person> {
  const waiting = new EventEmitter()
  const send: Channel['send'] = async ({ form }) => {
    waiting.emit(form)
    return null
  }
  let runs = 0
  const call: Model['call'] = (prompt, ...more) => {
    if (prompt.messages.at(-1)?.text.startsWith('[routine-bg') === true) runs += 1
    return instant.call(prompt, ...more)
  }
  const routines = Array.from({ length: ROUTINES }, () => ({ cron: NEXT_MINUTE, background: true }))
  const at = await jobStage(log, routines, { send, models: { instant: { ...instant, call } } })
  const turn = async (number: number): Promise<number> => {
    // Before the conversation fills the model.
    if (number % CLEAR_EVERY === 0) await at.type('/clear')
    await sleep(PAUSE_MS)
    const answer = once(waiting, 'answer')
    const start = stopwatchMs()
    await at.type('What is new since this morning?')
    await answer
    return stopwatchMs() - start
  }
  return { at, turn, runs: () => runs }
}

interface Storm {
  readonly alone: readonly number[]
  readonly among: readonly number[]
  readonly allMs: number
}

/** One share of turns compared with the same of those alone: a slow disk makes the slowest of both slower. */
function stormMeasures({ alone, among, allMs }: Storm): Measure[] {
  const common = { group: 'jobs', unit: 'ms' } as const
  const delay = (part: number, goal: Partial<Measure> = {}): Measure => ({
    ...common,
    measure: `a person's turn is delayed while ${MANY} routines are due in one minute, ${among.length} turns, p${part * 100}`,
    value: share(among, part) - share(alone, part),
    comparedWith: { name: 'alone', value: share(alone, part) },
    ...goal,
  })
  return [
    delay(0.5),
    delay(0.95, { goal: atMost(DELAY_MS_MAX, 'value') }),
    { ...common, measure: 'until all of them have asked the model, by run', value: allMs / ROUTINES },
  ]
}
