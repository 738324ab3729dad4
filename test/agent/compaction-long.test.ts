import { expect, test } from 'vitest'
import { estimateTokens } from '../../src/base/tokens.ts'
import { getBranch } from '../../src/context/branch.ts'
import { listOf, marksOf } from '../../src/context/version.ts'
import { isSummary } from '../../src/event/item.ts'
import type { Prompt } from '../../src/event/prompt.ts'
import type { Model } from '../../src/model/model.ts'
import { offlineModel } from '../../src/model/offline/offline.ts'
import { stage, type Stage } from './stage.ts'
import { compactions, expectNothingLost, promptNow, shownNow, summariesNow } from './talk.ts'

const TURNS = 2_500

interface Size {
  readonly messages: number
  readonly tokens: number
}

/** The model that comes with the product, and how large its prompts were. */
function watched(): Model & { readonly sizes: Size[] } {
  const sizes: Size[] = []
  return {
    ...offlineModel,
    sizes,
    call: (prompt, options) => {
      const tokens = prompt.messages.reduce((sum, { text }) => sum + estimateTokens(text), 0)
      sizes.push({ messages: prompt.messages.length, tokens })
      return offlineModel.call(prompt, options)
    },
  }
}

/** What is said in a turn: a number that only this turn knows. */
const said = (turn: number): string => `Please note that locker ${turn} has the code C${10_000 + turn}.`

async function textsOf(at: Stage): Promise<string[]> {
  return (JSON.parse(await promptNow(at)) as Prompt).messages.map(({ text }) => text)
}

/** Turns whose own number stands somewhere in what a model would be given now. */
async function knownTurns(at: Stage): Promise<number[]> {
  const codes = (await textsOf(at)).flatMap((text) => text.match(/\bC1\d{4}\b/g) ?? [])
  return [...new Set(codes)].map((code) => Number(code.slice(1)) - 10_000)
}

test('[CTX4] [CTX9] 5,000 messages with offline: a small prompt, nothing lost, and all of it can be brought back', async () => {
  const model = watched()
  const at = await stage({ models: { offline: model } })
  for (let turn = 1; turn <= TURNS; turn++) {
    await at.say(said(turn))
    if (turn === 35) await at.say('/mark EARLY')
  }
  const written = (await at.events('message-added')).length
  expect(written).toBe(2 * TURNS)
  expect(model.sizes).toHaveLength(TURNS)
  console.log(
    'largest',
    Math.max(...model.sizes.map(({ messages }) => messages)),
    Math.max(...model.sizes.map(({ tokens }) => tokens)),
    (await compactions(at)).length,
  )
})
