import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { OwnerRefusal } from '../../src/client/socket.ts'
import { typedInbound } from '../../src/runtime/terminal/place.ts'
import { backgroundReads } from '../../src/server/read/background-reads.ts'
import { contextReads } from '../../src/server/read/context-reads.ts'
import { homeReads } from '../../src/server/read/home-reads.ts'
import { memoryReads } from '../../src/server/read/memory-reads.ts'
import { riverReads } from '../../src/server/read/river-reads.ts'
import { saidReads } from '../../src/server/read/said-reads.ts'
import { workReads } from '../../src/server/read/work-reads.ts'
import type { agentsPage } from '../../src/view/agents.ts'
import type { costView } from '../../src/view/cost.ts'
import type { logPage } from '../../src/view/log.ts'
import type { messagesView } from '../../src/view/messages.ts'
import type { modelsView } from '../../src/view/models.ts'
import type { recallView } from '../../src/view/recall-text.ts'
import type { toolsView } from '../../src/view/tools-text.ts'
import type { updatesView } from '../../src/view/updates.ts'
import { run } from '../cli/run.ts'
import { serving } from './stage.ts'

/** A home in which a little of everything has happened, and is served. */
async function lived() {
  const stage = await serving()
  const { home, life, client } = stage
  const workspace = join(home, 'workspace')
  mkdirSync(join(workspace, 'routines'), { recursive: true })
  writeFileSync(join(workspace, 'routines', 'brief.md'), '---\ncron: 30 8 * * 1-5\n---\nTell me the news.\n')
  writeFileSync(join(workspace, 'routines', 'broken.md'), '---\ncron: never\n---\nNothing.\n')
  writeFileSync(join(workspace, 'todo.md'), '- [ ] buy milk (due 2026-03-01)\n- [x] sleep\n')
  await life.desk.shelf.refresh()
  for (const [index, line] of SAID.entries()) {
    await life.receive(typedInbound(line, { origin: 'terminal', key: `k${index}` }))
    await life.agent.settled()
  }
  const read = <Path extends keyof Views>(
    path: Path,
    query: Readonly<Record<string, string | number>> = {},
  ) => {
    const asked = Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string])
    return client.call<Views[Path]>('GET', `${path}?${new URLSearchParams(asked).toString()}`)
  }
  return { ...stage, read }
}

interface Views {
  readonly '/api/log': Awaited<ReturnType<typeof logPage>>
  readonly '/api/messages': ReturnType<typeof messagesView>
  readonly '/api/agents': ReturnType<typeof agentsPage>
  readonly '/api/updates': ReturnType<typeof updatesView>
  readonly '/api/recall': ReturnType<typeof recallView>
  readonly '/api/models': { readonly models: ReturnType<typeof modelsView> }
  readonly '/api/tools': ReturnType<typeof toolsView>
  readonly '/api/cost': ReturnType<typeof costView>
}

const SAID = [
  'The dentist is on Friday at nine.',
  '/mark here',
  'hello',
  '/fork --enter -- ferries',
  'Look for ferries.',
  '/report There is one on Monday.',
  'And a ferry to Porto.',
]

test('every view has the form that its schema promises, and asks for nothing', async () => {
  const { client } = await lived()
  const needed: Readonly<Record<string, string>> = {
    '/api/recall': '?q=dentist',
    '/api/river': `?from=0&to=${Date.UTC(2030, 0)}`,
    '/api/context/prompt': '?turn=last',
    '/api/context/difference': '?from=1',
  }
  const reads = [
    ...workReads,
    ...backgroundReads,
    ...saidReads,
    ...contextReads,
    ...riverReads,
    ...homeReads,
    ...memoryReads,
  ]
  for (const { path, answer } of reads) {
    const address = path.replace(':kind/:id', 'routine/brief') + (needed[path] ?? '')
    const parsed = answer!.safeParse(await client.call('GET', address))
    expect({ path, problems: parsed.error?.issues }).toEqual({ path, problems: undefined })
  }
})

test('what a command prints with --json is what its route answers', async () => {
  const { client, home } = await lived()
  const same: readonly (readonly [path: string, ...args: string[]])[] = [
    ['/api/context', 'context'],
    ['/api/context/prompt?turn=last', 'context', '--turn', 'last'],
    ['/api/context/difference?from=1', 'context', '--diff', '1'],
    ['/api/jobs?kind=routine', 'routine', 'list'],
    ['/api/jobs/routine/brief', 'routine', 'show', 'brief'],
    ['/api/todos?which=all', 'todo', 'list', '--all'],
    ['/api/skills', 'skills', 'list'],
    ['/api/status', 'status'],
  ]
  for (const [path, ...args] of same) {
    const [asked, { out }] = [await client.call('GET', path), await run([...args, '--json'], { home })]
    expect({ path, view: steady(asked) }).toEqual({ path, view: steady(JSON.parse(out)) })
  }
  const agents = await client.call<{ agents: unknown }>('GET', '/api/agents?ended=shown')
  expect(agents.agents).toEqual(JSON.parse((await run(['agents', '--json'], { home })).out))
})

