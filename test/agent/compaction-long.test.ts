import { expect, test } from 'vitest'
import { getBranch } from '../../src/context/branch.ts'
import { listOf } from '../../src/context/version.ts'
import { isSummary } from '../../src/event/item.ts'
import type { Prompt } from '../../src/event/prompt.ts'
import type { Model } from '../../src/model/contract/model.ts'
import { offlineModel } from '../../src/model/offline/offline.ts'
import { isWholeRun } from '../rounds.ts'
import { stage, type Stage } from './stage.ts'
import { expectNothingLost, promptNow, shownNow, summariesIn, summariesNow } from './talk.ts'

const TURNS = isWholeRun ? 2_500 : 250
const MARKED = 35
const WITHOUT_RECALL = { limit: 0, snippetTokensMax: 300, acrossClear: false }

/** The model that comes with the product; it remembers how large its prompts were. */
interface Watched extends Model {
  readonly messages: number[]
  readonly characters: number[]
}

function watched(): Watched {
  const [messages, characters]: [number[], number[]] = [[], []]
  return {
    ...offlineModel,
    messages,
    characters,
    call: (prompt, options) => {
      messages.push(prompt.messages.length)
      characters.push(prompt.messages.reduce((sum, { text }) => sum + text.length, 0))
      return offlineModel.call(prompt, options)
    },
  }
}

/** A code that only this turn knows. */
const said = (turn: number): string => `Please note that locker ${turn} has the code C${10_000 + turn}.`

/** Turns whose code stands in what a model would be given now: in its messages, and in its summaries. */
async function knownNow(at: Stage): Promise<{ messages: number[]; summaries: number[] }> {
  const { messages } = JSON.parse(await promptNow(at)) as Prompt
  const summaries = summariesIn({ messages })
  const spoken = messages.slice(summaries.length).filter(({ role }) => role === 'user')
  return { messages: turnsIn(spoken.map(({ text }) => text)), summaries: turnsIn(summaries) }
}

function turnsIn(texts: readonly string[]): number[] {
  return texts
    .flatMap((text) => text.match(/\bC1\d{4}\b/g) ?? [])
    .map((code) => Number(code.slice(1)) - 10_000)
}

test('[CTX4] [CTX9] a long talk with offline: a small prompt, nothing lost, and all of it comes back', async () => {
  const model = watched()
  // Every message has the words of all others, which is the slowest case of a search: recall has tests of its own.
  const at = await stage({ models: { offline: model }, settings: { recall: WITHOUT_RECALL } })
  let early = ''
  for (let turn = 1; turn <= TURNS; turn++) {
    await at.say(said(turn))
    if (turn !== MARKED) continue
    await at.say('/mark EARLY')
    early = await promptNow(at)
  }
  expect(await at.events('message-added')).toHaveLength(2 * TURNS)
  expectBounded(model)
  await expectNothingLost(at)
  await expectShown(at)
  await expectBack(at)
  await expectEarly(at, early)
})

/** Never more than 40 messages, the new one and a summary, and never longer than such prompts are. */
function expectBounded({ messages, characters }: Watched): void {
  expect(messages).toHaveLength(TURNS)
  expect(Math.max(...messages)).toBe(42)
  expect(Math.max(...characters.slice(TURNS / 2))).toBeLessThanOrEqual(
    Math.max(...characters.slice(0, TURNS / 5)) * 1.1,
  )
}

/** One line says what is summed up: all that is not shown. */
async function expectShown(at: Stage): Promise<void> {
  const covered = 2 * TURNS - (await shownNow(at))
  const lines = (await at.say('/context'))[0]?.split('\n') ?? []
  expect(lines.filter((line) => line.startsWith('  summary'))).toEqual([
    expect.stringMatching(
      new RegExp(`of ${covered} messages \\(\\d+k tokens\\), by extract, 2026-03-01 09:30$`),
    ),
  ])
}

async function expectBack(at: Stage): Promise<void> {
  const before = await promptNow(at)
  expect((await at.say('/compact'))[0]).toMatch(/^Summarized \d+ older messages/)
  const after = await promptNow(at)
  expect(after).not.toBe(before)
  await at.say('/expand')
  expect(await promptNow(at)).toBe(before)
  await at.say('/undo')
  expect(await promptNow(at)).toBe(after)
  await at.say('/undo')
  expect(await promptNow(at)).toBe(before)
  await at.say('/redo')
  expect(await promptNow(at)).toBe(after)
}

/** Under many summaries lies what was shown when the mark was set, and nothing later. */
async function expectEarly(at: Stage, early: string): Promise<void> {
  const late = await promptNow(at)
  expect(await at.say('/rewind EARLY')).toEqual(["Rewound to 'EARLY'."])
  expect(await promptNow(at)).toBe(early)
  const { messages, summaries } = await knownNow(at)
  expect(messages.at(-1)).toBe(MARKED)
  expect(messages.length).toBeGreaterThanOrEqual(10)
  expect(Math.max(...messages, ...summaries)).toBe(MARKED)
  await expectNoLaterSummary(at)
  await expectNothingLost(at)
  await at.say('/undo')
  expect(await promptNow(at)).toBe(late)
  expect(await summariesNow(at)).toHaveLength(1)
}

async function expectNoLaterSummary(at: Stage): Promise<void> {
  const id = await at.branch()
  const [mark] = await at.events('mark-set')
  await at.read((reader) => {
    for (const item of listOf(reader, getBranch(reader, id)).filter(isSummary))
      expect(item.end).toBeLessThan(mark?.position ?? 0)
  })
}
