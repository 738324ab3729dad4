import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { load, makeTree, settingsOf, skillMd, skillParts } from '../../test/fixtures/skills/skill-tree.ts'
import { skillContext } from './context-text.ts'
import { loadSkills } from './load-skills.ts'
import { readSkillFolder } from './skill-folder.ts'
import { rounds } from '../../test/rounds.ts'

describe('loading', () => {
  test('finds the folders with a SKILL.md, and says nothing of others', async () => {
    const { outcomes } = await load({
      'one/b/SKILL.md': skillMd('description: B.'),
      'one/a/SKILL.md': skillMd('description: A.'),
      'one/no-skill/README.md': '',
      'one/README.md': '',
      'one/.hidden/SKILL.md': '',
      'two/deep/er/SKILL.md': '',
    })
    expect(outcomes).toEqual([
      ['a', 'loaded', null],
      ['b', 'loaded', null],
    ])
  })

  test('of directories that do not exist gives nothing', async () =>
    expect(await loadSkills(settingsOf(['/nowhere/at/all']), skillParts)).toEqual({
      skills: [],
      reports: [],
    }))

  test('calls a skill as its folder, however that is written', async () => {
    const root = makeTree({ 'a/SKILL.md': 'x' })
    const read = await readSkillFolder(`${root}/a/.`, settingsOf([]), skillParts)
    expect(read).toMatchObject({ state: 'read', name: 'a', directory: join(root, 'a') })
  })

  test('changes no byte of a SKILL.md without front matter', async () => {
    const text = '\uFEFF \r\n# A\r\n\n---\n \n'
    expect((await load({ 'one/a/SKILL.md': text })).skills[0]?.body).toBe(text)
  })

  test('puts a skill of a later directory in the place of the earlier one', async () => {
    const { names, skills, outcomes, root } = await load({
      'one/a/SKILL.md': 'old',
      'one/b/SKILL.md': 'b',
      'two/0/SKILL.md': '0',
      'two/x/SKILL.md': skillMd('name: a'),
    })
    expect(names).toEqual(['a', 'b', '0'])
    expect(skills[0]).toMatchObject({ body: 'Do it.', directory: join(root, 'two/x') })
    expect(outcomes).toEqual([
      ['a', 'replaced', '/two/x has the same name and comes from a later directory.'],
      ['b', 'loaded', null],
      ['0', 'loaded', null],
      ['a', 'loaded', null],
    ])
  })

  test('keeps the earlier one when the later is refused', async () => {
    const { names, outcomes } = await load({
      'one/a/SKILL.md': 'fine',
      'two/a/SKILL.md': skillMd('name: [x]'),
    })
    expect(names).toEqual(['a'])
    expect(outcomes.map(([, state]) => state)).toEqual(['loaded', 'refused'])
  })

  test('takes the names from the files, sorted by code units', async () => {
    const { names } = await load({
      'one/1/SKILL.md': skillMd('name: b'),
      'one/2/SKILL.md': skillMd('name: a'),
      'one/3/SKILL.md': skillMd('name: B'),
      'one/4/SKILL.md': skillMd('name: é'),
      'one/5/SKILL.md': skillMd('name: z'),
    })
    expect(names).toEqual(['B', 'a', 'b', 'z', 'é'])
  })

  test('[SKILL1] keeps the order of the naive model, whatever is where, broken or disabled', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(fc.constantFrom('a', 'b', 'B', '_', 'c1', 'c10', 'c9'), fc.boolean()), {
          maxLength: 3,
        }),
        fc.subarray(['a', 'B', 'c9']),
        async (folders, disabled) => {
          const files = folders.flatMap((names, index) =>
            Object.entries(names).map(([name, isBroken]) => [
              `${['one', 'two', 'three'][index]}/${name}/SKILL.md`,
              isBroken ? skillMd('description: []') : `in ${index}`,
            ]),
          )
          const { skills, reports } = await load(Object.fromEntries(files), { disabled })
          expect(skills.map(({ name, body }) => [name, body])).toEqual(naiveOrder(folders, disabled))
          expect(reports).toHaveLength(files.length)
          expect(reports.filter(({ state }) => state === 'loaded')).toHaveLength(skills.length)
        },
      ),
      { numRuns: rounds(150) },
    ))

  test('[SKILL1] the same files give the same system text, in whatever order they came', () =>
    fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(['b', 'a', 'ä', 'B', 'x1', 'x10', 'x2'], { minLength: 7 }),
        fc.constantFrom('full' as const, 'readOnDemand' as const),
        async (names, mode) => {
          const textOf = async (order: readonly string[]): Promise<string> => {
            const files = order.map((name) => [`one/${name}/SKILL.md`, skillMd(`description: Of ${name}`)])
            return skillContext((await load(Object.fromEntries(files))).skills, mode)
          }
          expect(await textOf(names)).toBe(await textOf(names.toSorted()))
        },
      ),
      { numRuns: rounds(20) },
    ))

  test('of one directory twice reports each of its skills once', async () => {
    const root = makeTree({ 'a/SKILL.md': 'x', 'b/SKILL.md': 'x' })
    const { skills, reports } = await loadSkills(settingsOf([root, root]), skillParts)
    expect(skills.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(reports.map(({ name, state }) => [name, state])).toEqual([
      ['a', 'loaded'],
      ['b', 'loaded'],
    ])
  })

  test('follows a link to a folder and keeps the real one, under the name of the link', async () => {
    const { skills, root, outcomes } = await load(
      { 'one/a/SKILL.md': 'a', 'elsewhere/real/SKILL.md': 'there' },
      {
        prepare: (root) => {
          symlinkSync(join(root, 'elsewhere/real'), join(root, 'one/link'))
          symlinkSync(join(root, 'nothing'), join(root, 'one/broken'))
          symlinkSync(join(root, 'one/loop'), join(root, 'one/loop'))
        },
      },
    )
    expect(outcomes.map(([name]) => name)).toEqual(['a', 'link'])
    expect(skills[1]).toMatchObject({ name: 'link', directory: join(root, 'elsewhere/real'), body: 'there' })
  })
})

