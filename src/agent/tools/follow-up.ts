import { z } from 'zod'
import { whenText } from '../../base/time-text.ts'
import { isoInstant } from '../../base/iso-time.ts'
import type { BranchId, Position } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Reminder } from '../../schedule/definition.ts'
import { findJob, type JobShelf } from '../../schedule/job-shelf.ts'
import { newReminder, runAtOf } from '../../schedule/new-reminder.ts'
import { defineTool, HIDDEN } from '../../tool/define-tool.ts'
import { builtIn, type Tool } from '../../tool/tool.ts'
import { type Said, ok, refusal } from '../contract/act.ts'
import { getBranch } from '../../context/branch.ts'
import { messagesAdded } from '../../context/message-index.ts'
import { oneLine, shorten } from '../../base/width.ts'
import type { Chain } from '../../event/run.ts'
import { admittedAt, type Admitted } from '../state/inbox.ts'
import { runAbove, type Run } from '../state/run.ts'
import { inboundTable } from '../state/tables.ts'
import { knownJob } from '../state/jobs.ts'
import type { ReminderParts } from '../job/reminder-list.ts'
import { oneByOne, recordRoot, writeReminder } from '../job/reminding.ts'
import { resultOf } from './reminders.ts'

const MINUTES_MAX = 10_080

const argumentsSchema = z.strictObject({
  minutes_from_now: z.int().min(1).max(MINUTES_MAX).describe('1440 is a day'),
  /** Which chain, in a turn that took several. */
  reminder: z.string().max(100).exactOptional().meta(HIDDEN),
})

type Given = z.infer<typeof argumentsSchema>

/** Sets the next check of a chain. Whether it is available depends only on the chain, not on pings or reports. */
export function followUpTool(parts: ReminderParts): Tool {
  const inTurn = oneByOne()
  return defineTool({
    name: 'follow_up_chain',
    description: 'In a chained reminder: check again in so many minutes. Calling it again moves the check.',
    schema: argumentsSchema,
    usage: `Usage: follow_up_chain {"minutes_from_now": 1 to ${MINUTES_MAX}}.`,
    nature: builtIn('steers', { queue: 'reminders', says: 'host' }),
    run: async (given, { branch }) => resultOf(await inTurn(() => followUp(parts, branch, given))),
  })
}

async function followUp(parts: ReminderParts, branch: BranchId, given: Given): Promise<Said> {
  const { log, shelf, now, settings } = parts
  await shelf.refresh()
  const decided = await log.read((reader) => decide(reader, shelf, { branch, given }))
  if ('isError' in decided) return decided
  const { here, id, there } = decided
  const place = { now: now(), zone: settings().zone }
  const runAt = runAtOf(place.now + given.minutes_from_now * 60_000, place.zone)
  // A person may have edited the file since: only the time is changed.
  const reminder = there === undefined ? next(here, { id, runAt }) : { ...there, runAt }
  await recordRoot(parts, branch, reminder)
  const written = await writeReminder(shelf, reminder, { isNew: there === undefined })
  if (written === 'taken') return refusal(`There is no follow-up: somebody has just set ${id}. Call again.`)
  if (written !== undefined) return refusal(`There is no follow-up. ${written.problem}`)
  const check = `check ${reminder.chain.depth + 1}/${reminder.chain.max + 1}`
  const at = isoInstant(runAt, place.zone)
  return ok(`Follow-up ${id} (${check}) is ${there === undefined ? 'set' : 'moved'}: ${whenText(at, place)}.`)
}

interface Decided {
  readonly here: ChainHere
  readonly id: string
  /** The follow-up, if it was set before. */
  readonly there: Reminder | undefined
}

function decide(
  reader: Reader,
  shelf: JobShelf,
  { branch, given }: { readonly branch: BranchId; readonly given: Given },
): Decided | Said {
  const chains = chainsIn(reader, branch)
  const named = given.reminder === undefined ? chains : chains.filter(({ job }) => job === given.reminder)
  const [here, ...others] = named.length === 0 ? chains : named
  if (here === undefined) return refusal(NO_CHAIN)
  if (others.length > 0)
    return refusal(
      `Several chains are at work here. Say which with "reminder": ${chains.map(({ job }) => `"${job}"`).join(' or ')}.`,
    )
  const { depth, max } = here.chain
  if (depth >= max) return refusal(finalWords(here, branch))
  const name = nextName(shelf, here)
  const fired = knownJob(reader, { what: 'reminder', job: name.id })?.fired ?? null
  // A late second call would otherwise run the same check twice.
  if (fired !== null && fired > here.since && name.there === undefined)
    return refusal(`The next check, ${name.id}, has begun already. It can follow up by itself.`)
  return { here, ...name }
}

const NO_CHAIN =
  'There is no chain here: only a reminder that was set with follow-ups can set the next one. add_reminder sets a new reminder.'

