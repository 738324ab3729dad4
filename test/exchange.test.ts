import { expect, test } from 'vitest'
import { receive } from '../src/command/door/reception.ts'
import type { Life } from '../src/runtime/life/life.ts'
import { startExchange, type Outcome } from '../src/runtime/terminal/exchange.ts'
import { typedInbound } from '../src/runtime/terminal/place.ts'
import { play, ruleModel, unanswered, type Played } from './agent/doubles.ts'

const { signal } = new AbortController()

async function echoing(): Promise<Played> {
  const echo = ruleModel((prompt) => ({ text: `heard: ${unanswered(prompt).join(' and ')}` }))
  return play([], { models: { echo }, settings: { model: 'echo' } })
}

function lifeOf({ log, agent, desk }: Played): Life {
  const hear: Life['receive'] = (inbound) => receive(desk, inbound)
  return { log, agent, desk, receive: hear } as unknown as Life
}

async function ask(life: Life, key: string, text: string): Promise<Outcome | undefined> {
  const { outcome } = await startExchange(life, typedInbound(text, { origin: 'terminal', key }), { signal })
  return outcome
}

function textsOf(outcome: Outcome | undefined): string[] {
  return (outcome?.results ?? []).map(({ text }) => text)
}

test('of several that ask at once, each gets its own answer', async () => {
  const at = await echoing()
  const life = lifeOf(at)
  const asked = ['one', 'two', '/note three', '/help mark', 'five']
  const outcomes = await Promise.all(asked.map((text, index) => ask(life, `k${index}`, text)))
  const told = outcomes.map((outcome) => textsOf(outcome).join('\n'))
  expect(told[0]).toMatch(/^heard: .*one$/s)
  expect(told[1]).toMatch(/^heard: .*two$/s)
  expect(told[3]).toMatch(/^\/mark/)
  expect(told[4]).toMatch(/^heard: .*five$/s)
  expect(new Set(outcomes.map((outcome) => outcome?.turn)).size).toBe(4)
  await at.close()
})

test.each(['hello', '/help mark', '/stop\nhello', '/nonsense', '/fork --enter -- a topic'])(
  '[RECV1] the same key again is the same exchange, and nothing is done twice: %s',
  async (text) => {
    const at = await echoing()
    const life = lifeOf(at)
    const first = await ask(life, 'k1', text)
    await ask(life, 'k2', 'something else')
    const { end } = await at.log.read((reader) => ({ end: reader.end }))
    expect(await ask(life, 'k1', text)).toEqual(first)
    expect(await at.log.read((reader) => reader.end)).toBe(end)
    expect(textsOf(first).length).toBeGreaterThan(0)
    await at.close()
  },
)
