import { getBranch } from '../../context/branch.ts'
import { isRefusal } from '../../context/decision.ts'
import { endTurn, openCalls } from '../../context/step.ts'
import type { EventOf, Outcome } from '../../event/event.ts'
import type { BranchId, TurnId } from '../../event/id.ts'
import type { Reader, Writing } from '../../event/table.ts'
import { add } from './take-inbox.ts'

/** A running turn: nothing is written for one that was stopped or killed meanwhile. */
export interface Running {
  readonly branch: BranchId
  readonly turn: TurnId
}

export function isRunning(reader: Reader, { branch, turn }: Running): boolean {
  const { state } = getBranch(reader, branch)
  return state.kind === 'running' && state.turn === turn
}

export interface Ending extends Running {
  readonly at: number
  readonly outcome: Outcome
  readonly retryAt?: number | undefined
  /** Why the model was not even called. */
  readonly failure?: EventOf<'turn-ended'>['failure'] | undefined
  /** Tools whose effects are written with their results: without a result, nothing was done. */
  readonly acts?: ReadonlySet<string>
  /** Left out: the person. */
  readonly stoppedBy?: StoppedBy
  /** Calls whose programs were left running by a process that is gone, and were ended now. */
  readonly endedPrograms?: ReadonlySet<string>
}

type StoppedBy = 'person' | 'time'

/** Ends the turn; unanswered calls get a result that says so (CTX3). */
export function endWith(writing: Writing, ending: Ending): void {
  const { branch, at, outcome, retryAt, failure } = ending
  closeCalls(writing, { ...ending, because: outcome === 'stopped' ? 'stopped' : 'interrupted' })
  const decided = endTurn(writing, { branch, at, outcome })
  if (isRefusal(decided)) throw new TypeError(`the turn cannot end: ${decided.refused}`)
  const more = { ...(retryAt !== undefined && { retryAt }), ...(failure && { failure }) }
  writing.append({ ...decided.draft, ...more })
}

const UNANSWERED = {
  stopped: {
    person: 'Stopped by the person before a result came.',
    time: 'Stopped before a result came: the time of this run was over.',
  },
  interrupted: 'Interrupted before a result came.',
} as const

export interface Closing extends Pick<Ending, 'branch' | 'at' | 'acts' | 'stoppedBy' | 'endedPrograms'> {
  readonly because: keyof typeof UNANSWERED
}

export function closeCalls(writing: Writing, closing: Closing): void {
  const { branch, at, because, acts, stoppedBy = 'person', endedPrograms } = closing
  const why = because === 'stopped' ? UNANSWERED.stopped[stoppedBy] : UNANSWERED.interrupted
  for (const call of openCalls(writing, branch)) {
    const rest =
      acts?.has(call.tool) === true
        ? 'It was not done.'
        : 'It may or may not have been done; it was not run again.'
    const ended = endedPrograms?.has(call.id) === true ? ' Its program was still running and was ended.' : ''
    const text = JSON.stringify({ error: `${why}${ended} ${rest}` })
    const result = { call: call.id, tool: call.tool, text, isError: true, synthetic: because }
    add(writing, { branch, at, message: { role: 'tool', ...result } })
  }
}
