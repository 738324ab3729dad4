import { describe, expect, test } from 'vitest'
import { play } from './model/stage.ts'

/** Each row: the obvious rule, and the shortest sequence that breaks it. What must come out is written by hand. */
describe('counterexamples to the obvious rule', () => {
  test('[CTX7] a range without its branch: a note in a fork does not show in main', () =>
    play((on) => {
      on.fork('main', 'f')
      on.note('f', 'n')
      on.turn('main', 'a')
      expect(on.shows('main')).toBe('a a!')
      expect(on.shows('f')).toBe('n')
    }))

  test('[MARK1] cutting by position: a rewind to a mark set before the save drops what was saved', () =>
    play((on) => {
      on.fork('main', 'f', { goal: 'g' })
      on.note('main', 'a')
      on.mark('main', 'A')
      on.save('f')
      expect(on.shows('main')).toBe('a g')
      on.rewind('main', 'A')
      expect(on.shows('main')).toBe('a')
    }))

  test('[CTX4] undo that restores the old list: a message after the change stays', () =>
    play((on) => {
      on.fork('main', 'f')
      on.note('f', 'n')
      on.save('f')
      on.note('main', 'm')
      expect(on.shows('main')).toBe('n m')
      expect(on.undo('main')).toBe('done')
      expect(on.shows('main')).toBe('m')
    }))

  test('a compaction without compare-and-set: one that a redone clear overtook is abandoned', () =>
    play((on) => {
      on.turn('main', 'a')
      on.clear('main')
      on.undo('main')
      on.turn('main', 'b')
      const plan = on.plan('main', 1)
      on.redo('main')
      expect(on.commit('main', plan, 's')).toBe('abandoned')
      expect(on.shows('main')).toBe('b b!')
    }))

  test('[MARK1] a summary kept at a rewind: the summary of what was rewound goes too', () =>
    play((on) => {
      on.mark('main', 'A')
      on.turn('main', 'a', 'b')
      on.compact('main', 's')
      expect(on.shows('main')).toBe('{s: a a!} b b!')
      on.rewind('main', 'A')
      expect(on.shows('main')).toBe('')
    }))

  test('[CTX3] effects at once: a mark inside a batch waits for the last result, and a crash drops it', () =>
    play((on) => {
      on.start('main', 'a')
      on.call('main', 'x', 'c1', 'c2', 'c3')
      expect(on.mark('main', 'B')).toBe('calls-open')
      on.result('main', 'c2')
      expect(on.mark('main', 'B')).toBe('calls-open')
      expect(on.shows('main')).toBe('a')
      on.recover('main')
      expect(on.rewind('main', 'B')).toBe('unknown-mark')
      expect(on.shows('main')).toBe('a x c2= c1= c3=')
    }))

  test('[CTX3] a note in a batch: nothing is added between a call and its result', () =>
    play((on) => {
      on.start('main', 'a')
      on.call('main', 'x', 'c1')
      expect(on.note('main', 'n')).toBe('calls-open')
      expect(on.say('main', { role: 'user', text: 'steer' })).toBe('calls-open')
      expect(on.result('main', 'c1')).toBe('done')
      expect(on.note('main', 'n')).toBe('done')
      expect(on.shows('main')).toBe('a x c1= n')
    }))

  test('[CTX3] a save while main is in a turn: it is refused, with a call open and without', () =>
    play((on) => {
      on.start('main', 'a')
      on.fork('main', 'f', { goal: 'g' })
      expect(on.save('f')).toBe('turn-running')
      on.call('main', 'x', 'c1')
      expect(on.save('f')).toBe('calls-open')
      on.result('main', 'c1')
      on.finish('main')
      expect(on.save('f')).toBe('done')
      expect(on.shows('main')).toBe('a x c1= g')
    }))

  test('[FORK1] a fork at the raw head: a child does not see the turn that is running', () =>
    play((on) => {
      on.turn('main', 'a')
      on.start('main', 'b')
      on.fork('main', 'f')
      expect(on.shows('f')).toBe('a a!')
    }))

  test('[CTX3] a fork at the raw head: of a killed branch, a child sees complete steps only', () =>
    play((on) => {
      on.fork('main', 'f')
      on.start('f', 'a')
      on.call('f', 'x', 'c1')
      on.result('f', 'c1')
      on.call('f', 'y', 'c2', 'c3')
      on.result('f', 'c3')
      on.end('f')
      on.fork('f', 'g')
      expect(on.shows('f')).toBe('a x c1=')
      expect(on.shows('g')).toBe('a x c1=')
    }))

  test('no subtraction on save: the second save brings nothing', () =>
    play((on) => {
      on.fork('main', 'f')
      on.turn('f', 'a')
      expect(on.save('f')).toBe('done')
      expect(on.save('f')).toBe('nothing-to-do')
      expect(on.shows('main')).toBe('a a!')
    }))

  test('the whole list on save: what main cleared does not come back', () =>
    play((on) => {
      on.turn('main', 'a')
      on.fork('main', 'f')
      on.clear('main')
      expect(on.save('f')).toBe('nothing-to-do')
      on.note('f', 'n')
      expect(on.save('f')).toBe('done')
      expect(on.shows('main')).toBe('n')
    }))

  test("exactly the fork's list on save: an isolated fork does not empty main", () =>
    play((on) => {
      on.turn('main', 'a')
      on.fork('main', 'f', { inherit: { take: 'nothing' }, goal: 'g' })
      on.save('f')
      expect(on.shows('main')).toBe('a a! g')
    }))

  test('one summary over inherited and own text: a saved summary does not speak of cleared text', () =>
    play((on) => {
      on.turn('main', 'a')
      on.fork('main', 'f')
      on.turn('f', 'b', 'c')
      on.clear('main')
      on.compact('f', 's')
      expect(on.shows('f')).toBe("{s: a a!} {s': b b!} c c!")
      on.save('f')
      expect(on.shows('main')).toBe("{s': b b!} c c!")
    }))
})

