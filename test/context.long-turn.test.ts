import { describe, expect, test } from 'vitest'
import { textsOf } from '../src/context/part-text.ts'
import type { Scene } from './model/scene.ts'
import { play } from './model/stage.ts'

/** Steps with one call each. */
function steps(on: Scene, branch: string, ...names: string[]): void {
  for (const name of names) {
    on.say(branch, {
      role: 'assistant',
      text: `${name}?`,
      calls: [{ id: name, tool: 'look', args: { at: name } }],
    })
    on.result(branch, name)
  }
}

function longTurn(on: Scene): void {
  on.turn('main', 'a')
  on.start('main', 'b')
  steps(on, 'main', 'c1', 'c2')
  on.say('main', { role: 'user', text: 'steer' })
  steps(on, 'main', 'c3', 'c4')
}

describe('one turn that alone is too large', () => {
  const tight = { context: 8 }

  test('[CTX3] is cut between steps, and what was said in it stays where it stands', () =>
    play((on) => {
      longTurn(on)
      expect(on.compactWhenDue('main', 's', tight)).toBe('tokens')
      expect(on.shows('main')).toBe("{s: a a!} b {s': c1? c1= c2? c2=} steer {s'': c3? c3=} c4? c4=")
    }))

  test('is cut again further on, each stretch folding in its own summary; when it is over, all become one', () =>
    play((on) => {
      longTurn(on)
      on.compactWhenDue('main', 's', tight)
      steps(on, 'main', 'c5')
      expect(on.compactWhenDue('main', 't', { ...tight, demand: 'must-fit' })).toBe('tokens')
      expect(on.shows('main')).toBe(
        "{s: a a!} b {s': c1? c1= c2? c2=} steer {t: {s'': c3? c3=} c4? c4=} c5? c5=",
      )
      on.say('main', { role: 'assistant', text: 'b!', calls: [] })
      on.finish('main')
      on.turn('main', 'd', 'e')
      expect(on.compactWhenDue('main', 'u', { demand: 'by-person' })).toBe('asked')
      expect(on.shows('main')).toBe(
        "{u: {s: a a!} b {s': c1? c1= c2? c2=} steer {t: {s'': c3? c3=} c4? c4=} c5? c5= b! d d!} e e!",
      )
    }))

  test('keeps its question when the window counts messages later, although a summary stands in between', () =>
    play((on) => {
      longTurn(on)
      on.compactWhenDue('main', 's', tight)
      steps(on, 'main', 'c5', 'c6', 'c7')
      const before = on.shows('main')
      expect(on.compactWhenDue('main', 't')).toBe('nothing-to-cover')
      expect(on.shows('main')).toBe(before)
    }))

  test('can be undone, expanded, rewound into, forked and saved', () =>
    play((on) => {
      on.turn('main', 'a')
      on.start('main', 'b')
      steps(on, 'main', 'c1')
      on.mark('main', 'A')
      steps(on, 'main', 'c2', 'c3')
      const raw = on.shows('main')
      on.compactWhenDue('main', 's', { context: 4 })
      on.say('main', { role: 'assistant', text: 'b!', calls: [] })
      on.finish('main')
      const summed = "{s: a a!} b {s': c1? c1= c2? c2=} c3? c3= b!"
      expect(on.shows('main')).toBe(summed)
      on.fork('main', 'f', { goal: 'g' })
      expect(on.shows('f')).toBe(`${summed} g`)
      on.undo('main')
      expect(on.shows('main')).toBe(`${raw} b!`)
      on.redo('main')
      on.expand('main')
      expect(on.shows('main')).toBe('{s: a a!} b c1? c1= c2? c2= c3? c3= b!')
      on.rewind('main', 'A')
      expect(on.shows('main')).toBe('{s: a a!} b c1? c1=')
      on.save('f')
      expect(on.shows('main')).toBe('{s: a a!} b c1? c1= g')
    }))

  test('a rewind into the summary of its steps keeps what was said before the mark', () =>
    play((on) => {
      on.start('main', 'b')
      steps(on, 'main', 'c1')
      on.mark('main', 'A')
      on.say('main', { role: 'user', text: 'steer' })
      steps(on, 'main', 'c2', 'c3')
      on.compactWhenDue('main', 's', { context: 4 })
      expect(on.shows('main')).toBe("b {s: c1? c1=} steer {s': c2? c2=} c3? c3=")
      on.finish('main')
      on.rewind('main', 'A')
      expect(on.shows('main')).toBe('b {s: c1? c1=}')
    }))

  test('is abandoned when the context changed meanwhile, and leaves alone what was said meanwhile', () =>
    play((on) => {
      longTurn(on)
      const due = on.due('main', tight)
      if (due.kind !== 'due') throw new Error('nothing is due')
      steps(on, 'main', 'c5')
      expect(on.commit('main', due.plan, 's')).toBe('done')
      expect(on.shows('main')).toMatch(/steer \{s'': c3\? c3=\} c4\? c4= c5\? c5=$/)
      expect(on.commit('main', due.plan, 't')).toBe('abandoned')
    }))

  test('what a turn was asked for stays also when that turn died and another one continues it', () =>
    play((on) => {
      on.turn('main', 'a')
      on.start('main', 'b')
      steps(on, 'main', 'c1')
      on.recover('main')
      on.continue('main')
      steps(on, 'main', 'c2', 'c3')
      on.compactWhenDue('main', 's', { context: 4 })
      expect(on.shows('main')).toBe("{s: a a!} b {s': c1? c1= c2? c2=} c3? c3=")
    }))

  test('a summary never crosses a fork point, also where the turn of the parent is cut through', () =>
    play((on) => {
      on.turn('main', 'a')
      on.start('main', 'b')
      steps(on, 'main', 'c1', 'c2')
      const at = on.call('main', 'x', 'c3')
      on.result('main', 'c3')
      on.fork('main', 'f', { step: at })
      on.compactWhenDue('f', 's', { context: 4 })
      expect(on.shows('f')).toBe("{s: a a!} b {s': c1? c1=} c2? c2=")
      on.start('f', 'g')
      steps(on, 'f', 'c4', 'c5')
      on.compactWhenDue('f', 't', { context: 4 })
      expect(on.shows('f')).toBe("{t: {s: a a!} b {s': c1? c1=} c2? c2=} g {t': c4? c4=} c5? c5=")
    }))
})

