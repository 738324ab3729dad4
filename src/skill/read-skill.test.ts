import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { makeTree, settingsOf, skillMd, skillParts } from '../../test/fixtures/skills/skill-tree.ts'
import type { Json, JsonObject } from '../base/json.ts'
import type { BranchId, TurnId } from '../event/id.ts'
import type { CallContext } from '../tool/tool.ts'
import { loadSkills } from './load-skills.ts'
import { needsReadSkill, readSkillTool } from './read-skill.ts'
import type { Skill } from './skill.ts'

const call: CallContext = {
  branch: 'br_0n5f8k2q1k3f9ab' as BranchId,
  turn: 'tn_0n5f8k2q1k3f9ab' as TurnId,
  signal: new AbortController().signal,
}

async function ask(skills: readonly Skill[], args: JsonObject): Promise<Json> {
  const { text, isError } = await readSkillTool(skills).run(args, call)
  const result = JSON.parse(text) as JsonObject
  expect('error' in result).toBe(isError)
  return result
}

async function skillsIn(files: Record<string, string>) {
  const root = makeTree(files)
  const { skills } = await loadSkills(settingsOf([root]), skillParts)
  return { root, skills, ask: (args: JsonObject) => ask(skills, args) }
}

describe('read_skill', () => {
  test('only looks, and is told the name of a skill', () => {
    const { spec, nature } = readSkillTool([])
    expect(spec).toMatchObject({ name: 'read_skill', parameters: { required: ['skill_name'] } })
    expect(nature).toMatchObject({ origin: { kind: 'built-in' }, effect: 'looks' })
    expect(nature.subjectOf?.({ skill_name: ' a ' })).toBe('a')
    expect(nature.subjectOf?.({ skill_name: 'a', file: 'more.md' })).toBe('a/more.md')
  })

  test('gives the body of a skill, as it is', async () => {
    const { ask } = await skillsIn({ 'a/SKILL.md': skillMd('name: a'), 'b/SKILL.md': ' # B\n\n' })
    expect(await ask({ skill_name: 'a' })).toEqual({ text: 'Do it.' })
    expect(await ask({ skill_name: 'b', file: null })).toEqual({ text: ' # B\n\n' })
    expect(await ask({ skill_name: ' a ', file: '' })).toEqual({ text: 'Do it.' })
  })

  test.each([
    {},
    { skill_name: '' },
    { skill_name: ' ' },
    { skill_name: null },
    { skill_name: 5 },
    { name: 'a' },
  ])('says that the name is missing: %j', async (args) => {
    const { ask } = await skillsIn({ 'a/SKILL.md': 'x' })
    expect(await ask(args)).toEqual({ error: 'missing skill_name' })
  })

  test.each(['b', 'A', '../a', '__proto__'])('knows no skill %s', async (name) => {
    const { ask } = await skillsIn({ 'a/SKILL.md': 'x' })
    expect(await ask({ skill_name: name })).toEqual({ error: `unknown skill: ${name}` })
  })

  test('names the files of a skill after its body, and gives them as they are now', async () => {
    const { ask, root } = await skillsIn({ 'a/SKILL.md': 'x', 'a/b.md': 'B\n', 'a/ref/c.md': 'C' })
    expect(await ask({ skill_name: 'a' })).toEqual({
      text: 'x\n\nFiles: b.md, ref/c.md (read_skill with "file" reads one)',
    })
    expect(await ask({ skill_name: 'a', file: 'b.md' })).toEqual({ text: 'B\n' })
    writeFileSync(join(root, 'a/ref/c.md'), 'later')
    expect(await ask({ skill_name: 'a', file: './ref/c.md' })).toEqual({ text: 'later' })
  })

  test.each([
    'SKILL.md',
    'tools.json',
    'c.md',
    '../b/b.md',
    'ref/../../b/b.md',
    '/etc/passwd',
    'scripts/x.md',
    '.',
  ])('gives no file but those: %s', async (file) => {
    const { ask } = await skillsIn({
      'a/SKILL.md': 'x',
      'a/a.md': 'x',
      'a/tools.json': '[]',
      'a/scripts/x.md': 'x',
      'b/b.md': 'secret',
      'b/SKILL.md': 'x',
    })
    expect(await ask({ skill_name: 'a', file })).toEqual({ error: `unknown file: ${file}. Files of a: a.md` })
  })

  test('says so where a skill has no files, and where a file is no text', async () => {
    const { ask } = await skillsIn({ 'a/SKILL.md': 'x' })
    expect(await ask({ skill_name: 'a', file: 'b.md' })).toEqual({
      error: 'unknown file: b.md. a has no files',
    })
    expect(await ask({ skill_name: 'a', file: 7 })).toEqual({ error: 'file must be a text' })
  })

  test('[SAFE3] refuses a file that became a link out of the folder, and one that is gone', async () => {
    const { ask, root } = await skillsIn({
      'a/SKILL.md': 'x',
      'a/b.md': 'B',
      'a/ref/c.md': 'C',
      'ab/c.md': 'secret',
    })
    rmSync(join(root, 'a/b.md'))
    expect(await ask({ skill_name: 'a', file: 'b.md' })).toEqual({
      error: 'b.md is not in the folder of a any more',
    })
    symlinkSync(join(root, 'ab/c.md'), join(root, 'a/b.md'))
    expect(await ask({ skill_name: 'a', file: 'b.md' })).toEqual({
      error: 'b.md is not in the folder of a any more',
    })
    rmSync(join(root, 'a/ref'), { recursive: true })
    symlinkSync('../ab', join(root, 'a/ref'))
    expect(await ask({ skill_name: 'a', file: 'ref/c.md' })).toEqual({
      error: 'ref/c.md is not in the folder of a any more',
    })
  })

  test.each([
    ['a/ref', '../ab'],
    ['a/ref/c.md', '../../ab/c.md'],
  ])('[SAFE3] is not turned aside by a link that is put at %s while it reads', async (place, target) => {
    const { ask, root } = await skillsIn({ 'a/SKILL.md': 'x', 'a/ref/c.md': 'C', 'ab/c.md': 'secret' })
    const asked = ask({ skill_name: 'a', file: 'ref/c.md' })
    rmSync(join(root, place), { recursive: true })
    symlinkSync(target, join(root, place))
    expect(await asked).toEqual({ error: expect.stringContaining('ref/c.md') })
  })

  test('[SAFE3] gives nothing from outside, at whatever moment the folder is swapped', async () => {
    const { ask, root } = await skillsIn({ 'a/SKILL.md': 'x', 'a/ref/c.md': 'C', 'ab/c.md': 'secret' })
    const [folder, kept] = [join(root, 'a/ref'), join(root, 'a/kept')]
    for (let round = 0; round < 200; round++) {
      const asked = ask({ skill_name: 'a', file: 'ref/c.md' })
      for (let tick = round % 10; tick > 0; tick--) await setImmediate()
      renameSync(folder, kept)
      symlinkSync('../ab', folder)
      expect(await asked).not.toEqual({ text: 'secret' })
      rmSync(folder)
      renameSync(kept, folder)
    }
    expect(await ask({ skill_name: 'a', file: 'ref/c.md' })).toEqual({ text: 'C' })
  })

  test('[SAFE3] gives nothing from outside, at whatever moment the file is swapped', async () => {
    const { ask, root } = await skillsIn({ 'a/SKILL.md': 'x', 'a/c.md': 'C', 'ab/c.md': 'secret' })
    const [file, kept] = [join(root, 'a/c.md'), join(root, 'a/kept')]
    for (let round = 0; round < 200; round++) {
      const asked = ask({ skill_name: 'a', file: 'c.md' })
      for (let tick = round % 10; tick > 0; tick--) await setImmediate()
      renameSync(file, kept)
      symlinkSync('../ab/c.md', file)
      expect(await asked).not.toEqual({ text: 'secret' })
      rmSync(file)
      renameSync(kept, file)
    }
  })

  test('refuses a file that is too large or no text', async () => {
    const { ask, root } = await skillsIn({
      'a/SKILL.md': 'x',
      'a/b.md': 'x'.repeat(256 * 1024 + 1),
      'a/c.md': '',
    })
    writeFileSync(join(root, 'a/c.md'), Uint8Array.of(0xff))
    expect(await ask({ skill_name: 'a', file: 'b.md' })).toEqual({ error: 'b.md is larger than 256 KiB' })
    expect(await ask({ skill_name: 'a', file: 'c.md' })).toEqual({ error: 'c.md is not UTF-8 text' })
  })

  test('gives every file of the published skills', async () => {
    const published = fileURLToPath(new URL('../../test/fixtures/skills/published', import.meta.url))
    const { skills } = await loadSkills(settingsOf([published]), skillParts)
    const files = skills.flatMap(({ name, directory, files }) =>
      files.map((file) => ({ name, directory, file })),
    )
    expect(files).toHaveLength(7)
    for (const { name, directory, file } of files)
      expect(await ask(skills, { skill_name: name, file })).toEqual({
        text: readFileSync(join(directory, file), 'utf8'),
      })
  })
})

test('read_skill is needed on demand, and in full mode only for files and commands that may run', async () => {
  const { skills } = await skillsIn({ 'a/SKILL.md': 'x', 'b/SKILL.md': 'x', 'b/c.md': 'x' })
  const { skills: live } = await skillsIn({ 'live/SKILL.md': 'Say: !`date`' })
  const [full, readOnDemand] = [
    { mode: 'full', allowScripts: false },
    { mode: 'readOnDemand', allowScripts: false },
  ] as const
  expect(needsReadSkill(live, full)).toBe(false)
  expect(needsReadSkill(live, { ...full, allowScripts: true })).toBe(true)
  expect(needsReadSkill([], readOnDemand)).toBe(false)
  expect(needsReadSkill([], full)).toBe(false)
  expect(needsReadSkill(skills.slice(0, 1), readOnDemand)).toBe(true)
  expect(needsReadSkill(skills.slice(0, 1), full)).toBe(false)
  expect(needsReadSkill(skills, full)).toBe(true)
})
