import { newTurnId } from '../state/turn-number.ts'
import { oneLine, shorten } from '../../base/width.ts'
import { getBranch, type Branch } from '../../context/branch.ts'
import type { EndedWork } from '../../context/tables.ts'
import { isRefusal } from '../../context/decision.ts'
import { flatten } from '../../context/list.ts'
import { headOf } from '../../context/message-index.ts'
import { branchNames } from '../../context/naming.ts'
import { messageOf, startTurn } from '../../context/step.ts'
import { listOf } from '../../context/version.ts'
import type { BranchId, Position, TurnId } from '../../event/id.ts'
import type { Reader, Writing } from '../../event/table.ts'
import type { Reason } from '../../event/work.ts'
import { isPassedOn, joinsWork, questionsIn, whoAsked } from '../state/asker.ts'
import { admittedAt, isCommand, mailAt, ready, unreadMail, waiting, type Admitted } from '../state/inbox.ts'
import { rootOfNextTurn } from '../state/cause.ts'
import { dueIn } from '../branch/due.ts'
import { beginPreview, say } from '../state/outbox.ts'
import { personIn } from '../state/person.ts'
import { modelOfTurn } from '../state/home-model.ts'
import { runAbove, runIn, type Run } from '../state/run.ts'
import { preambleIn, type Surroundings } from '../run/preamble.ts'
import { modelCallTable, turnTable } from '../state/tables.ts'
import { addHostLine, takeInbox } from '../step/take-inbox.ts'
import { CATCHING_UP, pendingUpdates, updatesFor } from '../state/updates.ts'

export interface Tail {
  readonly text: string
  readonly after: Position
  /** Why recall brought each piece of it. */
  readonly why?: readonly Reason[]
}

/** Messages that recall brought back, and the version of the context that it searched from. */
export interface Memory extends Tail {
  readonly version: Position
}

export interface RunningTurn {
  readonly branch: BranchId
  /** Whose branch it is. */
  readonly person: string
  readonly turn: TurnId
  readonly mode: Branch['mode']
  /** The background run that the branch is, if any, as of the turn's start. */
  readonly run: Run | null
  /** The run that the branch is or works for. */
  readonly job: Run | null
  /** Text that only this turn shows, after the message that opened it. */
  readonly tail: Tail | null
  /** Earlier messages that may matter now: shown before the tail while there is room. */
  readonly memory: Memory | null
  /** The person who asked knows that the model cannot be reached: that is said once, until it answers again. */
  readonly isTold: boolean
}

export interface Beginning {
  readonly branch: BranchId
  readonly at: number
  readonly seed: number
  readonly zone: string
  readonly isImpatient: boolean
  /** Channels where a message can grow while the turn runs. */
  readonly previewing: ReadonlySet<string>
  readonly around: Omit<Surroundings, 'now'>
}

/** Starts the branch's next turn with everything in its inbox; undefined if nothing is left to answer. */
export function beginTurn(writing: Writing, act: Beginning): RunningTurn | undefined {
  const { settings } = act.around
  const { modelFrom } = settings
  const due = dueIn(writing, { branch: act.branch, now: act.at, isImpatient: act.isImpatient, modelFrom })
  if (due.kind !== 'turn') return undefined
  const branch = getBranch(writing, act.branch)
  const last = branch.state.kind === 'idle' ? branch.state.last : null
  const isTold = !act.isImpatient && isDeferralKnown(writing, branch)
  const isUnfinished = last !== null && (last.outcome === 'interrupted' || last.outcome === 'deferred')
  const continues = isUnfinished || due.because === 'unfinished' ? (last?.turn ?? null) : null
  const turn = newTurnId(writing, act)
  const withdrawn = continues === null ? withdrawnIn(writing, branch) : []
  const root = rootOfNextTurn(writing, act.branch, { continues, takes: firstTaken(writing, act, continues) })
  const started = startTurn(writing, {
    branch: act.branch,
    at: act.at,
    turn,
    continues,
    ...(root !== undefined && { root }),
  })
  if (isRefusal(started)) throw new TypeError(`a turn cannot start here: ${started.refused}`)
  const job = runAbove(writing, act.branch) ?? null
  writing.append({ ...started.draft, ...modelOfTurn(writing, settings, job) })
  const updates = updatesFor(writing, branch, act.at)
  const preamble = preambleIn({ ...act.around, now: act.at })
  takeInbox(writing, { ...act, from: 'anybody', updates, withdrawn, preamble })
  if (continues !== null) pointBack(writing, act)
  if (updates?.facts.of === branch.id) tellCatchingUp(writing, branch, { ...act, turn })
  if (due.because === 'mail') {
    const text = `You have ${mailCount(writing, act.branch)}. Read it with the slash command check-mail.`
    addHostLine(writing, act, { text, zone: act.zone, why: ': mail woke you' })
  }
  const tail = due.because === 'mail' ? null : tailFor(writing, act.branch)
  const run = runIn(writing, act.branch) ?? null
  const person = personIn(writing, act.branch)
  return { branch: act.branch, person, turn, mode: branch.mode, run, job, tail, memory: null, isTold }
}

