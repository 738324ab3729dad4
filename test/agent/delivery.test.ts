import { describe, expect, test } from 'vitest'
import { ChannelError, type Channel, type Outgoing } from '../../src/channel/channel.ts'
import { receive } from '../../src/command/door/reception.ts'
import { openMemoryStore } from '../../src/log/memory.ts'
import { StoreLog } from '../../src/log/store-log.ts'
import { MortalStore } from '../simulation/mortal-store.ts'
import { gate, play, ruleModel } from './doubles.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { breathe, projections, stage, terminal, type Stage } from './stage.ts'

const echo = ruleModel(({ messages }) => ({ text: `Re: ${messages.at(-1)?.text.split('\n\n').at(-1)}` }))
const echoing = { models: { echo }, settings: { model: 'echo' } }

/** A platform that does with each message what it is told to, and shows the rest. */
function platform(does: (message: Outgoing, time: number) => Promise<void> | void) {
  const shown: Outgoing[] = []
  const times = new Map<number, number>()
  const send: Channel['send'] = async (message) => {
    const time = (times.get(message.id) ?? 0) + 1
    times.set(message.id, time)
    await does(message, time)
    shown.push(message)
    return `p${message.id}`
  }
  return { shown, send, texts: () => shown.map(({ text }) => text) }
}

async function typeIn(at: Stage, conversation: string, text: string): Promise<void> {
  await receive(at.desk, {
    ...terminal,
    conversation,
    origin: 'terminal' as const,
    person: 'owner',
    messageId: null,
    text,
  })
}

describe('a delivery', () => {
  test('[SEND1] has its intent in the log before the network, and its outcome after it', async () => {
    const seen: string[] = []
    const to = platform(async ({ id }) => {
      const events = await at.all()
      seen.push(events.find(({ position }) => position === id)?.kind ?? 'nothing')
      seen.push(`${events.filter(({ kind }) => kind === 'delivery-done').length} done`)
    })
    const at: Stage = await stage({ ...echoing, send: to.send })
    await at.type('hi')
    await at.settle()
    expect(seen).toEqual(['delivery-intended', '0 done'])
    const [done] = await at.events('delivery-done')
    expect(done).toMatchObject({ platformId: expect.stringMatching(/^p\d+$/) })
    await expectLawful(at)
  })

  test('waits for the one before it in its conversation, and for none in another', async () => {
    const held = gate()
    const to = platform(async ({ text }) => (text === 'Re: one' ? held.opened : undefined))
    const at = await stage({ ...echoing, send: to.send })
    await at.type('one')
    await breathe()
    await at.type('two')
    await typeIn(at, 'elsewhere', 'three')
    await breathe()
    expect(to.texts()).toEqual(['Re: three'])
    held.open()
    await at.settle()
    expect(to.texts()).toEqual(['Re: three', 'Re: one', 'Re: two'])
    await expectEmpty(at.log)
    await expectLawful(at)
  })

  test('[SEND1] that failed is sent again, later and later, and those behind it wait', async () => {
    const times: number[] = []
    const to = platform(({ text }, time) => {
      if (text !== 'Re: one') return
      times.push(at.clock.now() - begun)
      if (time <= 4) throw new ChannelError('no network', { isFinal: false })
    })
    const at: Stage = await stage({ ...echoing, send: to.send })
    const begun = at.clock.now()
    await at.type('one')
    await breathe()
    await at.type('two')
    await at.clock.pass(100_000)
    expect(times).toEqual([0, 1_000, 6_000, 36_000, 66_000])
    expect(to.texts()).toEqual(['Re: one', 'Re: two'])
    expect(to.shown.some(({ isAgain }) => isAgain)).toBe(false)
    await expectLawful(at)
  })

  test('that succeeded makes the next failure a first one again', async () => {
    const times: number[] = []
    const to = platform((_, time) => {
      times.push(at.clock.now() - begun)
      if (time <= 2) throw new ChannelError('no network', { isFinal: false })
    })
    const at: Stage = await stage({ ...echoing, send: to.send })
    const begun = at.clock.now()
    await at.type('one')
    await breathe()
    await at.type('two')
    await at.clock.pass(100_000)
    expect(times).toEqual([0, 1_000, 6_000, 6_000, 7_000, 12_000])
  })

  test('waits as long as the platform asks', async () => {
    const to = platform((_, time) => {
      if (time === 1) throw new ChannelError('slow down', { isFinal: false, retryAfterMs: 20_000 })
    })
    const at = await stage({ ...echoing, send: to.send })
    await at.type('one')
    await at.clock.pass(19_000)
    expect(to.texts()).toEqual([])
    await at.clock.pass(1_000)
    expect(to.texts()).toEqual(['Re: one'])
  })

  test('[SEND1] that the platform refuses for good is set aside with its reason, and the rest goes on', async () => {
    const to = platform(({ text }) => {
      if (text === 'Re: one') throw new ChannelError('too long (4,812 of 4,096)', { isFinal: true })
    })
    const at = await stage({ ...echoing, send: to.send })
    await at.type('one')
    await at.settle()
    await at.type('two')
    await at.settle()
    expect(to.texts()).toEqual(['Re: two'])
    expect(await at.events('delivery-failed')).toMatchObject([{ message: 'too long (4,812 of 4,096)' }])
    await expectEmpty(at.log)
    await expectLawful(at)
  })

  test('[SEND1] between whose sending and outcome the process died is marked when it is sent again', async () => {
    const to = platform(() => undefined)
    let isDoomed = false
    const at = await stage({ ...echoing })
    await at.close()
    at.disk.holder = null
    const store = new MortalStore(openMemoryStore(at.disk, 'doomed'), {
      fate: ({ events }) =>
        isDoomed && events.some(({ kind }) => kind === 'delivery-done') ? 'dies-before' : 'lives',
      during: (_, commit) => commit(),
      committed: () => undefined,
      foundFull: () => undefined,
    })
    const log = new StoreLog(store, projections)
    const doomed = await stage({ ...echoing, disk: at.disk, log, send: to.send, seed: 8 })
    isDoomed = true
    await doomed.type('one')
    await breathe()
    expect(store.isDead).toBe(true)
    at.disk.holder = null
    const again = await stage({ ...echoing, disk: at.disk, send: to.send, seed: 9 })
    await again.settle()
    await again.type('two')
    await again.settle()
    expect(to.shown.map(({ text, isAgain }) => [text, isAgain])).toEqual([
      ['Re: one', false],
      ['Re: one', true],
      ['Re: two', false],
    ])
    expect(to.shown[0]?.id).toBe(to.shown[1]?.id)
    await expectEmpty(again.log)
    await expectLawful(again)
  })

  test('to a channel that is not there now stays in the outbox', async () => {
    const at = await stage(echoing)
    await receive(at.desk, {
      origin: 'phone',
      channel: 'pigeon',
      conversation: 'c',
      person: 'owner',
      messageId: null,
      text: 'hi',
    })
    await at.settle()
    expect(at.sent).toEqual([])
    expect(await at.events('delivery-intended')).toMatchObject([
      { text: 'Re: hi', to: { channel: 'pigeon' } },
    ])
    expect(await at.events('delivery-done')).toEqual([])
  })
})

