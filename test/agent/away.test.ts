import { expect, test } from 'vitest'
import { awayText } from '../../src/cli/talk/away.ts'
import { HOUR, jobStage, MINUTE, type JobStage } from './job-rig.ts'
import { START } from './stage.ts'

/** The stage begins at 09:30 in Berlin. */
const reminder = (minutes: number): string =>
  `---\nrun-at: ${new Date(START + minutes * MINUTE).toISOString()}\n---\nCall mum.\n`

/** What the next start says, so long after the last event. */
async function said(at: JobStage, ms: number, seenMs = -Infinity): Promise<string | undefined> {
  await at.scheduler.close()
  const newest = (await at.all()).at(-1)?.at ?? 0
  const look = { jobs: at.shelf.jobs(), settings: at.settings, now: newest + ms, seenAt: newest + seenMs }
  return at.read((reader) => awayText(reader, look))
}

test('a start after a while says since when it was away and what is late', async () => {
  const files = { 'reminders/a.md': reminder(60), 'reminders/b.md': reminder(120) }
  const at = await jobStage({ files })
  expect(await said(at, 4 * HOUR)).toBe('I was away 09:30–13:30; two reminders are late.')
  expect(await said(at, 90 * MINUTE)).toBe('I was away 09:30–11:00; one reminder is late.')
  expect(await said(at, 30 * MINUTE)).toBe('I was away 09:30–10:00.')
  expect(await said(at, 4 * HOUR, 3 * HOUR)).toBe('I was away 12:30–13:30; two reminders are late.')
})

test('a night away names the day, and a routine that will be caught up', async () => {
  const at = await jobStage({ files: { 'routines/a.md': '---\ncron: 0 8 * * *\n---\nGood morning.\n' } })
  expect(await said(at, 23 * HOUR)).toBe('I was away from yesterday 09:30 to 08:30; one routine is late.')
  // By default a routine is caught up for an hour.
  expect(await said(at, 24 * HOUR)).toBe('I was away from yesterday 09:30 to 09:30.')
})

test('a restart, a new home and a clock that was set back are not worth a word', async () => {
  const at = await jobStage({ files: { 'reminders/a.md': reminder(1) } })
  expect(await said(at, 4 * MINUTE)).toBeUndefined()
  expect(await said(at, 4 * HOUR, 4 * HOUR - MINUTE)).toBeUndefined()
  expect(await said(at, -HOUR)).toBeUndefined()
})
