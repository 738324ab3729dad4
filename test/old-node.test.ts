import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'

const BIN = join(import.meta.dirname, '..', 'bin', 'mainstem.js')

/** A Node of the machine that is too old for us, if it has one. */
const old = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .find((node) => {
    const { status, stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' })
    return status === 0 && Number(/^v(\d+)/.exec(stdout)?.[1]) < 24
  })

test.skipIf(old === undefined)('an old Node gets a sentence and no stack trace', () => {
  const { status, stdout, stderr } = spawnSync(old ?? '', [BIN, 'log'], { encoding: 'utf8' })
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toMatch(/^mainstem needs Node 24 or newer; this is Node \d+/)
  expect(stderr).not.toMatch(/^\s+at /m)
})
