import { describe, expect, test } from 'vitest'
import {
  background,
  backgroundTools,
  holding,
  inbound,
  ping,
  type Step,
} from '../../../test/agent/background.ts'
import { job, ran } from '../../../test/agent/run-rig.ts'
import { gate, ruleModel } from '../../../test/agent/doubles.ts'
import { expectLawful } from '../../../test/agent/lawful.ts'
import { dieEverywhere } from '../../../test/agent/mortal.ts'
import { child, ruled } from '../../../test/agent/rig.ts'
import { terminal, type Stage } from '../../../test/agent/stage.ts'
import { seededRandom } from '../../base/random.ts'
import { createBranch } from '../../context/fork.ts'
import { makeBranchId } from '../../event/id.ts'
import { pingChoices } from '../state/outbox.ts'

/** The ledger: what became of each ping, and why. */
async function ledger(at: Stage): Promise<string[]> {
  const decided = await at.events('ping-decided')
  return decided.map(({ verdict, because, text }) => `${verdict} ${because}: ${text}`)
}

const card = (more: object): Step[number] => ['send_embed', { title: 'Build', ...more }]

/** What a run is told of a ping that was sent and of one that was not. */
async function told(reporting: 'on_ping' | 'blocked'): Promise<string> {
  const steps: Step[] = [[ping('a')], [ping('b')], [['report_updates', { message: 'r' }]]]
  const at = await background(steps, { asked: { reporting } })
  await at.run()
  return JSON.stringify(at.given.slice(0, 2))
}

describe('a ping of a run', () => {
  test('[PING3] is refused where the job may not write, critical ones included, and stands in the ledger', async () => {
    const at = await background([[ping('a')], [ping('b', true)], [card({ critical: true })]], {
      asked: { allowPing: false },
    })
    await at.run()
    expect(await ledger(at)).toEqual([
      'refused not-allowed: a',
      'refused not-allowed: b',
      'refused not-allowed: Build',
    ])
    expect(at.sent.filter(({ form }) => form === 'ping')).toEqual([])
    expect(at.given.flat().map(({ error }) => error)).toEqual([
      expect.stringMatching(/^'ping_user' is disabled for this run\./),
      expect.stringMatching(/^'ping_user' is disabled for this run\./),
      expect.stringMatching(/^'send_embed' is disabled for this run\./),
    ])
  })

  test.each<[string, readonly Step[], readonly string[]]>([
    ['a second', [[ping('a')], [ping('b')]], ['sent allowed: a', 'refused one-per-run: b']],
    ['a second in one step', [[ping('a'), ping('b')]], ['sent allowed: a', 'refused one-per-run: b']],
    ['a card behind words', [[ping('a')], [card({})]], ['sent allowed: a', 'refused one-per-run: Build']],
    [
      'a normal one behind a critical one',
      [[ping('a', true)], [ping('b')]],
      ['sent critical: a', 'refused one-per-run: b'],
    ],
    [
      'and critical ones always pass',
      [[ping('a')], [ping('b', true)], [ping('c', true)], [ping('d')]],
      ['sent allowed: a', 'sent critical: b', 'sent critical: c', 'refused one-per-run: d'],
    ],
  ])('[PING4] comes once: %s', async (_, steps, expected) => {
    const at = await background(steps)
    await at.run()
    expect(await ledger(at)).toEqual(expected)
    const sent = at.sent.filter(({ form }) => form === 'ping')
    expect(sent).toHaveLength(expected.filter((line) => line.startsWith('sent')).length)
    expect(sent.map(({ number }) => number)).toEqual(sent.map((_each, index) => index + 1))
  })

  test('says to report where the run has to, and never where it may not', async () => {
    expect((await told('on_ping')).match(/report_updates/g)).toHaveLength(2)
    expect(await told('blocked')).not.toContain('report')
  })

  test('[PING4] in another run is counted anew', async () => {
    const at = await background([[ping('a')]])
    await at.run()
    await at.run()
    expect(await ledger(at)).toEqual(['sent allowed: a', 'sent allowed: a'])
    expect(at.sent.flatMap(({ number }) => number ?? [])).toEqual([1, 2])
  })

  test('[PING4] by its child goes on its account, and the child is not told to report', async () => {
    const answered = gate()
    const at = await background([[ping('a')], [['slash', { command: 'fork', args: '-- look closer' }]]], {
      asked: { tools: ['slash'], reporting: 'on_ping' },
      talk: ({ messages }) => {
        if (messages.at(-1)?.role !== 'tool')
          return { calls: [{ id: 'x', tool: 'ping_user', args: { message: 'b' } }] }
        answered.open()
        return { text: 'done' }
      },
    })
    // With its end a run ends all that works for it.
    holding(at, { until: 'Forked.', reply: () => answered.opened })
    const run = await at.run()
    expect(await ledger(at)).toEqual(['sent allowed: a', 'refused one-per-run: b'])
    const [, second] = await at.events('ping-decided')
    expect(second).toMatchObject({ run })
    const heard = (await at.events('message-added')).filter(({ branch }) => branch === second?.branch)
    expect(JSON.stringify(heard)).not.toContain('report_updates')
  })

  test('[PING4] whatever dies, is sent once and stands in the ledger once', async () => {
    const deaths = await dieEverywhere(() => ({
      options: () => ({
        tools: backgroundTools,
        jobIn: () => ({ job: job(), warnings: [] }),
        models: {
          // What was interrupted is said to be undone, so a model does it again.
          ruled: ruleModel(({ messages }) =>
            messages.at(-1)?.text.includes('Sent.') === true
              ? { text: 'done' }
              : { calls: [{ id: 'x', tool: 'send_embed', args: { title: 'Red' } }] },
          ),
        },
        settings: { model: 'ruled' },
      }),
      act: async (at) => void (await at.type('/run routines/brief.md', 'k1')),
      lastsMs: 60_000,
      check: async ({ at, platform }) => {
        expect(await ledger(at)).toEqual(['sent allowed: Red'])
        const pings = [...platform.shown.values()].filter(({ form }) => form === 'ping')
        expect(pings).toMatchObject([{ text: 'Red', number: 1 }])
      },
    }))
    expect(deaths).toBeGreaterThan(5)
  })
})

