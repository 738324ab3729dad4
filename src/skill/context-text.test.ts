import { describe, expect, test } from 'vitest'
import { estimateTokens } from '../base/tokens.ts'
import { skillContext } from './context-text.ts'

const notes = {
  name: 'notesmd-cli',
  description: 'Create, read, and search notes.',
  body: '# notesmd-cli\n\nUse it.',
}

const fifty = Array.from({ length: 50 }, (_, index) => ({
  name: `skill-${index + 1}`,
  description: index % 5 === 0 ? '' : `Does the thing number ${index + 1}.`,
  body: `# Skill ${index + 1}\n\nStep one.\nStep two.`,
}))

describe('[SKILL1] what the system text says of skills', () => {
  test('is nothing at all without skills', () => {
    expect(skillContext([], 'full')).toBe('')
    expect(skillContext([], 'readOnDemand')).toBe('')
  })

  test('is all of each skill in full mode, byte for byte', () => {
    expect(skillContext([notes], 'full')).toBe(
      'You have access to the following skills. Use them when relevant.\n\n## notesmd-cli\nCreate, read, and search notes.\n\n# notesmd-cli\n\nUse it.\n\n',
    )
    expect(skillContext([{ ...notes, description: '' }, notes], 'full')).toBe(
      'You have access to the following skills. Use them when relevant.\n\n## notesmd-cli\n# notesmd-cli\n\nUse it.\n\n## notesmd-cli\nCreate, read, and search notes.\n\n# notesmd-cli\n\nUse it.\n\n',
    )
    expect(skillContext([{ name: 'a', description: 'One.\nTwo.', body: '' }], 'full')).toBe(
      'You have access to the following skills. Use them when relevant.\n\n## a\nOne.\nTwo.\n\n\n\n',
    )
  })

  test('is names and descriptions on demand, byte for byte', () => {
    expect(skillContext([notes], 'readOnDemand')).toBe(
      'You have skills. When one clearly applies, call read_skill with its name to load its full instructions before using its tools.\n\n## Available skills\n\n- **notesmd-cli**: Create, read, and search notes.\n',
    )
    expect(skillContext([{ name: 'a', description: '', body: 'x' }], 'readOnDemand')).toContain(
      '\n- **a**: \n',
    )
  })

  test('stays in the order of the skills, for fifty as for one', () => {
    const whole = ['You have access to the following skills. Use them when relevant.', '']
    const list = [
      'You have skills. When one clearly applies, call read_skill with its name to load its full instructions before using its tools.',
      '',
      '## Available skills',
      '',
    ]
    for (let n = 1; n <= 50; n++) {
      const described = (n - 1) % 5 !== 0
      whole.push(`## skill-${n}`)
      if (described) whole.push(`Does the thing number ${n}.`, '')
      whole.push(`# Skill ${n}`, '', 'Step one.', 'Step two.', '')
      list.push(described ? `- **skill-${n}**: Does the thing number ${n}.` : `- **skill-${n}**: `)
    }
    expect(skillContext(fifty, 'full')).toBe(`${whole.join('\n')}\n`)
    expect(skillContext(fifty, 'readOnDemand')).toBe(`${list.join('\n')}\n`)
  })

  test('puts a description on one line in a list, and leaves it alone in full mode', () => {
    const skill = { name: 'a', description: 'One,  two.\n\n  Three.\r\nFour\u2028five.', body: 'x' }
    expect(skillContext([skill], 'readOnDemand')).toMatch(
      /\n- \*\*a\*\*: One, {2}two\. Three\. Four five\.\n$/,
    )
    expect(skillContext([skill], 'full')).toContain(`## a\n${skill.description}\n\nx\n\n`)
  })

  test('costs on demand under 8 tokens a skill and 80 besides, beyond names and descriptions', () => {
    const own = fifty.map(({ name, description }) => estimateTokens(name) + estimateTokens(description))
    const costOf = (count: number): number =>
      estimateTokens(skillContext(fifty.slice(0, count), 'readOnDemand')) -
      own.slice(0, count).reduce((sum, tokens) => sum + tokens, 0)
    expect(costOf(1)).toBeLessThan(80 + 8)
    expect(costOf(50)).toBeLessThan(80 + 50 * 8)
    expect((costOf(50) - costOf(1)) / 49).toBeLessThan(8)
    expect(costOf(1)).toBeGreaterThan(0)
  })
})
