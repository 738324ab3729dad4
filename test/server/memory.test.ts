import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { askPairing } from '../../src/agent/branch/people-acts.ts'
import { aboutPerson, newest } from '../../src/agent/state/newest.ts'
import { mainOf } from '../../src/agent/state/person.ts'
import { getBranch } from '../../src/context/branch.ts'
import { OWNER } from '../../src/event/speaker.ts'
import { typedInbound } from '../../src/runtime/terminal/place.ts'
import type { aroundView } from '../../src/view/messages.ts'
import type { recallView } from '../../src/view/recall-text.ts'
import { serving } from './stage.ts'

async function signedIn(options: Parameters<typeof serving>[0] = {}) {
  const stage = await serving(options)
  const { cookie } = await stage.signIn()
  const post = (path: string, body: object) => stage.ask(path, { method: 'POST', headers: { cookie }, body })
  const get = async <T>(path: string) => (await stage.ask(path, { headers: { cookie } })).json as T
  return { ...stage, post, get }
}

type Found = ReturnType<typeof recallView>
type Around = ReturnType<typeof aroundView>

describe('a search', () => {
  const typed = ['The ferries leave at ten.', '/mark here', 'A ferry to Porto is red.', '/rewind here']

  async function searched() {
    const stage = await signedIn()
    for (const [index, line] of [...typed, '/fork --enter -- ferries', 'The ferry is late.'].entries()) {
      await stage.life.receive(typedInbound(line, { origin: 'terminal', key: `k${index}` }))
      await stage.life.agent.settled()
    }
    const texts = async (query: string) =>
      (await stage.get<Found>(`/api/recall?q=ferry&by=me&${query}`)).hits.map(({ text }) => text)
    return { ...stage, texts }
  }

  test('can be of one branch, or of one fate', async () => {
    const { texts } = await searched()
    expect(new Set(await texts(''))).toEqual(new Set([typed[2], 'The ferry is late.', typed[0]]))
    expect(await texts('label=rewound')).toEqual([typed[2]])
    expect(new Set(await texts('label=standing'))).toEqual(new Set([typed[0], 'The ferry is late.']))
    expect(await texts('label=discarded')).toEqual([])
    expect(new Set(await texts('branch=main'))).toEqual(new Set([typed[0], typed[2]]))
  })

  test('says how the words are written in a hit, typos repaired', async () => {
    const { get } = await searched()
    const { hits, repaired } = await get<Found>('/api/recall?q=the%20portto&by=me')
    expect(repaired).toEqual([{ typed: 'portto', taken: 'Porto' }])
    expect(hits[0]).toMatchObject({ text: typed[2], written: ['Porto'], label: 'rewound' })
    const plural = await get<Found>('/api/recall?q=ferry&by=me&label=standing&branch=main')
    expect(plural.hits[0]).toMatchObject({ written: ['ferries'] })
  })

  test('a hit is shown with what was said around it, bounded', async () => {
    const { get, ask, bearer } = await searched()
    const { hits } = await get<Found>('/api/recall?q=porto')
    const around = await get<Around>(`/api/around?position=${hits[0]?.position}&limit=1`)
    expect(around).toMatchObject({ branchName: 'main', isMoreBefore: true, isMoreAfter: false })
    expect(around.messages[0]).toMatchObject({ text: typed[2], label: 'rewound', turn: 2, isOwn: true })
    const newest = await get<Around>('/api/around?branch=main&limit=50')
    expect(newest.messages[0]).toMatchObject({ text: typed[0], label: null })
    const nowhere = await ask('/api/around?position=99999', { headers: bearer })
    expect(nowhere).toMatchObject({ status: 404, problem: 'There is nothing of yours at position 99999.' })
  })

  test('[PEOPLE2] does not show what stands around a position in the branch of a guest', async () => {
    const { life, ask, bearer, say } = await signedIn()
    await say('hello')
    const stranger = { channel: 'telegram', conversation: '9', user: '9', userName: 'Ana' }
    const contact = { at: life.desk.now(), seed: 7 }
    const code = await life.log.write((writing) => askPairing(writing, stranger, contact)?.code ?? '')
    await say(`/pair approve ${code} Ana`)
    const position = await life.log.read((reader) => getBranch(reader, mainOf(reader, 'ana')!).forkedAt)
    expect((await ask(`/api/around?position=${position}`, { headers: bearer })).status).toBe(404)
  })
})

describe('memory.md', () => {
  interface Memory {
    text: string
    version: string
    lines: readonly { text: string }[]
    isRead: boolean
  }

  test('is replaced as a person edits it, and the model sees it from the next turn on', async () => {
    const { get, post, life, say, home } = await signedIn()
    await say('hello')
    const before = await get<Memory>('/api/memory')
    expect(before).toMatchObject({ text: '', lines: [], isRead: true })
    const text = '# Memory\n\n- Seasick on small boats\n'
    const save = () => post('/api/memory', { text, version: before.version })
    expect((await save()).json).toEqual({ kind: 'saved', problem: null })
    expect((await save()).json).toEqual({ kind: 'saved', problem: null })
    expect(readFileSync(join(home, 'workspace', 'memory.md'), 'utf8')).toBe(text)
    const after = await get<Memory>('/api/memory')
    expect(after).toMatchObject({ text, isRead: true, lines: [{ text: 'Seasick on small boats' }] })
    const changed = await life.log.read((reader) => newest(reader, 'memory', aboutPerson(OWNER)))
    expect(changed?.author).toEqual({ by: 'person' })
  })

  test('is left alone if it has changed since it was read', async () => {
    const { get, post, home, say } = await signedIn()
    await say('hello')
    const { version } = await get<Memory>('/api/memory')
    writeFileSync(join(home, 'workspace', 'memory.md'), '- Written meanwhile\n')
    const { json } = await post('/api/memory', { text: '- Mine\n', version })
    expect(json).toEqual({ kind: 'overtaken', problem: null })
    expect(await get<Memory>('/api/memory')).toMatchObject({ text: '- Written meanwhile\n', isRead: false })
  })
})

