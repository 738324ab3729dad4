import { describe, expect, test } from 'vitest'
import type { Scene } from './model/scene.ts'
import { play } from './model/stage.ts'

describe('compaction', () => {
  const changes: readonly [string, (on: Scene) => void][] = [
    ['clear', (on) => on.clear('main')],
    ['rewind', (on) => on.rewind('main', 'A')],
    ['undo', (on) => on.undo('main')],
    ['expand', (on) => on.expand('main')],
    ['second compaction', (on) => on.compact('main', 'second', 2)],
  ]
  test.each(changes)('is abandoned when the context changed before its commit: %s', (_, change) =>
    play((on) => {
      on.turn('main', 'a')
      on.mark('main', 'A')
      on.turn('main', 'b')
      on.compact('main', 'first')
      on.turn('main', 'c', 'd')
      const plan = on.plan('main', 2)
      change(on)
      const before = on.shows('main')
      expect(on.commit('main', plan, 's')).toBe('abandoned')
      expect(on.shows('main')).toBe(before)
    }),
  )

  test('is abandoned when a rewind cut into the range that it covers, also when the list has grown again', () =>
    play((on) => {
      on.turn('main', 'a')
      on.mark('main', 'A')
      on.turn('main', 'b', 'c')
      const plan = on.plan('main', 1)
      on.rewind('main', 'A')
      expect(on.commit('main', plan, 's')).toBe('abandoned')
      on.turn('main', 'd', 'e', 'f')
      expect(on.commit('main', plan, 's')).toBe('abandoned')
      expect(on.shows('main')).toBe('a a! d d! e e! f f!')
    }))

  test('messages, marks and saves meanwhile are fine, also in the middle of a turn', () =>
    play((on) => {
      on.turn('main', 'a', 'b')
      const plan = on.plan('main', 1)
      on.fork('main', 'f', { goal: 'g' })
      on.save('f')
      on.mark('main', 'A')
      on.start('main', 'c')
      expect(on.commit('main', plan, 's')).toBe('done')
      expect(on.shows('main')).toBe('{s: a a!} b b! g c')
    }))

  test('between a call and its result it is refused, not abandoned: it can be tried again', () =>
    play((on) => {
      on.turn('main', 'a', 'b')
      const plan = on.plan('main', 1)
      on.start('main', 'c')
      on.call('main', 'x', 'c1')
      expect(on.commit('main', plan, 's')).toBe('calls-open')
      on.result('main', 'c1')
      expect(on.commit('main', plan, 's')).toBe('done')
    }))

  test('keeps at least so many messages, and cuts where a turn begins', () =>
    play((on) => {
      on.turn('main', 'a', 'b', 'c')
      for (const [keep, expected] of [
        [1, '{s: a a! b b!} c c!'],
        [2, '{s: a a! b b!} c c!'],
        [3, '{s: a a!} b b! c c!'],
      ] as const) {
        on.compact('main', 's', keep)
        expect(on.shows('main')).toBe(expected)
        on.undo('main')
      }
      expect(() => on.plan('main', 5)).toThrow('nothing-to-do')
    }))

  test('a summary never crosses a fork point, through two levels', () =>
    play((on) => {
      on.turn('main', 'a')
      on.fork('main', 'f')
      on.turn('f', 'b')
      on.fork('f', 'g')
      on.turn('g', 'c', 'd')
      on.clear('main')
      on.compact('g', 's')
      expect(on.shows('g')).toBe("{s: a a!} {s': b b!} {s'': c c!} d d!")
      on.save('g')
      expect(on.shows('main')).toBe("{s': b b!} {s'': c c!} d d!")
    }))

  test('expand opens the newest summary wherever it stands, nested ones one by one, and can be undone', () =>
    play((on) => {
      on.turn('main', 'a', 'b')
      on.compact('main', 's')
      on.turn('main', 'c')
      on.compact('main', 't')
      on.fork('main', 'f')
      on.turn('f', 'x', 'y')
      on.compact('f', 'u', 2)
      on.expand('f')
      on.expand('f')
      expect(on.shows('f')).toBe('{t: {s: a a!} b b!} c c! x x! y y!')
      on.expand('f')
      expect(on.shows('f')).toBe('{s: a a!} b b! c c! x x! y y!')
      on.expand('f')
      expect(on.shows('f')).toBe('a a! b b! c c! x x! y y!')
      expect(on.expand('f')).toBe('nothing-to-do')
      on.undo('f')
      expect(on.shows('f')).toBe('{s: a a!} b b! c c! x x! y y!')
      on.clear('f')
      expect(on.expand('f')).toBe('nothing-to-do')
    }))
})

