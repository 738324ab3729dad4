import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { firstUnsettled } from '../src/agent/state/outbox.ts'
import { tempFolder } from './cli/run.ts'
import { living } from './household.ts'

const PRIVATE = 'zqprivate'
const HOWS = ['paired', 'in links'] as const

/** The owner has a second account, on a phone, and a routine that pings them. */
async function withPhone(how: (typeof HOWS)[number]) {
  const home = join(tempFolder(), 'home')
  const at = await living(home, { permissions: 'default' })
  mkdirSync(join(home, 'workspace/routines'), { recursive: true })
  const ping = `CALL ping_user {"message":"${PRIVATE}","critical":true}`
  writeFileSync(join(home, 'workspace/routines/p.md'), `---\ncron: "0 8 * * *"\n---\n${ping}\n`)
  await at.say('owner', 'hello')
  if (how === 'in links') at.life.config.change('terminal', 'links', 'chat:phone')
  else {
    await at.arrive('phone', 'hi')
    await at.say('owner', `/pair approve ${(await at.events('pairing-asked')).at(-1)?.code ?? ''} me`)
  }
  await at.arrive('phone', 'hello from the phone')
  await at.settle()
  const type = (text: string): Promise<unknown> =>
    at.life.receive({
      channel: 'terminal',
      conversation: 'local',
      origin: 'terminal',
      person: 'owner',
      messageId: text,
      text,
    })
  /** The phone is lost, and its account taken away. */
  const takeAway = async (): Promise<void> => {
    if (how === 'in links') at.life.config.change('terminal', 'links', null)
    else await type('/people remove chat:phone')
  }
  /** Messages that the phone got, and that it did not get, from an event on. */
  const ofPhone = async (from: number) => {
    const sent = new Set((await at.events('delivery-done')).map(({ intent }) => intent))
    const failed = new Set((await at.events('delivery-failed')).map(({ intent }) => intent))
    const intents = (await at.events('delivery-intended')).filter(
      ({ to, position }) => to.channel === 'chat' && position > from,
    )
    return {
      got: intents.filter(({ position }) => sent.has(position)),
      missed: intents.filter(({ position }) => failed.has(position)),
    }
  }
  const end = (): Promise<number> => at.life.log.read((reader) => reader.end)
  return { ...at, type, takeAway, ofPhone, end }
}

test.each(HOWS)('[PEOPLE1] a ping goes to no account that was taken away: %s', async (how) => {
  const at = await withPhone(how)
  // So that the phone is where they are reached.
  await at.arrive('phone', '/here')
  await at.settle()
  await at.takeAway()
  const from = await at.end()
  await at.type('/run routines/p.md')
  const pings = async () =>
    (await at.events('delivery-intended')).filter(
      ({ text, form }) => form === 'ping' && text.includes(PRIVATE),
    )
  const isThere = async (): Promise<boolean> => {
    const sent = new Set((await at.events('delivery-done')).map(({ intent }) => intent))
    return (await pings()).some(({ to, position }) => to.channel === 'terminal' && sent.has(position))
  }
  await expect.poll(isThere).toBe(true)
  await at.settle()
  expect((await at.ofPhone(from)).got).toEqual([])
})

test.each(HOWS)('[PEOPLE1] an answer goes to no account that was taken away meanwhile: %s', async (how) => {
  const at = await withPhone(how)
  await at.arrive('phone', `CALL write {"path":"diary.md","content":"${PRIVATE}"}`)
  await expect.poll(async () => (await at.events('approval-asked')).length).toBe(1)
  const settled = async (): Promise<boolean> =>
    at.life.log.read((reader) => firstUnsettled(reader, 'chat\nphone') === undefined)
  await expect.poll(settled).toBe(true)
  await at.takeAway()
  const from = await at.end()
  await at.type('/approve 1')
  await at.settle()
  const { got, missed } = await at.ofPhone(from)
  expect(got).toEqual([])
  expect(missed.map(({ form }) => form)).toContain('answer')
})

test('an account of the setting links is taken out there, and /people remove says how', async () => {
  const at = await withPhone('in links')
  await at.say('owner', '/people remove chat:phone')
  const said = (await at.events('command-run')).at(-1)
  expect(said).toMatchObject({
    isError: true,
    output: expect.stringContaining('mainstem config unset links'),
  })
  await at.takeAway()
  expect(await at.events('identity-linked')).toMatchObject([{ user: 'phone', isLink: true }])
  await at.arrive('phone', 'Let me in.')
  expect(await at.events('pairing-asked')).toHaveLength(1)
  // Whoever has it now is a stranger, who is shown a code.
  await at.settle()
  expect((await at.ofPhone(0)).got.at(-1)).toMatchObject({ notice: 'pairing' })
})
