import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import type { BranchId, TurnId } from '../../event/id.ts'
import { openWorkspace, type Workspace } from '../../tool/files/workspace.ts'
import { todoTool } from './todo.ts'

const NOW = Date.UTC(2026, 2, 1, 8, 30)
const [HERE, THERE] = ['br_0n5f8k2q1k3f9ab' as BranchId, 'br_0n5f8k2q1k3f9ac' as BranchId]

interface Desk {
  readonly folder: string
  readonly file: () => string
  readonly put: (text: string) => void
  /** What a tool says; a refusal begins with `refused: `. */
  readonly call: (action: string, args?: JsonObject, branch?: BranchId) => Promise<string>
}

function desk(text?: string, files?: (workspace: Workspace) => Pick<Workspace, 'read' | 'change'>): Desk {
  const folder = mkdtempSync(join(tmpdir(), 'mainstem-todo-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'todo.md')
  if (text !== undefined) writeFileSync(path, text)
  const workspace = openWorkspace(folder)
  const tool = todoTool({
    files: files?.(workspace) ?? workspace,
    now: () => NOW,
    zone: () => 'Europe/Berlin',
  })
  return {
    folder,
    file: () => readFileSync(path, 'utf8'),
    put: (fresh) => writeFileSync(path, fresh),
    call: async (action, args = {}, branch = HERE) => {
      const turn = 'tn_0n5f8k2q1k3f9ab' as TurnId
      const result = await tool.run(
        { action, ...args },
        { branch, turn, signal: new AbortController().signal },
      )
      const said = JSON.parse(result.text) as { text?: string; error?: string }
      return said.error === undefined ? (said.text ?? '') : `refused: ${said.error}`
    },
  }
}

const LIST = '# Mine\n\n- [ ] Milk\n- [x] Bread\n- [ ] Tea (due 2026-03-02 09:00)\n'

describe('the to-do list', () => {
  test('is a file that is made with its first entry', async () => {
    const { call, file } = desk()
    expect(await call('list')).toBe('todo.md has no to-dos.')
    expect(await call('add', { text: 'Buy milk' })).toBe('Added as 1: Buy milk')
    expect(file()).toBe('# To do\n\n- [ ] Buy milk\n')
  })

  test('has dates that were said in plain words', async () => {
    const { call, file } = desk('')
    expect(await call('add', { text: 'Pay', due: 'tomorrow 9:00' })).toBe(
      'Added as 1: Pay (due 2026-03-02 09:00)',
    )
    expect(await call('add', { text: 'Call', due: 'friday' })).toBe('Added as 2: Call (due 2026-03-06)')
    await call('delete', { item: 'Call' })
    expect(await call('add', { text: 'Sow', due: 'when it is warm' })).toMatch(
      /^refused: Nothing changed\. Could not read 'when it is warm' as a time/,
    )
    expect(file()).toBe('# To do\n\n- [ ] Pay (due 2026-03-02 09:00)\n')
  })

  test.each([
    ['friday', '2026-03-06'],
    ['9.3.2026', '2026-03-09'],
    ['in 2 days', '2026-03-03'],
    ['friday at 9', '2026-03-06 09:00'],
    ['tomorrow evening', '2026-03-02 20:00'],
    ['in 20 minutes', '2026-03-01 09:50'],
  ])('shows a time of day only where one was said: %s', async (due, shown) =>
    expect(await desk('').call('add', { text: 'Pay', due })).toBe(`Added as 1: Pay (due ${shown})`),
  )

  test('is listed with the numbers of the whole file', async () => {
    const { call } = desk(LIST)
    expect(await call('list')).toBe(
      'todo.md, 2 open, 1 done:\n1. [ ] Milk\n3. [ ] Tea (due 2026-03-02 09:00)',
    )
    expect(await call('list', { which: 'done' })).toBe('todo.md, 2 open, 1 done:\n2. [x] Bread')
    expect(await call('list', { which: 'all' })).toContain('\n2. [x] Bread\n')
    expect(await desk('- [ ] a\n').call('list', { which: 'done' })).toBe('No to-do is done: 1 open, 0 done.')
    const many = await desk('- [ ] a\n'.repeat(120)).call('list')
    expect(many.split('\n')).toHaveLength(102)
    expect(many).toMatch(/and 20 more$/)
  })
})

test('an open to-do whose time or day has passed is marked in the list', async () => {
  const late =
    '- [ ] A (due 2026-02-28)\n- [ ] B (due 2026-03-01)\n- [ ] C (due 2026-03-01 09:00)\n- [x] D (due 2020-01-01)\n'
  const { call } = desk(late)
  expect(await call('list', { which: 'all' })).toBe(
    'todo.md, 3 open, 1 done:\n1. [ ] A (due 2026-02-28), overdue\n2. [ ] B (due 2026-03-01)\n3. [ ] C (due 2026-03-01 09:00), overdue\n4. [x] D (due 2020-01-01)',
  )
  expect(await call('done', { item: '1. [ ] A (due 2026-02-28), overdue' })).toMatch(/^Done: 1\. A /)
})

describe('a to-do', () => {
  test.each([
    ['milk', 1],
    ['MILK', 1],
    ['1. Milk', 1],
    ['1. [ ] Milk', 1],
    ['tea', 3],
    ['Tea (due 2026-03-02 09:00)', 3],
    ['te', 3],
  ])('is named %j by its words', async (item, number) => {
    const { call, file } = desk(LIST)
    expect(await call('done', { item })).toMatch(new RegExp(`^Done: ${number}\\. `))
    expect(file().split('\n')[number + 1]).toMatch(/^- \[x\] /)
  })

  test.each([
    [
      'coffee',
      /^refused: Nothing changed\. No to-do is 'coffee'\. todo\.md, 2 open, 1 done:\n1\. \[ \] Milk\n2\./,
    ],
    ['e', /^refused: 'e' could be several:\n2\. \[x\] Bread\n3\. \[ \] Tea.*\nGive a number\.$/],
    ['2. Milk', /^refused: Nothing changed\. No to-do is '2\. Milk'\./],
    ['7', /^refused: Nothing changed\. No to-do is '7'\./],
  ])('is not meant by %j, and nothing changes', async (item, words) => {
    const { call, file } = desk(LIST)
    expect(await call('delete', { item })).toMatch(words)
    expect(file()).toBe(LIST)
  })

  test('by a number is the one that this branch was shown under it, or none', async () => {
    const { call, file, put } = desk(LIST)
    expect(await call('done', { item: 1 })).toMatch(
      /^refused: Nothing changed\. Number '1' was not shown here yet\. todo\.md, 2 open/,
    )
    expect(await call('done', { item: 'number 1' })).toBe('Done: 1. Milk. 1 open.')
    put(LIST.replace('- [ ] Milk', '- [ ] Eggs\n- [ ] Milk'))
    expect(await call('delete', { item: '1' })).toMatch(
      /^refused: Nothing changed\. The list has changed since number '1' was shown\. todo\.md, 3 open/,
    )
    expect(await call('delete', { item: '1' }, THERE)).toMatch(/^refused: .*was not shown here yet/)
    expect(file()).toContain('Eggs')
    expect(await call('delete', { item: '1.' })).toBe('Deleted: Eggs. The numbers after it have changed.')
    expect(file()).toBe(LIST)
  })

  test('that is gone has no number any more', async () => {
    const { call, put } = desk(LIST)
    await call('list')
    put('# Mine\n')
    expect(await call('done', { item: '3' })).toBe(
      "refused: Nothing changed. The list has changed since number '3' was shown. todo.md has no to-dos.",
    )
  })

  test('that is done can be ticked again without harm, and what is open is meant first', async () => {
    const { call, file } = desk('- [x] Milk\n- [ ] Milk\n')
    expect(await call('done', { item: 'milk' })).toBe('Done: 2. Milk. Nothing is open any more.')
    expect(await call('done', { item: '2. milk' })).toBe('2 was already done: Milk')
    expect(file()).toBe('- [x] Milk\n- [x] Milk\n')
  })

  test('keeps its date under other words, unless those have one', async () => {
    const { call, file } = desk(LIST)
    expect(await call('update', { item: 'tea', text: 'Green tea' })).toBe(
      '3 is now: Green tea (due 2026-03-02 09:00). It was: Tea (due 2026-03-02 09:00)',
    )
    await call('update', { item: 'green', text: 'Tea (due 2026-04-01)' })
    expect(file()).toBe(LIST.replace('2026-03-02 09:00', '2026-04-01'))
    expect(await call('update', { item: 'tea', due: 'tomorrow' })).toMatch(
      /^3 is now: Tea \(due 2026-03-02\)/,
    )
  })

  test('goes with what stands below it, and that is said', async () => {
    const { call, file } = desk('- [ ] Trip\n  - [ ] Tickets\n  soon\n- [ ] Rest\n')
    expect(await call('delete', { item: 'Trip' })).toBe(
      'Deleted: Trip, with what was below it: Tickets. The numbers after it have changed.',
    )
    expect(file()).toBe('- [ ] Rest\n')
  })

  test.each([
    ['add', { text: ' \n ' }, /A to-do needs words/],
    ['add', { text: '- [ ] ' }, /A to-do needs words/],
    ['add', { text: 'x'.repeat(501) }, /That has 501 characters; a to-do has at most 500/],
    ['add', {}, /Bad arguments: 'add' needs a text\. Usage: todo \{/],
    ['update', { item: 'milk' }, /'update' needs a text or a due date/],
    ['sing', {}, /Bad arguments: action.*Usage: todo/],
    ['done', { item: 0 }, /Bad arguments: item.*Usage: todo/],
    ['update', { item: 'milk', text: '' }, /A to-do needs words/],
    ['list', { which: 'some' }, /Bad arguments: which.*Usage: todo/],
  ])('is not made by %s %j', async (action, args, words) => {
    const { call, file } = desk(LIST)
    expect(await call(action, args as JsonObject)).toMatch(words)
    expect(file()).toBe(LIST)
  })
})

describe('the file', () => {
  test('is changed by one after the other: of many at once none is lost', async () => {
    const { call, file } = desk('')
    await Promise.all(Array.from({ length: 20 }, (_, n) => call('add', { text: `item ${n}` })))
    expect(new Set(file().match(/item \d+/g)).size).toBe(20)
  })

  test('that somebody changes in the midst is read again, and nothing of theirs is lost', async () => {
    let others = 2
    const at: Desk = desk(LIST, (workspace) => ({
      change: (path, decide) => workspace.change(path, decide),
      read: async (path) => {
        // An editor saves between the reading and the writing.
        if (others-- > 0) at.put(`${LIST}- [ ] theirs ${others}\n`)
        return workspace.read(path)
      },
    }))
    expect(await at.call('add', { text: 'mine' })).toBe('Added as 5: mine')
    expect(at.file()).toBe(`${LIST}- [ ] theirs 0\n- [ ] mine\n`)
  })

  test('that is changed all the time is left alone', async () => {
    let count = 0
    const at = desk(LIST, (workspace) => ({
      change: (path, decide) => workspace.change(path, decide),
      read: async () => `another text ${count++}`,
    }))
    expect(await at.call('add', { text: 'mine' })).toMatch(/^refused: Somebody else keeps changing todo\.md/)
    expect(at.file()).toBe(LIST)
  })

  test('[SAFE4] is never another one, by a link', async () => {
    const at = desk()
    writeFileSync(join(at.folder, 'AGENTS.md'), 'You.\n')
    symlinkSync('AGENTS.md', join(at.folder, 'todo.md'))
    expect(await at.call('add', { text: 'Obey' })).toMatch(/^refused: todo\.md is a link to AGENTS\.md/)
    expect(readFileSync(join(at.folder, 'AGENTS.md'), 'utf8')).toBe('You.\n')
  })

  test('that cannot be used is told of, and not thrown', async () => {
    const at = desk()
    mkdirSync(join(at.folder, 'todo.md'))
    expect(await at.call('list')).toMatch(/^refused: 'todo\.md' is a folder/)
    expect(await at.call('add', { text: 'x' })).toMatch(/^refused: 'todo\.md' is a folder/)
    const large = desk('x'.repeat(1024 * 1024 + 1))
    expect(await large.call('add', { text: 'x' })).toMatch(/^refused: 'todo\.md' is too large/)
    const full = desk('x'.repeat(1024 * 1024 - 3))
    expect(await full.call('add', { text: 'x' })).toMatch(/^refused: The text for 'todo\.md' is too large/)
  })
})
