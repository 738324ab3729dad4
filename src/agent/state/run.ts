import { getBranch, lineOf } from '../../context/branch.ts'
import type { Mode } from '../../event/event.ts'
import type { BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { AgentSettings } from './settings.ts'
import { runTable } from './tables.ts'

/** A background run: its settings from the start, and what it has done so far. */
export type Run = NonNullable<ReturnType<typeof runIn>>

/** The run that this branch is; undefined if it is not one. */
export function runIn(reader: Reader, branch: BranchId) {
  const row = reader.row(runTable, [branch])
  const event = row && reader.event(row.started)
  if (row === undefined || event?.kind !== 'run-started') return undefined
  const { begun_at: begunAt, pinged, reported, pings, sent_back: sentBack, is_resting } = row
  return { ...event, begunAt, pinged, reported, pings, sentBack, isResting: is_resting === 1 }
}

/** The run that this branch is or works for. A fork that a person opened to reply to a run does not work for it. */
export function runAbove(reader: Reader, branch: BranchId): Run | undefined {
  for (const { id, mode } of lineOf(reader, getBranch(reader, branch))) {
    if (mode === 'fork' || mode === 'main') return undefined
    const run = runIn(reader, id)
    if (run !== undefined) return run
  }
  return undefined
}

/** Whether a person started it, by a command or from a command line, and not its time. */
export function isByHand({ author }: Pick<Run, 'author'>): boolean {
  return author.by === 'person' || (author.by === 'policy' && author.name === COMMAND_LINE)
}

export const COMMAND_LINE = 'command-line'

/** Whether a program waits for its answer, and nobody else is told anything of it. */
export function isSideJob({ author }: Pick<Run, 'author'>): boolean {
  return author.by === 'policy' && author.name === SIDE_JOB
}

export const SIDE_JOB = 'side-job'

/** When its time is over; undefined before it begins. */
export function endsAt({ begunAt, timeoutMs }: Run): number | undefined {
  return begunAt === null ? undefined : begunAt + timeoutMs
}

/** Whether it must report before it ends, and why. */
export function owedReport({ reporting, pinged, reported, begunAt }: Run): 'pinged' | 'always' | undefined {
  if (begunAt === null) return undefined
  if (reporting !== 'on_ping' && reporting !== 'always') return undefined
  if (pinged !== null && pinged > (reported ?? 0)) return 'pinged'
  return reporting === 'always' && reported === null ? 'always' : undefined
}

/** The run's name for people: `routine morning-brief`. */
export function runName({ tag, job }: Pick<Run, 'tag' | 'job'>): string {
  return `${tag.replace(/-bg$/, '')} ${job}`
}

/** Whether a branch is told about reporting: one that does not report should not think of it. */
export function hearsOfReporting(reader: Reader, branch: BranchId): boolean {
  return runAbove(reader, branch)?.reporting !== 'blocked'
}

/** The person's choice applies to main; a job may have its own. */
export function thinkingFor(
  { mode, run }: { readonly mode: Mode; readonly run: Run | null },
  { thinking }: Pick<AgentSettings, 'thinking'>,
): AgentSettings['thinking'] {
  return mode === 'main' ? thinking : (run?.thinking ?? 'adaptive')
}

/** A job may name its own model; branches that work for it use that too. */
export function modelFor(run: Run | null, { model }: Pick<AgentSettings, 'model'>): string {
  return run?.model ?? model
}
