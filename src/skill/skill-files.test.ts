import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { load, makeTree, settingsOf, skillMd, skillParts } from '../../test/fixtures/skills/skill-tree.ts'
import { loadSkills } from './load-skills.ts'

describe('beside SKILL.md', () => {
  test('texts are listed, down to three folders, without scripts, hidden ones and what is read otherwise', async () => {
    const { skills } = await load(
      Object.fromEntries(
        [
          'SKILL.md',
          'tools.json',
          'LICENSE.txt',
          'b.md',
          'B.MD',
          'a.txt',
          'data.csv',
          'x.yaml',
          'x.yml',
          'x.json',
          'logo.svg',
          'run.py',
          '.env.md',
          '.git/a.md',
          'scripts/a.md',
          'node_modules/a/b.md',
          'ref/a.md',
          'ref/tools.json',
          'ref/deep/a.md',
          'ref/deep/deeper/a.md',
        ].map((path) => [`one/a/${path}`, path === 'tools.json' ? '[]' : 'text']),
      ),
    )
    expect(skills[0]?.files).toEqual([
      'B.MD',
      'a.txt',
      'b.md',
      'data.csv',
      'ref/a.md',
      'ref/deep/a.md',
      'ref/tools.json',
      'x.json',
      'x.yaml',
      'x.yml',
    ])
  })

  test('links are listed when they lead to a file inside of the folder', async () => {
    const { skills } = await load(
      { 'one/a/SKILL.md': 'a', 'one/a/ref/b.md': 'b', 'secret.md': 'c', 'one/ab/c.md': 'd' },
      {
        prepare: (root) => {
          symlinkSync('ref/b.md', join(root, 'one/a/inside.md'))
          symlinkSync(join(root, 'secret.md'), join(root, 'one/a/outside.md'))
          symlinkSync('../ab/c.md', join(root, 'one/a/beside.md'))
          symlinkSync(join(root), join(root, 'one/a/all'))
          symlinkSync('ref', join(root, 'one/a/folder.md'))
          symlinkSync('nothing.md', join(root, 'one/a/broken.md'))
        },
      },
    )
    expect(skills[0]?.files).toEqual(['inside.md', 'ref/b.md'])
  })

  test('at most 200 texts are listed, and a warning says so', async () => {
    const many = Array.from({ length: 201 }, (_, n) => [`one/a/${String(n).padStart(3, '0')}.md`, ''])
    const { skills } = await load({
      'one/a/SKILL.md': skillMd('description: x'),
      ...Object.fromEntries(many),
    })
    expect(skills[0]?.files).toHaveLength(200)
    expect(skills[0]?.files.at(-1)).toBe('199.md')
    expect(skills[0]?.warnings).toEqual([
      'Only the first 200 of its texts can be read: put fewer beside SKILL.md.',
    ])
  })

  test('scripts without tools.json are not run, and a warning says so', async () => {
    const files = { 'one/a/SKILL.md': skillMd('description: x'), 'one/a/scripts/x.py': '' }
    const { skills, reports } = await load(files)
    expect(skills[0]?.warnings).toEqual([expect.stringMatching(/scripts\/ are not run.*tools\.json/)])
    expect(reports[0]?.warnings).toEqual(skills[0]?.warnings)
    expect((await load({ ...files, 'one/a/tools.json': '[]' })).skills[0]?.warnings).toEqual([])
  })

  test('tools.json is given to the executor with what it needs', async () => {
    const root = makeTree({ 'a/SKILL.md': skillMd('name: n'), 'a/tools.json': '[]' })
    const seen: unknown[] = []
    const loadTools = (...given: unknown[]) => {
      seen.push(...given)
      return { tools: [], warnings: ['odd'] }
    }
    const settings = settingsOf([root], { allowScripts: true, workspace: '/ws' })
    const { reports } = await loadSkills(settings, { ...skillParts, loadTools })
    expect(seen).toEqual([
      { text: '[]', skill: 'n', directory: join(root, 'a') },
      { allowScripts: true, workspace: '/ws' },
    ])
    expect(reports[0]?.warnings).toContain('odd')
  })
})
