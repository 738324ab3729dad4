import { summaryTroubles } from '../agent/compaction/compaction-notice.ts'
import { openApprovals } from '../agent/state/approvals.ts'
import { missingModel } from '../agent/state/home-model.ts'
import { isOwners, oldestMain } from '../agent/state/person.ts'
import type { AgentSettings } from '../agent/state/settings.ts'
import { turnNumber } from '../agent/state/turn-number.ts'
import { pendingUpdates } from '../agent/state/updates.ts'
import { clockIn, isoAt } from '../base/time-text.ts'
import { countBranches } from '../context/branch.ts'
import { branchNames } from '../context/naming.ts'
import type { Event, Kind } from '../event/event.ts'
import { PROGRAM_VERSION } from '../event/format.ts'
import type { Position } from '../event/id.ts'
import { jobKinds } from '../event/job.ts'
import type { Reader } from '../event/table.ts'
import type { SkillReport } from '../skill/skill.ts'
import { othersView } from './cost.ts'
import { excerpt } from './excerpt.ts'
import type { JobsView } from './jobs.ts'

export interface StatusLook<Recall> {
  readonly home: string
  readonly now: number
  readonly settings: AgentSettings
  /** Where it is set; null: none is set. */
  readonly model: { readonly name: string; readonly source: string | null }
  readonly jobs: JobsView
  readonly skills: readonly SkillReport[]
  /** Why programs run without a box, or do not run. */
  readonly unboxed: string | undefined
  readonly recall: Recall
  readonly bytes: number
}

/** A home at a glance. Programs rely on the names. */
export function statusView<Recall>(reader: Reader, look: StatusLook<Recall>) {
  const { home, now, settings, model, jobs, skills, unboxed, recall, bytes } = look
  const main = oldestMain(reader)
  const nameOf = branchNames(reader, 'all')
  const next = jobs.jobs.find((job) => job.next !== null)
  return {
    version: PROGRAM_VERSION,
    home,
    log: { events: reader.end, branches: countBranches(reader), bytes, newest: newestView(reader) },
    recall,
    model: modelView(reader, model, settings),
    permissions: settings.permissions,
    jobs: {
      counts: Object.fromEntries(
        jobKinds.map((kind) => [kind, jobs.jobs.filter((job) => job.kind === kind).length]),
      ),
      next: next === undefined ? null : { kind: next.kind, id: next.id, at: next.next },
      paused: jobs.paused,
      problems: jobs.problems.length,
    },
    /** What waits for the person, and for the next turn of main. */
    waiting: {
      approvals: openApprovals(reader, now).length,
      updates: main === undefined ? 0 : pendingUpdates(reader, main).length,
    },
    /** What guests and groups used today; the owner pays. */
    othersToday: othersView(reader, clockIn(now, settings.zone).date, settings),
    /** Branches whose older messages could not be summarized. */
    troubles: [...summaryTroubles(reader, settings.compactionModel)].map(([branch, at]) => ({
      branch: nameOf(branch),
      since: isoAt(at),
    })),
    skills: skills.flatMap(({ name, state, because }) =>
      state === 'refused' ? { name, because: because ?? '' } : [],
    ),
    unboxed: unboxed ?? null,
  }
}

/** The model that answers; `missing`: none is set, and the work waits for the one that answered last. */
function modelView(
  reader: Reader,
  model: StatusLook<unknown>['model'],
  settings: Pick<AgentSettings, 'modelFrom'>,
) {
  return { ...model, missing: missingModel(reader, settings) ?? null }
}

/** The newest event that means something to the owner. */
function newestView(reader: Reader) {
  if (reader.end === 0) return null
  const event = newestTelling(reader)
  const { position, at, kind } = event
  const text = excerpt(event, branchNames(reader, 'all'), (turn) => turnNumber(reader, turn))
  return { position, at: isoAt(at), kind, text }
}

const LOOKED_MAX = 5_000

function newestTelling(reader: Reader): Event {
  const first = Math.max(1, reader.end - LOOKED_MAX)
  for (let position = reader.end; position > first; position--) {
    const event = reader.event(position as Position)
    if (!QUIET.has(event.kind) && isOwners(reader, event.branch)) return event
  }
  return reader.event(first as Position)
}

const QUIET: ReadonlySet<Kind> = new Set([
  'delivery-done',
  'delivery-intended',
  'delivery-part',
  'buttons-made',
  'preview-begun',
  'preview-shown',
  'preview-removed',
  'turn-ended',
  'content-kept',
  'model-called',
  'setup-changed',
  'compaction-abandoned',
  'call-decided',
  'zone-set',
])
