import { turnNumber } from '../../agent/state/turn-number.ts'
import { systemZone } from '../../base/environment.ts'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { minuteText } from '../../base/time-text.ts'
import { openApprovals } from '../../agent/state/approvals.ts'
import { updateKeyTable } from '../../agent/state/tables.ts'
import { pendingUpdates } from '../../agent/state/updates.ts'
import { sayTrouble, summaryTroubles } from '../../agent/compaction/compaction-notice.ts'
import { systemClock } from '../../base/clock.ts'
import { countBranches } from '../../context/branch.ts'
import { branchNames } from '../../context/naming.ts'
import { readConfig, type ReadConfig } from '../../config/config.ts'
import { sourceText } from '../../config/table/source.ts'
import { PROGRAM_VERSION } from '../../event/format.ts'
import type { Event, Kind } from '../../event/event.ts'
import type { Position } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { LogError } from '../../log/log.ts'
import { listHandedIn } from '../../runtime/life/handed-in.ts'
import { logFile } from '../../runtime/home/home.ts'
import { summariserProblem } from '../../runtime/home/model-shelf.ts'
import { recallState, type RecallState } from '../../runtime/home/recall-state.ts'
import { openForReading } from '../../runtime/home/open-log.ts'
import { minimalEnvironment } from '../../tool/process/minimal-environment.ts'
import type { Command, CommandCall } from '../frame/command.ts'
import { excerpt } from './excerpt.ts'
import { openShelf } from '../job/job-home.ts'
import { jobsView } from '../../view/jobs.ts'
import { jobsLine } from '../../view/jobs-text.ts'
import { settingsOf, withLog } from '../frame/home.ts'
import { oneLine, shorten } from '../../base/width.ts'
import { bytesText } from '../../view/words.ts'
import { counted, ageText } from '../../base/words.ts'
import { oldestMain } from '../../agent/state/person.ts'

export const statusCommand: Command = {
  name: 'status',
  summary: 'the home, its log, the jobs and the model',
  usage: '',
  details: `Prints the home, the size of its log and the newest event, how far the search index is, how many
jobs there are and which is next, the model with where it is set, skills that cannot be loaded, and
whether something waits for you or for main.

It only looks, and makes nothing. Works while another process writes to the log.`,
  run: runStatus,
}

async function runStatus(call: CommandCall): Promise<number> {
  const { home, out } = call
  const state = await logLines(call)
  const config = state.isReadable ? readConfig(call) : undefined
  const lines = [
    `${out.style.bold('Mainstem')} ${PROGRAM_VERSION}`,
    `Home   ${home}`,
    ...state.lines,
    ...(config === undefined
      ? []
      : [...configLines(config), ...(await skillNotes(call, config)).map(noteLine)]),
    ...state.notes.map(noteLine),
  ]
  for (const line of lines) void out.line(line)
  return state.isReadable ? 0 : 1
}

function configLines(config: ReadConfig): string[] {
  const { values, sourceOf } = config
  const model =
    values.model === null
      ? "offline, as none is set; 'mainstem config set model NAME' sets one"
      : `${values.model} (from ${sourceText(sourceOf('model'))})`
  const problem = summariserProblem(config, systemClock)
  const isOpen = values.permissions === 'bypassPermissions'
  return [
    `Model  ${model}`,
    ...(problem === undefined ? [] : [noteLine(problem)]),
    ...(isOpen ? [noteLine('permissions are bypassPermissions: every call runs without asking')] : []),
  ]
}

async function skillNotes(call: CommandCall, { values }: ReadConfig): Promise<string[]> {
  const { loadHomeSkills } = await import('../../runtime/home/home-skills.ts')
  const { home } = call
  const environment = minimalEnvironment(call.environment)
  const { reports } = await loadHomeSkills({ home, workspace: join(home, 'workspace'), values, environment })
  return reports
    .filter(({ state }) => state === 'refused')
    .map(({ name, because }) => oneLine(`the skill ${name} is not loaded: ${because ?? ''}`))
}

function noteLine(text: string): string {
  return `Note   ${text}`
}

