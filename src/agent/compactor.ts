import { findBranch, getBranch } from '../context/branch.ts'
import { compact, type CompactionPlan } from '../context/compaction.ts'
import { isRefusal, type Refusal } from '../context/decision.ts'
import { lastMessage } from '../context/message-index.ts'
import { freedBy, tokensShown } from '../context/part.ts'
import { textsOf, type PartText } from '../context/part-text.ts'
import { listOf } from '../context/version.ts'
import { dueCompaction, type CompactionDue, type NotDue, type WindowQuestion } from '../context/window.ts'
import type { Author } from '../event/event.ts'
import type { BranchId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import type { Writing } from '../log/log.ts'
import { ModelError } from '../model/model.ts'
import { sayCompaction, tellTerminal, writersOf } from './compaction-notice.ts'
import { windowQuestion } from './room.ts'
import { noteReplies, writeSummaries, type SummaryOrder, type Written } from './summariser.ts'
import type { World } from './world.ts'

export interface CompactionOrder {
  readonly branch: BranchId
  /** `by-person`: somebody wants it. `must-fit`: the prompt does not fit otherwise. */
  readonly asked?: 'by-person' | 'must-fit'
  readonly focus?: string | null
  readonly author: Author
  readonly signal: AbortSignal
  /** Aborted when somebody waits too long: an extract stands in then. */
  readonly patience?: AbortSignal
  /** Written in one transaction with what was done. */
  readonly within?: (writing: Writing, done: Extract<Compacted, { kind: 'done' }>) => void
}

/** What came of it. */
export type Compacted =
  | { readonly kind: 'done'; readonly text: string }
  | { readonly kind: 'not-due'; readonly why: NotDue }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** The context was changed meanwhile, and that wins. */
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'failed'; readonly error: ModelError }
  /** Somebody stopped it, or the process ends; nothing was changed. */
  | { readonly kind: 'stopped' | 'closing' }

export interface CompactorWorld extends World {
  /** Resolves once it holds of the log, or the signal is aborted. */
  until(holds: (reader: Reader) => boolean, signal: AbortSignal): Promise<boolean>
}

/** Puts a summary in place of the oldest part of a context, if that is due; nothing changes until it is written. */
export async function compactNow(world: CompactorWorld, order: CompactionOrder): Promise<Compacted> {
  const due = await whenPossible(world, order, () => world.log.read((reader) => look(world, reader, order)))
  if (order.signal.aborted) return { kind: 'stopped' }
  if (due.kind === 'refused') return { kind: 'refused', refusal: due.refusal }
  if (due.kind === 'nothing') return { kind: 'not-due', why: due }
  const mayExtract = due.mayExtract || order.asked === 'must-fit'
  const { author, signal, patience, focus = null } = order
  const summary: SummaryOrder = { author, focus, signal, patience, mayExtract, replies: [] }
  try {
    const summaries = await writeSummaries(world, summary, due.texts)
    const made = { order, summary, plan: due.plan, summaries }
    const outcome = await whenPossible(world, order, () =>
      world.log.write((writing) => commit(world, writing, made)),
    )
    if (outcome.kind !== 'refused' || !signal.aborted) return outcome
    await abandon(world, order, summary)
    return { kind: 'stopped' }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    await abandon(world, order, summary)
    return signal.aborted ? { kind: 'stopped' } : { kind: 'failed', error }
  }
}

