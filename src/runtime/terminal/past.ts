import { boundBranch } from '../../agent/branch/binding.ts'
import { senderName } from '../../agent/branch/reply-act.ts'
import { approvalNumbered, drawsAnswer } from '../../agent/state/approvals.ts'
import { newest } from '../../agent/state/newest.ts'
import { addressKey } from '../../agent/state/outbox.ts'
import { jobOfTurn } from '../../agent/state/asker.ts'
import { deliveryTable, outboxTable, pingDeliveryTable } from '../../agent/state/tables.ts'
import { bounded } from '../../base/words.ts'
import { sentWith } from '../../event/file.ts'
import type { Entry, Question } from '../../channel/terminal/port.ts'
import { closingText } from '../../channel/terminal/input/questions.ts'
import { getBranch } from '../../context/branch.ts'
import { branchNames } from '../../context/naming.ts'
import type { Event, EventOf } from '../../event/event.ts'
import type { BranchId, Position } from '../../event/id.ts'
import { jobText } from '../../event/job.ts'
import { allRows, type Reader } from '../../event/table.ts'
import { isTypedAt, saidAt, type Said, type Window } from '../../view/chat/order.ts'
import { terminalAddress } from './place.ts'
import { approvalIn, closingOf, questionOf, withoutLastLine, type Waiting } from './open-questions.ts'

const TERMINAL = addressKey(terminalAddress)
const ENTRIES_MAX = 30
const TYPED_MAX = 200
/** For a screen that comes back after a moment. */
const MISSED_MAX = 500
/** There may be much background work between two messages; opening a terminal must not read all of it. */
const LOOKED_MAX = 5_000

interface PastLook extends Waiting {
  /** What was delivered up to here; later deliveries are still on their way, and will be shown when they come. */
  readonly shown: number
  /** For a screen that was there before: what it has seen of what was typed and delivered. */
  readonly seen?: { readonly said: number; readonly shown: number } | undefined
}

/** What was said in a conversation lately, oldest first, and the lines that were typed there. */
export function pastOf(reader: Reader, { shown, seen, ...waiting }: PastLook) {
  const found: { readonly entry: Entry; readonly position: Position }[] = []
  const typed: string[] = []
  /** The approvals whose questions are among the entries. */
  const asked = new Set<number>()
  /** Those about calls that still wait. */
  const questions: Question[] = []
  const stays: Stay[] = []
  const first = Math.max(1, reader.end - LOOKED_MAX + 1)
  const window = windowIn(reader)
  const { here } = window
  const to = saidTo(reader, shown)
  for (let at = reader.end; at >= first && typed.length < TYPED_MAX; at--) {
    const event = reader.event(at as Position)
    const said = saidAt(reader, event, window)
    const line = said?.place === undefined ? said?.text : undefined
    const stay = stayIn(event)
    if (stay !== undefined) stays.push(stay)
    if (line !== undefined && line !== typed.at(-1)) typed.push(line)
    const { position } = event
    if (found.length >= (seen === undefined ? ENTRIES_MAX : MISSED_MAX)) continue
    if (said !== undefined && position > (seen?.said ?? 0) && position <= to)
      found.push({ entry: saidEntry(said), position })
    if (event.kind !== 'delivery-intended') continue
    if (addressKey(event.to) !== TERMINAL) {
      // A screen that was there has followed it.
      if (seen === undefined && event.form === 'answer' && event.branch === here)
        found.push({ entry: entryOf(reader, event), position })
      continue
    }
    if (position > shown) continue
    const approval = approvalIn(event.choices ?? [])
    if (approval !== undefined) asked.add(approval)
    const question = questionOf(reader, event, waiting)
    if (question !== undefined) questions.push(question)
    if (position <= (seen?.shown ?? 0)) continue
    const closing = closingEntries(reader, event, waiting)
    found.push(...[...closing, entryOf(reader, event)].map((entry) => ({ entry, position })))
  }
  const entries = found.map(({ entry, position }) => withShown(reader, entry, { position, stays }))
  return {
    entries: entries.toReversed(),
    typed: typed.toReversed(),
    asked,
    questions: questions.toReversed(),
  }
}

/** The terminal as a window on the branch that it talks to. */
export function windowIn(reader: Reader): Window {
  return { ...terminalAddress, here: boundBranch(reader, terminalAddress) }
}

/** What was said up to here stands above the next delivery, which is still to be shown. */
export function saidTo(reader: Reader, shown: number): number {
  const stretch = { prefix: [TERMINAL], from: shown + 1, order: 'up', limit: 1 } as const
  const next = reader.rows(deliveryTable, stretch)[0]?.position
  return next === undefined ? reader.end : next - 1
}

export function saidEntry(said: Said): Extract<Entry, { kind: 'said' }> {
  return { kind: 'said', ...said }
}

/** The last delivery to a conversation that has an outcome, as have all before it. */
export function shownTo(reader: Reader): number {
  return reader.row(outboxTable, [TERMINAL])?.settled_to ?? 0
}

