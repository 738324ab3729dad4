import { describe, expect, test } from 'vitest'
import { getBranch } from '../src/context/branch.ts'
import { planCompaction } from '../src/context/compaction.ts'
import { isRefusal } from '../src/context/decision.ts'
import { tokensShown } from '../src/context/part.ts'
import { listOf } from '../src/context/version.ts'
import { dueCompaction } from '../src/context/window.ts'
import type { Reader } from '../src/event/table.ts'
import { MemoryDisk } from '../src/log/memory.ts'
import { counting } from './model/counting.ts'
import type { Scene } from './model/scene.ts'
import { play, playOn } from './model/stage.ts'

/** A step with one call. */
function step(on: Scene, name: string, tokens = 1): void {
  const calls = [{ id: name, tool: 'look', args: { at: name } }]
  on.say('main', { role: 'assistant', text: `${name}?`, calls }, tokens)
  on.result('main', name)
}

describe('when a compaction is due', () => {
  test('more messages than the threshold are too many, as many are not', () =>
    play((on) => {
      on.turn('main', 'a', 'b', 'c')
      expect(on.due('main')).toEqual({ kind: 'nothing', because: 'not-needed' })
      on.note('main', 'n')
      expect(on.due('main')).toMatchObject({ kind: 'due', because: 'messages', mayExtract: false })
    }))

  test('messages under a summary no longer count', () =>
    play((on) => {
      on.turn('main', 'a', 'b', 'c', 'd')
      expect(on.compactWhenDue('main', 's')).toBe('messages')
      expect(on.shows('main')).toBe('{s: a a! b b! c c!} d d!')
      on.turn('main', 'e', 'f')
      expect(on.compactWhenDue('main', 't')).toBe('not-needed')
      on.turn('main', 'g')
      expect(on.compactWhenDue('main', 't')).toBe('messages')
      expect(on.shows('main')).toBe('{t: {s: a a! b b! c c!} d d! e e! f f!} g g!')
    }))

  test('a prompt over three quarters of the context is too large, one of exactly that size is not', () =>
    play((on) => {
      on.turn('main', 'a', 'b')
      expect(on.due('main', { fixed: 2, context: 8 })).toMatchObject({ because: 'not-needed' })
      expect(on.due('main', { fixed: 3, context: 8 })).toMatchObject({ kind: 'due', because: 'tokens' })
    }))

  test('past the truncation limit an extract may stand in, also for a person who asks', () =>
    play((on) => {
      const rules = { truncationMessages: 7 }
      on.turn('main', 'a', 'b', 'c')
      on.note('main', 'n')
      expect(on.due('main', { rules })).toMatchObject({ because: 'messages', mayExtract: false })
      on.note('main', 'm')
      expect(on.due('main', { rules })).toMatchObject({ because: 'truncation', mayExtract: true })
      expect(on.due('main', { rules, demand: 'by-person' })).toMatchObject({
        because: 'asked',
        mayExtract: true,
      })
    }))

  test('under the explicit policy nothing is due, however long it gets, unless the person asks', () =>
    play((on) => {
      const rules = { policy: 'explicit' } as const
      on.turn('main', 'a', 'b', 'c', 'd')
      const explicit = { kind: 'nothing', because: 'explicit' }
      expect(on.due('main', { rules, context: 1 })).toEqual(explicit)
      expect(on.due('main', { rules, context: 1, demand: 'must-fit' })).toEqual(explicit)
      expect(on.compactWhenDue('main', 's', { rules, demand: 'by-person' })).toBe('asked')
      expect(on.shows('main')).toBe('{s: a a! b b! c c!} d d!')
    }))

  test('a person who asks is told why not: nothing before the window, or nothing that would help', () =>
    play((on) => {
      on.turn('main', 'a')
      expect(on.due('main', { demand: 'by-person' })).toEqual({
        kind: 'nothing',
        because: 'nothing-to-cover',
      })
      on.start('main', 'b')
      for (let n = 0; n < 20; n++) step(on, `c${n}`)
      on.finish('main')
      expect(on.due('main', { demand: 'by-person', rules: { summaryTokensMax: 2 } })).toEqual({
        kind: 'nothing',
        because: 'frees-too-little',
        frees: { messages: 2, tokens: 1 },
        of: { messages: 43, tokens: 43 },
      })
    }))

  test('what frees less than a tenth of the prompt is left alone, but not when the model refused the prompt', () =>
    play((on) => {
      on.say('main', { role: 'note', text: 'n', author: { by: 'person' } }, 6)
      on.turn('main', 'a')
      const tight = { fixed: 50, context: 60 }
      expect(on.due('main', tight)).toMatchObject({ because: 'frees-too-little', frees: { tokens: 5 } })
      expect(on.due('main', { ...tight, demand: 'must-fit' })).toMatchObject({
        kind: 'due',
        because: 'tokens',
      })
      expect(on.due('main', { ...tight, fixed: 42, context: 50 })).toMatchObject({ kind: 'due' })
    }))

  test('many short messages are summed up, and their summary has to be shorter than they are', () =>
    play((on) => {
      on.turn('main', 'a', 'b', 'c', 'd')
      const rules = { summaryTokensMax: 500 }
      expect(on.due('main', { rules })).toMatchObject({ because: 'messages', summaryTokens: [5] })
    }))

  test('many short messages before a long one are left alone: it is tokens that are freed', () =>
    play((on) => {
      on.turn('main', 'a', 'b', 'c')
      on.start('main', 'd')
      on.say('main', { role: 'assistant', text: 'd!', calls: [] }, 60)
      on.finish('main')
      const due = on.due('main', { rules: { truncationMessages: 7 } })
      expect(due).toMatchObject({ because: 'frees-too-little', frees: { messages: 6, tokens: 5 } })
    }))

  test('a summary may be as long as allowed where that frees enough', () =>
    play((on) => {
      for (let n = 0; n < 7; n++) on.say('main', { role: 'note', text: 'n', author: { by: 'person' } }, 100)
      const rules = { summaryTokensMax: 200 }
      expect(on.due('main', { rules })).toMatchObject({ summaryTokens: [200] })
      expect(on.due('main', { rules: { summaryTokensMax: 450 } })).toMatchObject({ summaryTokens: [412] })
    }))

  test('between a call and its result nothing can be planned, and the answer says so', () =>
    play((on) => {
      on.turn('main', 'a', 'b', 'c', 'd')
      on.start('main', 'e')
      on.call('main', 'x', 'c1')
      expect(on.due('main')).toEqual({ kind: 'refused', refusal: { refused: 'calls-open', calls: 1 } })
    }))

  test('a prompt that is refused again and again gets shorter each time, until one step is left', () =>
    play((on) => {
      on.turn('main', 'a', 'b', 'c')
      on.start('main', 'd')
      for (const name of ['c1', 'c2', 'c3', 'c4']) step(on, name, 5)
      const size = () => tokensShown(on.writing, listOf(on.writing, getBranch(on.writing, on.id('main'))))
      const sizes = [size()]
      while (
        on.compactWhenDue('main', 's', { demand: 'must-fit', rules: { windowMessages: 4 } }) === 'tokens'
      ) {
        sizes.push(size())
        expect(sizes.at(-1)).toBeLessThan(sizes.at(-2) ?? 0)
      }
      expect(on.shows('main')).toMatch(/^\{.*\} d \{.*\} c4\? c4=$/)
      expect(sizes.length).toBeGreaterThan(2)
    }))
})

