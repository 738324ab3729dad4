import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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

test('[SAFE7] a file that others could write to is out of their reach in a closed folder', () => {
  const home = mkdtempSync(join(tmpdir(), 'mainstem-test-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const [workspace, file] = [join(home, 'workspace'), join(home, 'workspace', 'todo.md')]
  mkdirSync(workspace)
  writeFileSync(file, '')
  for (const path of [home, file]) chmodSync(path, path === file ? 0o666 : 0o755)
  chmodSync(workspace, 0o700)
  expect(homeProblem(home)).toBeUndefined()
  chmodSync(workspace, 0o755)
  expect(homeProblem(home)).toContain(`Other users can write to ${file}`)
})

test('a home that is not there yet has no problem', () =>
  expect(homeProblem(join(tmpdir(), 'no-such-home'))).toBeUndefined())
