import { describe, expect, test } from 'vitest'
import { catalogue } from '../read/catalogue.ts'
import { parseSlash, slashCommands, slashUsage, type SlashCommand } from '../read/parse.ts'

const fork = { name: 'fork', mark: null, enter: false, goal: null, idle: null } as const

describe('a model', () => {
  test('has six commands', () =>
    expect(slashCommands).toEqual(['mark', 'clear', 'fork', 'send', 'check-mail', 'kill']))

  test.each<[string, string | undefined, SlashCommand]>([
    ['mark', 'TASK_START', { name: 'mark', mark: 'TASK_START' }],
    ['mark', undefined, { name: 'mark', mark: null }],
    ['clear', ' CHECKPOINT ', { name: 'clear', mark: 'CHECKPOINT' }],
    ['clear', undefined, { name: 'clear', mark: null }],
    ['clear', '', { name: 'clear', mark: null }],
    ['fork', undefined, fork],
    ['fork', 'TASK_START', { ...fork, mark: 'TASK_START' }],
    ['fork', 'TASK_START -- a goal', { ...fork, mark: 'TASK_START', goal: 'a goal' }],
    ['fork', '-- a goal\n/mark of two lines', { ...fork, goal: 'a goal\n/mark of two lines' }],
    ['fork', 'look into it', { ...fork, mark: 'look into it' }],
    ['send', 'abc123 task complete', { name: 'send', id: 'abc123', message: 'task complete' }],
    ['send', 'abc123\n"two\nlines"', { name: 'send', id: 'abc123', message: 'two\nlines' }],
    ['check-mail', undefined, { name: 'check-mail' }],
    ['kill', 'abc123', { name: 'kill', id: 'abc123' }],
  ])('is understood as a person is: %s %j', (name, args, command) =>
    expect(parseSlash(name, args)).toEqual({ kind: 'command', command }),
  )

  test.each([
    ['fork', '--enter', 'slash fork does not take --enter, which is for people.'],
    ['fork', '--enter -- topic', 'slash fork does not take --enter, which is for people.'],
    ['fork', 'A --enter', 'slash fork does not take --enter, which is for people.'],
    ['fork', '—enter x', 'slash fork does not take --enter, which is for people.'],
    ['fork', '--', `slash fork needs a goal after '--'.`],
    ['send', 'abc123', 'slash send needs a message after the ID.'],
    ['kill', undefined, 'slash kill takes the ID of one branch.'],
    ['check-mail', 'now', 'slash check-mail takes no arguments.'],
  ] as const)('is told the usage of its tool: %s %j', (name, args, why) =>
    expect(parseSlash(name, args)).toEqual({ kind: 'mistake', say: `${why} Usage: ${slashUsage(name)}` }),
  )

  test('has usages without the slash of people', () =>
    expect(slashCommands.map(slashUsage)).toEqual([
      'slash mark NAME',
      'slash clear [MARK]',
      'slash fork [MARK] [-- GOAL]',
      'slash send ID MESSAGE',
      'slash check-mail',
      'slash kill ID',
    ]))

  test.each([
    ...catalogue.map(({ name }) => name).filter((name) => !slashCommands.some((known) => known === name)),
    '/mark',
    'Mark',
    'mail',
    '',
    'toString',
  ])('is refused what is for people, or nothing at all: %j', (name) =>
    expect(parseSlash(name, undefined)).toEqual({
      kind: 'mistake',
      say: `Unknown command '${name}'. The slash tool has: mark, clear, fork, send, check-mail, kill`,
    }),
  )
})
