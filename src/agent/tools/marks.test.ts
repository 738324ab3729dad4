import { describe, expect, test } from 'vitest'
import { Scene } from '../../../test/model/scene.ts'
import { naiveRecall } from '../../../test/recall-double.ts'
import type { JsonObject } from '../../base/json.ts'
import { contextProjections } from '../../context/fold.ts'
import { addMessage } from '../../context/step.ts'
import { isRefusal } from '../../context/decision.ts'
import { fence } from '../../event/fence.ts'
import { handleOf, type TurnId } from '../../event/id.ts'
import { openMemoryLog } from '../../log/memory.ts'
import { agentProjection } from '../state/fold.ts'
import { marksTool } from './marks.ts'

interface Answer {
  readonly branch?: string
  readonly marks?: { name: string; position: number; at: string; next?: string }[]
  readonly older?: number
  readonly error?: string
}

/** The tool in the hands of a branch, over what the scene played. */
async function toolOver(acts: (scene: Scene) => void, caller = 'main') {
  const log = openMemoryLog({ projections: [...contextProjections, agentProjection] })
  const scene = await log.write((writing) => {
    const begun = new Scene(writing)
    begun.root('main')
    acts(begun)
    return begun
  })
  const tool = marksTool({ log, recall: naiveRecall(log) })
  const { signal } = new AbortController()
  const call = { branch: scene.id(caller), turn: 'tn_0n5f8k2q1k3f9ab' as TurnId, signal }
  const ask = async (args: JsonObject = {}): Promise<Answer> =>
    JSON.parse((await tool.run(args, call)).text) as Answer
  return { ask, scene, spec: tool.spec }
}

describe('marks', () => {
  test('are listed in order, with position, time and what was said next', async () => {
    const { ask } = await toolOver((on) => {
      on.at = Date.UTC(2026, 2, 1, 8)
      on.mark('main', 'begin')
      on.turn('main', 'Where\nto?')
      on.at += 60_000
      on.mark('main', 'trip')
      on.turn('main', `Sicily ${'x'.repeat(200)}`)
      on.mark('main', 'end')
    })
    expect(await ask()).toEqual({
      branch: 'main',
      marks: [
        { name: 'begin', position: 2, at: '2026-03-01T08:00:00.000Z', next: fence('log:main', 'Where to?') },
        {
          name: 'trip',
          position: 7,
          at: '2026-03-01T08:01:00.000Z',
          next: fence('log:main', `Sicily ${'x'.repeat(93)}…`),
        },
        { name: 'end', position: 12, at: '2026-03-01T08:01:00.000Z' },
      ],
    })
  })

  test('that a rewind or a clear took away are not listed', async () => {
    const { ask } = await toolOver((on) => {
      for (const name of ['a', 'b', 'c']) {
        on.mark('main', name)
        on.turn('main', name)
      }
      on.rewind('main', 'b')
    })
    expect((await ask()).marks?.map(({ name }) => name)).toEqual(['a', 'b'])
  })

  test('a step that still runs was not said yet, and calls are no words', async () => {
    const { ask } = await toolOver((on) => {
      on.mark('main', 'a')
      on.start('main', 'q')
      on.call('main', '', 'c1')
      on.result('main', 'c1')
      on.mark('main', 'b')
      on.call('main', 'one moment', 'c2')
    })
    const { marks } = await ask()
    expect(marks?.map(({ next }) => next)).toEqual([fence('log:main', 'q'), undefined])
  })

  test('of another branch of the same person are listed by its name', async () => {
    const { ask, scene } = await toolOver((on) => {
      on.mark('main', 'of-main')
      on.fork('main', 'f')
      on.mark('f', 'of-the-fork')
    })
    const f = handleOf(scene.id('f'))
    expect(await ask({ branch: f })).toMatchObject({ branch: f, marks: [{ name: 'of-the-fork' }] })
    expect(await ask({ branch: 'main' })).toMatchObject({ marks: [{ name: 'of-main' }] })
    expect((await ask({ branch: 'zzzz' })).error).toContain(`There is no branch 'zzzz'`)
    expect((await ask({ name: 'x' })).error).toContain('Usage: marks {')
  })

  test('of another person are not shown', async () => {
    const { ask, scene } = await toolOver((on) => {
      for (const person of ['owner', 'ben']) {
        on.root(person)
        typed(on, person)
        on.mark(person, `of-${person}`)
      }
    }, 'owner')
    expect(await ask()).toMatchObject({ marks: [{ name: 'of-owner' }] })
    expect((await ask({ branch: scene.id('ben') })).error).toContain('belongs to another person')
  })

  test('beyond two hundred, the newest are listed and the others counted', async () => {
    const { ask } = await toolOver((on) => {
      for (let n = 0; n < 203; n++) on.mark('main', `m${n}`)
    })
    const { marks, older } = await ask()
    expect([marks?.length, marks?.[0]?.name, older]).toEqual([200, 'm3', 3])
  })
})

/** What a person typed into a branch that has their name. */
function typed(on: Scene, person: string): void {
  const branch = on.id(person)
  const source = { from: 'person', channel: 'chat', conversation: person, person, key: null } as const
  const text = `hello from ${person}`
  const took = on.writing.append({
    kind: 'inbound-admitted',
    branch,
    at: on.at,
    v: 1,
    source,
    form: 'message',
    text,
  })
  const added = addMessage(on.writing, { branch, at: on.at, message: { role: 'user', text }, tokens: 1 })
  if (isRefusal(added)) throw new Error(added.refused)
  on.writing.append({ ...added.draft, took })
}