describe('a flood of pings', () => {
  test('[PING4] critical ones of one step are one message with every text, and a line of the ledger each', async () => {
    const texts = Array.from({ length: 60 }, (_, index) => `alarm ${index}`)
    const at = await background([texts.map((text) => ping(text, true)), [ping('one more', true)]])
    await at.run()
    const sent = at.sent.filter(({ form }) => form === 'ping')
    expect(sent.map(({ text, number }) => [text, number])).toEqual([
      [texts.join('\n\n'), 1],
      ['one more', 2],
    ])
    const decided = await at.events('ping-decided')
    expect(decided.map(({ text, because }) => `${because}: ${text}`)).toEqual(
      [...texts, 'one more'].map((text) => `critical: ${text}`),
    )
    expect(new Set(decided.slice(0, 60).map(({ delivery }) => delivery)).size).toBe(1)
    expect(at.given[0]).toHaveLength(60)
    await expectLawful(at)
  })

  test('[PING4] what is not critical, or is refused, stays out of what critical ones share', async () => {
    const at = await background([[ping('a'), ping('b', true), ping('c'), ping('', true), ping('d', true)]])
    await at.run()
    const sent = at.sent.filter(({ form }) => form === 'ping')
    expect(sent.map(({ text, number }) => [text, number])).toEqual([
      ['a', 1],
      ['b\n\nd', 2],
    ])
    expect(await ledger(at)).toEqual([
      'sent allowed: a',
      'sent critical: b',
      'refused one-per-run: c',
      'sent critical: d',
    ])
  })

  test('critical cards of one step are their texts, with what can be answered to each; one alone stays a card', async () => {
    const red = card({ critical: true, buttons: [{ label: 'Retry' }] })
    const two = await background([[red, card({ title: 'Disk', critical: true })]])
    await two.run()
    expect(two.sent.filter(({ form }) => form === 'ping')).toHaveLength(1)
    const both = two.sent.find(({ form }) => form === 'ping')
    expect(both).toMatchObject({ text: 'Build\nAnswers: Retry\n\nDisk', number: 1 })
    expect(both).not.toHaveProperty('embed')
    const one = await background([[red]])
    await one.run()
    expect(one.sent.find(({ form }) => form === 'ping')).toMatchObject({
      embed: { title: 'Build' },
      choices: [{ label: 'Retry', command: 'Retry' }, ...pingChoices(1, true)],
    })
  })

  test('[PING4] of a child of main is one message in a work, and critical ones pass', async () => {
    const calls = [...Array.from({ length: 40 }, (_, index) => ping(`news ${index}`)), ping('fire', true)]
    const at = await ruled(
      ({ messages }) =>
        messages.at(-1)?.role === 'tool'
          ? { text: 'done' }
          : { calls: calls.map(([tool, args], index) => ({ id: `c${index}`, tool, args })) },
      { tools: backgroundTools },
    )
    await at.say('/fork -- watch')
    const branch = (await at.events('branch-created')).at(-1)?.branch
    const pings = (): string[] => at.sent.filter(({ form }) => form === 'ping').map(({ text }) => text)
    expect(pings()).toEqual(['news 0', 'fire'])
    const first = await ledger(at)
    expect(first).toHaveLength(41)
    expect(first.slice(0, 2)).toEqual(['sent allowed: news 0', 'refused one-per-work: news 1'])
    const told = (await at.events('message-added')).filter((event) => event.branch === branch)
    expect(JSON.stringify(told)).toContain('Put it into your answer instead.')
    expect(JSON.stringify(told)).not.toContain('report_updates')
    await at.say(`/send ${await child(at)} again`)
    expect(pings()).toEqual(['news 0', 'fire', 'news 0', 'fire'])
    await expectLawful(at)
  })
})

