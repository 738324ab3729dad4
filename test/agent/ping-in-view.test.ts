import { expect, test } from 'vitest'
import { backgroundTools } from './background.ts'
import { file, jobStage, MINUTE, type JobStage } from './job-rig.ts'

/** A routine wrote to the person at 09:31, and nothing was said since. */
async function pinged(): Promise<JobStage> {
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
  return at
}

async function answers(at: JobStage): Promise<string[]> {
  return (await at.events('ping-answered')).map(({ answer }) => answer)
}

test.each([
  ['done', 'done'],
  ['snooze 10m', 'snoozed'],
  ['snooze 2h please', 'snoozed'],
  ['less of this', 'less'],
])('[PING4] right below a ping, %s is its answer, once', async (text, answer) => {
  const at = await pinged()
  const asked = at.model.prompts.length
  await at.say(text)
  expect(await answers(at)).toEqual([answer])
  expect(at.model.prompts).toHaveLength(asked)
  await at.say(text)
  expect(await answers(at)).toEqual([answer])
})

test.each(['done with the milk', 'snooze the committee', 'ok'])(
  'right below a ping, %s is a text',
  async (text) => {
    const at = await pinged()
    await at.say(text)
    expect(await answers(at)).toEqual([])
  },
)

test('where anything was said since, or shown, done is a text', async () => {
  const at = await pinged()
  await at.say('what is that?')
  expect(await at.say('done')).toEqual(['All right.'])
  const other = await pinged()
  await other.say('/help done')
  await other.say('done')
  expect([await answers(at), await answers(other)]).toEqual([[], []])
})