describe('undo and expand hold the window off', () => {
  const opening: readonly [string, (on: Scene) => void][] = [
    ['undo of a compaction', (on) => on.undo('main')],
    ['expand', (on) => on.expand('main')],
    [
      'redo of an expand',
      (on) => {
        on.expand('main')
        on.undo('main')
        on.note('main', 'x')
        on.redo('main')
      },
    ],
  ]

  test.each(opening)('%s: for as many messages as the threshold has', (_, open) =>
    play((on) => {
      on.turn('main', 'a', 'b', 'c', 'd')
      on.compactWhenDue('main', 's')
      on.turn('main', 'e')
      open(on)
      for (let n = 0; n <= 6; n++) {
        expect([n, on.due('main')]).toEqual([n, { kind: 'nothing', because: 'held-off' }])
        on.note('main', `n${n}`)
      }
      expect(on.due('main')).toMatchObject({ kind: 'due', because: 'messages' })
    }),
  )

  test('only the size of the prompt overrides it; the truncation limit does not', () =>
    play((on) => {
      on.turn('main', 'a', 'b', 'c', 'd')
      on.compactWhenDue('main', 's')
      on.expand('main')
      const rules = { truncationMessages: 7 }
      expect(on.due('main', { rules })).toEqual({ kind: 'nothing', because: 'held-off' })
      expect(on.due('main', { rules, context: 10 })).toMatchObject({ because: 'tokens', mayExtract: false })
      expect(on.due('main', { rules, demand: 'by-person' })).toMatchObject({ kind: 'due', mayExtract: false })
      expect(on.due('main', { rules, demand: 'must-fit' })).toMatchObject({ kind: 'due', mayExtract: false })
    }))

  test('a compaction ends it, and so does the redo of one; undoing something else does not begin it', () =>
    play((on) => {
      const held = () => getBranch(on.writing, on.id('main')).heldSince !== null
      on.turn('main', 'a', 'b', 'c', 'd')
      on.mark('main', 'A')
      on.clear('main')
      on.undo('main')
      expect(held()).toBe(false)
      on.compact('main', 's')
      on.undo('main')
      expect(held()).toBe(true)
      on.redo('main')
      expect(held()).toBe(false)
      on.expand('main')
      on.rewind('main', 'A')
      expect(held()).toBe(true)
      on.turn('main', 'e')
      on.compact('main', 't')
      expect(held()).toBe(false)
    }))

  test('it survives a restart, and belongs to its branch alone', () =>
    playOn(
      new MemoryDisk(),
      (on) => {
        on.root('main')
        on.turn('main', 'a', 'b', 'c', 'd')
        on.compact('main', 's')
        on.undo('main')
        on.fork('main', 'f')
      },
      (on) => {
        expect(on.due('main')).toMatchObject({ because: 'held-off' })
        expect(on.due('f')).toMatchObject({ because: 'messages' })
      },
    ))
})