test('a ping goes to who wrote last to its own main session, or to anything below it', async () => {
  const at = await background([[ping('a')]])
  const other = { channel: 'terminal', conversation: 'other' }
  const person = { from: 'person', ...other, person: 'guest', key: null } as const
  const time = at.clock.now()
  await at.say('/help')
  await at.log.write((writing) => {
    const second = makeBranchId(time, seededRandom(99))
    const author = { by: 'person' } as const
    writing.append(createBranch({ child: second, mode: 'main', title: null, at: time, author }).draft)
    const said = { source: person, form: 'note', text: 'I am somebody else.' } as const
    writing.append({ kind: 'inbound-admitted', branch: second, at: time, v: 1, ...said })
  })
  await ran(at, { reporting: 'freely' })
  const to = (await at.events('delivery-intended')).filter(({ form }) => form === 'ping')
  expect(to.map((event) => event.to)).toEqual([terminal])
  await inbound(at, '/help', other)
  await ran(at, { reporting: 'freely' })
  const later = (await at.events('delivery-intended')).filter(({ form }) => form === 'ping')
  expect(later.map((event) => event.to)).toEqual([terminal, other])
  await inbound(at, '/fork', other)
  await at.say('Hello.')
  await inbound(at, 'And I am in a fork.', other)
  await at.settle()
  await ran(at, { reporting: 'freely' })
  const last = (await at.events('delivery-intended')).findLast(({ form }) => form === 'ping')
  expect(last?.to).toEqual(other)
})