/** Without what may differ between two moments, or between a process and the files it works on. */
function steady(view: unknown): unknown {
  return JSON.parse(
    JSON.stringify(view, (key, value: unknown) =>
      ['bytes', 'recall', 'source'].includes(key) ? null : value,
    ),
  )
}

test('pages of the log make up the whole log, with and without filters', async () => {
  const { read, home } = await lived()
  const lines = async (...args: string[]) =>
    (await run(['log', '--json', ...args], { home })).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
  const pages = async (query: { kind?: string; grep?: string; branch?: string }, limit: number) => {
    const events: object[] = []
    for (let after: number | null = 0; after !== null;) {
      const page: Views['/api/log'] = await read('/api/log', {
        ...query,
        after,
        limit,
      })
      expect(page.events.length).toBeLessThanOrEqual(limit)
      events.push(...page.events)
      after = page.next
    }
    return events
  }
  expect(await pages({}, 7)).toEqual(await lines())
  expect(await pages({ kind: 'message-added' }, 1)).toEqual(await lines('--kind', 'message-added'))
  expect(await pages({ branch: 'main', grep: 'DENTIST' }, 2)).toEqual(
    await lines('--branch', 'main', '--grep', 'dentist'),
  )
})

test('messages come in pages from the newest back, with what became of them', async () => {
  const { read, life } = await lived()
  await life.receive(typedInbound('/rewind here', { origin: 'terminal', key: 'rewind' }))
  const first = await read('/api/messages', { limit: 2 })
  const second = await read('/api/messages', { limit: 200, before: first.next ?? 0 })
  expect(second.next).toBe(null)
  const all = await read('/api/messages', { limit: 200 })
  expect([...second.messages, ...first.messages]).toEqual(all.messages)
  expect(all.messages[0]).toMatchObject({ label: null, message: { text: SAID[0] } })
  expect(all.messages.at(-1)).toMatchObject({ label: 'rewound' })
})

test('agents and updates come in pages', async () => {
  const { read, client } = await lived()
  const all = await read('/api/agents', { ended: 'shown' })
  expect(all.agents.map(({ mode }) => mode)).toEqual(['main', 'fork'])
  const first = await read('/api/agents', { ended: 'shown', limit: 1 })
  const second = await read('/api/agents', { ended: 'shown', limit: 2, after: first.next ?? '' })
  expect([...first.agents, ...second.agents]).toEqual(all.agents)
  expect(second.next).toBe(null)
  for (const text of ['two', 'three'])
    await client.call('POST', '/api/updates', { body: { key: text, text, source: 'cron' } })
  for (const [which, texts] of [
    ['all', ['There is one on Monday.', 'two', 'three']],
    ['pending', ['two', 'three']],
  ] as const) {
    const whole = await read('/api/updates', { which })
    expect(whole).toMatchObject({ updates: texts.map((message) => ({ message })), next: null })
    const last = await read('/api/updates', { which, limit: 1 })
    const before = await read('/api/updates', { which, limit: 2, before: last.next ?? 0 })
    expect([...before.updates, ...last.updates]).toEqual(whole.updates)
    expect(before.next).toBe(null)
  }
})

test('recall, models, tools and cost say what is there', async () => {
  const { read } = await lived()
  const { hits } = await read('/api/recall', { q: 'dentist', limit: 1 })
  expect(hits[0]).toMatchObject({ kind: 'user', text: SAID[0], branchName: 'main' })
  expect((await read('/api/models')).models[0]).toMatchObject({ model: 'offline', used: true })
  expect((await read('/api/tools')).tools.find(({ name }) => name === 'recall')).toMatchObject({
    fate: 'runs',
  })
  expect((await read('/api/cost')).today.all.calls).toBeGreaterThan(0)
})

test.each([
  ['/api/log?kind=mark-sat', 400, "There is no kind 'mark-sat'"],
  ['/api/log?limit=0', 400, 'limit: It is a whole number from 1 to 1,000.'],
  ['/api/log?after=x', 400, 'after: It is a position: a whole number from 0 on.'],
  ['/api/log?since=yesteryear', 400, "Could not read 'yesteryear' as a time."],
  ['/api/log?before=1', 400, 'Unrecognized key: "before"'],
  ['/api/context?branch=nobody', 404, "There is no branch 'nobody' in this log."],
  ['/api/context/prompt?turn=99', 400, "There is no turn '99' here."],
  ['/api/recall?q=%20', 400, "' ' has no word to search for."],
  ['/api/jobs/routine/none', 404, "There is no routine 'none'."],
  ['/api/jobs?kind=party', 400, 'kind: '],
])('%s is refused with %i and a sentence', async (path, status, told) => {
  const { client } = await serving()
  const refused: unknown = await client.call('GET', path).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(OwnerRefusal)
  expect(refused).toMatchObject({ status, message: expect.stringContaining(told) })
})

test('a secret setting is not shown', async () => {
  const { ask, bearer } = await serving({ settings: { KEYS_ANTHROPIC: 'sk-very-secret' } })
  const { text } = await ask('/api/config', { headers: bearer })
  expect(text).toContain('keys.anthropic')
  expect(text).not.toContain('very-secret')
})
