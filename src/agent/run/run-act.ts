import { assert } from '../../base/assert.ts'
import { getBranch, isHandleTaken, newBranchId } from '../../context/branch.ts'
import { fork } from '../../context/fork.ts'
import { isRefusal } from '../../context/decision.ts'
import { livingChildren } from '../../context/living.ts'
import type { DraftOf } from '../../event/event.ts'
import { handleOf, type BranchId } from '../../event/id.ts'
import { jobText } from '../../event/job.ts'
import type { Reader, Writing } from '../../event/table.ts'
import { type Actor, type Said, ok, refusal } from '../contract/act.ts'
import { isInMain } from '../step/job-in-main.ts'
import { nameOfRun } from '../state/jobs.ts'
import { runIn, runName, SIDE_JOB } from '../state/run.ts'
import { keep, type SystemText } from '../state/setup.ts'
import { inheritPolicy, titleOf } from '../branch/fork-act.ts'
import { sayRefusal } from '../branch/refusals.ts'
import { stopWork } from '../branch/stop-act.ts'

type Decided = Omit<DraftOf<'run-started'>, 'kind' | 'branch' | 'at' | 'v' | 'setup' | 'author'>

/** A run to start: its settings and its task. */
export interface RunAsked extends Decided {
  readonly title: string
  readonly body: string
  /** Text of the host before the task: a webhook's payload, as data. */
  readonly before?: readonly string[]
  /** A model set this reminder, or may have written this file: its task is not the person's. */
  readonly isByModel?: true
  /** The run's own setup, if it has one. */
  readonly setup: (SystemText & { readonly tools: string }) | null
}

/** The run that a job's file asks for, or why it cannot be started. */
export type JobRead =
  | { readonly job: RunAsked; readonly warnings: readonly string[] }
  | { readonly problem: string }

export interface RunSaid extends Said {
  readonly run?: BranchId
}

export interface Starting {
  /** The line that says it is late. */
  readonly late?: string
  /** The runs of the main session, found once when many are started together. */
  readonly runs?: JobRuns
  /** The branch that somebody was told it would be. */
  readonly as?: BranchId
}

/** Starts a background run from the actor's main session. It waits until a place is free. */
export function actRun(writing: Writing, actor: Actor, starting: RunAsked & Starting): RunSaid {
  const { late, runs = jobRuns(writing, actor.branch), as, ...asked } = starting
  const name = jobText(nameOfRun(asked))
  const working = runs.working.get(name)
  if (working !== undefined) return refusal(overlapWords(asked, working))
  if (isInMain(writing, nameOfRun(asked))) return refusal(mainWords(asked))
  const resting = asked.session === 'persistent' ? runs.resting.get(name) : undefined
  const begun =
    resting === undefined
      ? forkRun(writing, actor, { ...asked, ...(as !== undefined && { as }) })
      : takeUp(writing, actor, resting)
  if (typeof begun !== 'string') return begun
  const { title: _, body, before, setup, isByModel, ...decided } = asked
  const { at, author } = actor
  const place = { branch: begun, at }
  const kept = setup && {
    system: keep(writing, { ...place, sections: setup.sections }, setup.system),
    tools: keep(writing, place, setup.tools),
  }
  writing.append({ kind: 'run-started', branch: begun, at, ...decided, setup: kept, author })
  const source = { from: 'host', tag: asked.tag, id: asked.job, ...(isByModel && { isByModel }) } as const
  const words = { source, form: 'message', text: body } as const
  const first = { ...(before !== undefined && { before: [...before] }), ...(late !== undefined && { late }) }
  writing.append({ kind: 'inbound-admitted', branch: begun, at, ...words, ...first })
  runs.working.set(name, begun)
  return { ...ok(`Started ${runName(asked)} as ${handleOf(begun)}.`, { wake: [begun] }), run: begun }
}

/**
 * Begins a branch for words that are no talk with main. It sees nothing of main, has no tools, tells nobody anything but
 * its answer, and ends with it.
 */
export function beginSideJob(writing: Writing, actor: Actor): BranchId {
  const { at } = actor
  const author = { by: 'policy', name: SIDE_JOB } as const
  const job = `v1:${SIDE_JOB}`
  const branch = forkRun(writing, { ...actor, author }, { title: 'Side job', job, isolated: true })
  assert(typeof branch === 'string', 'a branch that sees nothing can always be forked off main')
  const place = { branch, at }
  const setup = { system: keep(writing, place, SIDE_JOB_SYSTEM), tools: keep(writing, place, '[]') }
  writing.append({ kind: 'run-started', ...place, job, ...SIDE_JOB_RIGHTS, setup, author })
  return branch
}

const SIDE_JOB_RIGHTS = {
  tag: 'webhook',
  file: null,
  isolated: true,
  model: null,
  thinking: 'off',
  reporting: 'blocked',
  allowPing: false,
  tools: [] as string[],
  skills: [] as string[],
  timeoutMs: 120_000,
} as const
const SIDE_JOB_SYSTEM = 'Do the task in the message. Answer with its result and nothing else.'

function forkRun(
  writing: Writing,
  actor: Actor,
  asked: Pick<RunAsked & Starting, 'title' | 'job' | 'isolated' | 'as'>,
): BranchId | Said {
  const { at, author } = actor
  // Another branch may have got the same handle meanwhile, once in a billion times.
  const isFree = asked.as !== undefined && !isHandleTaken(writing, asked.as)
  const child = isFree ? asked.as : newBranchId(writing, actor)
  const inherit = { take: asked.isolated ? 'nothing' : 'everything' } as const
  const title = titleOf(asked.title === '' ? asked.job : asked.title)
  const from = { parent: actor.branch, child, mode: 'background', title, inherit } as const
  const forked = fork(writing, { ...from, hasGoal: true, at, author })
  if (isRefusal(forked)) return sayRefusal(forked)
  writing.append(forked.draft)
  if (!asked.isolated) inheritPolicy(writing, actor, child)
  return child
}

/** Continues a resting session. Work that was left when its time ran out is dropped. */
function takeUp(writing: Writing, actor: Actor, resting: BranchId): BranchId {
  stopWork(writing, { ...actor, branch: resting })
  return resting
}

/** Runs that have not ended, by the names of their jobs. */
export interface JobRuns {
  /** Runs that work or wait for a place, of any person: a job never overlaps itself. */
  readonly working: Map<string, BranchId>
  /** Persistent sessions of this main session, which the next firing continues. */
  readonly resting: ReadonlyMap<string, BranchId>
}

export function jobRuns(reader: Reader, main: BranchId): JobRuns {
  const [working, resting] = [new Map<string, BranchId>(), new Map<string, BranchId>()]
  for (const session of livingChildren(reader, null))
    for (const id of livingChildren(reader, session)) {
      const run = runIn(reader, id)
      // A branch that ended is still listed while a fork below it lives.
      if (run === undefined || getBranch(reader, id).state.kind === 'ended') continue
      const name = jobText(nameOfRun(run))
      if (!run.isResting) working.set(name, id)
      else if (session === main) resting.set(name, id)
    }
  return { working, resting }
}

function mainWords(asked: RunAsked): string {
  return `The ${runName(asked)} is being done in the main session, and a job never overlaps itself. Try again when that is over.`
}

function overlapWords(asked: RunAsked, before: BranchId): string {
  const handle = handleOf(before)
  return `The ${runName(asked)} is running as ${handle}, and a job never overlaps itself. /kill ${handle} ends it.`
}
