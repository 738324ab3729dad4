import { expect, test } from 'vitest'
import { contextProjections } from '../../context/fold.ts'
import type { Event } from '../../event/event.ts'
import type { ToolSpec } from '../../event/prompt.ts'
import { openMemoryLog } from '../../log/memory.ts'
import { Scene } from '../../../test/model/scene.ts'
import { agentProjection } from './fold.ts'
import { changeSetup, contentOf, hashOf, keep, setupNow, type Setup } from './setup.ts'

/** The events written besides the main session. */
async function inLog(acts: (on: Scene) => void): Promise<Event[]> {
  const log = openMemoryLog({ projections: [...contextProjections, agentProjection] })
  await log.write((writing) => {
    const on = new Scene(writing)
    on.root('main')
    acts(on)
  })
  const events: Event[] = []
  for await (const event of log.events({ after: 1 })) events.push(event)
  await log.close()
  return events
}

const kindsOf = (events: readonly Event[]) => events.map(({ kind }) => kind)
const tool = (name: string, parameters: ToolSpec['parameters'] = {}): ToolSpec => {
  return { name, description: name, parameters }
}
const change = (on: Scene, system: string, tools: Setup['tools'] = []): boolean =>
  changeSetup(on.writing, { system, tools }, on.act('main'))

test('the hash of a text is the SHA-256 of its UTF-8 bytes', () => {
  expect(hashOf('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  expect(hashOf('🧠')).toBe('bf0e823c81b87c5de79676155debf20a29b52d6d7eb7e77deda73a56d0afbaaa')
})

test('a text is kept once, and found by its hash', async () => {
  const events = await inLog((on) => {
    const hashes = ['one', 'two', 'one', ''].map((text) => keep(on.writing, on.act('main'), text))
    expect(hashes).toEqual(['one', 'two', 'one', ''].map(hashOf))
    expect(hashes.map((hash) => contentOf(on.writing, hash))).toEqual(['one', 'two', 'one', ''])
  })
  expect(kindsOf(events)).toEqual(['content-kept', 'content-kept', 'content-kept'])
})

test('a text with half a surrogate pair is kept well-formed, and its hash is that of what is kept', () =>
  inLog((on) => {
    for (const text of ['a\uD83D', 'a\uD83E', 'a\uFFFD']) {
      const hash = keep(on.writing, on.act('main'), text)
      expect(contentOf(on.writing, hash)).toBe('a\uFFFD')
      expect(hash).toBe(hashOf('a\uFFFD'))
    }
  }))

test('a hash of which nothing is kept is a bug that names it', () =>
  inLog((on) => expect(() => contentOf(on.writing, hashOf('x'))).toThrow(hashOf('x'))))

test('before the first setup there is none', () =>
  inLog((on) => expect(setupNow(on.writing)).toBeUndefined()))

test('a setup holds until another one is written', () =>
  inLog((on) => {
    for (const [system, tools] of [
      ['one', []],
      ['two', []],
      ['two', [tool('a')]],
    ] as const) {
      expect(change(on, system, tools)).toBe(true)
      const now = setupNow(on.writing)
      expect(now && contentOf(on.writing, now.system)).toBe(system)
      expect(now && JSON.parse(contentOf(on.writing, now.tools))).toEqual(tools)
    }
  }))

test('the same setup again is no change and writes nothing, in whatever order the keys of its tools come', async () => {
  const events = await inLog((on) => {
    expect(change(on, 's', [tool('a', { type: 'object', title: 'A' }), tool('b')])).toBe(true)
    expect(change(on, 's', [tool('a', { title: 'A', type: 'object' }), tool('b')])).toBe(false)
  })
  expect(kindsOf(events)).toEqual(['content-kept', 'content-kept', 'setup-changed'])
})

test("another order of the tools is a change: a provider's cache holds them in order", () =>
  inLog((on) => {
    change(on, 's', [tool('a'), tool('b')])
    expect(change(on, 's', [tool('b'), tool('a')])).toBe(true)
  }))

test('going back to an older setup is a change, and needs no text again', async () => {
  const events = await inLog((on) => {
    for (const system of ['one', 'two', 'one']) expect(change(on, system)).toBe(true)
  })
  expect(kindsOf(events.slice(-3))).toEqual(['content-kept', 'setup-changed', 'setup-changed'])
  expect(events.at(-1)).toMatchObject({ system: hashOf('one'), author: { by: 'person' } })
})
