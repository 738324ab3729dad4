import { findBranch } from '../context/branch.ts'
import { compact, type CompactionPlan } from '../context/compaction.ts'
import { isRefusal, type Refusal } from '../context/decision.ts'
import { lastMessage } from '../context/message-index.ts'
import { freedBy } from '../context/part.ts'
import { textsOf, type PartText } from '../context/part-text.ts'
import { dueCompaction, type CompactionDue, type NotDue, type WindowQuestion } from '../context/window.ts'
import { clockIn } from '../context/wording.ts'
import type { Author } from '../event/event.ts'
import type { BranchId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import type { Writing } from '../log/log.ts'
import { ModelError, type Model } from '../model/model.ts'
import { costOf } from '../model/spending.ts'
import { fixedTokens } from './asking.ts'
import { personNear } from './asker.ts'
import { contextPolicy } from './policy.ts'
import { summariseBy, summariseByExtract, type Summarised } from './summarising.ts'
import type { World } from './world.ts'

export interface CompactionOrder {
  readonly branch: BranchId
  readonly asked?: 'by-person' | 'must-fit'
  readonly focus?: string | null
  readonly author: Author
  readonly signal: AbortSignal
}

/** What came of it. */
export type Compacted =
  | { readonly kind: 'done'; readonly text: string }
  | { readonly kind: 'not-due'; readonly why: NotDue }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** The context was changed meanwhile, and that wins. */
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'failed'; readonly error: ModelError }

/** Puts a summary in place of the oldest part of a context, if that is due; nothing changes until it is written. */
export async function compactNow(world: World, order: CompactionOrder): Promise<Compacted> {
  let due = await world.log.read((reader) => look(world, reader, order))
  while (due.kind === 'refused' && due.refusal.refused === 'calls-open' && !order.signal.aborted) {
    await stepEnd(world, order)
    due = await world.log.read((reader) => look(world, reader, order))
  }
  if (due.kind === 'refused') return { kind: 'refused', refusal: due.refusal }
  if (due.kind === 'nothing') return { kind: 'not-due', why: due }
  try {
    const summaries = await summariesOf(world, order, due)
    return await commit(world, order, { plan: due.plan, summaries })
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    if (error.reason !== 'aborted') await abandon(world, order)
    return { kind: 'failed', error }
  }
}

export function windowQuestion(
  world: Pick<World, 'settings' | 'model'>,
  reader: Reader,
  { branch, asked }: Pick<CompactionOrder, 'branch' | 'asked'>,
): WindowQuestion {
  const { window, model, chat } = world.settings()
  const rules = { ...window, policy: contextPolicy(reader, branch) ?? window.policy }
  const room = { fixedTokens: fixedTokens(reader, chat.tokensMax), contextTokens: roomOf(world, model) }
  return { branch, rules, room, ...(asked !== undefined && { asked }) }
}

function look(
  world: World,
  reader: Reader,
  order: CompactionOrder,
): DueWithTexts | Exclude<CompactionDue, { kind: 'due' }> {
  const due = dueCompaction(reader, windowQuestion(world, reader, order))
  return due.kind === 'due' ? { ...due, texts: due.plan.parts.map((part) => textsOf(reader, part)) } : due
}

type DueWithTexts = Extract<CompactionDue, { kind: 'due' }> & { readonly texts: readonly PartText[] }

/** Larger than any prompt: whoever cannot open its model is told so when it is asked. */
const UNKNOWN_ROOM = Number.MAX_SAFE_INTEGER

function roomOf({ model }: Pick<World, 'model'>, name: string): number {
  try {
    return model(name).contextTokens
  } catch (error) {
    if (error instanceof ModelError) return UNKNOWN_ROOM
    throw error
  }
}

interface Written extends Summarised {
  readonly model?: Model
}

