import { describe, expect, test } from 'vitest'
import { rewind } from '../src/context/change.ts'
import { isRefusal } from '../src/context/decision.ts'
import { fork } from '../src/context/fork.ts'
import { contextProjections } from '../src/context/fold.ts'
import { save } from '../src/context/save.ts'
import { addMessage } from '../src/context/step.ts'
import type { Event } from '../src/event/event.ts'
import { makeBranchId } from '../src/event/id.ts'
import type { Reader } from '../src/event/table.ts'
import { MemoryDisk, openMemoryLog } from '../src/log/memory.ts'
import { counting } from './model/counting.ts'
import { dump, foldAgain } from './model/dump.ts'
import type { Scene } from './model/scene.ts'
import { play, playOn } from './model/stage.ts'

function livelyScene(on: Scene): void {
  on.root('main')
  on.turn('main', 'a', 'b')
  on.mark('main', 'A')
  on.compact('main', 's')
  on.fork('main', 'f', { goal: 'g' })
  on.turn('f', 'x', 'y')
  on.compact('f', 't')
  on.save('f')
  on.end('f')
  on.rewind('main', 'A')
  on.undo('main')
  on.start('main', 'c')
  on.call('main', 'z', 'c1', 'c2')
  on.result('main', 'c1')
}

async function logOf(...scenes: ((on: Scene) => void)[]): Promise<{ events: Event[]; live: string }> {
  const disk = new MemoryDisk()
  await playOn(disk, ...scenes)
  const log = openMemoryLog({ disk, projections: contextProjections })
  const events: Event[] = []
  for await (const event of log.events()) events.push(event)
  const live = await log.read(dump)
  await log.close()
  return { events, live }
}

test('[CTX1] folding the same events twice gives the same bytes, and leaves the events as they were', async () => {
  const { events } = await logOf(livelyScene)
  const before = JSON.stringify(events)
  expect(dump(foldAgain(events))).toBe(dump(foldAgain(events)))
  expect(JSON.stringify(events)).toBe(before)
})

test('[CTX2] the state after a restart, the live state and the state folded from the log are the same bytes', async () => {
  const { events, live } = await logOf(livelyScene, (on) => on.recover('main'))
  expect(live).toContain('# message')
  expect(dump(foldAgain(events))).toBe(live)
})

describe('[CTX4] every change has an author and can be undone, and the undo too', () => {
  const changes: readonly [string, (on: Scene) => string][] = [
    ['clear', (on) => on.clear('main')],
    ['rewind', (on) => on.rewind('main', 'A')],
    ['compaction', (on) => on.compact('main', 't')],
    ['expand', (on) => on.expand('main')],
    ['save', (on) => on.save('f')],
  ]
  test.each(changes)('%s', async (_, change) => {
    const { events } = await logOf((on) => {
      on.root('main')
      on.turn('main', 'a')
      on.mark('main', 'A')
      on.turn('main', 'b')
      on.compact('main', 's')
      on.turn('main', 'c')
      on.fork('main', 'f', { goal: 'g' })
      const before = [on.shows('main'), on.marks('main')]
      expect(change(on)).toBe('done')
      const after = [on.shows('main'), on.marks('main')]
      expect(after).not.toEqual(before)
      on.undo('main')
      expect([on.shows('main'), on.marks('main')]).toEqual(before)
      on.redo('main')
      expect([on.shows('main'), on.marks('main')]).toEqual(after)
      on.undo('main')
      on.note('main', 'n')
      expect(on.shows('main')).toBe(`${before[0]} n`)
    })
    const changed = events.filter(({ kind }) => kind.startsWith('context-'))
    expect(changed.length).toBeGreaterThanOrEqual(5)
    for (const event of changed) expect(event).toHaveProperty('author.by')
  })
})

test('[MARK2] using a name again moves the mark, also when the context changed in between', () =>
  play((on) => {
    on.turn('main', 'a', 'b')
    on.mark('main', 'A')
    on.compact('main', 's')
    on.note('main', 'c')
    on.mark('main', 'A')
    on.note('main', 'd')
    on.mark('main', 'B')
    on.mark('main', 'A')
    expect(on.marks('main')).toBe('B A')
    on.note('main', 'e')
    on.rewind('main', 'A')
    expect(on.shows('main')).toBe('{s: a a!} b b! c d')
  }))

test('[MARK3] marks survive a restart and belong to their branch alone', () =>
  playOn(
    new MemoryDisk(),
    (on) => {
      on.root('main')
      on.note('main', 'a')
      on.mark('main', 'A')
      on.note('main', 'b')
      on.fork('main', 'f')
      on.mark('f', 'F')
    },
    (on) => {
      expect([on.marks('main'), on.marks('f')]).toEqual(['A', 'F'])
      expect(on.rewind('f', 'A')).toBe('unknown-mark')
      expect(on.rewind('main', 'F')).toBe('unknown-mark')
      expect(on.rewind('main', 'A')).toBe('done')
      expect(on.shows('main')).toBe('a')
    },
  ))

test('[FORK1] a child sees its parent up to the fork position only', () =>
  play((on) => {
    on.note('main', 'a')
    on.fork('main', 'f')
    on.note('main', 'b')
    on.note('f', 'x')
    expect(on.shows('f')).toBe('a x')
  }))

