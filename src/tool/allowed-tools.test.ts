import { describe, expect, test } from 'vitest'
import { readAllowedTools } from './allowed-tools.ts'

describe('allowed-tools', () => {
  test.each([
    ['Read, Write, Edit, Glob, Grep', ['read', 'write', 'edit', 'glob', 'grep']],
    ['Read Write\n  Grep', ['read', 'write', 'grep']],
    [
      ['READ', 'webfetch', 'web_fetch', 'WebSearch', 'MultiEdit'],
      ['read', 'web_fetch', 'web_search', 'edit'],
    ],
    ['discord_embed, Discord_Embed, send_embed', ['send_embed']],
    ['Skill(pdf-forms), Skill', ['read_skill(pdf-forms)', 'read_skill']],
    ['TodoWrite', ['todo_add', 'todo_list', 'todo_done', 'todo_update', 'todo_delete']],
    ['mcp__Cal__list, Notes_Search', ['mcp__cal__list', 'notes_search']],
    ['Read(./Docs/**), WebFetch(domain:example.com)', ['read(Docs/**)', 'web_fetch(https://example.com/*)']],
    [
      ['Write(a, b)', 'Read'],
      ['write(a, b)', 'read'],
    ],
    [
      ['Write(a', 'b)', 'Read'],
      ['write(a,b)', 'read'],
    ],
    ['', []],
    [' , ,', []],
    [[], []],
  ])('%j are our %j', (value, tools) => expect(readAllowedTools(value)).toEqual({ tools, warnings: [] }))

  test.each([
    ['Bash', 'names Bash, but'],
    [
      'Read, Bash(git log:*), Bash(npm run test, npm test)',
      'names Bash(git log:*), Bash(npm run test, npm test), but',
    ],
    [['bash(git:*)'], 'names bash(git:*), but'],
  ])('%j asks for a shell, which there is not; the warning says what works instead', (value, said) => {
    const { tools, warnings } = readAllowedTools(value)
    expect(tools.filter((tool) => tool !== 'read')).toEqual([])
    expect(warnings).toEqual([expect.stringContaining(said)])
    expect(warnings[0]).toContain('runs no shell')
    expect(warnings[0]).toContain('tools.json')
  })

  test.each(['Bash(git log', 'Read)', 'a;b'])('what is no name is left out, with a warning: %s', (entry) =>
    expect(readAllowedTools(`grep, ${entry}`)).toEqual({
      tools: ['grep'],
      warnings: [`allowed-tools has '${entry}', which is no name of a tool and was left out.`],
    }),
  )
})