/** How a closed question ended, unless the person's own answer says it. */
export function closingEntries(
  reader: Reader,
  { choices = [] }: EventOf<'delivery-intended'>,
  waiting: Waiting,
): Entry[] {
  const approval = approvalIn(choices)
  if (approval === undefined) return []
  const how = closingOf(reader, approval, waiting)
  const text = how && closingText(approval, how)
  return text === undefined ? [] : [{ kind: 'notice', text }]
}

/** A delivery as the screen keeps it. */
export function entryOf(reader: Reader, intent: EventOf<'delivery-intended'>): Entry {
  return { ...shownAs(reader, intent), ...(drawsAnswer(reader, intent) && { drawsAnswer: true }) }
}

function shownAs(reader: Reader, intent: EventOf<'delivery-intended'>): Entry {
  const { form, at, branch: id, number, embed, choices = [] } = intent
  const text = bounded(sentWith(intent))
  const numbered = number !== undefined && { number }
  if (form === 'question') return { kind: 'question', text: withoutHow(reader, intent) }
  if (form === 'notice') return { kind: 'notice', text, ...numbered }
  if (form === 'output') return { kind: 'output', text, isError: isErrorOutput(reader, intent) }
  const [branch, from] = [branchNames(reader)(id), senderName(reader, id)]
  if (form === 'answer') return { kind: 'answer', text, at, branch, from, ...dueJob(reader, intent) }
  const critical = isCritical(reader, intent) && ({ isCritical: true } as const)
  return { kind: 'ping', text, at, branch, from, choices, ...numbered, ...critical, ...(embed && { embed }) }
}

/** The job that caused the answer, if nobody asked for it. */
function dueJob(reader: Reader, { turn, position }: EventOf<'delivery-intended'>): { readonly job?: string } {
  const job = turn === null ? undefined : jobOfTurn(reader, turn, position)
  return job === undefined ? {} : { job: jobText(job) }
}

function isCritical(reader: Reader, { position }: EventOf<'delivery-intended'>): boolean {
  return allRows(reader, pingDeliveryTable, { prefix: [position] }).some(({ ping }) => {
    const event = reader.event(ping)
    return event.kind === 'ping-decided' && event.isCritical
  })
}

/**
 * Leaves out the last line, which says what to type: the screen has keys for that. Memory questions keep it, since the
 * person may give other words instead.
 */
function withoutHow(reader: Reader, { text, choices = [] }: EventOf<'delivery-intended'>): string {
  const approval = approvalIn(choices)
  const wish = approval === undefined ? undefined : approvalNumbered(reader, approval)?.request.wish
  if (wish === undefined || wish.kind === 'memory') return text
  if (wish.kind === 'call') return withoutLastLine(text)
  const at = text.lastIndexOf('\n')
  return at > 0 && text.startsWith(`/approve ${approval} `, at + 1) ? text.slice(0, at) : text
}

/** Whether the command that it answers failed. */
function isErrorOutput(reader: Reader, { cause }: EventOf<'delivery-intended'>): boolean {
  const run = cause === undefined ? undefined : reader.event(cause)
  return run?.kind === 'command-run' && run.isError
}

/** Who moved the conversation out of this branch, or ended the branch: whatever came last. */
export function moverOf(reader: Reader, left: BranchId): 'person' | 'other' {
  const { state } = getBranch(reader, left)
  const bound = newest(reader, 'bound', TERMINAL)?.position ?? 0
  const last = Math.max(bound, state.kind === 'ended' ? state.endedAt : 0)
  const event = last === 0 ? undefined : reader.event(last as Position)
  return event !== undefined && 'author' in event && event.author.by === 'person' ? 'person' : 'other'
}

function isBinding(event: Event): event is EventOf<'conversation-bound'> {
  return event.kind === 'conversation-bound' && addressKey(event) === TERMINAL
}

/** Where the conversation was from a position on. */
interface Stay {
  readonly since: Position
  readonly branch: BranchId
}

/** What an event says about it: it was taken there, or a person's words were admitted there. */
function stayIn(event: Event): Stay | undefined {
  const isThere =
    isBinding(event) || (event.kind === 'inbound-admitted' && isTypedAt(terminalAddress, event.source))
  return isThere ? { since: event.position, branch: event.branch } : undefined
}

/**
 * Adds the branch that was shown when the entry came, so that the past looks as it did then. `stays` has the newest
 * first; where the conversation was before the oldest is unknown.
 */
function withShown(
  reader: Reader,
  entry: Entry,
  { position, stays }: { position: Position; stays: readonly Stay[] },
): Entry {
  if (entry.kind !== 'answer' && entry.kind !== 'ping') return entry
  const now = stays.length === 0 ? boundBranch(reader, terminalAddress) : undefined
  const branch = stays.find(({ since }) => since < position)?.branch ?? now
  return { ...entry, shown: branch === undefined ? entry.branch : branchNames(reader)(branch) }
}
