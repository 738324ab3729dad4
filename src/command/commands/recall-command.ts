import { momentOf } from '../../base/iso-time.ts'
import { type Said, ok, refusal } from '../../agent/contract/act.ts'
import { tellingAt } from '../../agent/state/updates.ts'
import { unheardIn } from '../../recall/speaker.ts'
import { sentence } from '../../base/words.ts'
import { askRecall, type Wish } from '../../recall/asking.ts'
import { EmbedderError } from '../../recall/contract/embedder.ts'
import { IndexError } from '../../recall/contract/index-error.ts'
import { quotable } from '../read/arguments.ts'
import { conclude, type Desk, type OrderOf } from '../desk/desk.ts'
import { recallText } from '../../view/recall-text.ts'

const LIMIT = 5
/** In a chat a few lines of each are enough: read_log and mainstem recall show more. */
const SNIPPET_TOKENS_MAX = 80

/** Searches before it writes anything: what is being written must not wait for a search. */
export async function runRecall(desk: Desk, order: OrderOf<'recall'>): Promise<Said | undefined> {
  const said = await answered(desk, order)
  return conclude(desk, order, () => said)
}

async function answered(desk: Desk, order: OrderOf<'recall'>): Promise<Said> {
  const { words, why, since, until, by } = order.command
  const { zone } = desk.settings()
  const isNarrowed = since !== null || until !== null || by !== null
  const wish = wishOf(desk, order)
  if (wish.since !== undefined && wish.until !== undefined && wish.since > wish.until)
    return refusal('--since is after --until, so nothing can lie between them.')
  try {
    const asked = await askRecall({ ...desk, told: tellingAt }, wish)
    if (asked.kind === 'no-words')
      return refusal(`There is no word in '${quotable(words)}' to look for. Usage: /recall WORDS`)
    const unheard = asked.hits.length === 0 ? await unheardIn(desk, wish) : undefined
    const asking = { words: quotable(words), zone, why, isNarrowed, ...(unheard && { unheard }) }
    return ok(recallText(asked, asking))
  } catch (error) {
    // A command that breaks in the inbox would break again at every start.
    if (!(error instanceof IndexError || error instanceof EmbedderError)) throw error
    return refusal(`The search failed: ${sentence(error.message)}`)
  }
}

function wishOf(desk: Desk, { command, source, branch }: OrderOf<'recall'>): Wish {
  const { words: text, since, until, by, limit } = command
  const settings = desk.settings()
  const now = desk.now()
  const from = since === null ? undefined : momentOf(since, { zone: settings.zone, now, edge: 'start' })
  const to = until === null ? undefined : momentOf(until, { zone: settings.zone, now, edge: 'end' })
  return {
    text,
    ...(from !== undefined && { since: from }),
    ...(to !== undefined && { until: to }),
    ...(by !== null && { speaker: by }),
    limit: limit ?? (settings.recall.limit === 0 ? LIMIT : settings.recall.limit),
    snippetTokensMax: Math.min(settings.recall.snippetTokensMax, SNIPPET_TOKENS_MAX),
    now,
    asker: source.person,
    branch,
  }
}
