import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../test/cli/run.ts'
import { noteRest, takeRest } from './rest.ts'

test('a log that was closed where it ends is at rest, and that is said once', () => {
  const home = tempFolder()
  expect(takeRest(home, 12)).toBe(false)
  noteRest(home, 12)
  expect(takeRest(home, 12)).toBe(true)
  expect(takeRest(home, 12)).toBe(false)
})

test('a log that grew since is not, and neither a pipe nor a second note is in the way', () => {
  const home = tempFolder()
  noteRest(home, 12)
  expect(takeRest(home, 13)).toBe(false)
  execFileSync('mkfifo', [join(home, 'run', 'rest')])
  expect(takeRest(home, 12)).toBe(false)
  noteRest(home, 12)
  noteRest(home, 14)
  expect(takeRest(home, 14)).toBe(true)
})
