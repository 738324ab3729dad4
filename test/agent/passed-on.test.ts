import { expect, test } from 'vitest'
import { addressNear } from '../../src/agent/state/person.ts'
import type { Inbound } from '../../src/channel/channel.ts'
import { receive } from '../../src/command/door/reception.ts'
import { enterForkTool } from '../../src/agent/tools/fork-tools.ts'
import { backgroundTools } from './background.ts'
import { getBranch } from '../../src/context/branch.ts'
import { modelFault } from './doubles.ts'
import { file, jobStage, MINUTE } from './job-rig.ts'
import { lastText, ruled } from './rig.ts'
import { terminal, type Stage } from './stage.ts'

const elsewhere = { channel: 'v1', conversation: 'programs' }

/** A program passes on these words. */
async function pass(at: Stage, text: string, how: Partial<Inbound> = {}): Promise<void> {
  const words = { origin: 'token', person: 'owner', messageId: null, text, thread: text } as const
  await receive(at.desk, { ...elsewhere, ...words, ...how })
  await at.settle()
}

test.each([
  '/permissions bypassPermissions',
  '/stop',
  '//x',
  '/clear\n/approve 1',
  '! a note',
  '/nosuchcommand',
  '/model other',
])('[SAFE5] %s that a program passes on is text, word for word', async (text) => {
  const at = await ruled(() => ({ text: 'All right.' }))
  await pass(at, text)
  expect(await at.events('command-run')).toEqual([])
  expect(await at.events('inbound-admitted')).toMatchObject([{ form: 'message', text }])
  expect(lastText(at.model.prompts[0] as never)).toBe(text)
  const answers = await at.events('delivery-intended')
  expect(answers).toMatchObject([{ to: elsewhere, form: 'answer', text: 'All right.' }])
})

test('[SAFE5] done, passed on in view of a ping, is text and answers no ping', async () => {
  const at = await jobStage({
    files: { 'routines/brief.md': file({ cron: '31 9 * * *', background: true }) },
    tools: backgroundTools,
    rule: ({ messages }) =>
      messages.at(-1)?.text.startsWith('[routine-bg') === true
        ? { calls: [{ id: 'c', tool: 'ping_user', args: { message: 'The build is red.' } }] }
        : { text: 'All right.' },
  })
  await at.say('hello')
  await at.pass(2 * MINUTE)
  await pass(at, 'done')
  expect(await at.events('ping-answered')).toEqual([])
  // The ping is still the last thing the person saw.
  await at.say('done')
  expect(await at.events('ping-answered')).toMatchObject([{ answer: 'done' }])
})

test('the person is reached where they were before a program passed on their words', async () => {
  const at = await ruled(
    ({ messages }) => {
      const asks = messages.at(-1)?.text.endsWith('remind me') === true
      return asks ? { calls: [{ id: 'c', tool: 'enter_fork', args: {} }] } : { text: 'All right.' }
    },
    { tools: [enterForkTool] },
  )
  await at.say('hello')
  const main = await at.branch()
  await pass(at, 'remind me')
  expect(await at.read((reader) => addressNear(reader, main))).toEqual(terminal)
  expect(await at.branch()).toBe(main)
  expect(await at.events('conversation-bound')).toMatchObject([terminal])
  expect(at.model.prompts.at(-1)?.messages.at(-1)?.text).toContain('which cannot take them into a fork')
})

test('words of a program go to main, also while the person talks in a fork', async () => {
  const at = await ruled(() => ({ text: 'All right.' }))
  await at.say('hello')
  const main = await at.branch()
  await at.say('/fork --enter')
  await pass(at, 'what did I say?')
  const [admitted] = (await at.events('inbound-admitted')).slice(-1)
  expect(admitted).toMatchObject({ branch: main, text: 'what did I say?' })
})

const sideJob = { isSideJob: true } as const

test('a side job is answered by a branch that sees nothing of main, has no tools and ends', async () => {
  const at = await ruled(() => ({ text: 'A title' }), { tools: [enterForkTool] })
  await at.say('hello, my name is Ada')
  const main = await at.branch()
  const before = await at.read((reader) => getBranch(reader, main))
  await pass(at, '### Task: a title', sideJob)
  const prompt = at.model.prompts.at(-1)
  expect(prompt?.tools).toEqual([])
  expect(prompt?.messages).toHaveLength(1)
  expect(JSON.stringify(prompt)).not.toContain('Ada')
  expect(lastText(prompt as never)).toBe('### Task: a title')
  expect((await at.events('delivery-intended')).at(-1)).toMatchObject({ to: elsewhere, text: 'A title' })
  expect(await at.events('branch-ended')).toMatchObject([{ reason: 'finished' }])
  expect(await at.events('update-reported')).toEqual([])
  expect(await at.read((reader) => getBranch(reader, main))).toEqual(before)
})

test('nobody is told that a side job failed, and two at once are both done', async () => {
  const at = await ruled(({ messages }) => {
    if (messages.at(-1)?.text.endsWith('fails') === true) throw modelFault('rejected')
    return { text: 'A title' }
  })
  await at.say('hello')
  const told = at.sent.length
  await Promise.all([pass(at, '### Task: one', sideJob), pass(at, '### Task: fails', sideJob)])
  expect(at.sent).toHaveLength(told)
  expect(await at.events('notice-raised')).toEqual([])
  const ends = (await at.events('branch-ended')).map(({ reason }) => reason)
  expect(ends.toSorted()).toEqual(['failed', 'finished'])
})
