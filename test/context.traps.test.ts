import { describe, expect, test } from 'vitest'
import { play } from './model/stage.ts'

describe("a model's slash calls inside a batch", () => {
  test('[CTX3] a clear keeps all that was said in this turn, and this batch with its other calls', () =>
    play((on) => {
      on.turn('main', 'old')
      on.start('main', 'a')
      on.say('main', { role: 'assistant', text: 'hm', calls: [] })
      on.say('main', { role: 'user', text: 'steer' })
      const step = on.call('main', 'x', 'c1', 'c2')
      on.result('main', 'c2', 'c1')
      expect(on.clearByModel('main', step)).toBe('done')
      expect(on.shows('main')).toBe('a steer x c2= c1=')
      on.finish('main')
      on.undo('main')
      expect(on.shows('main')).toBe('old old! a hm steer x c2= c1=')
    }))

  test('[CTX3] a turn that continues a dead one keeps what the person asked for when its model clears', () =>
    play((on) => {
      on.turn('main', 'old')
      on.start('main', 'a')
      on.call('main', 'x', 'c1')
      on.recover('main')
      on.continue('main')
      const step = on.call('main', 'y', 'c2')
      on.result('main', 'c2')
      expect(on.clearByModel('main', step)).toBe('done')
      expect(on.shows('main')).toBe('a y c2=')
    }))

  test('what was cleared between a dead turn and the one that continues it does not come back', () =>
    play((on) => {
      on.start('main', 'a')
      on.recover('main')
      on.clear('main')
      on.continue('main')
      const step = on.call('main', 'y', 'c2')
      on.result('main', 'c2')
      on.clearByModel('main', step)
      expect(on.shows('main')).toBe('y c2=')
    }))

  test('[CTX3] calls outside of a turn get their results after a crash too', () =>
    play((on) => {
      on.call('main', 'x', 'c1')
      expect(on.shows('main')).toBe('')
      on.recover('main')
      expect(on.shows('main')).toMatch(/^x \S+$/)
      expect(on.mark('main', 'A')).toBe('done')
    }))

  test('a rewind to a mark of this turn does not add its user message twice', () =>
    play((on) => {
      on.start('main', 'a')
      on.say('main', { role: 'assistant', text: 'hm', calls: [] })
      on.mark('main', 'A')
      on.say('main', { role: 'assistant', text: 'well', calls: [] })
      on.say('main', { role: 'user', text: 'steer' })
      const step = on.call('main', 'x', 'c1')
      on.result('main', 'c1')
      expect(on.clearByModel('main', step, 'A')).toBe('done')
      expect(on.shows('main')).toBe('a hm steer x c1=')
      expect(on.marks('main')).toBe('A')
    }))

  test('a clear that would change nothing makes no undo step', () =>
    play((on) => {
      on.start('main', 'a')
      const step = on.call('main', 'x', 'c1')
      on.result('main', 'c1')
      expect(on.clearByModel('main', step)).toBe('nothing-to-do')
      on.finish('main')
      expect(on.undo('main')).toBe('nothing-to-do')
    }))

  test('[FORK1] a fork by a model leaves out the whole step, also after a clear in the same batch', () =>
    play((on) => {
      on.turn('main', 'old')
      on.start('main', 'a')
      const step = on.call('main', 'x', 'c1', 'c2')
      on.result('main', 'c1', 'c2')
      on.fork('main', 'f', { step })
      on.clearByModel('main', step)
      on.fork('main', 'g', { step })
      expect(on.shows('f')).toBe('old old! a')
      expect(on.shows('g')).toBe('a')
    }))

  test('mark and fork from it in one batch: fine with a goal, an error without', () =>
    play((on) => {
      on.start('main', 'a')
      const step = on.call('main', 'x', 'c1', 'c2')
      on.result('main', 'c1', 'c2')
      on.mark('main', 'X')
      const inherit = { take: 'after-mark', name: 'X' } as const
      expect(on.fork('main', 'f', { inherit, step })).toBe('nothing-to-do')
      expect(on.fork('main', 'f', { inherit, step, goal: 'g' })).toBe('done')
      expect(on.shows('f')).toBe('g')
    }))

  test('[FORK1] a fork during a turn in which the context changed takes what was there before the turn', () =>
    play((on) => {
      on.turn('main', 'a')
      on.mark('main', 'A')
      on.turn('main', 'b', 'c')
      on.start('main', 'd')
      on.compact('main', 's')
      on.fork('main', 'f')
      const step = on.call('main', 'x', 'c1')
      on.result('main', 'c1')
      on.clearByModel('main', step, 'A')
      on.fork('main', 'g')
      expect(on.shows('main')).toBe('a a! d x c1=')
      expect(on.shows('f')).toBe('{s: a a! b b! c c!}')
      expect(on.shows('g')).toBe('a a!')
    }))
})

