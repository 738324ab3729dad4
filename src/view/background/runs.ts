import { isByHand, runIn, type Run } from '../../agent/state/run.ts'
import { failureCause, nameOfRun, noticesOf } from '../../agent/state/jobs.ts'
import { spentBy } from '../../agent/state/spent.ts'
import { runStartTable } from '../../agent/state/tables.ts'
import { lastSaid } from '../../agent/step/run-report.ts'
import { isoIn } from '../../base/time-text.ts'
import { oneLine, shorten } from '../../base/width.ts'
import { getBranch } from '../../context/branch.ts'
import type { EventOf } from '../../event/event.ts'
import { handleOf, type Position } from '../../event/id.ts'
import { personOf } from '../../event/speaker.ts'
import type { Reader } from '../../event/table.ts'
import { newestPage, type Page } from '../page.ts'

/** The background runs of a person, the newest first. */
export function runsView(
  reader: Reader,
  { person, zone, before, limit }: Page & { readonly person: string; readonly zone: string },
) {
  const { rows, next } = newestPage(reader, runStartTable, { prefix: [person], before, limit })
  return { runs: rows.map(({ position }) => runView(reader, position, zone)), next }
}

const EARLIER = { state: 'finished', end: undefined } as const
const WORDS_MAX = 400
const REPORT_MAX = 4_000

function runView(reader: Reader, position: Position, zone: string) {
  const started = reader.event(position) as EventOf<'run-started'>
  const { branch, at } = started
  const name = nameOfRun(started)
  const { title } = getBranch(reader, branch)
  // The row of a persistent session is about its newest start.
  const run = runIn(reader, branch)
  const now = run?.position === position ? run : undefined
  const { state, end } = now === undefined ? EARLIER : stateOf(reader, now)
  const { own, below } = spentBy(reader, branch)
  const reported = now?.reported == null ? undefined : reader.event(now.reported)
  const said = now === undefined || reported !== undefined ? undefined : lastSaid(reader, branch)
  return {
    position,
    branch,
    handle: handleOf(branch),
    kind: name.what,
    job: name.job,
    title: title ?? '',
    byHand: isByHand(started),
    state,
    startedAt: isoIn(at, zone),
    endedAt: end === undefined ? null : isoIn(end, zone),
    tookMs: end === undefined ? null : Math.max(0, end - at),
    /** Of the branch with everything below it; a persistent session adds up. */
    cost: own.isPriced || below.isPriced ? own.cost + below.cost : null,
    tokens: own.tokensIn + own.tokensOut + below.tokensIn + below.tokensOut,
    pings: now?.pings ?? 0,
    report: reported?.kind === 'update-reported' ? shorten(reported.text, REPORT_MAX) : null,
    /** Its last words, if it reported nothing. */
    said: said === undefined ? null : shorten(oneLine(said), WORDS_MAX),
    why: now === undefined ? null : whyFailed(reader, started),
  }
}

/** Its state, and when it ended or began to rest. */
function stateOf(reader: Reader, { branch, isResting, begunAt }: Run) {
  const { state } = getBranch(reader, branch)
  if (state.kind === 'ended') return { state: state.reason, end: reader.event(state.endedAt).at }
  if (!isResting) return { state: begunAt === null ? ('waiting' as const) : ('running' as const) }
  const last = state.kind === 'idle' ? state.last : null
  return { state: 'resting' as const, ...(last !== null && { end: reader.event(last.endedAt).at }) }
}

/** What the person was told about its failure, if that was the last of its job. */
function whyFailed(reader: Reader, run: EventOf<'run-started'>): string | null {
  const { newest } = noticesOf(reader, personOf(run), failureCause(nameOfRun(run)))
  const notice = newest === null ? undefined : reader.event(newest)
  return notice?.kind === 'notice-raised' && notice.branch === run.branch ? notice.text : null
}
