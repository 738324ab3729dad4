import { expect, test } from 'vitest'
import { shownEdit, shownWrite } from './write-tool.ts'

test('a new file is shown with all its lines', () =>
  expect(shownWrite('a.md', { before: undefined, args: { content: 'one\ntwo\n' } })).toBe(
    'a.md (new)\n+ one\n+ two',
  ))

test('a file that is replaced is shown with what comes and goes, and how much it had', () =>
  expect(shownWrite('a.md', { before: 'one\ntwo\nthree\n', args: { content: 'one\n2\nthree\n' } })).toBe(
    'a.md (has 3 lines)\n- two\n+ 2',
  ))

test('an edit is shown with the old and the new text', () => {
  expect(shownEdit('a.md', { old: 'x\ny', new: 'z' })).toBe('a.md\n- x\n- y\n+ z')
  expect(shownEdit('a.md', { old: 'x', new: 'z', all: true })).toBe('a.md (everywhere)\n- x\n+ z')
})