describe('rewind, clear and marks', () => {
  test('[MARK1] a mark under nested summaries: those before it stay, the others are opened as far as needed', () =>
    play((on) => {
      on.turn('main', 'a', 'b')
      on.compact('main', 's')
      on.mark('main', 'A')
      on.turn('main', 'c')
      on.mark('main', 'B')
      on.turn('main', 'd', 'e')
      on.compact('main', 't')
      expect(on.shows('main')).toBe('{t: {s: a a!} b b! c c! d d!} e e!')
      on.rewind('main', 'B')
      expect(on.shows('main')).toBe('{s: a a!} b b! c c!')
      on.rewind('main', 'A')
      expect(on.shows('main')).toBe('{s: a a!} b b!')
      expect(on.marks('main')).toBe('A')
    }))

  test('[CTX2] what was rewound between two summaries stays away from a fork after an older mark', () =>
    play((on) => {
      on.turn('main', 'a')
      on.mark('main', 'A')
      on.turn('main', 'b')
      on.mark('main', 'B')
      on.turn('main', 'c')
      on.compact('main', 's')
      on.rewind('main', 'B')
      expect(on.shows('main')).toBe('{s: a a! b b!}')
      on.turn('main', 'd', 'e')
      on.compact('main', 't')
      expect(on.shows('main')).toBe('{t: {s: a a! b b!} d d!} e e!')
      on.fork('main', 'f', { inherit: { take: 'after-mark', name: 'A' } })
      expect(on.shows('f')).toBe('b b! d d! e e!')
    }))

  test('a rewind opens the newest summaries until enough messages show', () =>
    play((on) => {
      on.turn('main', 'a', 'b')
      on.compact('main', 's')
      on.turn('main', 'c')
      on.compact('main', 't')
      on.mark('main', 'A')
      on.turn('main', 'd')
      expect(on.shows('main')).toBe('{t: {s: a a!} b b!} c c! d d!')
      on.rewind('main', 'A', 3)
      expect(on.shows('main')).toBe('{s: a a!} b b! c c!')
      on.undo('main')
      on.rewind('main', 'A', 20)
      expect(on.shows('main')).toBe('a a! b b! c c!')
    }))

  test('a mark is a place, not a copy: `clear, mark A, undo, rewind A` does not clear again', () =>
    play((on) => {
      on.turn('main', 'a')
      on.clear('main')
      on.mark('main', 'A')
      on.undo('main')
      on.turn('main', 'b')
      on.rewind('main', 'A')
      expect(on.shows('main')).toBe('a a!')
    }))

  test('[MARK1] a clear drops all marks, undo brings them back, and marks set since then stay', () =>
    play((on) => {
      on.mark('main', 'A')
      on.note('main', 'a')
      on.mark('main', 'B')
      on.note('main', 'b')
      on.clear('main')
      expect(on.marks('main')).toBe('')
      on.note('main', 'c')
      on.mark('main', 'A')
      on.undo('main')
      expect(on.marks('main')).toBe('B A')
      on.rewind('main', 'A')
      expect(on.shows('main')).toBe('a b c')
    }))

  test('[MARK1] [MARK2] a moved mark that is later than the target is gone until undo; its old place does not return', () =>
    play((on) => {
      on.mark('main', 'A')
      on.note('main', 'a')
      on.mark('main', 'B')
      on.note('main', 'b')
      on.mark('main', 'A')
      expect(on.marks('main')).toBe('B A')
      on.rewind('main', 'B')
      expect(on.marks('main')).toBe('B')
      expect(on.rewind('main', 'A')).toBe('unknown-mark')
      on.undo('main')
      expect(on.marks('main')).toBe('B A')
      on.note('main', 'c')
      on.rewind('main', 'A')
      expect(on.shows('main')).toBe('a b')
    }))

  test('[MARK1] marks at the same place are told apart by their order', () =>
    play((on) => {
      on.note('main', 'a')
      on.mark('main', 'A')
      on.mark('main', 'B')
      expect(on.rewind('main', 'A')).toBe('done')
      expect(on.marks('main')).toBe('A')
      expect(on.shows('main')).toBe('a')
    }))

  test('a mark main set between fork and save drops the save, a mark after it keeps it', () =>
    play((on) => {
      on.fork('main', 'f')
      on.note('main', 'a')
      on.mark('main', 'A')
      on.note('f', 'x')
      on.mark('f', 'F')
      on.note('main', 'b')
      on.save('f')
      on.mark('main', 'B')
      on.note('main', 'c')
      on.rewind('main', 'B')
      expect(on.shows('main')).toBe('a b x')
      on.rewind('main', 'A')
      expect(on.shows('main')).toBe('a')
      expect(on.marks('f')).toBe('F')
      expect(on.rewind('main', 'F')).toBe('unknown-mark')
    }))

  test('a rewind that changes nothing says so and makes no undo step', () =>
    play((on) => {
      on.note('main', 'a')
      on.mark('main', 'A')
      on.note('main', 'b')
      expect(on.rewind('main')).toBe('done')
      expect(on.rewind('main')).toBe('already-there')
      on.undo('main')
      expect(on.undo('main')).toBe('nothing-to-do')
      expect(on.shows('main')).toBe('a b')
    }))

  test('a fork from an old mark inherits the summaries wholly after it and opens the one across it', () =>
    play((on) => {
      on.mark('main', 'A')
      on.turn('main', 'a', 'b')
      on.mark('main', 'B')
      on.turn('main', 'c')
      on.compact('main', 's')
      on.turn('main', 'd')
      on.compact('main', 't')
      on.fork('main', 'fromA', { inherit: { take: 'after-mark', name: 'A' } })
      on.fork('main', 'fromB', { inherit: { take: 'after-mark', name: 'B' } })
      expect(on.shows('fromA')).toBe('{t: {s: a a! b b!} c c!} d d!')
      expect(on.shows('fromB')).toBe('c c! d d!')
      expect(on.marks('fromB')).toBe('')
    }))
})

