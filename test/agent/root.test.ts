import { expect, test } from 'vitest'
import { commandOf } from '../../src/agent/state/root.ts'
import type { Event } from '../../src/event/event.ts'
import { play } from './doubles.ts'
import { expectLawful } from './lawful.ts'
import { ended } from './rig.ts'
import { stage, type Stage } from './stage.ts'

const answers = (...texts: string[]) => texts.map((text) => ({ reply: { text } }))

/** Each event of these kinds, with its root as a distance: 0 is itself, and `the message` what was typed. */
async function roots(at: Stage, from = 1): Promise<string[]> {
  const events: Event[] = await at.read((reader) =>
    Array.from({ length: reader.end - from + 1 }, (_, index) =>
      reader.event((from + index) as Event['position']),
    ),
  )
  const kinds = new Set<string>([
    'inbound-admitted',
    'branch-created',
    'command-run',
    'turn-started',
    'delivery-intended',
  ])
  return events
    .filter(({ kind }) => kinds.has(kind))
    .map((event) => {
      const root = ('root' in event ? event.root : undefined) ?? event.position
      const named = events.find(({ position }) => position === root)
      return `${event.kind} < ${root === event.position ? 'itself' : named?.kind}`
    })
}

test('[FACT1] a turn and its answer go back to the message, and so does each later part of it', async () => {
  const at = await play(answers('Hello!'))
  await at.type('/mark one\n/mark two\nhello')
  await at.settle()
  expect(await roots(at, 2)).toEqual([
    'inbound-admitted < itself',
    'inbound-admitted < inbound-admitted',
    'inbound-admitted < inbound-admitted',
    'command-run < inbound-admitted',
    'delivery-intended < inbound-admitted',
    'command-run < inbound-admitted',
    'delivery-intended < inbound-admitted',
    'turn-started < inbound-admitted',
    'delivery-intended < inbound-admitted',
  ])
  const [, mark] = await at.events('inbound-admitted')
  const command = await at.read((reader) => commandOf(reader, mark!.position))
  expect(command).toMatchObject({ line: '/mark two', took: mark!.position })
  await expectLawful(at)
})

test('[FACT1] a command that is done at once has the first thing that it did as its root', async () => {
  const at = await play(answers('Found three.'))
  const before = await at.read((reader) => reader.end)
  await at.type('/fork -- find ducks')
  await at.settle()
  expect(await roots(at, before + 1)).toEqual([
    'branch-created < itself',
    'inbound-admitted < branch-created',
    'command-run < branch-created',
    'delivery-intended < branch-created',
    'turn-started < branch-created',
    'delivery-intended < branch-created',
  ])
  await expectLawful(at)
})

test('[FACT1] roots are the same after a restart', async () => {
  const at = await play(answers('Hello!'))
  await at.type('hello')
  await at.settle()
  const before = await roots(at)
  const again = await stage(await ended(at))
  expect(await roots(again)).toEqual(before)
})
