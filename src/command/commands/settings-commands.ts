import { done, refusal, type Said } from '../../agent/act.ts'
import { changeSetup, contentOf, setupNow } from '../../agent/setup.ts'
import { spentBy, spentOn, type Sums } from '../../agent/spent.ts'
import type { AgentSettings } from '../../agent/settings.ts'
import { getBranch } from '../../context/branch.ts'
import { clockIn } from '../../context/wording.ts'
import type { BranchId } from '../../event/id.ts'
import type { ToolSpec } from '../../event/prompt.ts'
import type { Reader } from '../../event/table.ts'
import { ModelError } from '../../model/model.ts'
import { agentsText } from '../agents-text.ts'
import { contextText } from '../context-text.ts'
import { conclude, type Desk, type OrderOf } from '../desk.ts'
import { lineDifference } from '../difference.ts'
import { helpText } from '../help-text.ts'
import { moneyWords, tokenWords } from '../words.ts'

export function runHelp(desk: Desk, order: OrderOf<'help'>): Promise<Said | undefined> {
  return conclude(desk, order, () => done(helpText(order.command.about ?? undefined)))
}

export function runAgents(desk: Desk, order: OrderOf<'agents'>): Promise<Said | undefined> {
  const ended = order.command.all ? 'shown' : 'left-out'
  return conclude(desk, order, (writing, { branch, at }) =>
    done(agentsText(writing, { now: at, here: branch, ended })),
  )
}

export function runContext(desk: Desk, order: OrderOf<'context'>): Promise<Said | undefined> {
  const tokensMax = contextTokensOf(desk)
  return conclude(desk, order, (writing, { branch, settings }) =>
    done(contextText(writing, { branch, settings, tokensMax })),
  )
}

const UNKNOWN_CONTEXT_TOKENS = 100_000

/** Of the model that is chosen, if it can be opened. */
export function contextTokensOf(desk: Pick<Desk, 'openModel' | 'settings'>): number {
  try {
    return desk.openModel(desk.settings().model).contextTokens
  } catch (error) {
    if (error instanceof ModelError) return UNKNOWN_CONTEXT_TOKENS
    throw error
  }
}

const MODEL_HELP =
  '/model NAME changes it: anthropic/MODEL, openai/MODEL, google/MODEL, openrouter/MODEL, ollama/MODEL, openai-compatible/MODEL, or offline.'

export async function runModel(desk: Desk, order: OrderOf<'model'>): Promise<Said | undefined> {
  const { model } = order.command
  const now = desk.settings().model
  if (model === null) return conclude(desk, order, () => done(`The model is ${now}.\n${MODEL_HELP}`))
  const problem = openable(desk, model) ?? (await desk.configure('model', model))
  if (problem !== undefined)
    return conclude(desk, order, () => refusal(`${problem}\nThe model is still ${now}.`))
  return conclude(desk, order, (_, { branch }) =>
    done(`The model is ${model} from the next call on (was ${now}).`, { wake: [branch] }),
  )
}

function openable(desk: Desk, name: string): string | undefined {
  try {
    desk.openModel(name)
    return undefined
  } catch (error) {
    if (error instanceof ModelError) return error.message
    throw error
  }
}

export async function runThinking(desk: Desk, order: OrderOf<'thinking'>): Promise<Said | undefined> {
  const { thinking } = order.command
  const now = desk.settings().thinking
  if (thinking === null)
    return conclude(desk, order, () =>
      done(`Thinking is ${now}. /thinking off, adaptive, or a number of tokens.`),
    )
  const problem = await desk.configure('thinking', String(thinking))
  return conclude(desk, order, () =>
    problem === undefined
      ? done(`Thinking is ${thinking} from the next call on (was ${now}).`)
      : refusal(`${problem}\nThinking is still ${now}.`),
  )
}

