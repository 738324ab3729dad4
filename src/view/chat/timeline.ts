import { admittedAt, waiting } from '../../agent/state/inbox.ts'
import { approvalNumbered } from '../../agent/state/approvals.ts'
import { pingAt, pingRow, pingsIn } from '../../agent/state/ledger.ts'
import { dueIn } from '../../agent/branch/due.ts'
import { senderName } from '../../agent/branch/reply-act.ts'
import { boundTo, isOwners, openPairings } from '../../agent/state/person.ts'
import { runIn } from '../../agent/state/run.ts'
import { contentOf } from '../../agent/state/setup.ts'
import { endedTable, momentTable } from '../../agent/state/tables.ts'
import { turnNumber } from '../../agent/state/turn-number.ts'
import { callsOf } from '../../agent/turn/call-prompt.ts'
import { isoAt } from '../../base/time-text.ts'
import { cutText } from '../../base/words.ts'
import { channelTitle } from '../../channel/channel.ts'
import { getBranch } from '../../context/branch.ts'
import { livingFrom, livingMains } from '../../context/living.ts'
import { headOf, messageAtOrBefore } from '../../context/message-index.ts'
import { branchNames } from '../../context/naming.ts'
import { messagesShown } from '../../context/part.ts'
import { messageOf } from '../../context/step.ts'
import { messageTable } from '../../context/tables.ts'
import { authorName, listAtVersion, listOf } from '../../context/version.ts'
import type { Call, Event, EventOf } from '../../event/event.ts'
import { withoutFences } from '../../event/fence.ts'
import { originsOf } from '../../context/origin.ts'
import { isWords, shownBeside, type KeptFile } from '../../event/file.ts'
import { handleOf, type BranchId, type Position, type TurnId } from '../../event/id.ts'
import { isSummary } from '../../event/item.ts'
import type { Reader } from '../../event/table.ts'
import type { Notice } from '../../event/work.ts'
import { fateOf, labelOf } from '../../recall/scope/fate.ts'
import { callSummary, resultSummary } from './call-lines.ts'
import { fitting, type Page } from '../page.ts'
import { recalledIn } from '../recalled.ts'

/** What a chat shows of a branch, oldest first. With `after`, the oldest entries behind that position. */
export function timelineView(
  reader: Reader,
  {
    branch,
    before,
    after,
    limit,
    now,
  }: Page & {
    readonly branch: BranchId
    readonly after?: number | undefined
    readonly now: number
  },
) {
  const order = after === undefined ? ('down' as const) : ('up' as const)
  const ends = after === undefined ? { to: (before ?? reader.end + 1) - 1 } : { from: after + 1 }
  const stretch = { prefix: [branch], ...ends, order, limit: limit + 1 }
  const towards = (one: number, other: number): number => (order === 'down' ? other - one : one - other)
  const positions = [...reader.rows(messageTable, stretch), ...reader.rows(momentTable, stretch)]
    .map(({ position }) => position)
    .toSorted(towards)
  const shown = positions.slice(0, limit)
  const { entries, isWhole, last } = fitting(shown, (position) => entryAt(reader, { branch, position, now }))
  return {
    entries: order === 'down' ? entries.toReversed() : entries,
    next: positions.length > limit || !isWhole ? (last ?? null) : null,
  }
}

/** A branch as a list of branches shows it. */
export function branchHead(reader: Reader, id: BranchId, now: number) {
  const { mode, title, parent, state, forkedAt } = getBranch(reader, id)
  const nameOf = branchNames(reader)
  const run = runIn(reader, id)
  const isDue = state.kind === 'idle' && dueIn(reader, { branch: id, now }).kind !== 'nothing'
  return {
    id,
    name: nameOf(id),
    handle: handleOf(id),
    mode,
    title,
    run: run === undefined ? null : `${run.tag}:${run.job}`,
    parent: parent === null ? null : nameOf(parent),
    state: isDue ? ('waiting' as const) : state.kind,
    reason: state.kind === 'ended' ? state.reason : null,
    at: isoAt(reader.event(state.kind === 'ended' ? state.endedAt : forkedAt).at),
  }
}

