import { clockIn } from '../../base/time-text.ts'
import { type Said, ok } from '../../agent/contract/act.ts'
import { contentOf, setupOf } from '../../agent/state/setup.ts'
import { countBranches } from '../../context/branch.ts'
import { agentsText } from '../../view/agents-text.ts'
import { agentsView } from '../../view/agents.ts'
import { contextText, modelIn } from '../../view/context-text.ts'
import { costText } from '../../view/cost-text.ts'
import { conclude, type Desk, type OrderOf } from '../desk/desk.ts'
import { helpText } from '../read/help-text.ts'
import { contextTokensOf } from './settings-commands.ts'

export function runHelp(desk: Desk, order: OrderOf<'help'>): Promise<Said | undefined> {
  return conclude(desk, order, () => ok(helpText(order.command.about ?? undefined)))
}

export function runAgents(desk: Desk, order: OrderOf<'agents'>): Promise<Said | undefined> {
  const ended = order.command.all ? 'shown' : 'left-out'
  return conclude(desk, order, (writing, { branch, at: now }) => {
    const agents = agentsView(writing, { now, ended })
    return ok(agentsText(agents, countBranches(writing) - agents.length, { now, here: branch }))
  })
}

export async function runContext(desk: Desk, order: OrderOf<'context'>): Promise<Said | undefined> {
  const { policy } = order.command
  if (policy !== null) return setPolicy(desk, order, policy)
  const model = await desk.log.read((reader) => modelIn(reader, { ...order, settings: desk.settings() }))
  const tokensMax = contextTokensOf(desk, model)
  return conclude(desk, order, (writing, { branch, settings }) =>
    ok(contextText(writing, { branch, settings, tokensMax })),
  )
}

function setPolicy(
  desk: Desk,
  order: OrderOf<'context'>,
  policy: 'managed' | 'explicit',
): Promise<Said | undefined> {
  return conclude(desk, order, (writing, { branch, at, author }) => {
    writing.append({ kind: 'policy-set', branch, at, v: 1, policy, author })
    return ok(POLICY_TEXT[policy])
  })
}

const POLICY_TEXT = {
  managed:
    'The context of this branch is managed: old messages are summed up as it grows, and /expand brings them back.',
  explicit: 'The context of this branch is explicit: nothing leaves it but by your command.',
} as const

export function runSystem(desk: Desk, order: OrderOf<'system'>): Promise<Said | undefined> {
  return conclude(desk, order, (writing, { branch }) => {
    const setup = setupOf(writing, branch)
    const text = setup === undefined ? '' : contentOf(writing, setup.system)
    return ok(text === '' ? 'The system text is empty: AGENTS.md is missing or blank.' : text)
  })
}

export function runCost(desk: Desk, order: OrderOf<'cost'>): Promise<Said | undefined> {
  return conclude(desk, order, (writing, { branch, at, settings }) => {
    const day = clockIn(at, settings.zone).date
    if (!order.command.allow) return ok(costText(writing, { branch, day, settings }))
    if (settings.dayLimit === null) return ok('No daily limit is set, so there is none to pass.')
    writing.append({ kind: 'spending-noted', branch, at, v: 1, day, what: 'agreed' })
    return ok("Today's spending limit may be passed. /retry sends again what was stopped by it.")
  })
}
