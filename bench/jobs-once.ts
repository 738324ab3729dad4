import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunAsked } from '../src/agent/run/run-act.ts'
import { pingUserTool } from '../src/agent/tools/ping.ts'
import type { Log } from '../src/log/log.ts'
import type { Model, Reply } from '../src/model/contract/model.ts'
import { openHomeRecall } from '../src/runtime/home/home-recall.ts'
import { Scheduler } from '../src/agent/job/scheduler.ts'
import type { JobShelf, LoadedJob } from '../src/schedule/job-shelf.ts'
import { memoryShelf } from '../test/agent/memory-shelf.ts'
import { job } from '../test/agent/run-rig.ts'
import { stage, START, type Stage, type StageOptions } from '../test/agent/stage.ts'
import { openLog } from './data.ts'
import { median } from './measure.ts'
import { instant } from './turns.ts'

/** What a month of a thousand routines comes to. */
export interface Month {
  readonly firings: number
  readonly dayMb: number
  readonly monthMb: number
  /** Of a look at all jobs when none is due, in milliseconds of processor time: in the first week, and in the last. */
  readonly looks: readonly [first: number, last: number]
  /** All that one firing costs, likewise. */
  readonly costs: readonly [first: number, last: number]
  readonly eventsPerFiring: number
  readonly idleHours: number
  /** In the hours in which nothing was due. */
  readonly idleCalls: number
}

export const ROUTINES = 1_000
const DAYS = 30
const HOUR_MS = 3_600_000
/** So that nobody who has just begun is out of time. */
const STEPS_OF_AN_HOUR = 12
const WEEK = 7
const LOOKS = 20
const PINGS_EVERY = 10
const values = () => ({ embedder: 'static-en-128', recallAlpha: null, recallDecay: 0.1 }) as const

if (import.meta.main) {
  const [, , file = '', directory = ''] = process.argv
  process.stdout.write(JSON.stringify(await aMonth(file, directory)))
}

async function aMonth(file: string, directory: string): Promise<Month> {
  const home = mkdtempSync(join(directory, 'home-'))
  const { log, store } = openLog(file)
  let calls = 0
  const model: Model = { ...instant, call: (...given) => (calls++, sometimesPings(...given)) }
  const at = await jobStage(log, ofAMonth(), {
    models: { instant: model },
    tools: [pingUserTool],
    recall: () => openHomeRecall({ home, log, values, warn: console.error, fail: raise }),
  })
  const days: Day[] = []
  let dayMb = Number.NaN
  for (let day = 0; day < DAYS; day++) {
    days.push(await aDay(at, { calls: () => calls, end: () => store.end }))
    if (day === 0) dayMb = await resident()
  }
  const monthMb = await resident()
  await at.close()
  await log.close()
  rmSync(home, { recursive: true, force: true })
  const sum = (of: (day: Day) => number): number => days.reduce((all, day) => all + of(day), 0)
  // The first day warms up.
  const weeks = [days.slice(1, 1 + WEEK), days.slice(-WEEK)] as const
  const both = (of: (day: Day) => number) => [median(weeks[0].map(of)), median(weeks[1].map(of))] as const
  return {
    firings: sum((day) => day.firings),
    dayMb,
    monthMb,
    looks: both((day) => day.lookMs),
    costs: both((day) => day.costMs / day.firings),
    eventsPerFiring: sum((day) => day.events) / sum((day) => day.firings),
    idleHours: sum((day) => day.idleHours),
    idleCalls: sum((day) => day.idleCalls),
  }
}

interface Day {
  readonly firings: number
  readonly costMs: number
  readonly lookMs: number
  readonly events: number
  readonly idleHours: number
  readonly idleCalls: number
}

interface Counting {
  /** Of the model, so far. */
  readonly calls: () => number
  /** The newest position of the log. */
  readonly end: () => number
}

/** Hour by hour; at its end somebody says a word. */
async function aDay(at: JobStage, { calls, end }: Counting): Promise<Day> {
  const began = end()
  let [costMs, firings, idleHours, idleCalls] = [0, 0, 0, 0]
  for (let hour = 0; hour < 24; hour++) {
    const [from, before] = [end(), calls()]
    costMs += await processorMs(async () => {
      for (let step = 0; step < STEPS_OF_AN_HOUR; step++) {
        await at.clock.pass(HOUR_MS / STEPS_OF_AN_HOUR)
        await at.settle()
      }
    })
    const fired = await Array.fromAsync(at.log.events({ after: from, kind: 'job-fired' }))
    firings += fired.length
    if (fired.length > 0) continue
    idleHours += 1
    idleCalls += calls() - before
  }
  const events = end() - began
  const lookMs = await lookCost(at)
  await at.say('What is new since yesterday?')
  // The stage remembers all that is told and sent, which no agent does.
  at.happenings.length = 0
  at.sent.length = 0
  return { firings, costMs, lookMs, events, idleHours, idleCalls }
}

