import { expect, test } from 'vitest'
import { readDefinition } from '../../schedule/read-definition.ts'
import { scheduleText } from './jobs.ts'

test.each([
  ['routines', 'cron: 0 9 * * 1-5', '0 9 * * 1-5'],
  ['routines', 'cron: 0 9 * * 1-5\ntimezone: Asia/Tokyo', '0 9 * * 1-5 Asia/Tokyo'],
  ['reminders', 'run-at: 2026-08-01T09:00', '2026-08-01T09:00:00'],
  ['reminders', 'run-at: 2026-08-01T09:00\ntimezone: Asia/Tokyo', '2026-08-01T09:00:00 Asia/Tokyo'],
  ['reminders', 'run-at: 2026-08-01T09:00Z', '2026-08-01T09:00:00+00:00'],
  ['reminders', 'run-at: 2026-08-01T09:00-03:30', '2026-08-01T09:00:00-03:30'],
  ['webhooks', 'description: A build ended.', null],
])('what a file in %s says of its time is told as it stands there: %s', async (folder, matter, expected) => {
  const text = `---\n${matter}\n---\nLook.\n`
  const read = await readDefinition({ file: `${folder}/x.md`, text }, { due: 'required' })
  expect('definition' in read && scheduleText(read.definition)).toBe(expected)
})
