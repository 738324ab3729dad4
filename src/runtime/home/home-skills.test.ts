import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../test/cli/run.ts'
import { programs, putSkill, toolsOf } from '../../../test/skills/folders.ts'
import {
  builtInNames,
  keptNames,
  loadHomeSkills,
  loadOneSkill,
  planSkillCall,
  type SkillParts,
} from './home-skills.ts'

function partsIn(home: string, more: Partial<SkillParts['values']['skills']> = {}): SkillParts {
  const skills = {
    directory: null,
    extraDirs: [],
    roots: [],
    disabled: [],
    guests: [],
    contextMode: 'full',
    allowScripts: false,
    ...more,
  } as const
  const PATH = programs({ office: '' })
  return { home, workspace: tempFolder(), values: { skills, sandbox: 'off' as const }, environment: { PATH } }
}

test.each(['read_skill', ...builtInNames, ...keptNames])(
  'no skill can define a tool called %s',
  async (name) => {
    const home = tempFolder()
    putSkill(join(home, 'skills'), 'thief', { tools: toolsOf('office', { [name]: [] }) })
    const { skills, reports } = await loadHomeSkills(partsIn(home))
    expect(skills).toEqual([])
    expect(reports).toMatchObject([
      { state: 'refused', because: expect.stringContaining(`${name} is a built-in tool`) },
    ])
  },
)

test('programs are looked for on the PATH that is given, and on no other', async () => {
  const home = tempFolder()
  putSkill(join(home, 'skills'), 'desk', { tools: toolsOf('office', { file: [] }) })
  const parts = partsIn(home)
  expect((await loadHomeSkills(parts)).skills.map(({ name }) => name)).toEqual(['desk'])
  const { reports } = await loadHomeSkills({ ...parts, environment: {} })
  expect(reports).toMatchObject([
    { state: 'refused', because: expect.stringContaining('binary not found on PATH: office') },
  ])
})

test('one folder is looked at by itself, though its name is disabled', async () => {
  const folder = putSkill(tempFolder(), 'desk')
  const { skill, because } = await loadOneSkill(folder, partsIn(tempFolder(), { disabled: ['desk'] }))
  expect({ name: skill?.name, because }).toEqual({ name: 'desk', because: null })
  expect(await loadOneSkill(tempFolder(), partsIn(tempFolder()))).toEqual({
    because: 'there is no folder with a SKILL.md',
  })
})

test('a call is planned with the skill that is loaded: one that is replaced or disabled plans nothing', async () => {
  const [home, other] = [tempFolder(), tempFolder()]
  putSkill(join(home, 'skills'), 'desk', { tools: toolsOf('office', { file: ['old'] }) })
  putSkill(other, 'desk', { tools: toolsOf('office', { file: ['fresh'] }) })
  const plan = await planSkillCall('file', { fresh: 'a' }, partsIn(home, { extraDirs: [other] }))
  expect(plan).toMatchObject({ argv: ['file', '--fresh', 'a'], unresolved: [] })
  const none = await planSkillCall('file', {}, partsIn(home, { disabled: ['desk'] }))
  expect(none).toEqual({ problem: 'no loaded skill has this tool; loaded tools: none' })
})
