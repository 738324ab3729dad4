import { contentOf, setupOf } from '../../agent/state/setup.ts'
import { modelCallTable, turnNumberTable } from '../../agent/state/tables.ts'
import { turnsIn } from '../../agent/state/turn-number.ts'
import { isoAt } from '../../base/time-text.ts'
import { getBranch } from '../../context/branch.ts'
import { branchNames } from '../../context/naming.ts'
import { promptWithSources } from '../../context/prompt.ts'
import { listOf } from '../../context/version.ts'
import type { EventOf } from '../../event/event.ts'
import type { BranchId, Position } from '../../event/id.ts'
import type { ToolSpec } from '../../event/prompt.ts'
import { fromJson, type Reader } from '../../event/table.ts'
import { coverView, isUnder } from '../cover.ts'
import { LookError, turnUpTo } from '../named.ts'
import { partDifference } from './piece-difference.ts'
import { settingDifference } from './prompt-difference.ts'
import {
  HEADING,
  partKinds,
  promptPieces,
  summariesIn,
  summaryPart,
  type Piece,
  type Sourced,
} from './prompt-pieces.ts'
import { lookAtPrompt, type LookedPrompt, type PromptLook } from './prompt.ts'

export interface TurnLook extends PromptLook {
  /** The model that a branch would ask now. */
  readonly modelOf: (branch: BranchId) => string
  /** The context window of a model. */
  readonly tokensMaxOf: (model: string) => number
}

/** A prompt: one that was sent, or what would be shown now. */
type Seen = Sourced & { readonly pieces: readonly Piece[]; readonly text: string }

export type TurnContextView = ReturnType<typeof turnContextView>

/** What a model saw in a turn, or would see now, part by part, and how it differs from the prompt before. */
export function turnContextView(reader: Reader, look: TurnLook) {
  const looked = look.turn === 'now' ? undefined : lookAtPrompt(reader, look)
  const branch = looked?.recorded.branch ?? look.branch()
  const seen: Seen = looked ?? lookAtNow(reader, branch, look.modelOf(branch))
  const before = promptBefore(reader, branch, { looked, isCall: look.call !== undefined })
  const model = seen.prompt.settings.model
  const last = turnsIn(reader, branch)
  return {
    branch: branchNames(reader)(branch),
    id: branch,
    /** Null: now. */
    turn: looked === undefined ? null : turnFacts(reader, looked),
    /** The number of the branch's newest turn. */
    last,
    before: before && { number: before.number, call: before.recorded.call },
    change: looked && before ? changeBetween(reader, before.recorded.version, looked.recorded.version) : null,
    model,
    tokens: seen.pieces.reduce((sum, { tokens }) => sum + tokens, 0),
    tokensMax: look.tokensMaxOf(model),
    parts: partViews(reader, seen, looked === undefined ? withoutTail(before) : before),
    settings: looked && before ? settingDifference(before.prompt, looked.prompt) : [],
    recall: looked === undefined ? [] : recallViews(reader, looked),
  }
}

/** Every piece of it as a whole, or those of one part. */
export function promptTextView(reader: Reader, look: TurnLook & { readonly part?: string | undefined }) {
  const { pieces } = seenIn(reader, look)
  const meant = look.part === undefined ? pieces : pieces.filter(({ part }) => part === look.part)
  return {
    pieces: meant.map(({ kind, part, label, text, position }) => ({ kind, part, label, text, position })),
  }
}

/** The canonical JSON of the prompt: its SHA-256 is the hash in the log. */
export function rawPrompt(reader: Reader, look: TurnLook): string {
  return seenIn(reader, look).text
}

function seenIn(reader: Reader, look: TurnLook): Seen {
  if (look.turn !== 'now') return lookAtPrompt(reader, look)
  const branch = look.branch()
  return lookAtNow(reader, branch, look.modelOf(branch))
}

function lookAtNow(reader: Reader, branch: BranchId, model: string): Seen {
  const setup = setupOf(reader, branch)
  if (setup === undefined) throw new LookError('missing', 'No model was called here yet')
  const built = promptWithSources(reader, listOf(reader, getBranch(reader, branch)), {
    system: contentOf(reader, setup.system),
    tools: JSON.parse(contentOf(reader, setup.tools)) as ToolSpec[],
    settings: { model, tokensMax: null, temperature: null, thinking: 'off', toolChoice: 'auto' },
    tail: null,
  })
  return { ...built, pieces: promptPieces(reader, built, setup), text: JSON.stringify(built.prompt) }
}

/** The call before in the same turn if one was asked for, otherwise the last call of the turn before. */
function promptBefore(
  reader: Reader,
  id: BranchId,
  { looked, isCall }: { looked: LookedPrompt | undefined; isCall: boolean },
): LookedPrompt | null {
  const branch = () => id
  if (looked !== undefined && isCall && looked.recorded.call > 1) {
    const { turn, call } = looked.recorded
    return lookAtPrompt(reader, { turn, call: String(call - 1), branch })
  }
  const row = turnUpTo(reader, id, looked === undefined ? turnsIn(reader, id) : looked.number - 1)
  return row === undefined ? null : lookAtPrompt(reader, { turn: row.turn, branch })
}