/** Between a call and its last result nothing may change: behind it, it can. */
async function whenPossible<T extends Compacted | DueWithTexts | Exclude<CompactionDue, { kind: 'due' }>>(
  world: CompactorWorld,
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

type DueWithTexts = Extract<CompactionDue, { kind: 'due' }> & { readonly texts: readonly PartText[] }

function look(
  world: World,
  reader: Reader,
  order: CompactionOrder,
): DueWithTexts | Exclude<CompactionDue, { kind: 'due' }> {
  const question = questionOf(world, reader, order)
  const { asked } = order
  const due = dueCompaction(reader, question)
  if (due.kind !== 'due') return due
  const useless = asked === 'must-fit' ? tooLittle(reader, question, due.plan) : undefined
  return useless ?? { ...due, texts: due.plan.parts.map((part) => textsOf(reader, part)) }
}

function questionOf(world: World, reader: Reader, { branch, asked }: CompactionOrder): WindowQuestion {
  const settings = world.settings()
  const place = { branch, settings, contextTokens: contextTokensOf(world, settings.model) }
  return { ...windowQuestion(reader, place), ...(asked !== undefined && { asked }) }
}

/** What the policy began, the person may not want any more: it was held off or forbidden while the summary was written. */
function isUnwanted(world: World, reader: Reader, order: CompactionOrder): boolean {
  if (order.asked !== undefined) return false
  const due = dueCompaction(reader, questionOf(world, reader, order))
  return due.kind === 'nothing' && (due.because === 'explicit' || due.because === 'held-off')
}

/** What cannot fit afterwards, however short the summaries are, is left as it is: the person has to decide. */
function tooLittle(
  reader: Reader,
  { branch, room }: WindowQuestion,
  { parts }: CompactionPlan,
): NotDue | undefined {
  const list = listOf(reader, getBranch(reader, branch))
  const tokens = room.fixedTokens + tokensShown(reader, list)
  const frees = freedBy(reader, parts, 0)
  if (tokens - frees.tokens <= room.contextTokens) return undefined
  return { kind: 'nothing', because: 'frees-too-little', frees, of: { messages: frees.messages, tokens } }
}

/** Larger than any prompt: whoever cannot open its model is told so when it is asked. */
const UNKNOWN_TOKENS = Number.MAX_SAFE_INTEGER

export function contextTokensOf({ model }: Pick<World, 'model'>, name: string): number {
  try {
    return model(name).contextTokens
  } catch (error) {
    if (error instanceof ModelError) return UNKNOWN_TOKENS
    throw error
  }
}

interface Made {
  readonly order: CompactionOrder
  readonly summary: SummaryOrder
  readonly plan: CompactionPlan
  readonly summaries: readonly Written[]
}

function commit(world: World, writing: Writing, { order, summary, plan, summaries }: Made): Compacted {
  const { branch, author } = order
  const at = world.now()
  const texts = summaries.map(({ text, tokens }) => ({ text, tokens }))
  const { messages } = freedBy(writing, plan.parts, 0)
  const { covered } = plan
  const writer = writersOf(summaries)
  const decided = isUnwanted(world, writing, order)
    ? {
        draft: {
          kind: 'compaction-abandoned',
          branch,
          at,
          v: 1,
          author,
          because: 'context-changed',
        } as const,
      }
    : compact(writing, { branch, at, author, covered, texts, writer })
  if (isRefusal(decided)) return { kind: 'refused', refusal: decided }
  writing.append(decided.draft)
  noteReplies(world, writing, { branch, at, order: summary })
  if (decided.draft.kind === 'compaction-abandoned') return { kind: 'abandoned' }
  const done = { kind: 'done', text: sayCompaction({ messages, summaries }) } as const
  if (author.by !== 'person') tellTerminal(writing, { branch, at, text: done.text })
  order.within?.(writing, done)
  return done
}

/** What failed is written down, and tried again after the next answer; what was stopped has been paid all the same. */
async function abandon(world: World, order: CompactionOrder, summary: SummaryOrder): Promise<void> {
  const { branch, author, signal } = order
  if (signal.aborted && summary.replies.length === 0) return
  const at = world.now()
  await world.log.write((writing) => {
    if (findBranch(writing, branch)?.state.kind === 'ended') return
    noteReplies(world, writing, { branch, at, order: summary })
    if (signal.aborted) return
    writing.append({ kind: 'compaction-abandoned', branch, at, v: 1, author, because: 'writer-failed' })
  })
}
