import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, relative } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { findBinary } from './find-binary.ts'

const folder = mkdtempSync(join(tmpdir(), 'find-binary-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
for (const name of ['one', 'two']) mkdirSync(join(folder, name, 'folder'), { recursive: true })
for (const path of ['one/tool', 'two/tool', 'two/other'])
  writeFileSync(join(folder, path), '', { mode: 0o755 })
writeFileSync(join(folder, 'one/other'), '')
chmodSync(join(folder, 'one/other'), 0o644)
const PATH = ['', '.', 'one', join(folder, 'one'), join(folder, 'two')].join(delimiter)

test.each([
  ['tool', 'one/tool'],
  ['other', 'two/other'],
])('%s is the first program of that name on PATH', (name, path) =>
  expect(findBinary(name, PATH)).toBe(join(folder, path)),
)

test.each(['', 'folder', 'missing', '../one/tool', join(folder, 'one/tool'), 'tool\0'])(
  '%j is no program on PATH',
  (name) => expect(findBinary(name, PATH)).toBeUndefined(),
)

test('a PATH entry that is no whole path is passed over', () => {
  const near = relative(process.cwd(), join(folder, 'one'))
  expect(findBinary('tool', `${near}${delimiter}./${near}`)).toBeUndefined()
})