/** Tells the model to ping or report now. A run that may not report is not told about reporting. */
function finalWords({ chain, run }: ChainHere, branch: BranchId): string {
  const final = `This is the final check (${chain.max + 1}/${chain.max + 1}): there is no follow-up.`
  if (run === null) return `${final} If it is unresolved and matters, say so to the person now.`
  const report = run.branch === branch && run.reporting !== 'blocked' ? 'report it with report_updates' : ''
  if (!run.allowPing) return report === '' ? `${final} End here.` : `${final} If it is unresolved, ${report}.`
  const ping = 'If it is unresolved and matters, ping the person now with ping_user'
  return `${final} ${ping}${report === '' ? '' : `; else ${report}`}.`
}

/** `pill-check-2`: a check always has the same name, so that a second call moves it. */
function nextName(shelf: JobShelf, { chain }: ChainHere): Pick<Decided, 'id' | 'there'> {
  const { parent, depth } = chain
  for (let count = 1; ; count++) {
    const end = `-check-${depth + 2}${count === 1 ? '' : `-${count}`}`
    const id = `${parent.slice(0, ID_CHARS_MAX - end.length).replace(/[\uD800-\uDBFF]$/u, '')}${end}`
    const there = findJob(shelf, { what: 'reminder', job: id })?.definition
    if (there === undefined) return { id, there }
    if (there.kind !== 'reminder' || there.chain.parent !== parent) continue
    if (there.chain.depth === depth + 1) return { id, there }
  }
}

const ID_CHARS_MAX = 64

function next(here: ChainHere, { id, runAt }: Pick<Reminder, 'id' | 'runAt'>): Reminder {
  const { chain, job: _job, since: _since, run: _run, ...taken } = here
  const deeper = { max: chain.max, depth: chain.depth + 1, parent: chain.parent }
  return newReminder({ ...taken, id, runAt, chain: deeper })
}

/** A check of a chain that works in this branch, with everything its follow-up inherits. */
interface ChainHere extends Omit<Reminder, 'kind' | 'id' | 'runAt' | 'timezone' | 'snoozeOf'> {
  readonly chain: Chain
  /** The id of the reminder that runs. */
  readonly job: string
  /** Where its work began. */
  readonly since: Position
  /** Null: in a main session. */
  readonly run: Run | null
}

/** The chains that a branch works on: one in a run, and as many in a main session as its turn took. */
function chainsIn(reader: Reader, branch: BranchId): ChainHere[] {
  const run = runAbove(reader, branch)
  if (run === undefined) return takenHere(reader, branch).flatMap(inMain)
  const chain = run.chain !== undefined && run.chain.max > 0 ? ofRun(reader, run, run.chain) : undefined
  return chain === undefined ? [] : [chain]
}

function ofRun(reader: Reader, run: Run, chain: Chain): ChainHere | undefined {
  const stretch = { prefix: [run.branch], from: run.position, order: 'up', limit: 1 } as const
  const [row] = reader.rows(inboundTable, stretch)
  if (row === undefined) return undefined
  const admitted = admittedAt(reader, row.position)
  const { isolated, model, thinking, reporting, allowPing, tools, skills } = run
  const rights = { isolated, model, thinking, reporting, allowPing, tools, skills }
  return {
    ...rights,
    chain,
    job: run.job,
    since: run.position,
    run,
    person: run.person ?? null,
    description: descriptionOf(reader, run, admitted),
    background: true,
    isByModel: isByModel(admitted),
    body: admitted.text,
  }
}

function isByModel({ source }: Admitted): boolean {
  return source.from === 'host' && source.isByModel === true
}

const TITLE_COLUMNS = 60

/** A run's title is its description, or else the beginning of its task. */
function descriptionOf(reader: Reader, run: Run, { source, text }: Admitted): string {
  if (source.from === 'host' && source.chain !== undefined) return source.chain.description
  const { title } = getBranch(reader, run.branch)
  return title === null || title === run.job || title === shorten(oneLine(text), TITLE_COLUMNS) ? '' : title
}

/** Defaults for logs that do not record these fields. */
const PLAIN = { isolated: false, model: null, thinking: 'adaptive', reporting: 'on_ping', tools: [] } as const

function inMain({ position, source, text }: Admitted): ChainHere[] {
  if (source.from !== 'host' || source.chain === undefined || source.chain.max === 0) return []
  const { description, skills, manner = PLAIN, ...chain } = source.chain
  return [
    {
      ...manner,
      allowPing: source.allowPing ?? true,
      skills,
      chain,
      description,
      job: source.id ?? chain.parent,
      since: position,
      run: null,
      person: source.person ?? null,
      background: false,
      isByModel: source.isByModel ?? false,
      body: text,
    },
  ]
}

/** Everything that the running turn of the branch took from its inbox. */
function takenHere(reader: Reader, branch: BranchId): Admitted[] {
  const { state } = getBranch(reader, branch)
  const said = state.kind === 'running' ? messagesAdded(reader, { src: branch, from: state.since }) : []
  return said.flatMap(({ took }) => (took === undefined ? [] : admittedAt(reader, took)))
}
