import { quietUntil } from '../../src/schedule/quiet-hours.ts'
import type { DraftOf } from '../../src/event/event.ts'
import type { Stage } from './stage.ts'
import { OWNER } from '../../src/event/speaker.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

type Said =
  | 'notice-raised'
  | 'jobs-paused'
  | 'jobs-resumed'
  | 'update-reported'
  | 'job-scheduled'
  | 'zone-set'
  | 'definition-judged'

type Bare<K> = K extends Said ? Omit<DraftOf<K>, 'branch' | 'at' | 'v'> : never

/** Written by whoever notices it, in main; what follows from it happens at once. */
export async function append(at: Stage, draft: Bare<Said>): Promise<void> {
  const branch = await at.branch()
  const whole = { branch, at: at.clock.now(), v: 1, ...draft } as DraftOf<Said>
  await at.log.write((writing) => writing.append(whole))
  at.agent.deliver()
  await at.settle()
}

export function raise(at: Stage, cause: string, text = cause): Promise<void> {
  return append(at, { kind: 'notice-raised', person: OWNER, cause, text })
}

/** A file that is wrong is told to the owner; a reason of null: nothing is wrong with it any more. */
export async function judge(at: Stage, file: string, reason: string | null): Promise<void> {
  const problem = reason === null ? null : { line: 2, reason }
  await append(at, { kind: 'definition-judged', file, problem })
  if (reason !== null) await raise(at, `definition ${file}`, `${file}, line 2: ${reason}`)
}

export function pauseAll(at: Stage, until: number | null): Promise<void> {
  return append(at, { kind: 'jobs-paused', one: null, until, author: { by: 'person' } })
}

export function resumeAll(at: Stage): Promise<void> {
  return append(at, { kind: 'jobs-resumed', one: null, author: { by: 'person' } })
}

/** Time goes on, and everything happens that is due then. */
export async function pass(at: Stage, ms: number): Promise<void> {
  await at.clock.pass(ms)
  await at.settle()
}

export function isQuiet(at: Stage, moment: number): boolean {
  return quietUntil(at.settings.quietHours, at.settings.zone, moment) !== null
}
