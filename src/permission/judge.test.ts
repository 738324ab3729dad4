import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { builtIn, type ToolNature } from '../tool/tool.ts'
import { judge, permissionModes, type CallQuestion } from './judge.ts'

const skill: ToolNature = { origin: { kind: 'skill', skill: 'git' }, effect: 'runs', fingerprint: 'f1' }
const server: ToolNature = { origin: { kind: 'mcp', server: 'files' }, effect: 'runs', fingerprint: 'f2' }

function question(more: Partial<CallQuestion>): CallQuestion {
  const nature = more.nature ?? builtIn('looks')
  return {
    mode: 'dontAsk',
    tool: 'a_tool',
    nature,
    subject: 'x',
    pattern: 'a_tool(x)',
    grants: [],
    isComposed: false,
    canAsk: true,
    ...more,
  }
}

function fate(more: Partial<CallQuestion>): string {
  const verdict = judge(question(more))
  return verdict.kind === 'ask' ? 'ask' : `${verdict.kind}: ${verdict.because}`
}

describe('each mode', () => {
  const kinds = {
    looks: builtIn('looks'),
    steers: builtIn('steers'),
    edits: builtIn('edits'),
    reaches: builtIn('reaches'),
    skill,
    server,
  }

  test.each([
    [
      'dontAsk',
      {
        looks: 'built-in',
        steers: 'built-in',
        edits: 'built-in',
        reaches: 'built-in',
        skill: 'not-allowed',
        server: 'not-allowed',
      },
    ],
    [
      'default',
      { looks: 'built-in', steers: 'built-in', edits: 'ask', reaches: 'ask', skill: 'ask', server: 'ask' },
    ],
    [
      'acceptEdits',
      {
        looks: 'built-in',
        steers: 'built-in',
        edits: 'edits-accepted',
        reaches: 'ask',
        skill: 'ask',
        server: 'ask',
      },
    ],
    [
      'bypassPermissions',
      {
        looks: 'bypass',
        steers: 'bypass',
        edits: 'bypass',
        reaches: 'bypass',
        skill: 'bypass',
        server: 'bypass',
      },
    ],
  ] as const)('%s', (mode, expected) => {
    const found = Object.entries(kinds).map(([name, nature]) => [
      name,
      fate({ mode, nature }).replace(/^\w+: /, ''),
    ])
    expect(Object.fromEntries(found)).toEqual(expected)
  })

  test('task_create is built in, and yet not free', () => {
    expect(fate({ tool: 'task_create' })).toBe('refused: not-allowed')
    expect(fate({ tool: 'task_create', mode: 'default' })).toBe('ask')
  })

  test('[PERM2] where nobody can be asked, what would be asked is refused', () =>
    expect(fate({ mode: 'default', nature: skill, canAsk: false })).toBe('refused: cannot-ask'))

  test('[PERM1] accepts no edits of tools that are not built in', () =>
    expect(fate({ mode: 'acceptEdits', nature: { ...skill, effect: 'edits' } })).toBe('ask'))
})

function grant(glob: string | null, fingerprint: string | null = 'f1') {
  return { pattern: { tool: 'a_tool', glob }, fingerprint }
}

describe('what was allowed', () => {
  test('runs in every mode', () => {
    for (const mode of permissionModes)
      expect(fate({ mode, nature: skill, grants: [grant(null)] })).toMatch(/^allowed/)
  })

  test('[PERM1] counts no more when the tool does something else', () => {
    const grants = [grant(null, 'f0')]
    expect(fate({ nature: skill, grants })).toBe('refused: changed')
    expect(fate({ nature: skill, grants, mode: 'default' })).toBe('ask')
  })

  test('[PERM1] is allowed for what its glob fits, and for nothing else', () => {
    const grants = [grant('log *')]
    expect(fate({ nature: skill, grants, subject: 'log -n 3' })).toBe('allowed: granted')
    expect(fate({ nature: skill, grants, subject: 'push' })).toBe('refused: not-allowed')
    expect(fate({ nature: skill, grants, subject: 'log -n 3', tool: 'b_tool' })).toBe('refused: not-allowed')
  })

  test('[PERM1] nothing that is not built in runs without a grant that fits, a word or the bypass', () => {
    const anyGrant = fc.record({
      pattern: fc.record({
        tool: fc.constantFrom('a_tool', 'b_tool'),
        glob: fc.constantFrom(null, 'x', 'y', '*'),
      }),
      fingerprint: fc.constantFrom('f1', 'f2', null),
    })
    const anyQuestion = fc.record({
      mode: fc.constantFrom(...permissionModes),
      nature: fc.constantFrom(skill, server, { ...skill, effect: 'edits' }),
      subject: fc.constantFrom('x', 'y'),
      grants: fc.array(anyGrant, { maxLength: 4 }),
      canAsk: fc.boolean(),
    })
    fc.assert(
      fc.property(anyQuestion, (asked) => {
        const isAllowed = judge(question(asked)).kind === 'allowed'
        const isGranted = asked.grants.some(
          ({ pattern: { tool, glob }, fingerprint }) =>
            tool === 'a_tool' &&
            fingerprint === asked.nature.fingerprint &&
            (glob === null || glob === '*' || glob === asked.subject),
        )
        expect(isAllowed).toBe(isGranted || asked.mode === 'bypassPermissions')
      }),
    )
  })
})
