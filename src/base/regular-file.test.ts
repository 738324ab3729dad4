import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { realPath } from './regular-file.ts'

function folderWith(links: Readonly<Record<string, string>>): string {
  const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'mainstem-real-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'deep', 'er'), { recursive: true })
  writeFileSync(join(folder, 'file'), '')
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(folder, name))
  return folder
}

test.each([
  ['file', 'file'],
  ['none/yet', 'none/yet'],
  ['link', 'file'],
  ['dangling', 'none'],
  ['dangling/below', 'none/below'],
  ['again', 'none'],
  ['into/new', 'deep/er/new'],
  // By way of the folder that the link leads to, and not of the one that the link lies in.
  ['up-first', 'deep/new'],
  ['through-nothing', 'new'],
])('%s leads to %s, links followed, whether or not it is there', (path, real) => {
  const folder = folderWith({
    link: 'file',
    dangling: 'none',
    again: 'dangling',
    into: 'deep/er',
    'up-first': 'into/../new',
    'through-nothing': 'none/../new',
  })
  expect(realPath(join(folder, path))).toBe(join(folder, real))
})

test('a circle of links and a file taken for a folder lead nowhere', () => {
  const folder = folderWith({ here: 'there', there: 'here', self: 'self/x' })
  for (const path of ['here', 'there/x', 'self']) expect(() => realPath(join(folder, path))).toThrow('ELOOP')
  expect(() => realPath(join(folder, 'file/x'))).toThrow('ENOTDIR')
})
