import { describe, expect, test } from 'vitest'
import { skillMd } from '../../test/fixtures/skills/skill-tree.ts'
import { readSkillFields } from './skill-fields.ts'

const read = (...lines: string[]) => readSkillFields(skillMd(...lines), 'folder')

describe('SKILL.md', () => {
  test('says what a skill is; what others put there is left alone', async () =>
    expect(
      await read(
        'name: notes',
        'description: |',
        '  Takes notes.',
        '  Finds them.',
        'license: MIT',
        'version: 1.0',
        'argument-hint: [topic]',
        'allowed-tools:',
        '  - Read',
        '  - Grep',
        'metadata:',
        '  author: x',
        '  requires: {bins: [git, jq], env: [KEY]}',
      ),
    ).toEqual({
      name: 'notes',
      description: 'Takes notes.\nFinds them.',
      body: 'Do it.',
      allowedTools: ['read', 'grep'],
      bins: ['git', 'jq'],
      warnings: [],
    }))

  test('without front matter is a skill with the name of its folder, and the whole text as its body', async () =>
    expect(await readSkillFields(' # Notes\n', 'my-notes')).toMatchObject({
      name: 'my-notes',
      description: '',
      body: ' # Notes\n',
      warnings: [expect.stringContaining('no description')],
    }))

  test.each(['pdf', 'PDF Tools', 'a.b_c-d', 'vendor:skill', 'Größe', '7zip', '_x', 'x'.repeat(64)])(
    'may have the name %s',
    async (name) => expect(await read(`name: ${name}`)).toMatchObject({ name }),
  )

  test.each([
    '../x',
    'a/b',
    String.raw`a\b`,
    '..',
    '.x',
    '-x',
    'a*b',
    'a`b',
    'a(b)',
    '"a\\nb"',
    'x'.repeat(65),
  ])('may not have the name %s', async (name) =>
    expect(await read('x: y', `name: ${name}`)).toEqual({
      line: 3,
      because: expect.stringContaining('is not a valid skill name'),
    }),
  )

  test('in a folder whose name is none needs one of its own', async () => {
    expect(await readSkillFields('text', 'a(b)')).toEqual({
      line: null,
      because: expect.stringContaining('give it a name in its front matter'),
    })
    expect(await readSkillFields(skillMd('name: a'), 'a(b)')).toMatchObject({ name: 'a' })
  })

  test.each([
    [['name: [a]'], 2, 'name must be a text'],
    [['name: a', 'description: {a: b}'], 3, 'description must be a text'],
    [['allowed-tools: {a: b}'], 2, 'allowed-tools must be a list of names'],
    [['allowed-tools: [[a]]'], 2, 'allowed-tools must be a list of names'],
    [['x: y', 'metadata: {requires: {bins: {a: b}}}'], 3, 'metadata.requires.bins must be a list of names'],
  ])('with a field of a wrong type is refused with its line: %j', async (lines, line, because) =>
    expect(await read(...lines)).toEqual({ line, because: expect.stringContaining(because) }),
  )

  test.each([
    ['metadata: text', []],
    ['metadata: [a]', []],
    ['metadata: {requires: node}', []],
    ['metadata: {vendor: {requires: {bins: [x]}}}', []],
    ['metadata: {requires: {bins: "git, jq"}}', ['git', 'jq']],
    ['metadata: {"requires": {"bins": ["git"]}}', ['git']],
  ])('needs programs only where it says so: %s', async (line, bins) =>
    expect(await read(line)).toMatchObject({ bins }),
  )
})