function turnFacts(reader: Reader, { number, calls, recorded, isSame }: LookedPrompt) {
  const { turn, call, at, prompt: hash } = recorded
  const row = reader.row(modelCallTable, [turn, call])
  const answered = row?.answered ? (reader.event(row.answered) as EventOf<'model-answered'>) : undefined
  return {
    id: turn,
    number,
    call,
    calls: calls.length,
    at: isoAt(at),
    hash,
    /** False only if something is broken: the hash is that of what was sent. */
    isSame,
    /** Null: the model did not answer. */
    used: answered ? { model: answered.model, cost: answered.cost, ...answered.usage } : null,
  }
}

/** What recall and mail add is asked for with the next message: the next prompt has lost nothing of it. */
function withoutTail(before: Seen | null): Seen | null {
  return (
    before && { ...before, pieces: before.pieces.filter(({ kind }) => kind !== 'recall' && kind !== 'mail') }
  )
}

function partViews(reader: Reader, { pieces, sources }: Seen, before: Seen | null) {
  const now = Map.groupBy(pieces, ({ part }) => part)
  const old = Map.groupBy(before?.pieces ?? [], ({ part }) => part)
  const all = [...now.keys(), ...[...old.keys()].filter((part) => !now.has(part))]
  const summaries = new Map(summariesIn(sources).map(({ ref }, index) => [summaryPart(index), ref]))
  return all
    .map((id) => {
      const [first] = now.get(id) ?? old.get(id) ?? []
      const shown = now.get(id) ?? []
      const summary = summaries.get(id)
      return {
        id,
        kind: first?.kind ?? 'messages',
        label: first?.label ?? '',
        count: countPieces(shown),
        tokens: shown.reduce((sum, { tokens }) => sum + tokens, 0),
        covers: summary === undefined ? null : coverView(reader, summary),
        difference: before && partDifference(old.get(id) ?? [], shown),
      }
    })
    .toSorted((one, other) => partKinds.indexOf(one.kind) - partKinds.indexOf(other.kind))
}

/** A message that shows updates is several pieces. */
function countPieces(pieces: readonly Piece[]): number {
  const counted = pieces.filter(({ name }) => name !== HEADING)
  const said = counted.flatMap(({ kind, position }) => (kind === 'messages' && position ? [position] : []))
  return counted.length - said.length + new Set(said).size
}

/** Each recalled piece, why it was found, and the summary that stands in its place. */
function recallViews(reader: Reader, { tail, sources }: LookedPrompt) {
  const names = branchNames(reader)
  return (tail?.recalled.pieces ?? []).map((piece, index) => {
    const position = piece.position as Position
    const event = reader.event(position)
    const summary = summariesIn(sources).find(({ ref }) => isUnder(reader, ref, event))
    return {
      ...piece,
      at: isoAt(event.at),
      branch: names(event.branch),
      branchTitle: getBranch(reader, event.branch).title,
      why: tail?.why?.[index] ?? null,
      /** Null: it was cleared, and `recallAcrossClear` is on. */
      covered: summary === undefined ? null : coverView(reader, summary.ref),
    }
  })
}

export type TurnsView = ReturnType<typeof turnsView>

/** The turns of a branch from one number to another. */
export function turnsView(
  reader: Reader,
  look: {
    readonly branch: BranchId
    readonly from?: number | undefined
    readonly to?: number | undefined
    readonly limit: number
  },
) {
  const last = turnsIn(reader, look.branch)
  const [from, to] = [Math.max(1, look.from ?? 1), Math.min(last, look.to ?? last)]
  // Beyond the limit, so many of them spread evenly.
  const count = Math.max(0, Math.min(look.limit, to - from + 1))
  const step = count < 2 ? 0 : (to - from) / (count - 1)
  const numbers = Array.from({ length: count }, (_, index) => from + Math.round(index * step))
  const rows = numbers.flatMap((number) => reader.row(turnNumberTable, [look.branch, number]) ?? [])
  const before = reader.row(turnNumberTable, [look.branch, from - 1])
  return {
    branch: branchNames(reader)(look.branch),
    last,
    turns: rows.map((row, index) => {
      const used = row.used === null ? null : fromJson(row.used)
      const earlier = rows[index - 1] ?? before
      return {
        number: row.number,
        turn: row.turn,
        used: used && { ...used, at: isoAt(used.at) },
        /** How the list changed since the turn before it here. */
        change: earlier ? changeBetween(reader, earlier.version, row.version) : null,
      }
    }),
  }
}

export const listChanges = ['compacted', 'cleared', 'rewound', 'expanded', 'saved', 'undone'] as const
type ListChange = (typeof listChanges)[number]

/** A version is the position of the event that made it; undo goes back to an earlier one. */
function changeBetween(reader: Reader, before: Position, after: Position): ListChange | null {
  if (before === after) return null
  if (after < before) return 'undone'
  const event = reader.event(after)
  if (event.kind === 'context-cleared') return event.to === null ? 'cleared' : 'rewound'
  if (event.kind === 'context-compacted') return 'compacted'
  if (event.kind === 'context-expanded') return 'expanded'
  return event.kind === 'context-saved' ? 'saved' : null
}