function naiveOrder(folders: readonly Record<string, boolean>[], disabled: readonly string[]): string[][] {
  const order: string[][] = []
  for (const [index, names] of folders.entries()) {
    for (const name of Object.keys(names).toSorted()) {
      if (names[name] === true || disabled.includes(name)) continue
      const place = order.findIndex(([other]) => other === name)
      if (place < 0) order.push([name, `in ${index}`])
      else order[place] = [name, `in ${index}`]
    }
  }
  return order
}

test('published skills load unchanged', async () => {
  const published = fileURLToPath(new URL('../../test/fixtures/skills/published', import.meta.url))
  const { skills } = await loadSkills(settingsOf([published]), skillParts)
  expect(skills.map(({ name, files, allowedTools }) => ({ name, files, allowedTools }))).toEqual([
    {
      name: 'Brand Guidelines',
      files: [
        'references/colours.json',
        'references/facts.yaml',
        'references/visual.md',
        'references/voice/tone.md',
      ],
      allowedTools: [],
    },
    {
      name: 'changelog-writer',
      files: ['templates/breaking.md', 'templates/entry.md'],
      allowedTools: ['read', 'grep'],
    },
    { name: 'pdf-forms', files: ['reference.md'], allowedTools: [] },
  ])
  expect(skills.map(({ warnings }) => warnings)).toEqual([
    [],
    [expect.stringContaining('names Bash(git log:*), Bash(git diff, git show), but')],
    [expect.stringContaining('scripts/')],
  ])
  expect(skills[1]?.description).toBe(
    'Writes release notes from commits. Use it when: the person asks what changed, or wants a changelog entry.',
  )
  for (const { body } of skills) expect(body).toMatch(/^# [^]+\S$/)
})