export function runSystem(desk: Desk, order: OrderOf<'system'>): Promise<Said | undefined> {
  return conclude(desk, order, (writing) => {
    const setup = setupNow(writing)
    const text = setup === undefined ? '' : contentOf(writing, setup.system)
    return done(text === '' ? 'The system text is empty: AGENTS.md is missing or blank.' : text)
  })
}

export function runCost(desk: Desk, order: OrderOf<'cost'>): Promise<Said | undefined> {
  return conclude(desk, order, (writing, { branch, at, settings }) => {
    const day = clockIn(at, settings.zone).date
    if (!order.command.allow) return done(costText(writing, { branch, day, settings }))
    writing.append({ kind: 'spending-noted', branch, at, v: 1, day, what: 'agreed' })
    return done("Today's spending limit may be passed. /retry sends again what was stopped by it.")
  })
}

function costText(
  reader: Reader,
  { branch, day, settings }: { branch: BranchId; day: string; settings: AgentSettings },
): string {
  const { all, background } = spentOn(reader, day)
  const limit = settings.dayLimit
  const max = limit && (limit.unit === 'money' ? moneyWords(limit.max) : `${tokenWords(limit.max)} tokens`)
  return [
    `Today (${day}): ${sumsWords(all)}${background.calls > 0 ? `; of it in the background ${sumsWords(background)}` : ''}`,
    `This branch, all in all: ${sumsWords(spentBy(reader, branch))}`,
    max === null ? 'No daily limit is set; costDayMax sets one.' : `Daily limit: ${max}`,
  ].join('\n')
}

function sumsWords({ calls, tokensIn, tokensOut, tokensCached, cost, isPriced }: Sums): string {
  const money = isPriced ? `${moneyWords(cost)}, ` : ''
  const cached = tokensCached > 0 ? ` (${tokenWords(tokensCached)} from the cache)` : ''
  const count = calls === 1 ? '1 call' : `${calls} calls`
  return `${money}${count}, ${tokenWords(tokensIn)} tokens in${cached}, ${tokenWords(tokensOut)} out`
}

export async function runStop(desk: Desk, order: OrderOf<'stop'>): Promise<Said | undefined> {
  const wasRunning = await desk.agent().stop(order.branch)
  return conclude(desk, order, () => done(wasRunning ? 'Stopped.' : 'Nothing is running here.'))
}

export async function runRetry(desk: Desk, order: OrderOf<'retry'>): Promise<Said | undefined> {
  let hasWork = false
  const said = await conclude(desk, order, (writing, { branch }) => {
    const { state } = getBranch(writing, branch)
    hasWork = state.kind === 'idle' && state.last !== null && state.last.outcome !== 'answered'
    return hasWork ? done('Trying again.') : refusal('There is nothing to try again here.')
  })
  if (said !== undefined && hasWork) desk.agent().hurry(order.branch)
  return said
}

const DIFFERENCE_LINES_MAX = 40

export async function runReload(desk: Desk, order: OrderOf<'reload'>): Promise<Said | undefined> {
  const setup = await desk.readSetup()
  return conclude(desk, order, (writing, actor) => {
    const before = setupNow(writing)
    const oldSystem = before === undefined ? '' : contentOf(writing, before.system)
    const oldTools = before === undefined ? [] : toolNames(contentOf(writing, before.tools))
    if (!changeSetup(writing, setup, actor)) return done('Nothing changed.')
    const tools = setup.tools.map(({ name }) => name)
    const came = tools.filter((name) => !oldTools.includes(name)).map((name) => `+ tool ${name}`)
    const went = oldTools.filter((name) => !tools.includes(name)).map((name) => `- tool ${name}`)
    const lines = lineDifference(oldSystem, setup.system, DIFFERENCE_LINES_MAX)
    return done(
      ['Reloaded. What changed:', ...(oldSystem === setup.system ? [] : lines), ...went, ...came].join('\n'),
    )
  })
}

function toolNames(specs: string): string[] {
  return (JSON.parse(specs) as ToolSpec[]).map(({ name }) => name)
}
