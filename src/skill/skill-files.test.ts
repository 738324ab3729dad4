import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { load, makeTree, settingsOf, skillMd, skillParts } from '../../test/fixtures/skills/skill-tree.ts'
import { loadSkills } from './load-skills.ts'
import { byCodeUnits, listSkillFiles } from './skill-files.ts'

function names(folder: string, count: number): [string, string][] {
  return Array.from({ length: count }, (_, n) => [`a/${folder}/${String(n).padStart(3, '0')}.md`, ''])
}

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

  test('those that are listed are the first by their paths, and the walk ends with them', () => {
    const root = makeTree(
      Object.fromEntries([...names('z', 150), ...names('b', 150), ['a/b-first.md', ''], ['a/b.md', '']]),
    )
    const { files } = listSkillFiles(join(root, 'a'))
    expect(files).toHaveLength(200)
    expect(files).toEqual(files.toSorted(byCodeUnits))
    expect([files[0], files[1], files[2], files.at(-1)]).toEqual([
      'b-first.md',
      'b.md',
      'b/000.md',
      'z/047.md',
    ])
  })

  test('a folder with thousands of files is not walked through, and a warning says so', () => {
    const root = makeTree({ 'a/x.md': '' })
    mkdirSync(join(root, 'a/many'))
    for (let n = 0; n < 5_001; n++) writeFileSync(join(root, 'a/many', `${n}.bin`), '')
    const { files, warnings } = listSkillFiles(join(root, 'a'))
    expect(warnings).toEqual([expect.stringMatching(/many holds more than 5000 files, so nothing in it/)])
    expect(files).toEqual(['x.md'])
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
