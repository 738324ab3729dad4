import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { homeProblem } from './own-home.ts'

const STRANGER = 65_534
const SOMEBODY = 65_533

test('[SAFE7] a home of another user is refused, but not to root', () => {
  const home = mkdtempSync(join(tmpdir(), 'mainstem-test-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const isRoot = process.geteuid?.() === 0
  if (isRoot) expect(homeProblem(home, STRANGER)).toBeUndefined()
  if (isRoot) chownSync(home, SOMEBODY, SOMEBODY)
  expect(homeProblem(home, STRANGER)).toContain(`sudo chown -R ${STRANGER} ${home}`)
  expect(homeProblem(home, 0)).toBeUndefined()
})

test('a home that is not there yet has no problem', () =>
  expect(homeProblem(join(tmpdir(), 'no-such-home'))).toBeUndefined())
