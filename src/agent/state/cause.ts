import { counted } from '../../base/words.ts'
import type { Author, EventOf } from '../../event/event.ts'
import type { BranchId, Position } from '../../event/id.ts'
import type { Folds, Reader, Writer } from '../../event/table.ts'
import { ModelError } from '../../model/contract/model.ts'
import { newestUnread } from './inbox.ts'
import type { AgentSettings } from './settings.ts'
import { causedTable, mailTable, rootTable, turnTable } from './tables.ts'
import { openTurn } from './turn-number.ts'

/**
 * Every branch works for a root: the message of a person or the firing of a job that its work goes back to. Forks,
 * children and mail of a model pass the root on, so that everything one root causes is counted together (CAUSE1).
 */
export const causeFolds: Folds = {
  'branch-created': (event, writer) => {
    begin(event, writer)
    if (event.author.by === 'model') count(writer, event.branch, { branches: 1 })
  },
  'run-started': begin,
  'message-added': ({ branch, took, message }, writer) => {
    const source = took === undefined || message.role === 'note' ? undefined : admittedFrom(writer, took)
    // The task of a fork or a run belongs to whoever began it.
    const isRoot = source?.from === 'person' || source?.tag === 'routine' || source?.tag === 'reminder'
    if (isRoot && took !== undefined) writer.put(rootTable, { branch, root: took })
  },
  'turn-started': startTurn,
  'model-called': ({ branch }, writer) => count(writer, branch, { calls: 1 }),
  // A provider that is down for days must not use up the ceiling.
  'model-failed': ({ branch }, writer) => count(writer, branch, { calls: -1 }),
  'call-decided': ({ branch, because }, writer) => {
    // A call that a person was asked about was counted then.
    if (because !== 'person' && because !== 'no-answer') count(writer, branch, { calls: 1 })
  },
  'approval-asked': ({ branch, wish }, writer) => {
    if (wish.kind === 'call') count(writer, branch, { calls: 1 })
  },
  'model-answered': use,
  'model-used': use,
}

/** What a person or the schedule begins is a root; what a model begins is for the root that the model works for. */
function begin(
  { branch, author, position }: { branch: BranchId; author: Author; position: Position },
  writer: Writer,
): void {
  const by = author.by === 'model' ? writer.row(turnTable, [author.turn])?.branch : undefined
  const root = (by === undefined ? undefined : rootOf(writer, by)) ?? position
  writer.put(rootTable, { branch, root })
}

/** Work that failed or was stopped continues only if a person says so. Mail wakes a branch for its sender's root. */
function startTurn({ branch, position, continues }: EventOf<'turn-started'>, writer: Writer): void {
  const outcome = continues === null ? undefined : writer.row(turnTable, [continues])?.outcome
  if (outcome === 'failed' || outcome === 'stopped') writer.put(rootTable, { branch, root: position })
  const mail = continues === null ? newestUnread(writer, branch) : undefined
  const root = mail === undefined ? undefined : writer.row(mailTable, [branch, mail])?.root
  if (root !== undefined) writer.put(rootTable, { branch, root })
}

/** The root of a mail: its sender's while that works, and the mail itself if a person sent it. */
export function rootOfMail(reader: Reader, { from, position }: EventOf<'mail-sent'>): Position {
  return (openTurn(reader, from) === undefined ? undefined : rootOf(reader, from)) ?? position
}

function admittedFrom(reader: Reader, took: Position): EventOf<'inbound-admitted'>['source'] | undefined {
  const event = reader.event(took)
  return event.kind === 'inbound-admitted' ? event.source : undefined
}

/** What a provider's cache already held was counted when it was first read. */
function use({ branch, usage }: EventOf<'model-answered' | 'model-used'>, writer: Writer): void {
  const { tokensIn, tokensCached, tokensOut } = usage
  count(writer, branch, { tokens: Math.max(0, tokensIn - tokensCached) + tokensOut })
}

type Caused = AgentSettings['causedMax']

function count(writer: Writer, branch: BranchId, more: Partial<Caused>): void {
  const root = rootOf(writer, branch)
  if (root === undefined) return
  const { calls, tokens, branches } = causedFor(writer, branch)
  writer.put(causedTable, {
    root,
    calls: Math.max(0, calls + (more.calls ?? 0)),
    tokens: tokens + (more.tokens ?? 0),
    branches: branches + (more.branches ?? 0),
  })
}

function rootOf(reader: Reader, branch: BranchId): Position | undefined {
  return reader.row(rootTable, [branch])?.root
}

/** What the root of this branch has caused so far, in all branches. */
export function causedFor(reader: Reader, branch: BranchId): Caused {
  const root = rootOf(reader, branch)
  const row = root === undefined ? undefined : reader.row(causedTable, [root])
  return row ?? { calls: 0, tokens: 0, branches: 0 }
}

/** Which of its ceilings the work of this branch has reached, in words; undefined: none of those that stop it. */
export function ceilingWords(reader: Reader, branch: BranchId, max: Caused): string | undefined {
  const { calls, tokens } = causedFor(reader, branch)
  if (calls >= max.calls) return `${counted(max.calls, 'call')} of models and tools (causedMaxCalls)`
  return tokens >= max.tokens ? `${counted(max.tokens, 'token')} (causedMaxTokens)` : undefined
}

export function causedObstacle(ceiling: string): ModelError {
  return new ModelError(
    'rejected',
    `I stopped: this work reached ${ceiling}, the limit for all that one message or job causes. "go on" continues it`,
  )
}
