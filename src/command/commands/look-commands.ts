import { priceOf } from '../../agent/contract/world.ts'
import { OWNER } from '../../event/speaker.ts'
import { clockIn } from '../../base/time-text.ts'
import { type Said, ok, refusal } from '../../agent/contract/act.ts'
import { personIn } from '../../agent/state/person.ts'
import { contentOf, setupOf } from '../../agent/state/setup.ts'
import { agentsText } from '../../view/agents-text.ts'
import { agentsView, countAgents } from '../../view/agents.ts'
import { contextText } from '../../view/context-text.ts'
import { contextView, modelIn } from '../../view/context.ts'
import { costText, costView } from '../../view/cost.ts'
import type { Commands, Desk, OrderOf } from '../desk/desk.ts'
import { helpText } from '../read/help-text.ts'
import { contextTokensOf } from './settings-commands.ts'
import { momentOf } from '../../base/iso-time.ts'
import { shownByAt } from '../../agent/state/updates.ts'
import { unheardIn } from '../../recall/speaker.ts'
import { sentence } from '../../base/words.ts'
import { askRecall, type Wish } from '../../recall/asking.ts'
import { EmbedderError } from '../../recall/contract/embedder.ts'
import { IndexError } from '../../recall/contract/index-error.ts'
import { quotable } from '../read/arguments.ts'
import { recallText } from '../../view/recall-text.ts'

export const lookCommands: Commands<'help' | 'agents' | 'context' | 'system' | 'cost' | 'recall'> = {
  help: (_, { command, source }) =>
    ok(helpText(command.about ?? undefined, source.person === OWNER ? 'owner' : 'guest')),

  agents: (_, order) => ({
    look: (reader, { branch, at: now }) => {
      const person = personIn(reader, branch)
      const agents = agentsView(reader, { now, ended: order.command.all ? 'shown' : 'left-out', person })
      return ok(agentsText(agents, countAgents(reader, person) - agents.length, { now, here: branch }))
    },
  }),

  context: (desk, { command: { policy } }) => {
    if (policy !== null)
      return (writing, { branch, at, author }) => {
        writing.append({ kind: 'policy-set', branch, at, policy, author })
        return ok(POLICY_TEXT[policy])
      }
    return {
      look: (reader, { branch, settings }) => {
        const model = modelIn(reader, branch, settings)
        const price = priceOf({ model: desk.openModel }, model)
        const tokensMax = contextTokensOf(desk, model)
        return ok(contextText(contextView(reader, { branch, settings, tokensMax, price })))
      },
    }
  },

  system: () => ({
    look: (reader, { branch }) => {
      const setup = setupOf(reader, branch)
      const text = setup === undefined ? '' : contentOf(reader, setup.system)
      return ok(text === '' ? 'The system text is empty: AGENTS.md is missing or empty.' : text)
    },
  }),

  cost: (_, order) => {
    if (!order.command.allow) return { look: (reader, actor) => ok(costText(costView(reader, actor))) }
    return (writing, { branch, at, settings }) => {
      const day = clockIn(at, settings.zone).date
      if (settings.dayLimit === null) return ok('No daily limit is set.')
      writing.append({ kind: 'spending-noted', branch, at, day, what: 'agreed' })
      return ok("Today's spending limit is lifted. /retry resends what it stopped.")
    }
  },

  recall: searched,
}

const POLICY_TEXT = {
  managed:
    'Automatic summaries are on: older messages are summarized as the context grows. /expand restores them.',
  explicit: 'Automatic summaries are off. Only your commands change this context.',
} as const

const LIMIT = 5
/** A few lines of each hit are enough in a chat: read_log and mainstem recall show more. */
const SNIPPET_TOKENS_MAX = 80

async function searched(desk: Desk, order: OrderOf<'recall'>): Promise<Said> {
  const { words, why, since, until, by } = order.command
  const { zone } = desk.settings()
  const isNarrowed = since !== null || until !== null || by !== null
  const wish = wishOf(desk, order)
  if (wish.since !== undefined && wish.until !== undefined && wish.since > wish.until)
    return refusal('--since is after --until, so nothing can be found.')
  try {
    const found = await askRecall({ ...desk, told: shownByAt, whose: personIn }, wish)
    if (found.kind === 'no-words')
      return refusal(`'${quotable(words)}' has no word to search for. Usage: /recall WORDS`)
    const unheard = found.hits.length === 0 ? await unheardIn(desk, wish) : undefined
    const asking = { words: quotable(words), zone, why, isNarrowed, ...(unheard && { unheard }) }
    return ok(recallText(found, asking))
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
