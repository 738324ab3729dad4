import { join } from 'node:path'
import { expect, test } from 'vitest'
import { offeredIn, type Caller } from '../src/agent/right/gating.ts'
import { catalogue } from '../src/command/read/catalogue.ts'
import type { JsonObject } from '../src/base/json.ts'
import type { Event } from '../src/event/event.ts'
import type { StepInput } from '../src/model/scripted.ts'
import { put } from './skills/folders.ts'
import { newHome, reply, talkIn } from './skills/talk.ts'

/** Calls that are refused somewhere: wrong arguments, unknown names, things that are not for this branch. */
const wrong: readonly (readonly [string, ...JsonObject[]])[] = [
  ['slash', {}, { command: 'agents' }, { command: 'mark' }],
  ['slash', { command: 'clear', args: 'NOWHERE' }, { command: 'fork', args: 'NOWHERE' }],
  ['slash', { command: 'send', args: 'zzzzzz hello' }, { command: 'kill', args: 'main' }],
  ['slash', { command: 'kill', args: 'zzzzzz' }, { command: 'send', args: 'main' }],
  ['recall', {}, { query: '' }, { query: 'x', branch: 'zzzzzz' }],
  ['read_log', { around: 999_999, full: true }, { before: 1, around: 1 }, { branch: 'zzzzzz' }],
  ['wait', {}, { ids: ['zzzzzz'] }, { ids: ['main'], timeout: 0 }],
  ['report_updates', {}],
  ['ping_user', {}, { message: 'hello' }, { message: 'hello again' }],
  ['send_embed', {}, { title: 'x', buttons: [{ label: '/allow' }] }, { title: 'Hello' }],
  ['send_file', {}, { path: '../x' }, { path: 'nowhere.pdf' }],
  ['add_reminder', {}, { text: 'x', when: 'soon or so' }, { text: 'x', when: 'yesterday' }],
  ['cancel_reminder', {}, { id: 'zzz' }],
  ['follow_up_chain', {}, { minutes_from_now: 5 }],
  ['todo', {}, { action: 'add' }, { action: 'done', item: 'zzz' }],
  ['compact_session', { focus: 1 }],
  ['help', { query: 1 }],
  ['remember', {}, { line: '' }, { line: 'x', replaces: 'zzz' }],
  ['read', {}, { path: '../x.md' }, { path: 'nowhere.md' }, { path: 'x.png' }],
  ['write', {}, { path: '../x.md', content: 'x' }, { path: 'AGENTS.md', content: '' }],
  ['edit', {}, { path: 'nowhere.md', old: 'a', new: 'b' }],
  ['glob', { pattern: '../*' }],
  ['grep', { pattern: '(' }],
  ['web_fetch', {}, { url: 'nonsense' }, { url: 'http://127.0.0.1/' }],
  ['read_skill', {}, { name: 'zzz' }],
  ['no_such_tool', {}],
]

const ends = ['enter_fork', 'save_context', 'exit_fork']

/** One step with all of these calls, then an answer. */
function trying(more: readonly string[]): StepInput[] {
  const all = [...wrong, ...more.map((tool) => [tool, { x: 1 }] as const)]
  const calls = all.flatMap(([tool, ...every]) => every.map((args) => ({ tool, args })))
  return [{ calls }, reply('Done.')]
}

/** The errors that models got, by the branch that got them. */
function errorsIn(events: readonly Event[]): ReadonlyMap<string, readonly string[]> {
  const errors = events.flatMap((event) => {
    if (event.kind !== 'message-added' || event.message.role !== 'tool') return []
    const { error } = JSON.parse(event.message.text) as { error?: string }
    return error === undefined ? [] : [{ branch: event.branch, error }]
  })
  return new Map(
    Object.entries(Object.groupBy(errors, ({ branch }) => branch)).map(([branch, own = []]) => [
      branch,
      own.map(({ error }) => error),
    ]),
  )
}

function toolNames(events: readonly Event[]): string[] {
  const setup = events.find((event) => event.kind === 'setup-changed')
  const kept = events.find((event) => event.kind === 'content-kept' && event.hash === setup?.tools)
  const specs = JSON.parse(kept?.kind === 'content-kept' ? kept.text : '[]') as { name: string }[]
  return specs.map(({ name }) => name)
}

/** What people type may be named only to tell what a person can do. */
function strangers(error: string, callable: ReadonlySet<string>, tools: readonly string[]): string[] {
  const sentences = error.split(/(?<=[.:;])\s+|\n/)
  const typed = sentences
    .filter((sentence) => !/\b(?:person|they|them)\b/i.test(sentence))
    .flatMap((sentence) =>
      catalogue.flatMap(({ name }) =>
        new RegExp(`(?<![\\w.])/${name}\\b`).test(sentence) ? [`/${name}`] : [],
      ),
    )
  const [, called] = /^'([\w]+)'/.exec(error) ?? []
  const named = tools.filter((tool) => {
    const words = tool.includes('_') || tool === 'slash' ? tool : `\`${tool}\``
    return tool !== called && !callable.has(tool) && new RegExp(`(?<!\\w)${words}(?!\\w)`).test(error)
  })
  return [...typed, ...named]
}

test('a refusal names only what its reader can call', async () => {
  const home = newHome()
  const file = put(
    join(home, 'workspace', 'quiet.md'),
    '---\nid: quiet\nupdate-main-session: blocked\nallow-ping: false\n---\nLook.\n',
  )
  const steps = [
    ...trying(['save_context', 'exit_fork']),
    ...trying(['enter_fork']),
    ...trying(ends),
    ...trying(ends),
  ]
  const talk = await talkIn(home, { steps, set: { maxToolCalls: '50' } })
  const ended = async (count: number): Promise<void> => {
    await expect
      .poll(async () => (await talk.events()).filter(({ kind }) => kind === 'turn-ended').length, {
        timeout: 300_000,
      })
      .toBe(count)
  }
  await talk.say('go')
  await talk.say('/fork')
  await talk.say('go')
  await talk.say('/exit')
  await talk.say('/fork -- try')
  await ended(3)
  await talk.say(`/run ${file}`)
  await ended(4)
  const events = await talk.events()
  const rights = { tag: 'routine-bg', reporting: 'blocked', allowPing: false, tools: [], skills: [] } as const
  const tools = toolNames(events)
  const callers: Caller[] = [
    { mode: 'main', run: null, tools },
    { mode: 'fork', run: null, tools },
    { mode: 'child', run: null, tools },
    { mode: 'background', run: rights, tools },
  ]
  const errors = [...errorsIn(events).values()]
  expect(errors).toHaveLength(callers.length)
  for (const [index, caller] of callers.entries()) {
    const own = errors[index] ?? []
    expect(own.length).toBeGreaterThan(20)
    const callable = new Set(offeredIn(caller))
    const bad = own.flatMap((error) => {
      const found = strangers(error, callable, tools)
      return found.length === 0 ? [] : [`${caller.mode}: ${found.join(' ')} in: ${error}`]
    })
    expect(bad).toEqual([])
  }
}, 120_000)