const ENDED_MAX = 12

/** The owner's mains and what lives below them, each behind its parent; then what ended last, the newest first. */
export function branchesView(reader: Reader, now: number) {
  const mains = livingMains(reader)
  const living = mains.flatMap((main) => livingFrom(reader, main))
  const ended = mains
    .flatMap((main) => reader.rows(endedTable, { prefix: [main], order: 'down', limit: ENDED_MAX }))
    .toSorted((one, other) => other.position - one.position)
    .slice(0, ENDED_MAX)
    .map(({ position }) => reader.event(position).branch)
  return [...living, ...ended].map((id) => branchHead(reader, id, now))
}

/** What waits in the inbox of a branch, oldest first; of very much, the beginning. */
export function queuedView(reader: Reader, branch: BranchId) {
  return fitting(waiting(reader, branch), ({ position, form, source, not_before }) => {
    const admitted = admittedAt(reader, position)
    return {
      position,
      at: isoAt(admitted.at),
      form,
      text: cutText(shownBeside(admitted), TEXT_MAX),
      files: (admitted.files ?? []).filter((file) => !isWords(file)).map(fileView),
      isOwn: source === 'person',
      key: admitted.source.from === 'person' ? admitted.source.key : null,
      notBefore: not_before === null ? null : isoAt(not_before),
    }
  }).entries
}

/** Longer texts are cut: the log keeps them. */
const TEXT_MAX = 100_000
const CALL_MAX = 10_000

export type BranchHead = ReturnType<typeof branchHead>
export type TimelineEntry = NonNullable<ReturnType<typeof entryAt>>
export type QueuedEntry = ReturnType<typeof queuedView>[number]

/** Undefined: nothing that a chat shows by itself, such as the result of a call. */
function entryAt(
  reader: Reader,
  { branch, position, now }: { branch: BranchId; position: Position; now: number },
) {
  const event = reader.event(position)
  const shown = event.kind === 'message-added' ? messageEntry(reader, event) : momentEntry(reader, event, now)
  if (shown === undefined) return undefined
  const turn = 'turn' in event && event.turn !== null ? (turnNumber(reader, event.turn) ?? null) : null
  // Why no context shows it any more.
  const label =
    event.kind === 'message-added' ? (labelOf(fateOf(reader, { branch, position })) ?? null) : null
  return { position, at: isoAt(event.at), turn, label, ...shown }
}

function messageEntry(reader: Reader, event: EventOf<'message-added'>) {
  const { message, took, turn } = event
  const text = cutText(message.text, TEXT_MAX)
  switch (message.role) {
    case 'user':
      return saidEntry(reader, event, { text, took })
    case 'assistant': {
      const calls = callViews(reader, event, message.calls)
      const recalled = message.calls.length === 0 && turn !== null ? recalledBy(reader, turn) : 0
      const { model = null, cut = null } = message
      return { kind: 'answer' as const, text, calls, model, recalled, cut }
    }
    case 'note':
      if (isStopNote(reader, event)) return undefined
      return { kind: 'note' as const, by: authorName(message.author), text }
    case 'tool':
      return undefined
  }
}

/** The host's note that a person stopped the answer before it, which says so itself. */
function isStopNote(reader: Reader, { branch, position, message }: EventOf<'message-added'>): boolean {
  if (message.role !== 'note' || message.author.by !== 'policy') return false
  const before = messageAtOrBefore(reader, branch, position - 1)
  const said = before && messageOf(reader.event(before.position))
  return said?.role === 'assistant' && said.cut === 'stopped'
}