async function lookCost({ scheduler }: JobStage): Promise<number> {
  const all = await processorMs(async () => {
    for (let n = 0; n < LOOKS; n++) {
      scheduler.look()
      await scheduler.settled()
    }
  })
  return all / LOOKS
}

async function processorMs(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** What was freed is given back a little later. */
async function resident(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.()
    await sleep(200)
  }
  return process.memoryUsage.rss() / 1e6
}

/** A model that pings in every tenth run. */
async function sometimesPings(...[prompt, ...more]: Parameters<Model['call']>): Promise<Reply> {
  const last = prompt.messages.at(-1)
  const number = /part (\d+)/.exec(last?.text ?? '')?.[1] ?? '1'
  const isRuns = last?.role === 'user' && last.text.startsWith('[routine-bg')
  const reply = await instant.call(prompt, ...more)
  if (!isRuns || Number(number) % PINGS_EVERY !== 0) return reply
  const ping = { id: 'call', tool: 'ping_user', args: { message: `Part ${number} needs you.` } }
  return { ...reply, text: '', calls: [ping], finish: 'calls' }
}

export interface JobStage extends Stage {
  readonly scheduler: Scheduler
}

/** Somebody at the terminal of an agent that starts jobs by a clock that only we move. */
export async function jobStage(
  log: Log,
  routines: readonly Routine[],
  options: StageOptions = {},
): Promise<JobStage> {
  const shelf = await shelfOf(routines)
  const models = { instant, ...options.models }
  const at = await stage({ ...options, log, models, shelf, settings: { model: 'instant' } })
  const scheduler = new Scheduler({
    log,
    now: () => at.clock.now(),
    sleep: at.clock.sleep,
    random: at.desk.random,
    settings: () => at.settings,
    shelf,
    jobFor: async (loaded) => ({ job: askedFor(loaded), warnings: [] }),
    agent: at.agent,
    startedAt: at.clock.now(),
    warn: console.error,
    fail: (error) => at.failures.push(error),
    // Time stands still unless something is due: what a look costs is measured by itself.
    lookMs: Number.POSITIVE_INFINITY,
  })
  const [settle, close] = [at.settle.bind(at), at.close.bind(at)]
  const settled = async (): Promise<void> => {
    await scheduler.settled()
    await settle()
    await scheduler.settled()
  }
  await settled()
  return Object.assign(at, {
    scheduler,
    settle: settled,
    close: async () => {
      await scheduler.close()
      await close()
    },
  })
}

async function shelfOf(routines: readonly Routine[]): Promise<JobShelf> {
  const shelf = memoryShelf({ now: () => START })
  for (const [n, routine] of routines.entries())
    await shelf.put(`routines/inbox-${n}.md`, routineText(n, routine))
  // Sorted once, as the files of a home are.
  const [jobs, problems] = [shelf.jobs(), shelf.problems()]
  if (jobs.length < routines.length) throw new Error(`a routine is broken: ${JSON.stringify(problems[0])}`)
  return { ...shelf, jobs: () => jobs, problems: () => problems }
}

interface Routine {
  readonly cron: string
  readonly background: boolean
}

/** Every other one is isolated. */
export function routineText(number: number, { cron, background }: Routine): string {
  return [
    '---',
    `cron: "${cron}"`,
    `description: Inbox, part ${number}`,
    `background: ${background}`,
    `isolated: ${number % 2 === 0}`,
    '---',
    `Look through part ${number} of the inbox, and say what needs an answer today.`,
    '',
  ].join('\n')
}

function askedFor({ definition, file }: LoadedJob): RunAsked {
  const { id, isolated, reporting, allowPing, body, description: title } = definition
  return job({ job: id, file, isolated, reporting, allowPing, body, title })
}

/** A thousand, of which about fifty are due in a day, none of them by night; every tenth is in main. */
function ofAMonth(): Routine[] {
  return Array.from({ length: ROUTINES }, (_, n) => {
    const time = `${(n * 7) % 60} ${6 + ((n * 5) % 16)}`
    return { cron: `${time} ${daysOf(n)}`, background: n % 10 !== 0 }
  })
}

function daysOf(number: number): string {
  if (number < 20) return '* * *'
  if (number < 120) return `* * ${number % 7}`
  if (number < 500) return `${1 + (number % 30)} * *`
  // Not in the spring that is simulated.
  return `${1 + (number % 28)} ${5 + (number % 8)} *`
}

function raise(error: unknown): never {
  throw error
}
