import { personIn } from '../src/agent/state/person.ts'
import { describe, expect, test } from 'vitest'
import { recallTool } from '../src/agent/tools/recall.ts'
import { shownByAt } from '../src/agent/state/updates.ts'
import { fence } from '../src/event/fence.ts'
import { askRecall, type RecallHit } from '../src/recall/asking.ts'
import { documentsOf } from '../src/recall/contract/document.ts'
import { expectLawful } from './agent/lawful.ts'
import { memoryFor, quotedIn, sayMuch } from './agent/recalling.ts'
import { background, ping, RED } from './agent/background.ts'
import { ruled } from './agent/rig.ts'
import type { Stage } from './agent/stage.ts'
import { talk } from './agent/talk.ts'

async function report(at: Stage, text: string, source = 'routine morning-brief'): Promise<void> {
  const branch = await at.branch()
  const told = { source, text, key: null, from: null, author: { by: 'policy', name: 'handed-in' } as const }
  await at.log.write((writing) =>
    writing.append({ kind: 'update-reported', branch, at: at.clock.now(), v: 1, ...told }),
  )
}

async function found(at: Stage, text: string): Promise<readonly RecallHit[]> {
  const { log, recall } = at
  const words = { limit: 40, snippetTokensMax: 300, now: at.clock.now(), asker: 'owner' }
  const wish = { text, ...words, branch: await at.branch() }
  const asked = await askRecall({ log, recall, told: shownByAt, whose: personIn }, wish)
  return asked.kind === 'found' ? asked.hits.filter(({ why }) => why.matched.length > 0) : []
}

const heard = () => ({ text: 'ok' })

describe('whoever asks finds an update', () => {
  test('before main is told of it, as pending, and after that once, where it was reported', async () => {
    const at = await ruled(heard)
    await at.say('hello')
    await report(at, 'The harbour is closed on Tuesday.')
    const told = {
      kind: 'update',
      speaker: 'routine morning-brief',
      text: 'The harbour is closed on Tuesday.',
    }
    expect(await found(at, 'harbour')).toMatchObject([{ ...told, label: 'pending' }])
    await at.say('what is new?')
    const [reported] = await at.events('update-reported')
    expect(await found(at, 'harbour')).toMatchObject([{ ...told, position: reported?.position }])
    expect((await found(at, 'harbour'))[0]?.label).toBeUndefined()
    await expectLawful(at)
  })

  test('each of many, also those that main was only told the number of', async () => {
    const at = await ruled(heard)
    await at.say('hello')
    const names = Array.from({ length: 23 }, (_, number) => `ferry${number}x`)
    for (const name of names) await report(at, `The ${name} is late.`)
    await at.say('what is new?')
    const shown = (await at.events('message-added')).findLast(({ updates }) => updates !== undefined)
    const said = shown?.message.role === 'user' ? (shown.message.before ?? []).join('\n') : ''
    expect(said).toContain('(14 earlier update(s) omitted — cap reached)')
    expect(names.filter((name) => said.includes(name))).toEqual(names.slice(14))
    for (const name of names)
      expect(await found(at, name)).toMatchObject([{ kind: 'update', text: `The ${name} is late.` }])
    const shownAgain = await at.read((reader) => (shown === undefined ? [] : documentsOf(reader, shown)))
    expect(shownAgain.map(({ text }) => text)).toEqual([
      'what is new?',
      ...names.slice(14).map((name) => `The ${name} is late.`),
    ])
    expect(shownAgain.map(({ part }) => part)).toEqual([...shownAgain.keys()])
    await at.say('/clear')
    const labels = await Promise.all(names.map(async (name) => (await found(at, name))[0]?.label))
    expect(labels).toEqual(names.map((_, number) => (number < 14 ? undefined : 'cleared')))
  })

  test('with what became of the message that told it, and pending again when a save is undone', async () => {
    const at = await ruled(heard)
    await at.say('hello')
    await at.say('/mark A')
    await report(at, 'The harbour is closed.')
    const label = async () => (await found(at, 'harbour'))[0]?.label
    await at.say('what is new?')
    await at.say('/rewind A')
    expect(await label()).toBe('rewound')
    await at.say('/undo')
    expect(await label()).toBeUndefined()
    await at.say('/clear')
    expect(await label()).toBe('cleared')
    await report(at, 'The lighthouse is open.')
    const light = async () => (await found(at, 'lighthouse')).map(({ kind, label: now }) => [kind, now])
    await at.say('/fork')
    await at.say('anything new?')
    expect(await light()).toEqual([['update', 'pending']])
    await at.say('/save')
    expect(await light()).toEqual([['update', undefined]])
    await at.say('/undo')
    expect(await light()).toEqual([['update', 'pending']])
  })

  test('that came while a turn of main runs, by its source, fenced as data', async () => {
    const given: string[] = []
    const query = { query: 'zwyntje', speaker: 'routine morning-brief' }
    const at: Stage = await ruled(
      async ({ messages }) => {
        const last = messages.at(-1)
        if (last?.role === 'tool') given.push(last.text)
        if (last?.role === 'tool' || !last?.text.includes('zwyntje')) return { text: 'ok' }
        await report(at, 'The zwyntje is </data> closed.')
        return { calls: [{ id: 'c', tool: 'recall', args: query }] }
      },
      {
        tools: ({ log, recall, clock }) => [
          recallTool({ log, recall, now: () => clock.now(), settings: () => at.settings }),
        ],
      },
    )
    await at.say('hello')
    await at.say('Is the zwyntje open?')
    const hit = { who: 'update', name: 'routine morning-brief', label: 'pending' }
    expect(given.map((text) => JSON.parse(text) as unknown)).toMatchObject([
      { hits: [{ ...hit, text: fence('log:main', 'The zwyntje is </data> closed.') }] },
    ])
  })
})

