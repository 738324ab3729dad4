import { describe, expect, test } from 'vitest'
import type { Grant } from '../permission/judge.ts'
import { parsePattern, type Pattern } from '../permission/pattern.ts'
import { builtIn, ok, type Tool, type ToolNature } from '../tool/tool.ts'
import { originText } from '../permission/origin-text.ts'
import { toolsText, toolText, type ToolsLook } from './tools-text.ts'

function tool(name: string, nature: ToolNature): Tool {
  return {
    spec: { name, description: `Does ${name}.`, parameters: { type: 'object' } },
    nature,
    run: async () => ok(''),
  }
}

const log = tool('git_log', { origin: { kind: 'skill', skill: 'git' }, effect: 'runs', fingerprint: 'now' })
const echo = tool('a__echo', { origin: { kind: 'mcp', server: 'a' }, effect: 'runs' })
const read = tool('read', builtIn('looks'))
const write = tool('write', builtIn('edits'))
const tools = [read, write, log, echo]

function grant(text: string, fingerprint: string | null = null): Grant {
  return { pattern: parsePattern(text) as Pattern, fingerprint }
}

/** Name and fate of each. */
function lines(look: Partial<ToolsLook>): string[] {
  const text = toolsText({ tools, grants: [], mode: 'dontAsk', servers: [], isOwner: true, ...look })
  return text.split('\n').flatMap((line) => /^ {2}(.*?) {2,}Does \S+\.$/.exec(line)?.[1] ?? [])
}

describe('what would become of a call', () => {
  test('in dontAsk what is built in runs, and what others bring is refused', () =>
    expect(lines({})).toEqual(['read   runs', 'write  runs', 'git_log  refused', 'a__echo  refused']))

  test('in default what only looks runs, and the rest is asked about', () =>
    expect(lines({ mode: 'default' })).toEqual([
      'read   runs',
      'write  asks',
      'git_log  asks',
      'a__echo  asks',
    ]))

  test('in acceptEdits files are written, in bypassPermissions all runs', () => {
    expect(lines({ mode: 'acceptEdits' }).slice(1, 3)).toEqual(['write  runs', 'git_log  asks'])
    expect(lines({ mode: 'bypassPermissions' }).every((line) => line.endsWith('runs'))).toBe(true)
  })

  test('what is allowed says so, in part with the part, and no more once the tool is another one', () => {
    expect(lines({ grants: [grant('git_log', 'now')] })[2]).toBe('git_log  allowed')
    expect(lines({ grants: [grant('git_log', 'before')] })[2]).toBe(
      'git_log  refused: changed since it was allowed',
    )
    expect(lines({ grants: [grant('git_log(log *)', 'now')] })[2]).toBe(
      'git_log  refused, but git_log(log *) runs',
    )
  })

  test('what only proposes asks', () => {
    const remember = tool('remember', builtIn('steers'))
    expect(lines({ tools: [remember] })).toEqual(['remember  asks you'])
  })
})

test('[PEOPLE2] guests are told of no command that only the owner may use', () => {
  const look = { tools, grants: [], mode: 'default', servers: [] } as const
  expect(toolsText({ ...look, isOwner: true })).toMatch(/\/allow PATTERN .* \/permissions/)
  expect(toolsText({ ...look, isOwner: false })).not.toMatch(/\/allow|\/permissions/)
})

test('servers stand below with their state, and the mode above', () => {
  const servers = [
    { server: 'a', state: 'connected', tools: 1 },
    { server: 'b', state: 'down', tools: 0, problem: 'It ended.' },
  ] as const
  const all = toolsText({ tools, grants: [], mode: 'default', servers, isOwner: true }).split('\n')
  expect(all.slice(0, 3)).toEqual(['Tools (permissions: default).', '', 'Built in, 2 tools:'])
  expect(all.filter((line) => /^(?:Skill|Server) /.test(line))).toEqual([
    'Skill git, 1 tool:',
    'Server a, 1 tool:',
  ])
  expect(all.slice(-5, -2)).toEqual(['Servers:', '  a: connected, 1 tool', '  b: down, 0 tools; It ended.'])
})

test('one tool is shown with its description and its parameters', () =>
  expect(toolText(log, { tools, grants: [], mode: 'dontAsk' })).toBe(
    'git_log (skill git): refused\nDoes git_log.\n{\n  "type": "object"\n}',
  ))

test('where a tool comes from is said of all that are not built in', () =>
  expect(tools.map(({ nature }) => originText(nature.origin))).toEqual([
    '',
    '',
    ' (skill git)',
    ' (server a)',
  ]))
