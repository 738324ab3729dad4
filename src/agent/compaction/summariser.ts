import { clockIn } from '../../base/time-text.ts'
import { estimateTokens } from '../../base/tokens.ts'
import type { Author, Draft, Placed } from '../../event/event.ts'
import type { BranchId } from '../../event/id.ts'
import { OWNER } from '../../event/speaker.ts'
import { ModelError, type Model, type Reply } from '../../model/contract/model.ts'
import { costOf } from '../../model/spending.ts'
import { missingError, missingModel } from '../state/home-model.ts'
import { settingsFor } from '../state/settings.ts'
import { spendingNow, spendingObstacle, type Purpose } from '../state/spent.ts'
import type { PartToWrite } from './compaction-due.ts'
import { edgesOf, summariseBy, summariseByExtract, type Summarised, type Summarising } from './summarising.ts'
import { priceOf, type World } from '../contract/world.ts'

export interface SummaryOrder {
  readonly author: Author
  readonly focus: string | null
  readonly signal: AbortSignal
  /** Aborted when somebody waits too long for a model's summary. */
  readonly patience: AbortSignal | undefined
  /** Whether an extract is better than no summary. */
  readonly mayExtract: boolean
  readonly branch: BranchId
  /** Who pays: the person of the branch. */
  readonly person: string
  /** Replies that must be paid for, useful or not, and their models; added as they come. */
  readonly replies: { readonly reply: Pick<Reply, 'usage'>; readonly model: string }[]
}

export interface Written extends Summarised {
  /** The model's error, if an extract stands in for its summary. */
  readonly insteadOf?: ModelError
}

/** Rejects with a ModelError if there is no summary and no extract may stand in. */
export async function writeSummary(world: World, order: SummaryOrder, part: PartToWrite): Promise<Written> {
  const { focus, signal, patience, replies } = order
  const { compactionModel } = world.settings()
  const both = patience === undefined ? signal : AbortSignal.any([signal, patience])
  const edges = edgesOf(part.text, part.tokensMax)
  const wanted: Summarising = {
    part: part.text,
    tokensMax: part.tokensMax - estimateTokens(edges),
    focus,
    signal: both,
    onReply: (reply) => replies.push({ reply, model: reply.answeredBy ?? compactionModel }),
  }
  try {
    await requireModel(world)
    const model = world.model(compactionModel)
    if (both.aborted) throw new ModelError('aborted', `${model.name}: nobody waits for it any more`)
    await checkSpending(world, order, model)
    return withEdges(edges, await summariseBy(model, wanted))
  } catch (error) {
    if (!(error instanceof ModelError) || signal.aborted) throw error
    const why = both.aborted ? new ModelError('timeout', `${compactionModel} took too long`) : error
    if (!order.mayExtract) throw why
    return { ...withEdges(edges, summariseByExtract(wanted)), insteadOf: why }
  }
}

/** An extract may stand in where the rules allow one, but `offline` writes no summary for another model (MODEL1). */
async function requireModel({ log, settings }: World): Promise<void> {
  const { modelFrom, hasCompactionModel } = settings()
  if (modelFrom !== null || hasCompactionModel) return
  const missing = await log.read((reader) => missingModel(reader, { modelFrom }))
  if (missing !== undefined) throw missingError(missing)
}

function withEdges(edges: string, made: Summarised): Summarised {
  const text = edges + made.text
  return edges === '' ? made : { ...made, text, tokens: estimateTokens(text) }
}

function purposeOf({ author }: Pick<SummaryOrder, 'author'>): Purpose {
  return author.by === 'person' ? 'person' : 'background'
}

/** The rule-based model costs nothing; every other one is checked against the day's limit first. */
async function checkSpending(world: World, order: SummaryOrder, model: Model): Promise<void> {
  const settings = settingsFor(world.settings(), order.person)
  if (model.name === 'offline') return
  const at = world.now()
  const day = clockIn(at, settings.zone).date
  const purpose = purposeOf(order)
  const answer = await world.log.read((reader) =>
    spendingNow(reader, { branch: order.branch, settings, day, purpose }),
  )
  if (answer.kind === 'ask' || answer.kind === 'wait')
    throw spendingObstacle({ answer, isOwner: order.person === OWNER }, at)
}

/** Counts the cost of the replies, whether they led to a summary or not. */
export function repliesPaid(world: World, { branch, at }: Placed, order: SummaryOrder): Draft[] {
  const day = clockIn(at, settingsFor(world.settings(), order.person).zone).date
  const purpose = purposeOf(order)
  return order.replies.map(({ reply: { usage }, model }) => {
    // A fallback has its own price.
    const price = priceOf(world, model)
    const cost = costOf(usage, price)
    return { kind: 'model-used', branch, at, what: 'summary', model, usage, cost, purpose, day }
  })
}