async function summariesOf(world: World, order: CompactionOrder, due: DueWithTexts): Promise<Written[]> {
  const { window, compactionModel } = world.settings()
  const written: Written[] = []
  for (const part of due.texts) {
    const asked = {
      part,
      tokensMax: window.summaryTokensMax,
      focus: order.focus ?? null,
      signal: order.signal,
    }
    try {
      const model = world.model(compactionModel)
      written.push({ ...(await summariseBy(model, asked)), model })
    } catch (error) {
      // Past the hard limit, or when nothing fits any more, an extract is better than no summary.
      const mayExtract = due.mayExtract || order.asked === 'must-fit'
      if (!(error instanceof ModelError) || error.reason === 'aborted' || !mayExtract) throw error
      written.push(summariseByExtract(asked))
    }
  }
  return written
}

async function commit(
  world: World,
  order: CompactionOrder,
  made: { plan: CompactionPlan; summaries: readonly Written[] },
): Promise<Compacted> {
  for (;;) {
    const outcome = await world.log.write((writing) => commitWork(world, writing, { order, ...made }))
    if (outcome !== 'calls-open') return outcome
    await stepEnd(world, order)
    if (order.signal.aborted) return { kind: 'abandoned' }
  }
}

function commitWork(
  world: World,
  writing: Writing,
  { order, plan, summaries }: { order: CompactionOrder; plan: CompactionPlan; summaries: readonly Written[] },
): Compacted | 'calls-open' {
  const { branch, author } = order
  const at = world.now()
  const texts = summaries.map(({ text, tokens }) => ({ text, tokens }))
  const writer = [...new Set(summaries.map((one) => one.writer))].join(', ')
  const { summaryTokensMax } = world.settings().window
  const freed = freedBy(writing, plan.parts, summaryTokensMax)
  const decided = compact(writing, { branch, at, author, covered: plan.covered, texts, writer })
  if (isRefusal(decided))
    return decided.refused === 'calls-open' ? 'calls-open' : { kind: 'refused', refusal: decided }
  writing.append(decided.draft)
  noteSpent(world, writing, { order, at, summaries })
  if (decided.draft.kind === 'compaction-abandoned') return { kind: 'abandoned' }
  const before = summaries.reduce((sum, { tokens }) => sum + tokens, 0)
  const text = `${freed.messages} older messages are summed up in ${before} tokens, by ${writer}. /expand or /undo brings them back.`
  tellTerminal(writing, { order, at, text })
  return { kind: 'done', text }
}

/** In the terminal always; other channels are told with a later answer. */
function tellTerminal(
  writing: Writing,
  { order, at, text }: { order: CompactionOrder; at: number; text: string },
): void {
  const to = personNear(writing, order.branch)
  if (to?.channel !== 'terminal' || order.asked === 'by-person') return
  const intent = { to, form: 'notice', text, turn: null } as const
  writing.append({ kind: 'delivery-intended', branch: order.branch, at, v: 1, ...intent })
}

function noteSpent(
  world: World,
  writing: Writing,
  { order, at, summaries }: { order: CompactionOrder; at: number; summaries: readonly Written[] },
): void {
  const day = clockIn(at, world.settings().zone).date
  for (const { reply, model, writer } of summaries) {
    if (reply === undefined) continue
    const cost =
      model?.price === undefined || reply.answeredBy !== undefined ? null : costOf(reply.usage, model.price)
    const { usage } = reply
    const spent = { what: 'summary', model: writer, usage, cost, purpose: 'background', day } as const
    writing.append({ kind: 'model-used', branch: order.branch, at, v: 1, ...spent })
  }
}

async function abandon(world: World, { branch, author }: CompactionOrder): Promise<void> {
  const at = world.now()
  await world.log.write((writing) => {
    if (findBranch(writing, branch)?.state.kind === 'ended') return
    writing.append({ kind: 'compaction-abandoned', branch, at, v: 1, author, because: 'writer-failed' })
  })
}

/** Between a call and its last result nothing may change: a moment later it can. */
async function stepEnd(world: World, { branch, signal }: CompactionOrder): Promise<void> {
  while (!signal.aborted) {
    const isOpen = await world.log.read((reader) => (lastMessage(reader, branch)?.open ?? 0) > 0)
    if (!isOpen) return
    await world.sleep(STEP_LOOK_MS, signal).catch(() => undefined)
  }
}

const STEP_LOOK_MS = 50