/** The messages that the turn is about to take, up to one of another conversation. */
function firstTaken(reader: Reader, { branch, at }: Beginning, continues: TurnId | null): Admitted[] {
  const entries = ready(reader, branch, at)
  const command = entries.findIndex(isCommand)
  const taken: Admitted[] = []
  for (const { form, position } of command < 0 ? entries : entries.slice(0, command)) {
    const admitted = admittedAt(reader, position)
    if (form === 'note') continue
    if (continues !== null && !joinsWork(reader, getBranch(reader, branch), admitted)) break
    taken.push(admitted)
  }
  return taken
}

/** Otherwise a model would answer the question of a failed `-p` together with the next one. */
function withdrawnIn(reader: Reader, branch: Branch): readonly string[] {
  const last = branch.state.kind === 'idle' ? branch.state.last : null
  const asked = questionsIn(reader, branch).at(-1)?.source
  const first = waiting(reader, branch.id).find(({ form }) => form === 'message')
  if (last?.outcome !== 'failed' || asked?.thread === undefined || first === undefined) return []
  return joinsWork(reader, branch, admittedAt(reader, first.position)) ? [] : [WITHDRAWN]
}

const WITHDRAWN =
  '(written by the host: the message before this one failed and was withdrawn; do not answer it)'

const QUESTION_MAX = 300

/** A save puts a fork's messages after a question that is open here, so the host names the question again. */
function pointBack(writing: Writing, act: Beginning): void {
  const branch = getBranch(writing, act.branch)
  if (endsWithWork(writing, branch)) return
  const questions = questionsIn(writing, branch).map(
    ({ text }) => `"${shorten(oneLine(text), QUESTION_MAX)}"`,
  )
  const text =
    questions.length === 0
      ? 'What you were doing here before that is not finished. Go on with it now.'
      : `What the person said before that has no answer yet: ${questions.join(', ')}. Answer it now.`
  addHostLine(writing, act, { text, zone: act.zone, why: ': what stands above was said in a fork' })
}

/** Whether the branch's newest message belongs to the running work and is not the model's own. */
function endsWithWork(reader: Reader, branch: Branch): boolean {
  const item = listOf(reader, branch).at(-1)
  const last = item && flatten(reader, item).at(-1)
  if (last === undefined || branch.state.kind !== 'running') return true
  const isOfWork = last.src === branch.id && last.to >= branch.state.since
  return isOfWork && messageOf(reader.event(last.to)).role !== 'assistant'
}

/** Call ids contain the turn's id, and no two calls may ever share an id (TURN3). */
function isDeferralKnown(reader: Reader, branch: Branch): boolean {
  const last = branch.state.kind === 'idle' ? branch.state.last : null
  return last !== null && isOutOfReach(reader, last) && whoAsked(reader, branch) !== undefined
}

/** Whether the model could not be reached when last tried, even if a process died since. */
function isOutOfReach(reader: Reader, last: EndedWork): boolean {
  let turn: TurnId | null = last.turn
  for (let outcome: unknown = last.outcome; outcome === 'interrupted' && turn !== null;) {
    if ((reader.row(modelCallTable, [turn, 1])?.answered ?? null) !== null) return false
    turn = continuedBy(reader, turn)
    outcome = turn && reader.row(turnTable, [turn])?.outcome
    if (outcome === 'deferred') return true
  }
  return last.outcome === 'deferred'
}

function continuedBy(reader: Reader, turn: TurnId): TurnId | null {
  const row = reader.row(turnTable, [turn])
  const event = row && reader.event(row.position)
  return event?.kind === 'turn-started' ? event.continues : null
}

/** Only where the updates were shown: a turn that continues without a new message shows none. */
function tellCatchingUp(
  writing: Writing,
  branch: Branch,
  { turn, at, previewing }: Pick<Beginning, 'at' | 'previewing'> & { turn: TurnId },
): void {
  if (pendingUpdates(writing, branch.id).length > 0) return
  const to = isPassedOn(writing, getBranch(writing, branch.id)) ? undefined : whoAsked(writing, branch)
  if (to === undefined) return
  const words = { branch: branch.id, at, to, text: CATCHING_UP, turn }
  if (previewing.has(to.channel)) beginPreview(writing, words)
  else say(writing, { ...words, notice: 'catching-up', cause: null })
}

/** Text that only this turn shows. It stays after the opening message, so later steps keep the same prefix. */
function tailFor(reader: Reader, branch: BranchId): RunningTurn['tail'] {
  const after = headOf(reader, branch)
  if (after === null || unreadMail(reader, branch).length === 0) return null
  return { text: `(You have ${mailCount(reader, branch)}. The slash command check-mail reads it.)`, after }
}

/** `2 unread messages, from k3f9ab and main` */
function mailCount(reader: Reader, branch: BranchId): string {
  const unread = unreadMail(reader, branch)
  const nameOf = branchNames(reader)
  const senders = new Set(unread.map((position) => nameOf(mailAt(reader, position).from)))
  const count = unread.length === 1 ? '1 unread message' : `${unread.length} unread messages`
  return `${count}, from ${[...senders].join(' and ')}`
}