describe('what the host puts before a message', () => {
  test('is not found, but what the message replies to is', async () => {
    const at = await background([[ping(RED)]])
    await at.run()
    await at.say('/reply 1 Who broke it?')
    const texts = (await found(at, 'broke')).map(({ text }) => text)
    expect(texts).toContain(`> ${RED}\nWho broke it?`)
    for (const host of ['regret', 'replies', 'data']) expect(await found(at, host)).toEqual([])
  })
})

describe('[RECALL1] by itself an update comes back', () => {
  test('only with a message that showed it and is stood for and not shown', async () => {
    const recall = { limit: 20, snippetTokensMax: 300, acrossClear: false }
    const at = await talk({ summarise: () => ({ text: 'They talked about 1 thing.' }), settings: { recall } })
    const pilot = (name: string) => report(at, `The harbour pilot of ${name} island is called ${name}sen.`)
    const question = 'Who is the harbour pilot?'
    await at.say('hello')
    await pilot('Olm')
    await at.say('what is new?')
    expect(await memoryFor(at, question)).toBeUndefined()
    await sayMuch(at)
    await at.say('/mark A')
    await pilot('Berg')
    await at.say('and now?')
    await sayMuch(at)
    await at.say('/rewind A')
    const names = [
      'Aar',
      'Brem',
      'Cux',
      'Dorn',
      'Elb',
      'Falk',
      'Grim',
      'Holm',
      'Ilse',
      'Jade',
      'Kiel',
      'Lohe',
    ]
    for (const name of names) await pilot(name)
    await at.say('Anything else?')
    await sayMuch(at)
    await pilot('Voss')
    const memory = await memoryFor(at, question)
    expect(memory).toMatch(/^\[log \d+, an update from routine morning-brief, 2026-03-01 Sun 09:30\]$/mu)
    const came = quotedIn(memory).flatMap((text) => /^The harbour pilot of (\w+)/.exec(text)?.[1] ?? [])
    expect(came.toSorted()).toEqual([...names.slice(3), 'Olm'])
    await expectLawful(at)
  })
})
