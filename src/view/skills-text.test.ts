import { expect, test } from 'vitest'
import type { Skill, SkillReport } from '../skill/skill.ts'
import { ok, type Tool } from '../tool/tool.ts'
import { skillsText } from './skills-text.ts'

const tool = (name: string): Tool => ({
  spec: { name, description: '', parameters: { type: 'object' } },
  nature: { origin: { kind: 'skill', skill: 'git' }, effect: 'runs' },
  run: async () => ok(''),
})

const git: Skill = {
  name: 'git',
  description: 'Looks at repositories.',
  body: '',
  directory: '/new/git',
  allowedTools: [],
  tools: [tool('git_log'), tool('git_show')],
  files: [],
  warnings: ['odd'],
}

const report = (name: string, more: Partial<SkillReport> = {}): SkillReport => ({
  name,
  directory: `/${name}`,
  state: 'loaded',
  because: null,
  warnings: [],
  ...more,
})

test('without any skill it says so, and lists nothing more where nothing comes along', () => {
  expect(skillsText({ skills: [], reports: [], shipped: [] })).toBe('No skills are loaded.')
})

test('each skill that was found stands in it with its state; what was found is not offered again', () => {
  const text = skillsText({
    skills: [git],
    reports: [
      report('git', { state: 'replaced', because: '/new/git has the same name.' }),
      report('git', { warnings: ['odd'] }),
      report('tea', { state: 'disabled', because: 'skills.disabled names it.' }),
    ],
    shipped: [
      { name: 'git', description: 'Looks.' },
      { name: 'notes', description: 'Keeps notes.' },
      { name: 'tea', description: 'Makes tea.' },
    ],
  })
  expect(text.split('\n')).toEqual([
    'Skills:',
    '  git  replaced: /new/git has the same name.',
    '  git  loaded: Looks at repositories.',
    '    tools: git_log, git_show',
    '    note: odd',
    '  tea  disabled: skills.disabled names it.',
    'Bundled; add one with "mainstem skills add NAME" and /reload:',
    '  notes: Keeps notes.',
  ])
})
