import { getBranch } from '../../context/branch.ts'
import type { Act } from '../../context/decision.ts'
import type { EventOf } from '../../event/event.ts'
import type { Address, Notice } from '../../event/work.ts'
import { allRows, type Folds, type Reader, type Writing } from '../../event/table.ts'
import type { Grant } from '../../permission/judge.ts'
import { originText } from '../../permission/origin-text.ts'
import { OWNER } from '../../event/speaker.ts'
import { parsePattern, patternText } from '../../permission/pattern.ts'
import type { Tool } from '../../tool/tool.ts'
import { openList } from './ledger.ts'
import { newest, putNewest } from './newest.ts'
import { boundTo, personIn } from './person.ts'
import { addressKey, openPreview } from './outbox.ts'
import { approvalTable, deliveryTable, grantTable, modelCallTable } from './tables.ts'

type Intent = EventOf<'delivery-intended'>

/** Something that waits, or waited, for a person's decision. */
export interface Approval {
  readonly request: EventOf<'approval-asked'>
  readonly decided: EventOf<'approval-decided'> | null
}

/** A person's possible answers. */
export type Decision = EventOf<'approval-decided'>['verdict']

export function lastApprovalNumber(reader: Reader): number {
  const [row] = reader.rows(approvalTable, { prefix: [], order: 'down', limit: 1 })
  return row?.number ?? 0
}

export function approvalNumbered(reader: Reader, number: number): Approval | undefined {
  const row = reader.row(approvalTable, [number])
  if (row === undefined) return undefined
  const { position, decided } = row
  return {
    request: reader.event(position) as EventOf<'approval-asked'>,
    decided: decided === null ? null : (reader.event(decided) as EventOf<'approval-decided'>),
  }
}

/** Who decides: a guest about lines of their own memory, the owner about everything else. */
export function deciderOf(reader: Reader, { request: { branch, wish } }: Approval): string {
  return wish.kind === 'memory' ? personIn(reader, branch) : OWNER
}

/** Approvals that this person can still answer, oldest first. */
export function openApprovals(reader: Reader, now: number, person = OWNER): Approval[] {
  return openList(reader, 'approvals')
    .flatMap((number) => approvalNumbered(reader, number) ?? [])
    .filter((approval) => deciderOf(reader, approval) === person)
    .filter(({ request: { until } }) => until === null || now < until)
}

/** Whether somebody can still answer it. */
export function isOpenApproval(reader: Reader, number: number, now: number): boolean {
  const approval = approvalNumbered(reader, number)
  const open = approval === undefined ? [] : openApprovals(reader, now, deciderOf(reader, approval))
  return open.some(({ request }) => request.number === number)
}

/**
 * The open questions about calls that stand in a conversation, oldest first. Once anything else was said below one, a `y`
 * may be meant for that, so it stands no more (SAFE4).
 */
export function callsAskedAt(
  reader: Reader,
  { person, ...at }: Address & { readonly person: string },
  now: number,
): Approval[] {
  const open = openCalls(reader, now, person)
  const [oldest] = open
  if (oldest === undefined) return []
  let asked: Approval[] = []
  const stretch = { prefix: [addressKey(at)], from: oldest.request.position }
  for (const { position } of allRows(reader, deliveryTable, stretch)) {
    const delivery = reader.event(position) as Intent
    if (drawsAnswer(reader, delivery)) asked = []
    else asked.push(...open.filter(({ request }) => request.position === delivery.cause))
  }
  return asked
}

/** The newest open question about a call that was asked in a conversation, whether or not it stands. */
export function callAskedAt(
  reader: Reader,
  { person, ...at }: Address & { readonly person: string },
  now: number,
): number | undefined {
  const open = openCalls(reader, now, person)
  const from = open[0]?.request.position
  const rows = from === undefined ? [] : allRows(reader, deliveryTable, { prefix: [addressKey(at)], from })
  const causes = new Set([...rows].map(({ position }) => (reader.event(position) as Intent).cause))
  return open.findLast(({ request }) => causes.has(request.position))?.request.number
}

/**
 * Whether a model has written below a question, or writes now, in words that are no message yet: they grow before one's
 * eyes, so that a `y` may be meant for them.
 */
export function isWrittenBelow(
  reader: Reader,
  at: Address,
  { position, wish }: Approval['request'],
): boolean {
  const preview = openPreview(reader, addressKey(at))
  if (preview !== undefined && preview.begun.position > position) return true
  const branch = boundTo(reader, at)
  const state = branch && getBranch(reader, branch).state
  if (state?.kind !== 'running' || (wish.kind === 'call' && state.turn === wish.turn)) return false
  const [call] = reader.rows(modelCallTable, { prefix: [state.turn], order: 'down', limit: 1 })
  return call !== undefined && (call.answered === null || call.answered > position)
}

