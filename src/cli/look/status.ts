import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sayTrouble } from '../../agent/compaction/compaction-notice.ts'
import { missingWords } from '../../agent/state/home-model.ts'
import { systemClock } from '../../base/clock.ts'
import { systemZone } from '../../base/environment.ts'
import { minuteText } from '../../base/time-text.ts'
import { oneLine, shorten } from '../../base/width.ts'
import { ageText, bytesText, capital, counted } from '../../base/words.ts'
import { readConfig, type ReadConfig } from '../../config/config.ts'
import { PROGRAM_VERSION } from '../../event/format.ts'
import { LogError } from '../../log/log.ts'
import { unboxedText } from '../../runtime/home/home-boxes.ts'
import { logBytes } from '../../runtime/home/home.ts'
import { agentSettings } from '../../runtime/home/live-config.ts'
import { embeddersView } from '../../view/models.ts'
import { modelSet, summariserProblem } from '../../runtime/home/model-shelf.ts'
import { recallState, type RecallState } from '../../runtime/home/recall-state.ts'
import { OwnerClient } from '../../client/socket.ts'
import type { ChannelAnswer } from '../../server/contract/channels.ts'
import { readOwner } from '../../owner/owner-file.ts'
import { minimalEnvironment } from '../../tool/process/minimal-environment.ts'
import { jobsLine } from '../../view/jobs-text.ts'
import { jobsView } from '../../view/jobs.ts'
import { otherWords } from '../../view/cost.ts'
import { statusView } from '../../view/status.ts'
import type { Command, CommandCall } from '../frame/command.ts'
import { openLog, openShelf, withLog } from '../frame/home.ts'
import { isAlive } from '../job/job-home.ts'
import { serviceProblems } from '../supervise/supervise.ts'

export const statusCommand: Command = {
  name: 'status',
  summary: 'the home, its log, the jobs and the model',
  usage: '[--json]',
  details: `Prints the home, the size of its log and the newest event, how complete the search index is, how
many jobs there are and which is next, the model with where it is set, skills that cannot be loaded, and
whether something waits for you or for main.

  --json        one JSON object

It creates and changes nothing. Works while another process writes to the log.`,
  run: runStatus,
}

async function runStatus(call: CommandCall): Promise<number> {
  const { home, out } = call
  const heading = [`${out.style.bold('Mainstem')} ${PROGRAM_VERSION}`, `Home   ${home}`]
  try {
    const looked = await lookAt(call)
    const { apps, model } = await ownerSays(home)
    const view = { ...looked.view, ...(model && { model }) }
    const problems = serviceProblems(call).map((problem) => `Note   ${problem}`)
    return await call.print({ ...view, apps }, () => [
      ...heading,
      ...linesOf({ ...looked, view }),
      ...apps.map(appLine),
      ...problems,
    ])
  } catch (error) {
    if (!(error instanceof LogError)) throw error
    const view = { version: PROGRAM_VERSION, home, problem: error.message }
    await call.print(view, () => [...heading, `Log    cannot be read: ${error.message}`])
    return 1
  }
}

async function lookAt(call: CommandCall) {
  const { home } = call
  return withLog(openLog(home, { glance: true }), async (log) => {
    const config = readConfig(call)
    const settings = agentSettings(config)
    const shelf = await openShelf(call)
    const when = { now: systemClock(), zone: settings.zone }
    const { reports: skills, skills: loaded } = await skillsOf(call, config)
    const programs = { values: config.values, skills: loaded, environment: call.environment }
    const unboxed = unboxedText(programs)
    const [recall, bytes, model] = [recallState(home), logBytes(home), modelSet(config)]
    const look = { home, now: when.now, settings, model, skills, unboxed, recall, bytes }
    return log.read((reader) => {
      const jobs = jobsView(reader, { shelf, when })
      const view = statusView(reader, { ...look, jobs })
      return { view, jobs: jobsLine(jobs, when), config }
    })
  })
}

async function skillsOf({ home, environment }: CommandCall, { values }: ReadConfig) {
  const { loadHomeSkills } = await import('../../runtime/home/home-skills.ts')
  const parts = { home, workspace: join(home, 'workspace'), environment: minimalEnvironment(environment) }
  return loadHomeSkills({ ...parts, values })
}

type Looked = Awaited<ReturnType<typeof lookAt>>