function saidEntry(
  reader: Reader,
  added: EventOf<'message-added'>,
  { text, took }: { text: string; took: Position | undefined },
) {
  const { updates, message } = added
  const admitted = took === undefined ? undefined : admittedAt(reader, took)
  const source = admitted?.source
  const isElsewhere = originsOf(reader, added).includes('elsewhere')
  const about = { updates: updates?.shown.length ?? 0, isElsewhere }
  if (source?.from !== 'person') {
    const from = source === undefined ? 'system' : [source.tag, source.id].filter(Boolean).join(' ')
    return { kind: 'told' as const, from, text, ...about }
  }
  const [quote] = admitted?.before ?? []
  const files = message.role === 'user' ? (message.files ?? []) : []
  return {
    kind: 'said' as const,
    text: cutText(shownBeside({ text: admitted?.text ?? text, files }), TEXT_MAX),
    files: files.filter((file) => !isWords(file)).map(fileView),
    place: channelTitle(source.channel),
    key: source.key,
    quote: quote === undefined ? null : withoutFences(quote).replace(/^.*\n/, ''),
    ...about,
  }
}

function fileView({ kind, name, hash, mime, bytes, width, height, note }: KeptFile) {
  return { kind, name, hash, mime, bytes, width: width ?? null, height: height ?? null, note: note ?? null }
}

/** Each call with its result, which follows the message; null: it has none yet. */
function callViews(reader: Reader, { branch, position }: Event, calls: readonly Call[]) {
  const stretch = { prefix: [branch], from: position + 1, order: 'up', limit: calls.length } as const
  const results = calls.length === 0 ? [] : reader.rows(messageTable, stretch)
  const texts = new Map(
    results.flatMap((row) => {
      const { message } = reader.event(row.position) as EventOf<'message-added'>
      return message.role === 'tool' ? [[message.call, message] as const] : []
    }),
  )
  return calls.map(({ id, tool, args }) => {
    const json = JSON.stringify(args)
    const result = texts.get(id)
    const isError = result?.isError ?? null
    const said = result && { tool, args: json, text: result.text, isError: isError === true }
    return {
      tool,
      summary: said === undefined ? callSummary(tool, json) : resultSummary(said),
      args: cutText(JSON.stringify(args, undefined, 2), CALL_MAX),
      result: result === undefined ? null : cutText(withoutFences(result.text), CALL_MAX),
      /** Null: it has no result, or one of an older log, which does not say. */
      isError,
      /** Its result is, or may be, text from elsewhere. */
      isElsewhere: result !== undefined && result.origin === undefined && result.synthetic === undefined,
    }
  })
}

function recalledBy(reader: Reader, turn: TurnId): number {
  const tails = new Set(callsOf(reader, turn).flatMap(({ tail }) => tail?.text ?? []))
  const pieces = [...tails].flatMap((hash) => recalledIn(contentOf(reader, hash))?.pieces ?? [])
  return new Set(pieces.map(({ position }) => position)).size
}

/** Commands whose effect is an entry of its own. */
const SEEN = /^\/(?:mark|clear|rewind|new|undo|redo|compact|expand|save|note|fork|report|exit|retry|edit)\b/

const CHANGED = {
  'context-expanded': 'expanded',
  'context-undone': 'undone',
  'context-redone': 'redone',
} as const

