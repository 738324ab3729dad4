import { expect, test } from 'vitest'
import { receive } from '../../src/command/door/reception.ts'
import { background } from './background.ts'
import { append, HOUR, MINUTE, pass, raise } from './notice-rig.ts'
import { notices, ran } from './run-rig.ts'
import { stage, type Stage } from './stage.ts'

const PINGS = { capacity: 5, refillMinutes: 90, criticalMax: 0, ttlMs: 1_800_000, to: null }
const AT_TEN = { digestAt: 10 * 60 }

async function report(at: Stage): Promise<void> {
  const author = { by: 'policy', name: 'handed-in' } as const
  await append(at, {
    kind: 'update-reported',
    source: 'build',
    text: 'Green.',
    from: null,
    author,
    key: null,
  })
}

test('[NOTICE1] a process that only answers a question tells no notice and no digest: they wait for one that stays', async () => {
  const passing = await stage({ settings: AT_TEN, isPassing: true })
  await passing.say('/help')
  await raise(passing, 'server', 'The server is away.')
  await report(passing)
  await pass(passing, HOUR)
  expect(notices(passing)).toEqual([])
  expect(await passing.events('notices-told')).toEqual([])
  expect(await passing.events('digest-sent')).toEqual([])
  await passing.close()
  await passing.log.close()
  const staying = await stage({ settings: AT_TEN, disk: passing.disk, clock: passing.clock })
  await staying.settle()
  expect(notices(staying)).toEqual(['The server is away.', expect.stringContaining('Daily digest: 1 report')])
})

test('a ping that another process held is not brought by one that only answers a question', async () => {
  const pinging = ['ping_user', { message: 'Red.', when_free: true }] as const
  const settings = { pings: { ...PINGS, busyMs: 10_000 } }
  const other = await background([[pinging]], { settings })
  await other.say('hello')
  await ran(other)
  expect((await other.events('ping-decided')).map(({ verdict }) => verdict)).toEqual(['held'])
  await other.close()
  await other.log.close()
  const again = { settings, disk: other.disk, clock: other.clock }
  const passing = await stage({ ...again, isPassing: true })
  await pass(passing, MINUTE)
  expect(passing.sent).toEqual([])
  await passing.close()
  await passing.log.close()
  const staying = await stage(again)
  await staying.settle()
  expect(staying.sent.map(({ text }) => text)).toEqual(['Red.'])
})

test('an order from a command line does not make the person busy, and moves no ping to there', async () => {
  const settings = { pings: { ...PINGS, busyMs: 10 * MINUTE } }
  const at = await background([[['ping_user', { message: 'Red.' }]]], { settings })
  await at.say('hello')
  await pass(at, HOUR)
  const order = {
    person: 'owner',
    messageId: 'order',
    text: '/run routines/brief.md',
    isOrder: true,
  } as const
  await receive(at.desk, { origin: 'program', channel: 'terminal', conversation: 'elsewhere', ...order })
  await at.settle()
  expect(await at.events('ping-decided')).toMatchObject([{ verdict: 'sent' }])
  expect(at.sent.find(({ text }) => text === 'Red.')?.conversation).toBe('local')
})