/** Notes come last: what is wrong, and what waits for the person or for main. */
function linesOf({ view, jobs, config }: Looked): string[] {
  const { home, log, recall, model, waiting } = view
  const missing = existsSync(home) ? 'none yet' : 'none yet; the home is created on first use'
  const counts = `${counted(log.events, 'event')} in ${counted(log.branches, 'branch', 'branches')}`
  const set = modelWords(model)
  const problem = summariserProblem(config, systemClock)
  const embedder = embeddersView(config).find(({ used }) => used)
  const isOpen = view.permissions === 'bypassPermissions'
  return [
    ...(log.events === 0
      ? [`Log    ${missing}`]
      : [
          `Log    ${counts}, ${bytesText(log.bytes)}`,
          ...(log.newest === null ? [] : [`       ${newestWords(log.newest)}`]),
          `Recall ${recallLine(recall, log.events)}`,
          ...(jobs === undefined ? [] : [`Jobs   ${jobs}`]),
        ]),
    `Model  ${set}`,
    ...view.othersToday.map((one) => `Used   today by ${otherWords(one)}`),
    ...ownerLines(home),
    ...[
      ...(problem === undefined ? [] : [problem]),
      ...(embedder?.needs ?? []),
      ...(view.unboxed === null ? [] : [view.unboxed]),
      ...(isOpen ? ['permission mode is bypassPermissions: every call runs without asking'] : []),
      ...view.skills.map(({ name, because }) => oneLine(`the skill ${name} is not loaded: ${because}`)),
      ...view.troubles.map(({ branch, since }) => troubleWords(branch, since)),
      ...waits(waiting.approvals, 'approval', 'for you; /approvals in a conversation lists them'),
      ...waits(waiting.updates, 'update', 'for the next turn of main'),
    ].map((text) => `Note   ${text}`),
  ]
}

/** Who owns the log, and answers everybody else. */
function ownerLines(home: string): string[] {
  const owner = readOwner(home)
  if (owner === undefined || !isAlive(owner.pid)) return []
  const { command, pid, since } = owner
  return [`Runs   ${command} (process ${pid}) since ${minuteText(since, systemZone())}`]
}

const ANSWER_MS_MAX = 1_000

interface OwnerSays {
  /** The chat apps that it is connected to. */
  readonly apps: readonly ChannelAnswer[]
  /** It answers everybody, with the model of its own environment. */
  readonly model?: Looked['view']['model']
}

/** What only the process that owns the log knows. */
async function ownerSays(home: string): Promise<OwnerSays> {
  const owner = readOwner(home)
  if (owner === undefined || !isAlive(owner.pid)) return NOTHING_SAID
  const client = new OwnerClient(owner.socket)
  try {
    const signal = AbortSignal.timeout(ANSWER_MS_MAX)
    return await client.call<Required<OwnerSays>>('GET', '/api/status', { signal })
  } catch {
    // It is just ending, or too busy to say.
    return NOTHING_SAID
  } finally {
    client.close()
  }
}

function appLine({ name, isUp, as, why, retryAt }: ChannelAnswer): string {
  if (isUp) return `App    ${capital(name)}: ${as ?? 'connected'}`
  const next =
    retryAt === undefined || retryAt === null ? '' : ` Next try: ${minuteText(retryAt, systemZone())}.`
  return `Note   ${capital(name)}: ${why ?? 'connecting…'}${next}`
}

const NOTHING_SAID: OwnerSays = { apps: [] }

function modelWords({ name, source, missing }: Looked['view']['model']): string {
  if (missing) return `none: ${missingWords(missing)}; 'mainstem config set model NAME' sets one`
  return source === null ? UNSET : `${name} (from ${source})`
}

const UNSET = "offline, as none is set; 'mainstem config set model NAME' sets one"

function newestWords({ at, text }: NonNullable<Looked['view']['log']['newest']>): string {
  const age = ageText(systemClock() - Date.parse(at))
  return shorten(`newest ${minuteText(Date.parse(at), systemZone())} (${age} ago): ${text}`, 74)
}

function troubleWords(branch: string, since: string): string {
  return sayTrouble({
    what: `older messages of ${branch}`,
    time: minuteText(Date.parse(since), systemZone()),
  })
}

function waits(count: number, what: string, more: string): string[] {
  return count === 0 ? [] : [`${counted(count, what)} ${count === 1 ? 'waits' : 'wait'} ${more}`]
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