function momentEntry(reader: Reader, event: Event, now: number) {
  const canUndo = (): boolean => getBranch(reader, event.branch).version === event.position
  switch (event.kind) {
    case 'command-run': {
      const { line, output, isError, author } = event
      if (SEEN.test(line) && !isError) return undefined
      return { kind: 'command' as const, line, output: cutText(output, TEXT_MAX), isError, by: author.by }
    }
    case 'delivery-intended':
      return deliveryEntry(reader, event, now)
    case 'mark-set':
      // The page sets such a mark to rewind to a message, and the rewind has an entry.
      if (event.name === `at-${event.behind}`) return undefined
      return { kind: 'mark' as const, name: event.name, by: event.author.by }
    case 'context-cleared': {
      const { prev, items, to, author, branch, position } = event
      const before = listAtVersion(reader, prev, headOf(reader, branch, position))
      const messages = messagesShown(reader, before) - messagesShown(reader, items)
      const { drops = null } = event
      const cut = { to: to?.name ?? null, drops, messages, by: author.by }
      return { kind: 'cleared' as const, ...cut, canUndo: canUndo() }
    }
    case 'context-compacted': {
      const { summaries, writer, position, branch } = event
      const messages = summaries.reduce((sum, { covers }) => sum + messagesShown(reader, covers), 0)
      const tokens = summaries.reduce((sum, one) => sum + one.tokens, 0)
      const list = listOf(reader, getBranch(reader, branch))
      const canExpand = list.some((item) => isSummary(item) && item.summary === position)
      return { kind: 'compacted' as const, messages, tokens, writer, canExpand, canUndo: canUndo() }
    }
    case 'context-expanded':
    case 'context-undone':
    case 'context-redone': {
      const canRedo =
        event.kind === 'context-undone' && getBranch(reader, event.branch).redo.at(-1) === event.undone
      return { kind: 'changed' as const, what: CHANGED[event.kind], canUndo: canUndo(), canRedo }
    }
    case 'context-saved':
      return { kind: 'saved' as const, child: handleOf(event.source), canUndo: canUndo() }
    case 'branch-created': {
      const { branch, mode, title, author } = event
      return { kind: 'left' as const, child: handleOf(branch), mode, title, by: author.by }
    }
    case 'branch-ended': {
      // A saved fork has an entry of its own.
      if (event.reason === 'saved') return undefined
      const { mode, title } = getBranch(reader, event.branch)
      return { kind: 'ended' as const, child: handleOf(event.branch), mode, title, reason: event.reason }
    }
    default:
      return undefined
  }
}

/** Compactions and running turns have entries of their own. */
const SHOWN_OTHERWISE: ReadonlySet<Notice> = new Set(['compacted', 'catching-up'])

function deliveryEntry(reader: Reader, intent: EventOf<'delivery-intended'>, now: number) {
  const {
    form,
    notice,
    text,
    to,
    branch,
    number = null,
    choices = [],
    embed,
    files = [],
    position,
    cause,
  } = intent
  const place = channelTitle(to.channel)
  const talks = boundTo(reader, to)
  // Messages to strangers and guests are not shown to the owner.
  if (talks === undefined || !isOwners(reader, talks)) return undefined
  if (notice !== undefined && SHOWN_OTHERWISE.has(notice)) return undefined
  if (form === 'ping') {
    const pings = pingsIn(reader, position).map((ping) => pingAt(reader, ping))
    const [first] = pings
    return {
      kind: 'ping' as const,
      text,
      embed: embed ?? null,
      from: senderName(reader, branch),
      branch: branchNames(reader)(branch),
      number,
      choices,
      place,
      isCritical: pings.some(({ isCritical }) => isCritical),
      /** Whether the person has reacted. */
      answer: first === undefined ? null : pingRow(reader, first.position).answer,
    }
  }
  if (form !== 'question') {
    // A fork's ways out stand beside the composer; somebody's request can be answered while it is open.
    const isOpen = openPairings(reader, now).some((pairing) => pairing.position === cause)
    const open = isOpen ? choices : []
    return { kind: 'notice' as const, text, number, choices: open, files: files.map(fileView) }
  }
  const asked = cause === undefined ? undefined : reader.event(cause)
  const approval = asked?.kind === 'approval-asked' ? asked.number : null
  const decided = approval === null ? null : (approvalNumbered(reader, approval)?.decided ?? null)
  // While it is open, it is among the approvals.
  if (approval !== null && decided === null) return undefined
  return { kind: 'question' as const, text, approval, choices, verdict: decided?.verdict ?? null, place }
}