/** The notes: branches whose older messages could not be summarized, and what waits for the person or for main. */
async function logLines(call: CommandCall) {
  const { home } = call
  try {
    return await withLog(openForReading(home, { glance: true }), async (log) => {
      const { compactionModel, zone } = settingsOf(call)
      // Errors are ignored here: the process that takes the updates in reports them.
      const handedIn = await listHandedIn(home).catch(() => [])
      const shelf = await openShelf(call, () => undefined)
      return log.read((reader) => {
        const when = { now: systemClock(), zone }
        const jobs = jobsLine(jobsView(reader, { shelf, when }), when)
        const approvals = openApprovals(reader, when.now).length
        const [counts, ...newest] = summary(reader)
        return {
          isReadable: true,
          lines: [
            `Log    ${counts}, ${bytesText(sizeOf(logFile(home)))}`,
            ...newest.map((line) => `       ${line}`),
            `Recall ${recallLine(recallState(home), reader.end)}`,
            ...(jobs === undefined ? [] : [`Jobs   ${jobs}`]),
          ],
          notes: [
            ...troublesIn(reader, compactionModel),
            ...waits(approvals, 'approval', 'for you; /approvals in a conversation lists them'),
            ...updatesIn(reader, handedIn),
          ],
        }
      })
    })
  } catch (error) {
    if (!(error instanceof LogError)) throw error
    const isReadable = error.code === 'missing'
    const missing = existsSync(home) ? 'none yet' : 'none yet; the home is created on first use'
    const what = isReadable ? missing : `cannot be read: ${error.message}`
    return { isReadable, lines: [`Log    ${what}`], notes: [] }
  }
}

function summary(reader: Reader): string[] {
  const branches = countBranches(reader)
  const counts = `${counted(reader.end, 'event')} in ${counted(branches, 'branch', 'branches')}`
  if (reader.end === 0) return [counts]
  const newest = newestTelling(reader)
  const age = ageText(systemClock() - newest.at)
  const words = `newest ${minuteText(newest.at, systemZone())} (${age} ago): ${excerpt(newest, branchNames(reader), (turn) => turnNumber(reader, turn))}`
  return [counts, shorten(words, 74)]
}

function troublesIn(reader: Reader, by: string): string[] {
  const nameOf = branchNames(reader)
  return [...summaryTroubles(reader, by)].map(([branch, at]) =>
    sayTrouble({ what: `older messages of ${nameOf(branch)}`, time: minuteText(at, systemZone()) }),
  )
}

function waits(count: number, what: string, more: string): string[] {
  return count === 0 ? [] : [`${counted(count, what)} ${count === 1 ? 'waits' : 'wait'} ${more}`]
}

function updatesIn(reader: Reader, handedIn: readonly { readonly name: string }[]): string[] {
  const main = oldestMain(reader)
  const told = main === undefined ? 0 : pendingUpdates(reader, main).length
  // A file may still be there a moment after the log has it.
  const count = told + handedIn.filter(({ name }) => reader.row(updateKeyTable, [name]) === undefined).length
  return waits(count, 'update', 'for the next turn of main')
}

function recallLine(state: RecallState, end: number): string {
  switch (state.kind) {
    case 'none':
      return 'not indexed yet; the next search or chat does it'
    case 'unusable':
      return `the next search or chat rebuilds its index: ${state.because}`
    case 'indexed': {
      const behind = Math.max(0, end - state.upTo)
      const much = behind === 0 ? 'all' : `all but the newest ${counted(behind, 'event')}`
      const made = state.vectors.map(({ embedder, count }) => vectorWords(embedder, count, state.documents))
      const vectors = made.length === 0 ? 'no vectors' : made.join(' and ')
      return `${much} indexed, ${vectors}, ${bytesText(state.bytes)}`
    }
  }
}

function vectorWords(embedder: string, count: number, documents: number): string {
  const missing = Math.max(0, documents - count)
  return `vectors by ${embedder}${missing === 0 ? '' : ` (${counted(missing, 'message')} behind)`}`
}

/** Includes the write-ahead log. */
function sizeOf(file: string): number {
  return [file, `${file}-wal`].reduce(
    (sum, name) => sum + (statSync(name, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
}

/** The newest event that means something to a person. */
function newestTelling(reader: Reader): Event {
  for (let position = reader.end; position > 1; position--) {
    const event = reader.event(position as Position)
    if (!QUIET.has(event.kind)) return event
  }
  return reader.event(1 as Position)
}

const QUIET: ReadonlySet<Kind> = new Set([
  'delivery-done',
  'delivery-intended',
  'turn-ended',
  'content-kept',
  'model-called',
  'setup-changed',
  'compaction-abandoned',
  'call-decided',
])
