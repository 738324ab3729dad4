import { expect, test } from 'vitest'
import { readPingWords } from './ping-words.ts'

test.each([
  'done',
  'Done',
  'DONE!',
  ' done. ',
  'done ✅',
  '✅ done',
  '✅',
  '✔️',
  '☑',
  'ok done',
  'OK, done!',
  'okay done 👍🏽',
  'yes done',
  'all done',
  'done, thanks!',
  'done already',
])('%j means /done', (text) => expect(readPingWords(text)).toEqual({ answer: 'done' }))

test.each([
  ['snooze', null],
  ['Snooze!', null],
  ['💤 snooze', null],
  ['later', null],
  ['Later…', null],
  ['maybe later', null],
  ['later please', null],
  ['snooze it', null],
  ['snooze until', 'until'],
  ['snooze 1h', '1h'],
  ['Snooze 10m.', '10m'],
  ['snooze for 20 minutes', '20 minutes'],
  ['snooze in 20 minutes', 'in 20 minutes'],
  ['snooze until tomorrow 9:00', 'tomorrow 9:00'],
  ['snooze this till Friday', 'Friday'],
  ['please snooze until 2026-08-01T09:00', '2026-08-01T09:00'],
  ['snooze until 9 p.m.', '9 p.m.'],
  ['snooze button is broken', 'button is broken'],
])('%j means /snooze, with the time %j', (text, when) =>
  expect(readPingWords(text)).toEqual({ answer: 'snooze', when }),
)

test.each(['less', 'Less!', 'less of this', 'LESS OF THIS.', 'less of these please', 'less like this 🙏'])(
  '%j means /less',
  (text) => expect(readPingWords(text)).toEqual({ answer: 'less' }),
)

test.each([
  '',
  ' ',
  '.',
  '👍',
  'done?',
  'not done',
  'done with what?',
  'I am done with the first half, what next',
  'done\nand what now',
  'undone',
  'snoozed',
  'I will snooze',
  'later today I will look',
  'see you later',
  'less than ten, I hope',
  'more or less',
  'less?',
  'ok',
  '//done',
  '/done 3',
  `snooze ${'x'.repeat(80)}`,
])('%j is a text as any other', (text) => expect(readPingWords(text)).toBeUndefined())