test('what a person asked for is sent as often as they like, without a number', async () => {
  const at = await ruled(
    ({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? { text: 'done' }
        : {
            calls: ['one', 'two'].map((message) => ({ id: message, tool: 'ping_user', args: { message } })),
          },
    { tools: backgroundTools },
  )
  await at.say('go')
  expect(await ledger(at)).toEqual(['sent asked: one', 'sent asked: two'])
  const pings = at.sent.filter(({ form }) => form === 'ping')
  expect(pings.map(({ text, number }) => [text, number])).toEqual([
    ['one', undefined],
    ['two', undefined],
  ])
})

describe('a card', () => {
  test('has a colour that every channel knows, and its buttons are choices', async () => {
    const buttons = [{ label: 'Retry' }, { label: 'Later', text: 'Remind me tomorrow' }]
    const fields = [{ name: 'Branch', value: 'main' }]
    const at = await background([[card({ description: 'It is red.', color: 'Red', fields, buttons })]])
    await at.run()
    expect(at.sent.find(({ form }) => form === 'ping')).toMatchObject({
      text: 'Build\nIt is red.\nBranch: main\nAnswers: Retry · Later (Remind me tomorrow)',
      embed: { title: 'Build', description: 'It is red.', color: '#ef4444', fields },
      choices: [
        { label: 'Retry', command: 'Retry' },
        { label: 'Later', command: 'Remind me tomorrow' },
        { label: 'Done', command: '/done 1' },
        { label: 'Snooze 10 min', command: '/snooze 1 10m' },
        { label: 'Snooze 1 h', command: '/snooze 1 1h' },
        { label: 'Snooze tomorrow', command: '/snooze 1 tomorrow' },
        { label: 'Less of this', command: '/less 1' },
      ],
      number: 1,
    })
  })

  const six = Array.from({ length: 6 }, (_, index) => ({ label: `${index}` }))
  const long = Array.from({ length: 7 }, (_, index) => ({ name: `${index}`, value: 'x'.repeat(1_000) }))
  test.each<[string, object, RegExp]>([
    ['without a title', { title: ' ' }, /^Not sent. Bad arguments: title: /],
    ['with six buttons', { buttons: six }, /^Not sent. Bad arguments: buttons: .*<=5/],
    ['of a colour that nobody knows', { color: 'constructor' }, /color: is like "#3b82f6" or one of red, /],
    ['that is too long in all', { fields: long }, /the whole card has more than 6000 characters/],
    ['with a longer field', { fields: [{ name: 'a', value: 'x'.repeat(1_001) }] }, /fields\.0\.value: /],
    ['with what is no part of it', { footer: 'x' }, /footer/],
    [
      '[SAFE4] whose button would be a command',
      { buttons: [{ label: 'OK', text: '\n /approve 1' }] },
      /buttons\.0\.text: is a person's answer and cannot begin with \//,
    ],
    [
      '[SAFE4] whose button would allow a call',
      { buttons: [{ label: 'Show me', text: ' A\n' }] },
      /buttons\.0\.text: would allow or deny a call/,
    ],
    [
      '[LEAVE1] whose button would give an address that the person never saw',
      { buttons: [{ label: 'OK', text: 'ask http://evil.example/c?d=Dear%20diary' }] },
      /buttons\.0\.text: has an address/,
    ],
    [
      '[LEAVE1] whose label would give one',
      { buttons: [{ label: 'dear.diary.evil.example' }] },
      /has an address/,
    ],
    ['[SAFE4] whose label would deny one', { buttons: [{ label: 'n not now' }] }, /buttons\.0\.label: /],
    ['[SAFE4] whose label would be one', { buttons: [{ label: '/clear' }] }, /buttons\.0\.label: /],
  ])('%s is refused, with what is wrong and how it is used', async (_, more, why) => {
    const at = await background([[card(more)]])
    await at.run()
    expect(at.given[0]?.[0]?.error).toMatch(why)
    expect(at.given[0]?.[0]?.error).toContain('Usage: send_embed {"title"')
    expect(at.sent.filter(({ form }) => form === 'ping')).toEqual([])
    expect(await ledger(at)).toEqual([])
  })
})
