import { getBranch } from '../../context/branch.ts'
import { fork } from '../../context/fork.ts'
import { isRefusal } from '../../context/decision.ts'
import { livingChildren } from '../../context/living.ts'
import type { DraftOf } from '../../event/event.ts'
import { handleOf, type BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Writing } from '../../log/log.ts'
import { done, refusal, type Actor, type Said } from '../act.ts'
import { runIn, runName } from '../run.ts'
import { keep } from '../setup.ts'
import { inheritPolicy, newBranchId, titleOf } from './fork-act.ts'
import { sayRefusal } from './refusals.ts'

type Decided = Pick<
  DraftOf<'run-started'>,
  | 'job'
  | 'tag'
  | 'file'
  | 'isolated'
  | 'model'
  | 'thinking'
  | 'reporting'
  | 'allowPing'
  | 'tools'
  | 'skills'
  | 'skillsIn'
  | 'timeoutMs'
>

/** A job as it is started: what was decided about it, and the words of its task. */
export interface RunAsked extends Decided {
  readonly title: string
  readonly body: string
  /** What its prompts begin with, where that is not what all others begin with. */
  readonly setup: { readonly system: string; readonly tools: string } | null
}

export interface RunSaid extends Said {
  readonly run?: BranchId
}

/** Starts a background run off the branch of the actor, the main session; it waits for its place among others. */
export function actRun(writing: Writing, actor: Actor, asked: RunAsked): RunSaid {
  const before = runOfJob(writing, actor.branch, asked.job)
  if (before !== undefined) return refusal(overlapWords(asked, before))
  const { at, author } = actor
  const { title, body, setup, ...decided } = asked
  const child = newBranchId(writing, actor)
  const inherit = { take: asked.isolated ? 'nothing' : 'everything' } as const
  const name = titleOf(title === '' ? asked.job : title)
  const forked = fork(writing, {
    parent: actor.branch,
    child,
    mode: 'background',
    title: name,
    inherit,
    hasGoal: true,
    at,
    author,
  })
  if (isRefusal(forked)) return sayRefusal(forked)
  writing.append(forked.draft)
  if (!asked.isolated) inheritPolicy(writing, actor, child)
  const kept = setup && {
    system: keep(writing, { branch: child, at }, setup.system),
    tools: keep(writing, { branch: child, at }, setup.tools),
  }
  writing.append({ kind: 'run-started', branch: child, at, v: 1, ...decided, setup: kept, author })
  const source = { from: 'host', tag: asked.tag, id: asked.job } as const
  writing.append({ kind: 'inbound-admitted', branch: child, at, v: 1, source, form: 'message', text: body })
  return { ...done(`Started ${runName(asked)} as ${handleOf(child)}.`, { wake: [child] }), run: child }
}

/** The run of a job that has not ended: a job never overlaps itself. */
function runOfJob(reader: Reader, main: BranchId, job: string): BranchId | undefined {
  return livingChildren(reader, main).find((id) => {
    // One that has ended is still there while a person talks below it.
    return runIn(reader, id)?.job === job && getBranch(reader, id).state.kind !== 'ended'
  })
}

function overlapWords(asked: RunAsked, before: BranchId): string {
  const handle = handleOf(before)
  return `The ${runName(asked)} is running as ${handle}, and a job never overlaps itself. /kill ${handle} ends it.`
}
