import { expect, test } from 'vitest'
import { shellText } from './job-order.ts'

test.each([
  [
    '/pause routine hello 1m',
    'Routine hello is paused until today 21:20, in 1 min. /resume hello ends it sooner.',
    "Routine hello is paused until today 21:20, in 1 min. 'mainstem routine resume hello' ends it sooner.",
  ],
  [
    '/pause reminder a.b',
    'Reminder a.b is paused until you say /resume a.b.',
    "Reminder a.b is paused until you say 'mainstem reminder resume a.b'.",
  ],
  [
    '/resume routine hello',
    'Routine hello resumes. All jobs are paused until you say so: /resume ends that.',
    'Routine hello resumes. All jobs are paused until you say so: /resume in a conversation ends that.',
  ],
])('a shell is told what works in a shell: %s', (line, said, told) =>
  expect(shellText(said, line)).toBe(told),
)
