import { findBranch, getBranch } from '../../context/branch.ts'
import { compact, type CompactionPlan } from '../../context/compaction.ts'
import { isRefusal, type Refusal } from '../../context/decision.ts'
import { hasElsewhere } from '../../context/origin.ts'
import { lastMessage, messagesAdded } from '../../context/message-index.ts'
import { freedBy, tokensShown } from '../../context/part.ts'
import { listOf } from '../../context/version.ts'
import { isWorthIt, type NotDue } from '../../context/window.ts'
import type { Author, Draft, DraftOf } from '../../event/event.ts'
import { withHostLines, withoutHostLines } from '../../event/fence.ts'
import type { BranchId, TurnId } from '../../event/id.ts'
import type { Reader, Writing } from '../../event/table.ts'
import { ModelError } from '../../model/contract/model.ts'
import { isUnwanted, partsDue, type PartsDue, type Wanted } from './compaction-due.ts'
import {
  sayCompaction,
  summaryTroubles,
  tellCompaction,
  tellTrouble,
  writersOf,
} from './compaction-notice.ts'
import { repliesPaid, writeSummary, type SummaryOrder, type Written } from './summariser.ts'
import type { Said } from '../contract/act.ts'
import type { World } from '../contract/world.ts'
import { personIn } from '../state/person.ts'
import { turnTable } from '../state/tables.ts'
import type { AgentSettings } from '../state/settings.ts'

export interface CompactionOrder extends Wanted {
  readonly focus?: string | null
  readonly author: Author
  readonly signal: AbortSignal
  /** Aborted when somebody waits too long: then an extract stands in. */
  readonly patience?: AbortSignal
  /** Called when the summary is ready; what it returns is written in the same transaction. */
  readonly within?: () => (writing: Writing, text: string) => Said | undefined
}

export type Compacted =
  | { readonly kind: 'done'; readonly text: string; readonly said?: Said | undefined }
  | { readonly kind: 'not-due'; readonly why: NotDue }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** The context changed meanwhile, and that wins. `isPaid`: a model wrote something. */
  | { readonly kind: 'abandoned'; readonly isPaid: boolean }
  | { readonly kind: 'failed'; readonly error: ModelError; readonly isPaid: boolean }
  /** Somebody stopped it, or the process is closing; nothing was changed. */
  | { readonly kind: 'stopped' | 'closing' }

/** Replaces the oldest part of a context with a summary, if due; nothing changes until the summary is written. */
export async function compactNow(world: World, order: CompactionOrder): Promise<Compacted> {
  const due = await whenPossible(world, order, () =>
    world.log.read((reader) => partsDue(world, reader, order)),
  )
  if (order.signal.aborted) return { kind: 'stopped' }
  if (due.kind === 'refused') return { kind: 'refused', refusal: due.refusal }
  if (due.kind === 'nothing') return { kind: 'not-due', why: due }
  const mayExtract = due.mayExtract || order.demand === 'must-fit'
  const { author, signal, patience, focus = null } = order
  const summary: SummaryOrder = {
    branch: order.branch,
    person: await world.log.read((reader) => personIn(reader, order.branch)),
    author,
    focus,
    signal,
    patience,
    mayExtract,
    replies: [],
  }
  try {
    const summaries: Written[] = []
    for (const part of due.parts) summaries.push(await writeSummary(world, summary, part))
    const { plan, contextTokens } = due
    const outcome = await whenPossible(world, order, () => {
      const at = world.now()
      const paid = repliesPaid(world, { branch: order.branch, at }, summary)
      const made = { order, plan, summaries, at, paid, contextTokens, settings: world.settings() }
      const within = order.within?.()
      return world.log.write((writing) => {
        const outcome = commit(writing, made)
        return outcome.kind === 'done' ? { ...outcome, said: within?.(writing, outcome.text) } : outcome
      })
    })
    if (outcome.kind !== 'refused' || !signal.aborted) return outcome
    await abandon(world, order, { summary })
    return { kind: 'stopped' }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    await abandon(world, order, { summary, error })
    const isPaid = summary.replies.length > 0
    return signal.aborted ? { kind: 'stopped' } : { kind: 'failed', error, isPaid }
  }
}

