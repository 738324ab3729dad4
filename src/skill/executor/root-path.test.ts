import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { insideRoot, type Roots } from './root-path.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mainstem-roots-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const at = (...parts: string[]): string => join(folder, ...parts)
for (const path of ['me/code/app', 'me/.mainstem/workspace/notes', 'me/.mainstem/keys', 'else'])
  mkdirSync(at(path), { recursive: true })
symlinkSync(at('me/.mainstem'), at('me/code/state'))
symlinkSync(at('else'), at('me/code/out'))

const roots: Roots = {
  workspace: at('me/.mainstem/workspace'),
  others: [at('me'), at('not-there')],
  closed: at('me/.mainstem'),
}

test.each([
  ['notes', 'me/.mainstem/workspace/notes'],
  [at('me/code/app'), 'me/code/app'],
  [at('me/code/new/file'), 'me/code/new/file'],
  [at('me/code/state/workspace/notes'), 'me/.mainstem/workspace/notes'],
  [at('not-there/yet'), 'not-there/yet'],
])('[SAFE3] %s is in a folder that is open to tools', (path, real) =>
  expect(insideRoot(path, { roots, from: roots.workspace })).toEqual({ path: at(real) }),
)

test.each([
  at('me/.mainstem'),
  at('me/.mainstem/keys'),
  at('me/code/state/keys'),
  '../keys',
  at('else'),
  at('me/code/out/x'),
])(
  '[SAFE3] %s is not: what holds the log and the keys stays closed, though a folder above it is open',
  (path) =>
    expect(insideRoot(path, { roots, from: roots.workspace })).toEqual({
      problem: expect.stringContaining('the path leaves the workspace'),
    }),
)

test('[SAFE3] without other folders only the workspace is open', () => {
  const { workspace } = roots
  expect(insideRoot(at('me/code'), { roots: { workspace }, from: workspace })).toHaveProperty('problem')
})
