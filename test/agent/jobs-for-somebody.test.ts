import { describe, expect, test } from 'vitest'
import { pingUserTool } from '../../src/agent/tools/ping.ts'
import { reminderTools } from '../../src/agent/tools/reminders.ts'
import { ChannelError, type Channel } from '../../src/channel/channel.ts'
import { receive } from '../../src/command/door/reception.ts'
import type { Prompt } from '../../src/event/prompt.ts'
import { gate, type Said } from './doubles.ts'
import { file, jobStage, MINUTE, type JobOptions, type JobStage } from './job-rig.ts'
import { memoryShelf } from './memory-shelf.ts'
import { addGuest, lastText } from './rig.ts'
import { FakeClock, START } from './stage.ts'

const ana = { channel: 'terminal', conversation: 'anas', person: 'ana', messageId: null }

/** Ana is a guest, and the owner spoke last. */
async function shared(options: JobOptions): Promise<JobStage> {
  const clock = new FakeClock(START)
  const shelf = memoryShelf({ now: () => clock.now() })
  const tools: JobOptions['tools'] = ({ log }) => {
    const parts = { log, shelf, now: () => clock.now(), settings: () => ({ zone: 'Europe/Berlin' }) }
    return [pingUserTool, ...reminderTools(parts)]
  }
  const at = await jobStage({ clock, shelf, tools, ...options })
  await at.say('hello')
  await addGuest(at, ana)
  await receive(at.desk, { ...ana, origin: 'phone', text: 'I am here.' })
  await at.settle()
  await at.say('me again')
  return at
}

const isJob = ({ messages }: Prompt): boolean => /^\[(?:routine|reminder)/.test(messages.at(-1)?.text ?? '')
const pings = (prompt: Prompt): Said =>
  isJob(prompt)
    ? { calls: [{ id: 'c', tool: 'ping_user', args: { message: 'Your test is in.' } }] }
    : { text: 'Done.' }

const send: Channel['send'] = async ({ form }) => {
  if (form === 'ping') throw new ChannelError('nobody is there', { isFinal: true })
  return null
}

const sentTo = async (at: JobStage, form: string): Promise<string[]> =>
  (await at.events('delivery-intended')).filter((one) => one.form === form).map(({ to }) => to.conversation)

describe('of a job for a guest', () => {
  test.each([true, false])('a ping goes to where they wrote last (background: %j)', async (background) => {
    const files = { 'routines/brief.md': file({ cron: '31 9 * * *', background, for: 'ana' }) }
    const at = await shared({ files, rule: pings })
    await at.pass(2 * MINUTE)
    expect(await sentTo(at, 'ping')).toEqual(['anas'])
    expect((await at.events('ping-decided')).map(({ budget }) => budget?.person)).toEqual(['ana'])
  })

  test('their own time zone says when it is due, and their own quiet hours hold its ping', async () => {
    const files = { 'routines/brief.md': file({ cron: '31 8 * * *', background: true, for: 'ana' }) }
    const quietHours = { from: 8 * 60, to: 9 * 60 }
    const guests = { ana: { zone: 'Europe/Lisbon', quietHours } }
    const at = await shared({ files, rule: pings, settings: { guests } })
    await at.pass(2 * MINUTE)
    const decided = (await at.events('ping-decided')).map(({ budget, because }) => [budget?.person, because])
    expect(decided).toEqual([['ana', 'quiet-hours']])
  })

  test('the answer in their main session goes to them', async () => {
    const files = { 'reminders/test.md': file({ 'run-at': '2026-03-01T09:31', for: 'ana' }) }
    const at = await shared({ files })
    const before = (await sentTo(at, 'answer')).length
    await at.pass(2 * MINUTE)
    expect((await sentTo(at, 'answer')).slice(before)).toEqual(['anas'])
  })

  test('a notice goes to them', async () => {
    const files = { 'routines/brief.md': file({ cron: '31 9 * * *', background: true, for: 'ana' }) }
    const at = await shared({ files, jobFor: async () => ({ problem: 'It is broken.' }) })
    await at.pass(2 * MINUTE)
    expect(await sentTo(at, 'notice')).toEqual(['anas'])
  })

  test('a ping that does not arrive is moved to no conversation of others', async () => {
    const files = { 'routines/brief.md': file({ cron: '31 9 * * *', background: true, for: 'ana' }) }
    const at = await shared({ files, rule: pings, send })
    await at.pass(2 * MINUTE)
    expect(await sentTo(at, 'ping')).toEqual(['anas'])
    expect((await at.events('ping-settled')).map(({ outcome }) => outcome)).toEqual(['failed'])
  })
})

/** Ana is a guest of an older log, in the owner's session. */
async function sharing(options: JobOptions): Promise<JobStage> {
  const files = { 'routines/brief.md': file({ cron: '31 9 * * *', background: true, for: 'ana' }) }
  const at = await jobStage({ rule: pings, files, tools: [pingUserTool], ...options })
  await at.say('hello')
  const [{ branch } = {}] = await at.events('branch-created')
  const { messageId: key, ...from } = ana
  const source = { from: 'person', key, ...from } as const
  if (branch !== undefined)
    await at.log.write((writing) => {
      const said = { source, form: 'message', text: 'I am here.' } as const
      writing.append({ kind: 'inbound-admitted', branch, at: START, v: 1, ...said })
    })
  await at.say('me again')
  await at.pass(2 * MINUTE)
  return at
}

describe('[PEOPLE2] of a job for a guest who once spoke in the owner’s session', () => {
  test('a ping goes to where the guest spoke', async () =>
    expect(await sentTo(await sharing({}), 'ping')).toEqual(['anas']))

  test('a ping that does not arrive is not moved to the owner', async () => {
    const at = await sharing({ send })
    expect(await sentTo(at, 'ping')).toEqual(['anas'])
    expect((await at.events('ping-settled')).map(({ outcome }) => outcome)).toEqual(['failed'])
  })
})

test('a reminder is for who asked for it, though somebody else says a word meanwhile', async () => {
  const held = gate()
  const rule = async (prompt: Prompt): Promise<Said> => {
    if (lastText(prompt) !== 'remind me') return { text: 'Done.' }
    await held.opened
    return { calls: [{ id: 'c', tool: 'add_reminder', args: { text: 'x', when: 'in 1 h' } }] }
  }
  const at = await shared({ rule })
  await at.type('remind me')
  await receive(at.desk, { ...ana, origin: 'phone', text: '/help' })
  held.open()
  await at.settle()
  expect(at.shelf.jobs().map(({ definition }) => definition.person)).toEqual([null])
})
