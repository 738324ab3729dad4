import { describe, expect, test } from 'vitest'
import { budgetOf } from '../../src/agent/state/ledger.ts'
import type { EventOf } from '../../src/event/event.ts'
import { backgroundTools } from './background.ts'
import { gate } from './doubles.ts'
import { file, HOUR, jobStage, MINUTE, type JobStage } from './job-rig.ts'

interface Pinged {
  readonly at: JobStage
  readonly ping: EventOf<'ping-decided'>
  readonly delivery: EventOf<'delivery-intended'>
}

/** A routine wrote to the person, at 09:31. */
async function pinged(): Promise<Pinged> {
  const at = await jobStage({
    files: { 'routines/brief.md': file({ cron: '31 9 * * *', background: true }) },
    tools: backgroundTools,
    rule: ({ messages }) =>
      messages.at(-1)?.text.startsWith('[routine-bg') === true
        ? { calls: [{ id: 'c', tool: 'ping_user', args: { message: 'The build is red.' } }] }
        : { text: 'Done.' },
  })
  await at.say('hello')
  await at.pass(2 * MINUTE)
  const ping = (await at.events('ping-decided')).at(-1)
  const delivery = (await at.events('delivery-intended')).find(({ position }) => position === ping?.delivery)
  if (ping === undefined || delivery === undefined) throw new Error('nobody was pinged')
  return { at, ping, delivery }
}

function snooze(ping: number): string {
  return file({ 'run-at': '2026-03-01T10:00', 'snooze-of': ping }, 'Again: the build is red.')
}

describe('a snoozed ping', () => {
  test('comes again as it was, with a word that it was snoozed, under a new number, from the same branch, and no model is asked', async () => {
    const { at, ping, delivery } = await pinged()
    const asked = at.model.prompts.length
    await at.put('reminders/snooze-1.md', snooze(ping.position))
    await at.pass(HOUR)
    expect(at.model.prompts).toHaveLength(asked)
    const again = (await at.events('delivery-intended')).at(-1)
    const text = `(snoozed) ${delivery.text}`
    expect(again).toMatchObject({ branch: delivery.branch, form: 'ping', text, number: 2 })
    expect(again?.choices?.map(({ command }) => command)).toContain('/done 2')
    expect(again?.choices?.map(({ label }) => label)).toEqual(delivery.choices?.map(({ label }) => label))
    expect(at.sent.at(-1)).toMatchObject({ text })
    expect((await at.events('ping-decided')).at(-1)).toMatchObject({
      verdict: 'sent',
      because: 'asked',
      delivery: again?.position,
      job: { what: 'routine', job: 'brief' },
    })
    expect(at.shelf.files.has('reminders/snooze-1.md')).toBe(false)
  })

  test('[PING2] that comes in the midst of a work does not hide that the work has pinged', async () => {
    const held = gate()
    let steps = 0
    const at = await jobStage({
      files: {
        'routines/a.md': file({ cron: '31 9 * * *' }),
        'routines/b.md': file({ cron: '40 9 * * *' }),
      },
      tools: backgroundTools,
      rule: async ({ messages }) => {
        const isBegun = messages.at(-1)?.text.includes('[routine') === true
        if (!isBegun && steps !== 2) return { text: 'Done.' }
        if (!isBegun) await held.opened
        const args = { message: `Ping ${++steps}.` }
        return { calls: [{ id: `c${steps}`, tool: 'ping_user', args }] }
      },
    })
    await at.say('/help')
    await at.pass(2 * MINUTE)
    const [first] = await at.events('ping-decided')
    if (first === undefined) throw new Error('nobody was pinged')
    await at.put('reminders/s.md', file({ 'run-at': '2026-03-01T09:41', 'snooze-of': first.position }))
    for (let minute = 0; minute < 12; minute++) {
      await at.clock.pass(MINUTE)
      await at.scheduler.settled()
    }
    held.open()
    await at.settle()
    const decided = await at.events('ping-decided')
    expect(decided.map(({ text, because }) => [text, because])).toEqual([
      ['Ping 1.', 'allowed'],
      ['Ping 2.', 'allowed'],
      ['Ping 1.', 'asked'],
      ['Ping 3.', 'one-per-work'],
    ])
  })

  test('that names no ping is a reminder like any other', async () => {
    const { at } = await pinged()
    await at.put('reminders/snooze-1.md', snooze(1))
    await at.put('reminders/snooze-2.md', snooze(10_000_000))
    await at.pass(HOUR)
    const tags = (await at.events('inbound-admitted')).filter(
      ({ source }) => 'tag' in source && source.tag === 'reminder',
    )
    expect(tags).toHaveLength(2)
  })

  test('costs no token', async () => {
    const { at, ping } = await pinged()
    const before = await at.read((reader) => budgetOf(reader, 'owner'))
    await at.put('reminders/snooze-1.md', snooze(ping.position))
    await at.pass(31 * MINUTE)
    const after = await at.read((reader) => budgetOf(reader, 'owner'))
    expect(after?.used).toBe(before?.used)
    expect(after?.available).toBeGreaterThanOrEqual(before?.available ?? 9)
  })
})
