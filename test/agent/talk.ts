import { expect } from 'vitest'
import { promptText } from '../../src/agent/turn/call-prompt.ts'
import type { AgentSettings } from '../../src/agent/state/settings.ts'
import { contentOf, setupNow } from '../../src/agent/state/setup.ts'
import { estimateTokens } from '../../src/base/tokens.ts'
import { getBranch } from '../../src/context/branch.ts'
import { flatten } from '../../src/context/list.ts'
import { messagesIn, rangeOf } from '../../src/context/message-index.ts'
import { buildPrompt, HISTORY_HEADING } from '../../src/context/prompt.ts'
import { listAtVersion, listOf, versionAt, type Version } from '../../src/context/version.ts'
import type { BranchId, Position } from '../../src/event/id.ts'
import type { Item } from '../../src/event/item.ts'
import type { Prompt, ToolSpec } from '../../src/event/prompt.ts'
import type { Reader } from '../../src/event/table.ts'
import { ruleModel, type RuleModel, type Said } from './doubles.ts'
import { stage, type Stage, type StageOptions } from './stage.ts'

export type Rule = (prompt: Prompt, signal: AbortSignal) => Said | Promise<Said>

export interface Talk extends Stage {
  /** Who answers: `ok` to everything, unless told otherwise. */
  readonly chat: RuleModel
  /** Who sums up. */
  readonly summariser: RuleModel
}

export type TalkOptions = Omit<StageOptions, 'settings'> & {
  readonly answer?: Rule
  readonly summarise?: Rule
  readonly window?: Partial<AgentSettings['window']>
  readonly settings?: Partial<AgentSettings>
  /** What the one who answers takes. */
  readonly contextTokens?: number
}

export const SMALL = {
  policy: 'managed',
  windowMessages: 4,
  thresholdMessages: 8,
  truncationMessages: 20,
  shareMin: 0,
  historyTokensMax: null,
  summaryTokensMax: 60,
} as const

/** A conversation that is summed up early, by a model that keeps every word that looks like `FACT-1`. */
export async function talk(options: TalkOptions = {}): Promise<Talk> {
  const { answer = () => ({ text: 'ok' }), summarise = keepFacts, window, contextTokens, ...more } = options
  const chat = { ...ruleModel(answer, { name: 'chat' }), ...(contextTokens && { contextTokens }) }
  const summariser = ruleModel(summarise, { name: 'summariser' })
  const at = await stage({
    ...more,
    models: { chat, summariser, ...more.models },
    settings: {
      model: 'chat',
      compactionModel: 'summariser',
      window: { ...SMALL, ...window },
      ...more.settings,
    },
  })
  return Object.assign(at, { chat, summariser })
}

/** Keeps the facts, or else a number; as long as a summary of so much has to be. */
export function keepFacts({ messages }: Prompt): Said {
  const talk = messages.map(({ text }) => text).join('\n')
  const facts = [...new Set(talk.match(/FACT-\w+/g))].join(' ')
  const filler = ' and so on'.repeat(Math.min(20, estimateTokens(talk) / 150))
  return { text: `Facts: ${facts || `none but ${/hello (\d+)/.exec(talk)?.[1] ?? 0}`}${filler}.` }
}

/** Two messages each: what is said, and the answer. */
export async function sayTurns(
  at: Stage,
  count: number,
  text = (turn: number) => `hello ${turn}`,
): Promise<void> {
  for (let turn = 1; turn <= count; turn++) await at.say(text(turn))
}

/** What a model would be given now, in the branch that the terminal talks to, as canonical JSON. */
export async function promptNow(at: Stage, branch?: BranchId): Promise<string> {
  const id = branch ?? (await at.branch())
  return at.read((reader) => {
    const setup = setupNow(reader)
    if (setup === undefined) throw new Error('there is no setup')
    const tools = JSON.parse(contentOf(reader, setup.tools)) as ToolSpec[]
    const settings = {
      model: 'chat',
      tokensMax: null,
      temperature: null,
      thinking: 'off',
      toolChoice: 'auto',
    } as const
    const parts = { system: contentOf(reader, setup.system), tools, settings, tail: null }
    return promptText(buildPrompt(reader, listOf(reader, getBranch(reader, id)), parts))
  })
}

/** The texts of the summaries in a prompt, without their heading. */
export function summariesIn({ messages }: Pick<Prompt, 'messages'>): string[] {
  return messages
    .filter(({ role, text }) => role === 'user' && text.startsWith(HISTORY_HEADING))
    .map(({ text }) => text.slice(HISTORY_HEADING.length + 2))
}

export async function summariesNow(at: Stage, branch?: BranchId): Promise<string[]> {
  return summariesIn(JSON.parse(await promptNow(at, branch)) as Prompt)
}

/** How many messages the branch shows, summaries not counted. */
export async function shownNow(at: Stage): Promise<number> {
  const { messages } = JSON.parse(await promptNow(at)) as Prompt
  return messages.length - summariesIn({ messages }).length
}

/** Of compactions, in order: who wrote the summaries, or why it was abandoned. */
export async function compactions(at: Stage): Promise<string[]> {
  return (await at.all()).flatMap((event) => {
    if (event.kind === 'context-compacted') return [event.writer]
    return event.kind === 'compaction-abandoned' ? [`(${event.because})`] : []
  })
}

/**
 * CTX9: every message that a branch wrote since its last standing clear is shown, is covered by a shown summary, or
 * was dropped by a rewind that stands.
 */
export async function expectNothingLost(at: Stage, branch?: BranchId): Promise<void> {
  const id = branch ?? (await at.branch())
  await at.read((reader) => {
    const own = getBranch(reader, id)
    const kept = positions(reader, listOf(reader, own))
    let since: number = own.forkedAt
    for (let version: Version = versionAt(reader, own.version); version.prev !== null;) {
      const event = reader.event(version.id)
      if (event.kind === 'context-cleared' && event.to === null) {
        since = version.id
        break
      }
      if (event.kind === 'context-cleared')
        for (const one of positions(
          reader,
          listAtVersion(reader, version.prev, headBefore(reader, id, version.id)),
        ))
          kept.add(one)
      version = versionAt(reader, version.prev)
    }
    const range = rangeOf(reader, id, { from: since, to: Number.MAX_SAFE_INTEGER })
    const written = range === undefined ? [] : messagesIn(reader, range).map(({ position }) => position)
    expect(
      written.filter((position) => !kept.has(position)),
      '[CTX9] nothing is lost',
    ).toEqual([])
  })
}

function headBefore(reader: Reader, branch: BranchId, before: Position): Position | null {
  return rangeOf(reader, branch, { from: 1, to: before - 1 })?.to ?? null
}

/** Positions of all messages of these items, also of those under summaries. */
function positions(reader: Reader, items: readonly Item[]): Set<Position> {
  const ranges = items.flatMap((item) => flatten(reader, item))
  return new Set(ranges.flatMap((range) => messagesIn(reader, range).map(({ position }) => position)))
}