/** The open questions about calls that stand in all conversations of a person taken as one, as the page shows them. */
export function callsAskedLast(reader: Reader, person: string, now: number): Approval[] {
  const drawn = newest(reader, 'drawn', person)?.position ?? 0
  return openCalls(reader, now, person).filter(({ request }) => request.position > drawn)
}

/** The questions about calls that a person may answer. */
export function openCalls(reader: Reader, now: number, person: string): Approval[] {
  return openApprovals(reader, now, person).filter(({ request }) => request.wish.kind === 'call')
}

/** Folds the last message to each person that a `y` may be meant for. */
export const drawnFolds: Folds = {
  'delivery-intended': (event, writer) => {
    const bound = boundTo(writer, event.to)
    // What a stranger is told stands nowhere else.
    if (bound !== undefined && drawsAnswer(writer, event))
      putNewest(writer, event, { what: 'drawn', about: personIn(writer, bound) })
  },
}

/** Notices in which no word is a model's, a page's or a person's. */
const OWN_WORDS: ReadonlySet<Notice> = new Set([
  'catching-up',
  'context-full',
  'idle',
  'no-answer',
  'queued',
  'slowed',
])

/**
 * Whether a `y` typed below this message may be meant for it, and not for a question about a call that stands above: a
 * model may have chosen its words. Only such questions, the outputs of the person's own commands and what the host alone
 * says draw none.
 */
export function drawsAnswer(reader: Reader, { form, notice, cause }: Intent): boolean {
  if (notice !== undefined && OWN_WORDS.has(notice)) return false
  const about = cause === undefined ? undefined : reader.event(cause)
  if (form === 'question') return about?.kind !== 'approval-asked' || about.wish.kind !== 'call'
  return form !== 'output' || about?.kind !== 'command-run' || about.author.by !== 'person'
}

type Asked = Pick<EventOf<'approval-asked'>, 'branch' | 'at' | 'wish' | 'until'>

export function askApproval(writing: Writing, asked: Asked) {
  const number = lastApprovalNumber(writing) + 1
  return { number, position: writing.append({ kind: 'approval-asked', number, ...asked }) }
}

type Decided = Pick<EventOf<'approval-decided'>, 'at' | 'verdict' | 'author' | 'instead'> &
  Pick<EventOf<'call-decided'>, 'mode'>

/** Writes the decision, what it allows from now on and, for a call, whether it may run. The approval must be open. */
export function decideApproval(writing: Writing, { request }: Approval, act: Decided): void {
  const { branch, number, wish } = request
  const { mode, ...decided } = act
  const { at, verdict, author } = decided
  const about = { branch, at } as const
  writing.append({ kind: 'approval-decided', ...about, number, ...decided })
  if (wish.kind !== 'call') return
  const { pattern, fingerprint } = wish
  if (verdict === 'always')
    writing.append({ kind: 'permission-granted', ...about, pattern, fingerprint, author })
  const { turn, call, tool, subject } = wish
  const made = {
    verdict: verdict === 'once' || verdict === 'always' ? 'allowed' : 'refused',
    because: verdict === 'expired' ? 'no-answer' : 'person',
    pattern: verdict === 'always' ? pattern : null,
  } as const
  writing.append({ kind: 'call-decided', ...about, turn, call, tool, subject, mode, ...made })
}

type Tools = readonly Pick<Tool, 'spec' | 'nature'>[]

/** Allows all calls of these tools as they are now. */
export function grantTools(
  writing: Writing,
  tools: readonly {
    readonly spec: { readonly name: string }
    readonly nature: { readonly fingerprint?: string | undefined }
  }[],
  { branch, at, author }: Act,
): void {
  for (const { spec, nature } of tools) {
    const grant = { pattern: spec.name, fingerprint: nature.fingerprint ?? null, author }
    writing.append({ kind: 'permission-granted', branch, at, ...grant })
  }
}

/** Grants that no longer count because the tools have changed since: one line for each source of tools. */
export function lapsedGrants(reader: Reader, tools: Tools, person = OWNER): string[] {
  const lapsed = grantsIn(reader, person).flatMap(({ pattern, fingerprint }) => {
    const tool = tools.find(({ spec }) => spec.name === pattern.tool)
    if (tool === undefined || (tool.nature.fingerprint ?? null) === fingerprint) return []
    return { words: patternText(pattern), origin: originText(tool.nature.origin) }
  })
  return [...Map.groupBy(lapsed, ({ origin }) => origin)].map(([origin, those]) => {
    const words = those.map((one) => one.words)
    return `No longer allowed${origin}, because it has changed: ${words.join(', ')}. /allow allows it again.`
  })
}

/** Everything that is allowed now to the branches of a person: a yes for one person's call counts for nobody else. */
export function grantsIn(reader: Reader, person = OWNER): Grant[] {
  return [...allRows(reader, grantTable, { prefix: [person] })]
    .filter((row) => row.is_granted === 1)
    .flatMap((row) => {
      const pattern = parsePattern(row.pattern)
      return 'problem' in pattern ? [] : { pattern, fingerprint: row.fingerprint }
    })
}