describe('undo', () => {
  test('[CTX4] a redo is void after the next change', () =>
    play((on) => {
      on.note('main', 'a')
      on.clear('main')
      on.undo('main')
      on.note('main', 'b')
      on.clear('main')
      expect(on.redo('main')).toBe('nothing-to-do')
      on.undo('main')
      expect(on.shows('main')).toBe('a b')
    }))

  test('an undone save: the fork keeps its own stack, and a copy of it can be saved', () =>
    play((on) => {
      on.note('main', 'a')
      on.fork('main', 'f')
      on.note('f', 'x')
      on.save('f')
      on.end('f')
      expect(on.undo('f')).toBe('branch-ended')
      on.undo('main')
      expect(on.shows('main')).toBe('a')
      on.fork('f', 'copy')
      on.note('copy', 'y')
      on.save('copy')
      expect(on.shows('main')).toBe('a x y')
    }))

  test('in a fresh fork there is nothing to undo, but an inherited summary opens, in the fork only', () =>
    play((on) => {
      on.turn('main', 'a', 'b')
      on.compact('main', 's')
      on.fork('main', 'f')
      expect(on.undo('f')).toBe('nothing-to-do')
      expect(on.expand('f')).toBe('done')
      expect(on.shows('f')).toBe('a a! b b!')
      expect(on.shows('main')).toBe('{s: a a!} b b!')
    }))
})