test('a to-do is added, changed, ticked and opened again, as long as it is the one that was shown', async () => {
  const { get, post, home } = await signedIn()
  const act = async (body: object) => (await post('/api/todos', body)).problem
  const due = `${new Date().getFullYear() + 1}-12-01`
  expect(await act({ action: 'add', text: 'Buy milk', due })).toBe(undefined)
  const was = `Buy milk (due ${due})`
  const changed = `Buy oat milk (due ${due})`
  expect(await act({ action: 'update', item: 1, was, text: 'Buy oat milk' })).toBe(undefined)
  expect(await act({ action: 'done', item: 1, was })).toContain('The list has changed since')
  expect(await act({ action: 'done', item: 1, was: changed })).toBe(undefined)
  expect(await get('/api/todos?which=all')).toMatchObject([{ text: 'Buy oat milk', isDone: true }])
  expect(await act({ action: 'reopen', item: 1, was: changed })).toBe(undefined)
  expect(readFileSync(join(home, 'workspace', 'todo.md'), 'utf8')).toContain(`- [ ] ${changed}`)
  const date = { item: 1, was: changed, due: 'none' }
  expect(await act({ action: 'update', ...date })).toBe(undefined)
  expect(await get('/api/todos')).toMatchObject([{ text: 'Buy oat milk', due: null }])
})

describe('a setting', () => {
  type Settings = Readonly<Record<string, { text: string; choices: unknown; isForTerminal: boolean }>>

  test('is changed and removed by the page with the words of the terminal', async () => {
    const { get, post, home } = await signedIn({ settings: { PORT: '7420' } })
    const set = await post('/api/config', { key: 'recallLimit', text: '7' })
    expect(set.json['said']).toEqual([
      `recallLimit is now 7 (was 5, the default). Saved in ${join(home, 'config.json')}.`,
      'Takes effect with the next turn, also in a running mainstem.',
    ])
    expect((await get<Settings>('/api/config'))['recallLimit']).toMatchObject({ text: '7', value: 7 })
    await post('/api/config', { key: 'recallLimit', text: null })
    const config = await get<Settings>('/api/config')
    expect(config['recallLimit']).toMatchObject({ text: '5', source: { kind: 'default' } })
    expect(config['permissions']?.choices).toContain('acceptEdits')
    const wrong = await post('/api/config', { key: 'recallLimit', text: 'many' })
    expect(wrong).toMatchObject({
      status: 400,
      problem: "recallLimit cannot be 'many'. Write a whole number from 0 to 50.",
    })
    const pinned = await post('/api/config', { key: 'port', text: '8000' })
    expect(pinned).toMatchObject({ status: 409, problem: expect.stringContaining('MAINSTEM_PORT') })
  })

  test('that is a secret is never sent back', async () => {
    const { ask, bearer, post } = await signedIn()
    const set = await post('/api/config', { key: 'keys.openai', text: 'sk-0123456789-very-secret-key' })
    expect(set.status).toBe(200)
    const { text } = await ask('/api/config', { headers: bearer })
    expect(set.text + text).not.toContain('very-secret')
  })

  test.each([
    ['permissions', 'bypassPermissions'],
    ['permissions', ' bypassPermissions'],
    ['links', '["telegram:666"]'],
    ['telegram.token', '1:stolen'],
    ['transcriber.program', 'sh,-c,true'],
    ['mcp.servers', '{"x":{"command":"sh"}}'],
    ['urls.openai', 'https://elsewhere.example'],
    ['web.searchProvider', 'tavily'],
    ['host', '0.0.0.0'],
    ['trustedProxies', '10.0.0.0/8'],
    ['sandbox', 'off'],
    ['transcriber.network', 'true'],
    ['token', null],
  ])('[RIGHT1] [PAGE4] %s is not changed to %j by a browser', async (key, text) => {
    const { post, get } = await signedIn()
    const before = await get<Settings>('/api/config')
    const refused = await post('/api/config', { key, text })
    expect(refused).toMatchObject({
      status: 403,
      problem: expect.stringContaining('in a terminal: mainstem config'),
    })
    expect(await get<Settings>('/api/config')).toEqual(before)
  })
})

test('a model is tested with one call', async () => {
  const { post } = await signedIn()
  expect((await post('/api/models/test', { model: 'offline' })).json).toMatchObject({
    answer: expect.any(String),
    ms: expect.any(Number),
  })
  expect((await post('/api/models/test', { model: 'openai/x' })).json).toMatchObject({
    error: expect.stringContaining('openai'),
  })
})

test('tools come with what is allowed of them, and the storage with its sizes', async () => {
  const { get, say } = await signedIn()
  await say('/allow web_fetch(https://example.com/*)')
  expect(await get('/api/tools')).toMatchObject({
    grants: [
      {
        pattern: 'web_fetch(https://example.com/*)',
        state: 'standing',
        origin: { kind: 'built-in' },
      },
    ],
  })
  expect(await get('/api/storage')).toMatchObject({ files: { count: 0, bytes: 0 } })
})
