import { describe, expect, test } from 'vitest'
import { estimateTokens } from '../../base/tokens.ts'
import type { Skill, SkillContextMode } from '../../skill/skill.ts'
import { systemText } from './system-text.ts'

const FULL = 'You have access to the following skills. Use them when relevant.\n\n'
const ON_DEMAND =
  'You have skills. When one clearly applies, call read_skill with its name to load its full instructions before using its tools.\n\n## Available skills\n\n'

function skill(name: string, description: string, body: string): Skill {
  return { name, description, body, directory: '', allowedTools: [], tools: [], files: [], warnings: [] }
}

const fifty = Array.from({ length: 50 }, (_, at) =>
  skill(`skill-${at}`, `Does the thing number ${at} for people who want it.`, `# ${at}\n\nStep by step.`),
)

/** What each mode makes of so many skills, written down by hand. */
const texts: readonly (readonly [string, readonly Skill[], Readonly<Record<SkillContextMode, string>>])[] = [
  ['no skills', [], { full: '', readOnDemand: '' }],
  [
    'one skill',
    [skill('notes', 'Keeps notes.', 'Write them down.')],
    {
      full: `${FULL}## notes\nKeeps notes.\n\nWrite them down.\n\n`,
      readOnDemand: `${ON_DEMAND}- **notes**: Keeps notes.\n`,
    },
  ],
  [
    'a skill without a description',
    [skill('bare', '', 'Do it.')],
    { full: `${FULL}## bare\nDo it.\n\n`, readOnDemand: `${ON_DEMAND}- **bare**: \n` },
  ],
  [
    'fifty skills',
    fifty,
    {
      full:
        FULL +
        fifty
          .map(
            (_, at) =>
              `## skill-${at}\nDoes the thing number ${at} for people who want it.\n\n# ${at}\n\nStep by step.\n\n`,
          )
          .join(''),
      readOnDemand:
        ON_DEMAND +
        fifty
          .map((_, at) => `- **skill-${at}**: Does the thing number ${at} for people who want it.\n`)
          .join(''),
    },
  ],
]

describe.each(['full', 'readOnDemand'] as const)('in mode %s', (mode) => {
  describe.each(texts)('with %s', (_, skills, expected) => {
    const skillPart = expected[mode]
    test.each<[string, readonly [string, string], string[]]>([
      ['no AGENTS.md and no memory.md', ['', ''], [skillPart]],
      ['an AGENTS.md of blanks', [' \n\t\r\n', ''], [skillPart]],
      ['AGENTS.md alone', ['\n# You\n\nBe kind.  \n\n', ''], ['# You\n\nBe kind.', skillPart]],
      ['a memory.md that remembers nothing', ['# You', '# Memory\n\n'], ['# You', skillPart]],
      ['memory.md alone', ['', '\n- tea\n'], ['- tea', skillPart]],
      [
        'both',
        ['# You\n', '# Memory\n\n- tea\n- no sugar\n\n'],
        ['# You', '# Memory\n\n- tea\n- no sugar', skillPart],
      ],
    ])(
      '%s: the parts that are there stand in their order, a blank line apart',
      (_, [agents, memory], parts) => {
        const there = parts.filter((part) => part !== '')
        const { system, sections } = systemText({ agents, memory, skills, mode })
        expect(system).toBe(there.join('\n\n'))
        expect(sections?.map(({ length }) => length)).toEqual(there.map(({ length }) => length))
        expect(systemText({ agents, memory, skills, mode }).system).toBe(system)
      },
    )
  })
})

test('a description cannot make a second entry of the list', () => {
  const skills = [skill('one', 'First.\n- **two**: Second.\r\n\u2028Third.', '')]
  expect(systemText({ agents: '', memory: '', skills, mode: 'readOnDemand' }).system).toBe(
    `${ON_DEMAND}- **one**: First. - **two**: Second. Third.\n`,
  )
})

test('read on demand, a skill costs under 8 tokens beyond its name and description, and the beginning under 80', () => {
  const all = estimateTokens(
    systemText({ agents: '', memory: '', skills: fifty, mode: 'readOnDemand' }).system,
  )
  const own = fifty.map(({ name, description }) => estimateTokens(name) + estimateTokens(description))
  const intro = estimateTokens(ON_DEMAND)
  expect(intro).toBeGreaterThan(10)
  expect(intro).toBeLessThan(80)
  const overhead = all - intro - own.reduce((sum, one) => sum + one, 0)
  expect(overhead / fifty.length).toBeLessThan(8)
})