/** Found while testing: each broke the code once. */
describe('found by the property test', () => {
  test('[CTX3] a compaction outside of turns does not part a call from its result', () =>
    play((on) => {
      on.call('main', 'x', 'c1')
      on.result('main', 'c1')
      expect(() => on.plan('main', 1)).toThrow('nothing-to-do')
      on.note('main', 'n')
      on.compact('main', 's')
      expect(on.shows('main')).toBe('{s: x c1=} n')
    }))

  test('a compaction does not part a turn whose middle its model cleared', () =>
    play((on) => {
      on.turn('main', 'a')
      on.start('main', 'b')
      on.say('main', { role: 'assistant', text: 'hm', calls: [] })
      on.say('main', { role: 'user', text: 'c' })
      const step = on.call('main', 'x', 'c1')
      on.result('main', 'c1')
      on.mark('main', 'A')
      on.clearByModel('main', step)
      on.finish('main')
      expect(on.shows('main')).toBe('b c x c1=')
      expect(() => on.plan('main', 3)).toThrow('nothing-to-do')
    }))

  test('two summaries before exactly as many messages as are kept become one', () =>
    play((on) => {
      on.fork('main', 'f')
      for (const branch of ['main', 'f']) {
        on.turn(branch, `${branch}1`)
        on.mark(branch, 'A')
        on.turn(branch, `${branch}2`)
        on.compact(branch, `s-${branch}`)
        on.rewind(branch, 'A')
      }
      on.save('f')
      on.note('main', 'm')
      expect(on.shows('main')).toBe('{s-main: main1 main1!} {s-f: f1 f1!} m')
      on.compact('main', 't')
      expect(on.shows('main')).toBe('{t: {s-main: main1 main1!} {s-f: f1 f1!}} m')
    }))
})