describe('save', () => {
  test("of a main that has not moved: its context is then exactly the fork's, and its marks stay in place", () =>
    play((on) => {
      on.turn('main', 'a')
      on.mark('main', 'A')
      on.turn('main', 'b')
      on.fork('main', 'f')
      on.turn('f', 'x', 'y')
      on.compact('f', 's', 2)
      expect(on.shows('f')).toBe("{s: a a! b b!} {s': x x!} y y!")
      on.save('f')
      expect(on.shows('main')).toBe("{s: a a! b b!} {s': x x!} y y!")
      expect(on.marks('main')).toBe('A')
      on.rewind('main', 'A')
      expect(on.shows('main')).toBe('a a!')
    }))

  test('a saved summary stands in the middle of main', () =>
    play((on) => {
      on.turn('main', 'a')
      on.fork('main', 'f')
      on.turn('f', 'x', 'y')
      on.compact('f', 's', 2)
      on.note('main', 'm')
      on.save('f')
      on.note('main', 'n')
      expect(on.shows('main')).toBe("a a! m {s': x x!} y y! n")
      on.expand('main')
      expect(on.shows('main')).toBe('a a! m x x! y y! n')
    }))

  test('of a trimmed fork, or one cleared inside: main keeps its history and gets what the fork still shows', () =>
    play((on) => {
      on.note('main', 'a')
      on.mark('main', 'A')
      on.note('main', 'b')
      on.fork('main', 'trimmed', { inherit: { take: 'after-mark', name: 'A' } })
      on.note('trimmed', 'x')
      on.save('trimmed')
      expect(on.shows('main')).toBe('a b x')
      on.fork('main', 'cleared')
      on.note('cleared', 'y')
      on.clear('cleared')
      on.note('cleared', 'z')
      on.save('cleared')
      expect(on.shows('main')).toBe('a b x z')
    }))

  test('of a fork from a place that main rewound: only its own part comes', () =>
    play((on) => {
      on.note('main', 'a')
      on.mark('main', 'A')
      on.note('main', 'b')
      on.fork('main', 'f')
      on.note('f', 'x')
      on.rewind('main', 'A')
      on.save('f')
      expect(on.shows('main')).toBe('a x')
    }))

  test('twice: only what main lacks, and all of it when main rewound or undid the first one', () =>
    play((on) => {
      on.mark('main', 'A')
      on.fork('main', 'f')
      on.note('f', 'x')
      on.save('f')
      on.mark('main', 'B')
      on.note('f', 'y')
      on.save('f')
      expect(on.shows('main')).toBe('x y')
      on.rewind('main', 'B')
      expect(on.shows('main')).toBe('x')
      on.save('f')
      expect(on.shows('main')).toBe('x y')
      on.undo('main')
      on.save('f')
      expect(on.shows('main')).toBe('x y')
      on.rewind('main', 'A')
      on.save('f')
      expect(on.shows('main')).toBe('x y')
    }))

  test('what main has under a summary it does not get again, and a summary it has in part is opened', () =>
    play((on) => {
      on.fork('main', 'f')
      on.turn('f', 'x')
      on.save('f')
      on.turn('main', 'a', 'b')
      on.compact('main', 's')
      on.turn('f', 'y', 'z')
      on.compact('f', 't')
      expect(on.shows('f')).toBe('{t: x x! y y!} z z!')
      on.save('f')
      expect(on.shows('main')).toBe('{s: x x! a a!} b b! y y! z z!')
    }))

  test("of a fork of a fork: the middle branch's part comes too, once", () =>
    play((on) => {
      on.note('main', 'a')
      on.fork('main', 'f')
      on.note('f', 'x')
      on.fork('f', 'g')
      on.note('g', 'y')
      on.save('g')
      expect(on.shows('main')).toBe('a x y')
      on.note('f', 'z')
      on.save('f')
      expect(on.shows('main')).toBe('a x y z')
    }))

  test('of nothing: says so, and the fork stays open', () =>
    play((on) => {
      on.note('main', 'a')
      on.fork('main', 'f')
      expect(on.save('f')).toBe('nothing-to-do')
      expect(on.state('f')).toBe('idle')
      expect(on.undo('main')).toBe('nothing-to-do')
    }))

  test('without a main above, it goes to the parent', () =>
    play((on) => {
      on.root('job', 'background')
      on.fork('job', 'f')
      on.note('f', 'x')
      on.save('f')
      expect(on.shows('job')).toBe('x')
      expect(on.save('job')).toBe('nothing-to-do')
    }))
})

test('between two changes of a context, what it shows begins with what it showed before', () =>
  play((on) => {
    let before = ''
    const grows = (act: () => void) => {
      act()
      expect(on.shows('main').startsWith(before)).toBe(true)
      before = on.shows('main')
    }
    grows(() => on.turn('main', 'a'))
    grows(() => on.start('main', 'b'))
    grows(() => on.call('main', 'x', 'c1'))
    grows(() => on.fork('main', 'f', { goal: 'g' }))
    grows(() => on.result('main', 'c1'))
    grows(() => on.mark('main', 'A'))
    grows(() => on.finish('main'))
    grows(() => on.save('f'))
    expect(before).toBe('a a! b x c1= g')
  }))