/** Nothing may change between a call and its last result, so it waits for that result. */
async function whenPossible<T extends Compacted | PartsDue>(
  world: World,
  { branch, signal }: CompactionOrder,
  attempt: () => Promise<T>,
): Promise<T> {
  for (;;) {
    const outcome = await attempt()
    const isOpen = outcome.kind === 'refused' && outcome.refusal.refused === 'calls-open'
    if (!isOpen || signal.aborted) return outcome
    await world.until((reader) => (lastMessage(reader, branch)?.open ?? 0) === 0, signal)
  }
}

interface Made {
  readonly order: CompactionOrder
  readonly plan: CompactionPlan
  readonly summaries: readonly Written[]
  readonly paid: readonly Draft[]
  readonly at: number
  readonly settings: AgentSettings
  readonly contextTokens: number
}

function commit(writing: Writing, made: Made): Compacted {
  const { order, plan, summaries, paid, at } = made
  const { branch, author } = order
  const { messages } = freedBy(writing, plan.parts, 0)
  const decided = decide(writing, made)
  if (isRefusal(decided)) return { kind: 'refused', refusal: decided }
  writing.append(decided.draft)
  for (const draft of paid) writing.append(draft)
  if (decided.draft.kind === 'compaction-abandoned') return { kind: 'abandoned', isPaid: paid.length > 0 }
  const text = sayCompaction(messages, summaries)
  if (author.by !== 'person') tellCompaction(writing, { branch, at, text })
  return { kind: 'done', text }
}

/** The turn says what was read when it was ordered: the list may be another one by now. */
function isDictated(reader: Reader, branch: BranchId, turn: TurnId): boolean {
  if (hasElsewhere(reader, listOf(reader, getBranch(reader, branch)))) return true
  const from = reader.row(turnTable, [turn])?.position
  const added = from === undefined ? [] : messagesAdded(reader, { src: branch, from })
  return added.some((message) => message.turn === turn && message.elsewhere === true)
}

function decide(writing: Writing, made: Made): ReturnType<typeof compact> {
  const { order, plan, summaries, at } = made
  const { branch, author } = order
  // A model wrote them, perhaps in the words of a page (SAFE2).
  const texts = summaries.map(({ text, tokens }) => ({ text: withoutHostLines(withHostLines(text)), tokens }))
  // What a model wants to keep may be what text wants that it read, also behind what is covered (LEAVE1).
  const elsewhere = author.by === 'model' && isDictated(writing, branch, author.turn)
  const writer = writersOf(summaries)
  const { covered, isWhole } = plan
  const decided = compact(writing, { branch, at, author, covered, isWhole, texts, writer, elsewhere })
  if (isRefusal(decided) || decided.draft.kind === 'compaction-abandoned') return decided
  if (!isUnwanted(writing, order, made) && isShorter(writing, order, decided.draft)) return decided
  const because = 'context-changed'
  return { draft: { kind: 'compaction-abandoned', branch, at, author, because } }
}

/** Summaries were made short enough for the context of that time; it may be larger now, and they gain less. */
function isShorter(
  reader: Reader,
  { branch, demand }: CompactionOrder,
  { summaries }: DraftOf<'context-compacted'>,
): boolean {
  const of = tokensShown(reader, listOf(reader, getBranch(reader, branch)))
  const freed = summaries.reduce((sum, { tokens, tokensCovered }) => sum + tokensCovered - tokens, 0)
  return isWorthIt({ freed, of }, demand)
}

/** Records a failure, which is tried again after the next answer. A stopped summary has still been paid for. */
async function abandon(
  world: World,
  order: CompactionOrder,
  { summary, error }: { summary: SummaryOrder; error?: ModelError },
): Promise<void> {
  const { branch, author, signal } = order
  if (signal.aborted && summary.replies.length === 0) return
  const at = world.now()
  const settings = world.settings()
  const paid = repliesPaid(world, { branch, at }, summary)
  const isStopped = signal.aborted
  await world.log.write((writing) => {
    if (findBranch(writing, branch)?.state.kind === 'ended') return
    for (const draft of paid) writing.append(draft)
    if (isStopped) return
    const isKnown = summaryTroubles(writing, settings.compactionModel).has(branch)
    writing.append({ kind: 'compaction-abandoned', branch, at, author, because: 'writer-failed' })
    if (error !== undefined && !isKnown && author.by !== 'person')
      tellTrouble(writing, { branch, at, settings, error })
  })
}