test('[FORK2] nothing the parent does later changes the child', () =>
  play((on) => {
    on.turn('main', 'a')
    on.mark('main', 'A')
    on.turn('main', 'b')
    on.fork('main', 'f')
    on.fork('main', 'g')
    on.note('g', 'x')
    const later = [
      () => on.turn('main', 'c'),
      () => on.compact('main', 's'),
      () => on.save('g'),
      () => on.expand('main'),
      () => on.rewind('main', 'A'),
      () => on.undo('main'),
      () => on.clear('main'),
    ]
    for (const act of later) {
      act()
      expect(on.shows('f')).toBe('a a! b b!')
    }
  }))

/** A main session with this many messages, compacted all the time, with marks at the beginning and at the end. */
function grow(on: Scene, { messages, compactEvery }: { messages: number; compactEvery: number }): void {
  on.root('main')
  on.turn('main', 'first')
  on.mark('main', 'old')
  for (let n = 2; n < messages; n += 2) {
    on.turn('main', `t${n}`)
    if (n % compactEvery === 0) on.compact('main', `s${n}`, 4)
  }
  on.mark('main', 'new')
  on.fork('main', 'f', { goal: 'g' })
  on.note('main', 'last')
}

async function readsWith(size: { messages: number; compactEvery: number }): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  await playOn(new MemoryDisk(), (on) => {
    grow(on, size)
    const count = (name: string, decide: (reader: Reader) => object) => {
      const { reader, reads } = counting(on.writing)
      expect(isRefusal(decide(reader))).toBe(false)
      found[name] = reads()
    }
    const act = on.act('main')
    const child = makeBranchId(on.at, on.random)
    const words = { parent: act.branch, child, mode: 'fork', title: null, hasGoal: false, ...act } as const
    count('fork', (reader) => fork(reader, { ...words, inherit: { take: 'everything' } }))
    count('fork new', (reader) => fork(reader, { ...words, inherit: { take: 'after-mark', name: 'new' } }))
    count('fork old', (reader) => fork(reader, { ...words, inherit: { take: 'after-mark', name: 'old' } }))
    count('rewind new', (reader) => rewind(reader, { ...act, name: 'new', messagesMin: 4 }))
    count('rewind old', (reader) => rewind(reader, { ...act, name: 'old', messagesMin: 4 }))
    count('save', (reader) => save(reader, on.act('f')))
  })
  return found
}

/** What it takes to check the last result of a step with so many calls. */
async function readsOfResult(calls: number): Promise<number> {
  const ids = Array.from({ length: calls }, (_, number) => `c${number}`)
  let found = 0
  await playOn(new MemoryDisk(), (on) => {
    on.root('main')
    on.start('main', 'a')
    on.call('main', 'z', ...ids)
    for (const id of ids.slice(1)) on.result('main', id)
    const { reader, reads } = counting(on.writing)
    const message = { role: 'tool', call: 'c0', tool: 't', text: '' } as const
    expect(isRefusal(addMessage(reader, { ...on.act('main'), message, tokens: 1 }))).toBe(false)
    found = reads()
  })
  return found
}

test('[TOOL2] a result is checked as fast in a step of 2,000 calls as in one of two', async () =>
  expect(await readsOfResult(2_000)).toBe(await readsOfResult(2)))

test('[FORK3] a fork, a rewind or a save reads as much after 10,000 messages as after 100', async () => {
  const few = await readsWith({ messages: 100, compactEvery: 20 })
  const many = await readsWith({ messages: 10_000, compactEvery: 20 })
  for (const name of ['fork', 'fork new', 'rewind new', 'save']) {
    expect({ name, reads: many[name] }).toEqual({ name, reads: few[name] })
  }
  // To an old mark, 500 nested summaries are passed by jumping: hops grow with the logarithm only.
  for (const name of ['fork old', 'rewind old']) expect(many[name]).toBeLessThan(100)
})

test('[FORK3] a fork that was saved and then compacted two thousand times is saved again in one step', () =>
  play((on) => {
    on.fork('main', 'f', { goal: 'g' })
    on.turn('f', 'a')
    expect(on.save('f')).toBe('done')
    for (let n = 0; n < 2_000; n++) {
      on.turn('f', `t${n}`)
      on.compact('f', `s${n}`)
    }
    expect(on.save('f')).toBe('done')
    expect(on.shows('main').split(' ')).toEqual([
      'g',
      'a',
      'a!',
      ...Array.from({ length: 2_000 }, (_, n) => [`t${n}`, `t${n}!`]).flat(),
    ])
    expect(on.save('f')).toBe('nothing-to-do')
  }))

test('[FORK3] forks of forks of forks show what they inherited, almost a thousand deep', () =>
  play((on) => {
    on.turn('main', 'a')
    for (let n = 0; n < 990; n++) on.fork(n === 0 ? 'main' : `f${n - 1}`, `f${n}`)
    on.turn('f500', 'b')
    expect(on.shows('f989')).toBe('a a!')
    expect(on.shows('f500')).toBe('a a! b b!')
  }))
