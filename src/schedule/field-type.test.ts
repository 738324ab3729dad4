import { expect, test } from 'vitest'
import { isoInstant } from '../base/iso-time.ts'
import { runAtField } from './field-type.ts'

function instant(text: string, zone: string): string {
  const read = runAtField.read(text)
  return 'value' in read ? new Date(isoInstant(read.value, zone)).toISOString() : 'none'
}

test.each([
  ['2026-08-01T09:00', 'Europe/Berlin', '2026-08-01T07:00:00.000Z'],
  ['2026-08-01T09:00:30', 'Asia/Kathmandu', '2026-08-01T03:15:30.000Z'],
  ['2026-08-01T09:00Z', 'Europe/Berlin', '2026-08-01T09:00:00.000Z'],
  ['2026-08-01T09:00+02:00', 'America/New_York', '2026-08-01T07:00:00.000Z'],
  ['2026-08-01T09:00-09:30', 'Europe/Berlin', '2026-08-01T18:30:00.000Z'],
  ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
  ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
  ['2026-10-25T02:30+01:00', 'Europe/Berlin', '2026-10-25T01:30:00.000Z'],
])('a reminder for %s in %s is due at %s', (text, zone, due) => {
  expect(instant(text, zone)).toBe(due)
})
