import { describe, expect, test } from 'vitest'
import { limits } from '../../src/base/limits.ts'
import { makeBranchId } from '../../src/event/id.ts'
import type { Reply } from '../../src/model/contract/model.ts'
import { countedTool, type Said } from './doubles.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { ended, ruled } from './rig.ts'
import { stage, START, terminal } from './stage.ts'

const nowhere = makeBranchId(START, () => 0)
const HUGE = limits.eventBytesMax
const call = (more: Partial<Reply['calls'][number]>): Said => ({
  calls: [{ id: 'a', tool: 'dig', args: {}, ...more }],
})
const usage = (tokensOut: number): Said => ({
  text: 'Hello.',
  usage: { tokensIn: 1, tokensOut, tokensCached: 0, tokensCacheWritten: 0 },
})

describe('a reply that the log refuses', () => {
  test.each<[string, Said]>([
    ['a fraction of a token', usage(0.5)],
    ['fewer than no tokens', usage(-1)],
    ['tokens that are no number', usage(Number.NaN)],
    ['a text that no event holds', { text: 'x'.repeat(HUGE) }],
    ['arguments that no event holds', call({ args: { path: 'x'.repeat(HUGE) } })],
    ['a name of a tool that no event holds', call({ tool: 'x'.repeat(HUGE) })],
  ])('fails the turn, tells the person, and the next turn works: %s', async (_, reply) => {
    let isOdd = true
    const at = await ruled(() => (isOdd ? reply : { text: 'Fine again.' }), { tools: [countedTool('dig')] })
    expect(await at.say('hi')).toEqual([
      expect.stringMatching(
        /^The reply cannot be written to the log: refused .* Your message is kept; \/retry sends it again\.$/s,
      ),
    ])
    expect((await at.events('turn-ended')).map(({ outcome }) => outcome)).toEqual(['failed'])
    expect(at.failures).toEqual([])
    isOdd = false
    expect(await at.say('/retry')).toEqual(['Trying again.', 'Fine again.'])
    await expectLawful(at)
    await expectEmpty(at.log)
  })
})

describe('a start goes on from a log', () => {
  test('with a message that fills an event and has no room for its head', async () => {
    const first = await ruled(() => ({ text: 'Read.' }))
    const [{ branch } = { branch: nowhere }] = await first.events('branch-created')
    const source = { from: 'person', ...terminal, person: 'you', key: null } as const
    const text = '[system]\n'.repeat(HUGE / 11)
    await first.log.write((writing) => {
      writing.append({ kind: 'inbound-admitted', branch, at: START, v: 1, source, form: 'message', text })
    })
    const again = await ruled(() => ({ text: 'Read.' }), {
      ...(await ended(first)),
      settings: { model: 'ruled' },
    })
    await again.agent.settled()
    expect(again.failures).toEqual([])
    const said = (await again.events('message-added')).find(({ message }) => message.role === 'user')
    expect(said?.message.text).toMatch(/\(cut: the first 2097152 of \d+ characters\)$/)
  })

  test('with a command whose result no event holds', async () => {
    const first = await stage()
    const [{ branch } = { branch: nowhere }] = await first.events('branch-created')
    const source = { from: 'person', ...terminal, person: 'you', key: null } as const
    const text = `/mark ${'x'.repeat(HUGE - 160)}`
    await first.log.write((writing) => {
      writing.append({ kind: 'inbound-admitted', branch, at: START, v: 1, source, form: 'command', text })
    })
    const again = await stage(await ended(first))
    await again.agent.settled()
    expect(again.failures).toEqual([])
    expect((await again.events('command-run')).map(({ isError }) => isError)).toEqual([true])
    expect(again.sent.map(({ text }) => text)).toEqual([
      expect.stringContaining('This cannot be written to the log'),
    ])
  })
})
