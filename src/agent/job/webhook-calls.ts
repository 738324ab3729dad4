import { newBranchId } from '../../context/branch.ts'
import type { BranchId } from '../../event/id.ts'
import { jobText } from '../../event/job.ts'
import { OWNER, personOf } from '../../event/speaker.ts'
import type { Reader, Writing } from '../../event/table.ts'
import type { LoadedJob } from '../../schedule/job-shelf.ts'
import { folderOf } from '../../schedule/shelving.ts'
import { counted } from '../../base/words.ts'
import { jobRuns } from '../run/run-act.ts'
import { callsWaiting, firstCall, pauseOf, sameCall, type Call } from '../state/jobs.ts'
import { openList } from '../state/ledger.ts'
import { mainOf } from '../state/person.ts'
import { isUsedUp, waitTold, type DueJobs, type JobsLook } from './due-jobs.ts'

/** A request to a webhook whose secret and payload were checked. */
export interface CallAsked extends Pick<Call, 'job' | 'key' | 'hash' | 'data' | 'at'> {
  readonly seed: number
  /** How long an equal body without a key counts as the same call. */
  readonly dedupMs: number
}

/** The run that is promised to the sender, or why there is none. A call that came before gets its first answer (HOOK1). */
export type CallTaken =
  | { readonly kind: 'taken'; readonly run: BranchId; readonly isNew: boolean }
  | { readonly kind: 'full' }

/** Calls of one webhook that may wait. Senders keep what is refused, and try again. */
const WAITING_MAX = 1_000

/** Receives a call in the caller's transaction. It waits in the log until its run can start. */
export function receiveCall(writing: Writing, asked: CallAsked): CallTaken {
  const { seed, dedupMs, ...call } = asked
  const { job, key, at } = call
  const before = sameCall(writing, call)
  if (before !== undefined && (key !== null || Math.abs(at - before.at) < dedupMs))
    return { kind: 'taken', run: before.run, isNew: false }
  const branch = mainOf(writing, OWNER)
  if (branch === undefined || callsWaiting(writing, job) >= WAITING_MAX) return { kind: 'full' }
  const run = newBranchId(writing, { at, seed })
  writing.append({ kind: 'webhook-received', branch, ...call, run })
  return { kind: 'taken', run, isNew: true }
}

/** Webhooks with a call that could run now: nothing of the same webhook runs, and it is not paused. */
export function readyWebhooks(reader: Reader, now: number): readonly string[] {
  const waiting = openList(reader, 'webhooks')
  const main = mainOf(reader, OWNER)
  if (waiting.length === 0 || main === undefined || pauseOf(reader, null, now) !== null) return []
  const { working } = jobRuns(reader, main)
  return waiting.filter((job) => {
    const name = { what: 'webhook', job } as const
    return !working.has(jobText(name)) && pauseOf(reader, name, now) === null
  })
}

interface Found {
  /** The webhooks that have a file. */
  readonly hooks: readonly LoadedJob[]
  readonly now: number
}

/** Adds to `due` the first call of every webhook that can run it now. */
export function findCalls(
  reader: Reader,
  { hooks, now, settings }: Found & Pick<JobsLook, 'settings'>,
  due: DueJobs,
): void {
  const ready = new Set(readyWebhooks(reader, now))
  if (ready.size > 0 && isUsedUp(reader, { now, settings })) {
    if (due.told.length === 0) due.told.push(...waitTold(reader, { now, settings }))
    return
  }
  for (const job of hooks.filter(({ definition }) => ready.has(definition.id))) {
    const call = firstCall(reader, job.definition.id)
    const main = mainOf(reader, personOf(job.definition))
    if (main === undefined) due.strangers.push(job)
    else if (call !== undefined) due.firings.push({ job, main, due: call.at, isLate: false, call })
  }
}

/** A file may be gone for a moment while somebody saves it. */
const GONE_MS = 60_000

/** Drops calls that wait for webhooks whose files were removed: nobody wants to run them. */
export class GoneWebhooks {
  readonly #since = new Map<string, number>()

  /** The webhooks with such calls. While any file of a webhook is broken, none is known to be gone. */
  find(reader: Reader, { hooks, now, broken }: Found & { readonly broken: ReadonlySet<string> }): string[] {
    const there = new Set(hooks.map(({ definition }) => definition.id))
    const isAnyBroken = [...broken].some((file) => file.startsWith(folderOf('webhook')))
    const missing = isAnyBroken ? [] : openList(reader, 'webhooks').filter((job) => !there.has(job))
    for (const job of this.#since.keys()) if (!missing.includes(job)) this.#since.delete(job)
    for (const job of missing) if (!this.#since.has(job)) this.#since.set(job, now)
    return missing.filter((job) => now - (this.#since.get(job) ?? now) >= GONE_MS)
  }
}

export function dropCalls(writing: Writing, job: string, at: number): void {
  const branch = mainOf(writing, OWNER)
  const count = callsWaiting(writing, job)
  if (branch === undefined || count === 0) return
  const head = { branch, at } as const
  for (let call = firstCall(writing, job); call !== undefined; call = firstCall(writing, job))
    writing.append({
      kind: 'job-skipped',
      ...head,
      what: 'webhook',
      job,
      due: call.at,
      because: 'gone',
      took: call.position,
    })
  const text = `webhook ${job} was removed: ${counted(count, 'request')} that waited for it ${count === 1 ? 'is' : 'are'} dropped.`
  writing.append({ kind: 'notice-raised', ...head, person: OWNER, cause: `gone webhook ${job}`, text })
}