describe('what stays outside', () => {
  test('the last messages of the window, and what completes their first turn', () =>
    play((on) => {
      on.turn('main', 'a', 'b', 'c', 'd')
      on.compactWhenDue('main', 's', { rules: { windowMessages: 3 } })
      expect(on.shows('main')).toBe('{s: a a! b b!} c c! d d!')
    }))

  test('fewer turns where those of the window are too large, but one at least', () =>
    play((on) => {
      for (const text of ['a', 'b', 'c', 'd']) {
        on.start('main', text)
        on.say('main', { role: 'assistant', text: `${text}!`, calls: [] }, 9)
        on.finish('main')
      }
      const rules = { windowMessages: 5 }
      const shown = (context: number) => {
        on.compactWhenDue('main', 's', { rules, context })
        const shows = on.shows('main')
        on.undo('main')
        return shows
      }
      expect(shown(42)).toBe('{s: a a!} b b! c c! d d!')
      expect(shown(41)).toBe('{s: a a! b b!} c c! d d!')
      expect(shown(16)).toBe('{s: a a! b b! c c!} d d!')
    }))

  test('one turn longer than the limits in messages is kept whole', () =>
    play((on) => {
      on.turn('main', 'a', 'A')
      on.start('main', 'b')
      for (let n = 0; n < 9; n++) step(on, `c${n}`)
      const rules = { truncationMessages: 8 }
      expect(on.compactWhenDue('main', 's', { rules })).toBe('truncation')
      expect(on.shows('main')).toMatch(/^\{s: a a! A A!\} b c0\? c0= .* c8=$/)
      expect(on.compactWhenDue('main', 't', { rules })).toBe('nothing-to-cover')
    }))
})

/** A main session that was compacted as often as it was due. */
function grow(on: Scene, messages: number): void {
  on.root('main')
  for (let n = 0; n < messages; n += 2) {
    on.turn('main', `t${n}`)
    on.compactWhenDue('main', `s${n}`, { rules: { windowMessages: 20, thresholdMessages: 40 } })
  }
}

test('the window reads as much after 10,000 messages as after 100', async () => {
  const reads = new Map<number, number[]>()
  for (const messages of [100, 10_000]) {
    await playOn(new MemoryDisk(), (on) => {
      grow(on, messages)
      const rules = {
        policy: 'managed' as const,
        windowMessages: 5,
        thresholdMessages: 8,
        truncationMessages: 20,
        shareMin: 0,
        historyTokensMax: null,
        summaryTokensMax: 1,
      }
      const ask = (contextTokens: number) => (reader: Reader) =>
        dueCompaction(reader, { branch: on.id('main'), rules, room: { fixedTokens: 0, contextTokens } })
      const plan = (reader: Reader) => planCompaction(reader, { branch: on.id('main'), keep: 5 })
      const counted = [ask(1_000), ask(8), plan].map((decide) => {
        const { reader, reads } = counting(on.writing)
        const found = decide(reader)
        expect('kind' in found ? found.kind === 'due' : !isRefusal(found)).toBe(true)
        return reads()
      })
      reads.set(messages, counted)
    })
  }
  expect(reads.get(10_000)).toEqual(reads.get(100))
  for (const count of reads.get(100) ?? []) expect(count).toBeLessThan(150)
})
