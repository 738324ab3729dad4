import type { RunAsked } from '../../src/agent/run/run-act.ts'
import type { JobRead } from '../../src/agent/run/run-act.ts'
import type { Prompt } from '../../src/event/prompt.ts'
import { createHash } from 'node:crypto'
import { receiveCall, type CallAsked, type CallTaken } from '../../src/agent/job/webhook-calls.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { webhookTask } from '../../src/schedule/webhook-task.ts'
import { Scheduler, type SchedulerParts } from '../../src/agent/job/scheduler.ts'
import type { LoadedJob } from '../../src/schedule/job-shelf.ts'
import type { Said } from './doubles.ts'
import { memoryShelf, type MemoryShelf } from './memory-shelf.ts'
import { ruled, type Ruled } from './rig.ts'
import { job } from './run-rig.ts'
import { FakeClock, START, type Stage, type StageOptions } from './stage.ts'

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** A stage on which jobs are due. */
export interface JobStage extends Ruled {
  readonly shelf: MemoryShelf
  readonly scheduler: Scheduler
  readonly warnings: string[]
  /** Writes a file, as a person does; what follows from it is awaited. */
  put(file: string, text: string): Promise<void>
  /** Lets time pass, and everything happen that is due meanwhile. */
  pass(ms: number): Promise<void>
  /** Lets everything happen that is due now. */
  look(): Promise<void>
}

export interface JobOptions extends StageOptions {
  readonly clock?: FakeClock
  readonly files?: Readonly<Record<string, string>>
  /** Where the last process left off. */
  readonly shelf?: MemoryShelf
  readonly rule?: (prompt: Prompt, signal: AbortSignal) => Said | Promise<Said>
  readonly jobFor?: SchedulerParts['jobFor']
}

export async function jobStage(options: JobOptions = {}): Promise<JobStage> {
  const { clock = new FakeClock(START), files = {}, rule = () => ({ text: 'Done.' }) } = options
  const shelf = options.shelf ?? memoryShelf({ now: () => clock.now() })
  for (const [file, text] of Object.entries(files)) await shelf.put(file, text)
  const at = await ruled(rule, { ...options, clock, shelf })
  const warnings: string[] = []
  const scheduler = schedulerOn(at, shelf, {
    warn: (text) => void warnings.push(text),
    ...(options.jobFor !== undefined && { jobFor: options.jobFor }),
  })
  const settle = async (): Promise<void> => {
    await scheduler.settled()
    await at.settle()
    await scheduler.settled()
  }
  const close = at.close.bind(at)
  const look = async (): Promise<void> => {
    scheduler.look()
    await settle()
  }
  await settle()
  return Object.assign(at, {
    shelf,
    scheduler,
    warnings,
    look,
    put: async (file: string, text: string) => {
      await shelf.put(file, text)
      await look()
    },
    pass: async (ms: number) => {
      // A look at many jobs takes more turns than a clock waits for.
      for (let left = ms; left > 0; left -= MINUTE) {
        await clock.pass(Math.min(left, MINUTE))
        await scheduler.settled()
      }
      await settle()
    },
    close: async () => {
      await scheduler.close()
      await close()
    },
  })
}

/** The process ends, and another one begins so much later. */
export async function restarted(at: JobStage, ms: number, options: JobOptions = {}): Promise<JobStage> {
  await at.close()
  await at.log.close()
  const clock = new FakeClock(at.clock.now() + ms)
  return jobStage({ ...options, disk: at.disk, clock, shelf: at.shelf })
}

export function schedulerOn(
  at: Stage,
  shelf: MemoryShelf,
  more: Partial<Pick<SchedulerParts, 'warn' | 'jobFor' | 'lookMs'>> = {},
): Scheduler {
  const { log, clock, desk, agent } = at
  return new Scheduler({
    log,
    now: () => clock.now(),
    sleep: clock.sleep,
    random: desk.random,
    settings: () => at.settings,
    shelf,
    jobFor: async (loaded, payload) => askedFor(loaded, payload),
    agent,
    startedAt: clock.now(),
    warn: () => undefined,
    fail: (error) => at.failures.push(error),
    ...more,
  })
}

/** How a job is started, as its file says it. */
export function askedFor({ definition, file }: LoadedJob, payload: JsonObject = {}): JobRead {
  const { id, kind, isolated, reporting, allowPing, description, person } = definition
  const task = kind === 'webhook' ? webhookTask(definition, payload) : undefined
  const tag = kind === 'webhook' ? kind : (`${kind}-bg` as const)
  const more: Partial<RunAsked> = {
    ...(person !== null && { person }),
    ...(task !== undefined && { before: task.before }),
    ...(kind === 'reminder' && definition.chain.max > 0 && { chain: definition.chain }),
    ...(kind === 'reminder' && definition.isByModel && { isByModel: true as const }),
    ...(kind === 'routine' && definition.isPersistent && { session: 'persistent' as const }),
  }
  const rights = {
    isolated,
    reporting,
    allowPing,
    tools: [...definition.tools],
    skills: [...definition.skills],
  }
  const body = task?.text ?? definition.body
  return { job: job({ job: id, tag, file, ...rights, body, title: description, ...more }), warnings: [] }
}

/** Somebody calls a webhook. It starts as soon as it can. */
export async function ring(at: JobStage, asked: Partial<CallAsked> = {}): Promise<CallTaken> {
  const { data = '{}' } = asked
  const hash = createHash('sha256').update(data).digest('hex')
  const moment = { at: at.clock.now(), seed: at.desk.random(), dedupMs: 30_000 }
  const call = { job: 'bell', key: null, hash, data, ...moment, ...asked }
  const taken = await at.log.write((writing) => receiveCall(writing, call))
  at.scheduler.look()
  return taken
}

export function file(matter: Readonly<Record<string, string | number | boolean>>, body = 'Look.'): string {
  const lines = Object.entries(matter).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  return ['---', ...lines, '---', body, ''].join('\n')
}

/** What was fired and skipped, as one line each: `routine brief 09:00`, `routine brief 09:00 missed`. */
export async function doneOf(at: Stage): Promise<string[]> {
  const all = await at.all()
  return all.flatMap((event) => {
    if (event.kind !== 'job-fired' && event.kind !== 'job-skipped') return []
    const due = new Date(event.due).toISOString().slice(5, 16).replace('T', ' ')
    const how = event.kind === 'job-skipped' ? ` ${event.because}` : event.isLate ? ' late' : ''
    return `${event.what} ${event.job} ${due}${how}`
  })
}
