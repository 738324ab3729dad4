import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')

/** A Node of the machine that is too old for us, if it has one. */
const old = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .find((node) => {
    const { status, stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' })
    return status === 0 && Number(/^v(\d+)/.exec(stdout)?.[1]) < 24
  })

const run = (...args: string[]) =>
  spawnSync(old ?? '', [join(ROOT, 'bin', 'mainstem.js'), ...args], { encoding: 'utf8' })

test.skipIf(old === undefined)('an old Node hands over to the bundled one', () => {
  expect(run('help')).toMatchObject({ status: 0, stdout: expect.stringContaining('mainstem') as string })
  expect(run('no-such-command')).toMatchObject({ status: 2 })
})

test.skipIf(old === undefined)('an old Node alone gets a sentence and no stack trace', () => {
  const folder = mkdtempSync(join(tmpdir(), 'old-node-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  cpSync(join(ROOT, 'bin'), join(folder, 'bin'), { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'))
  const { status, stdout, stderr } = spawnSync(old ?? '', [join(folder, 'bin', 'mainstem.js'), 'log'], {
    encoding: 'utf8',
  })
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toMatch(/^mainstem needs Node 24 or newer; this is Node \d+/)
  expect(stderr).not.toMatch(/^\s+at /m)
})