describe('what a summariser reads', () => {
  test('the messages as a model saw them, with their times, and the summary that is folded in', () =>
    play((on) => {
      on.turn('main', 'a')
      on.start('main', 'b')
      on.compact('main', 'Earlier.')
      on.at += 60_000
      on.say('main', { role: 'assistant', text: '', calls: [{ id: 'c1', tool: 'look', args: { at: 'x' } }] })
      on.result('main', 'c1')
      on.say('main', { role: 'user', text: 'now', head: '[12:00]', before: ['(mail)'] })
      on.say('main', { role: 'assistant', text: '', calls: [] })
      on.finish('main')
      on.note('main', 'n')
      const plan = on.plan('main', 1)
      const at = on.at
      expect(plan.parts.map((part) => textsOf(on.writing, part))).toEqual([
        {
          previous: 'Earlier.',
          messages: [
            { who: 'user', text: 'b', at: at - 60_000 },
            { who: 'assistant', text: '(called look: {"at":"x"})', at },
            { who: 'tool', text: 'done', at },
            { who: 'user', text: '[12:00]\n\n(mail)\n\nnow', at },
          ],
        },
      ])
      on.note('main', 'm')
      const [first] = on.plan('main', 1).parts
      const found = first && textsOf(on.writing, first).messages.at(-1)
      expect(found).toEqual({ who: 'note', text: '[note from the person]\nn', at })
    }))

  test('a summary that stands between messages is given in its place', () =>
    play((on) => {
      on.turn('main', 'a')
      on.fork('main', 'f')
      on.turn('f', 'x', 'y')
      on.compact('f', 'Aside.', 2)
      on.note('main', 'm')
      on.save('f')
      on.note('main', 'n')
      expect(on.shows('main')).toBe("a a! m {Aside.': x x!} y y! n")
      const parts = on.plan('main', 1).parts.map((part) => textsOf(on.writing, part))
      expect(parts.map(({ previous }) => previous)).toEqual([null])
      expect(parts[0]?.messages.map(({ text }) => text)).toEqual([
        'a',
        'a!',
        '[note from the person]\nm',
        "## Conversation History 🧠\n\nAside.'",
        'y',
        'y!',
      ])
    }))
})
