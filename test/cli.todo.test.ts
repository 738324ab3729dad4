import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { todoCommand } from '../src/cli/job/todo.ts'
import { openOtherWriter, run, runHere, runProcess, tempFolder } from './cli/run.ts'

const LIST = '# Mine\r\n\r\n- [ ] Milk\r\n  - [ ] oat\r\n- [x] Bread (due 2026-12-01 09:00)\r\nEnd'

function homeWith(text?: string): { home: string; file: () => string } {
  const home = join(tempFolder(), 'home')
  const path = join(home, 'workspace', 'todo.md')
  if (text !== undefined) {
    mkdirSync(join(home, 'workspace'), { recursive: true })
    writeFileSync(path, text)
  }
  return { home, file: () => readFileSync(path, 'utf8') }
}

const todo = (home: string, ...args: string[]) => runHere(todoCommand, home, args)

describe('mainstem todo', () => {
  test('lists what is open, with --all also what is done', async () => {
    const { home } = homeWith(LIST)
    const open = 'todo.md, 2 open, 1 done:\n1. [ ] Milk\n  2. [ ] oat\n'
    expect((await todo(home)).out).toBe(open)
    expect((await todo(home, 'list')).out).toBe(open)
    expect((await todo(home, '--all')).out).toBe(`${open}3. [x] Bread (due 2026-12-01 09:00)\n`)
  })

  test('lists all of a long list: a person scrolls', async () => {
    const { home } = homeWith('- [ ] a\n'.repeat(300))
    expect((await todo(home)).out.split('\n')).toHaveLength(302)
  })

  test('--json gives programs the same', async () => {
    const { home } = homeWith(LIST)
    expect(JSON.parse((await todo(home, '--json', '--all')).out)).toEqual([
      { number: 1, text: 'Milk', isDone: false, depth: 0, due: null },
      { number: 2, text: 'oat', isDone: false, depth: 1, due: null },
      { number: 3, text: 'Bread', isDone: true, depth: 0, due: '2026-12-01 09:00' },
    ])
    const done = await todo(home, 'done', '1', '--json')
    expect(JSON.parse(done.out)).toEqual({ number: 1, text: 'Milk', isDone: true, depth: 0, due: null })
  })

  test('adds, ticks, rewords and deletes, and touches no other line', async () => {
    const { home, file } = homeWith(LIST)
    expect((await todo(home, 'add', 'Call', 'mum')).out).toBe('Added as 3: Call mum\n')
    expect((await todo(home, 'done', 'oat')).out).toBe('Done: 2. oat. 2 open.\n')
    expect((await todo(home, 'update', '4', 'Rye', 'bread')).out).toContain('4 is now: Rye bread (due')
    expect((await todo(home, 'delete', 'milk')).out).toContain('Deleted: Milk, with what was below it: oat.')
    expect(file()).toBe('# Mine\r\n\r\n- [ ] Call mum\r\n- [x] Rye bread (due 2026-12-01 09:00)\r\nEnd')
  })

  test('understands when something is due', async () => {
    const { home, file } = homeWith('')
    writeFileSync(join(home, 'config.json'), JSON.stringify({ timezone: 'Europe/Berlin' }))
    await todo(home, 'add', 'Pay', '--due', '2099-12-01 09:00')
    expect(file()).toBe('')
    expect((await todo(home, 'add', 'Pay', '--due', '2099-12-01 09:00')).error).toMatch(/ten years/)
    const ran = await todo(home, 'add', 'Pay', '--due', 'in 2 days')
    expect(ran.out).toMatch(/^Added as 1: Pay \(due \d{4}-\d\d-\d\d\)\n$/)
  })

  test('makes nothing by looking, and a home by adding', async () => {
    const { home, file } = homeWith()
    expect((await todo(home)).out).toBe('todo.md has no to-dos.\n')
    expect(JSON.parse((await todo(home, '--json')).out)).toEqual([])
    expect(existsSync(home)).toBe(false)
    await todo(home, 'add', 'first')
    expect(file()).toBe('# To do\n\n- [ ] first\n')
    expect(existsSync(join(home, 'log.db'))).toBe(false)
  })

  test.each([
    [['done', 'eggs'], /^CommandError: Nothing changed\. No to-do is 'eggs'\. todo\.md, 2 open/],
    [['done', '9'], /^CommandError: Nothing changed\. No to-do is '9'/],
    [['add', ' '], /^CommandError: A to-do needs words/],
    [['add'], /^UsageError: Missing TEXT\. Usage: mainstem todo add TEXT/],
    [['update', '1'], /^CommandError: 'update' needs a text/],
    [['list', 'all'], /^UsageError: 'mainstem todo list' does not take "all"/],
    [['remove', '1'], /^UsageError: 'mainstem todo' has no 'remove'\. Usage: mainstem todo \[list/],
    [['toString'], /^UsageError: 'mainstem todo' has no 'toString'/],
    [['done', '1', '--all'], /^UsageError: --all does not go with 'done'/],
    [['done', '1', '--due', 'friday'], /^UsageError: --due does not go with 'done'/],
  ])('%j is refused, and nothing changes', async (args, words) => {
    const { home, file } = homeWith(LIST)
    expect((await todo(home, ...args)).error).toMatch(words)
    expect(file()).toBe(LIST)
  })

  test('works while another process has the log, and its exit code says how it went', async () => {
    const { home, file } = homeWith('')
    await openOtherWriter(home)
    const ran = await run(['todo', 'add', 'Water the plants'], { home })
    expect(ran).toEqual({ code: 0, out: 'Added as 1: Water the plants\n', err: '' })
    expect((await run(['todo', 'done', '7'], { home })).code).toBe(1)
    expect((await run(['todo', 'dnoe', '7'], { home })).code).toBe(2)
    expect(file()).toContain('- [ ] Water the plants')
  })

  test('of many processes at once none loses what another added', async () => {
    const { home, file } = homeWith('')
    const names = Array.from({ length: 6 }, (_, n) => `task number ${n}`)
    await Promise.all(names.map((name) => runProcess(['todo', 'add', name], { home })))
    for (const name of names) expect(file()).toContain(name)
  })
})