describe('a platform message', () => {
  test('[RECV1] is admitted once, for ever, also when it comes twice at the same moment', async () => {
    const at = await play([{ reply: { text: 'Once.' } }])
    const received = await Promise.all([at.type('hi', 'k1'), at.type('hi', 'k1')])
    expect(received.map(({ kind }) => kind)).toEqual(['admitted', 'duplicate'])
    await at.settle()
    await at.close()
    await at.log.close()
    const again = await play([], { disk: at.disk, seed: 8 })
    expect(await again.type('hi', 'k1')).toEqual({ kind: 'duplicate' })
    await again.settle()
    expect(await again.events('inbound-admitted')).toHaveLength(1)
    await expectLawful(again)
  })

  test('[RECV1] that was a command which acts at once is run once', async () => {
    const at = await stage()
    await Promise.all([at.type('/fork -- one', 'k1'), at.type('/fork -- one', 'k1')])
    expect(await at.type('/fork -- one', 'k1')).toEqual({ kind: 'duplicate' })
    await at.settle()
    expect((await at.events('branch-created')).filter(({ mode }) => mode === 'child')).toHaveLength(1)
  })

  test('[RECV1] of one conversation is another one in another', async () => {
    const at = await stage(echoing)
    const inbound = {
      channel: 'terminal',
      origin: 'terminal' as const,
      person: 'owner',
      messageId: '7',
      text: 'hi',
    }
    await receive(at.desk, { ...inbound, conversation: 'a' })
    await receive(at.desk, { ...inbound, conversation: 'b' })
    await at.settle()
    expect(await at.events('inbound-admitted')).toHaveLength(2)
  })

  test('is answered in the conversation where it was said, though all talk to one branch', async () => {
    const at = await stage(echoing)
    await at.type('here')
    await at.settle()
    await typeIn(at, 'elsewhere', 'there')
    await at.settle()
    expect(at.sent.map(({ conversation, text }) => [conversation, text])).toEqual([
      ['local', 'Re: here'],
      ['elsewhere', 'Re: there'],
    ])
  })
})
