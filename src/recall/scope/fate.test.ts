import { describe, expect, test } from 'vitest'
import type { Scene } from '../../../test/model/scene.ts'
import { play } from '../../../test/model/stage.ts'
import { identity } from '../../../test/model/trial.ts'
import { messageOf } from '../../context/step.ts'
import type { EndReason } from '../../event/event.ts'
import type { Position } from '../../event/id.ts'
import { fateOf, labelOf, type Fate, type Said } from './fate.ts'

function fate(scene: Scene, text: string): Fate {
  for (let position = scene.writing.end; position > 0; position--) {
    const event = scene.writing.event(position as Position)
    if (event.kind === 'message-added' && identity(messageOf(event)) === text)
      return fateOf(scene.writing, event)
  }
  throw new Error(`nobody said ${text}`)
}

function end(scene: Scene, branch: string, reason: EndReason): void {
  scene.writing.append({ kind: 'branch-ended', ...scene.act(branch), v: 1, reason })
}

describe('the fate of a message', () => {
  test('is shown, summarised, or what took it out of the list; undo takes that back', () =>
    play((scene) => {
      scene.turn('main', 'a')
      scene.mark('main', 'A')
      scene.turn('main', 'b')
      scene.rewind('main', 'A')
      scene.turn('main', 'c', 'd')
      scene.compact('main', 's')
      expect(['a', 'b', 'c', 'd'].map((text) => fate(scene, text))).toEqual([
        'summarised',
        'rewound',
        'summarised',
        'shown',
      ])
      scene.clear('main')
      expect(['a', 'b', 'c', 'd'].map((text) => fate(scene, text))).toEqual([
        'cleared',
        'rewound',
        'cleared',
        'cleared',
      ])
      scene.undo('main')
      scene.undo('main')
      scene.undo('main')
      expect(fate(scene, 'b')).toBe('shown')
    }))

  test.each(['discarded', 'killed', 'failed', 'timed-out'] as const)(
    'of a branch that ended as %s is discarded',
    (reason) =>
      play((scene) => {
        scene.fork('main', 'f')
        scene.turn('f', 'x')
        expect(fate(scene, 'x')).toBe('shown')
        end(scene, 'f', reason)
        expect(fate(scene, 'x')).toBe('discarded')
      }),
  )

  test.each(['reported', 'finished'] as const)('of a branch that %s is what it was', (reason) =>
    play((scene) => {
      scene.fork('main', 'f')
      scene.turn('f', 'x')
      end(scene, 'f', reason)
      expect(fate(scene, 'x')).toBe('shown')
    }),
  )

  test('of a branch that was saved is what became of it there', () =>
    play((scene) => {
      scene.mark('main', 'A')
      scene.fork('main', 'f')
      scene.turn('f', 'x')
      scene.save('f')
      end(scene, 'f', 'saved')
      expect(fate(scene, 'x')).toBe('shown')
      scene.turn('main', 'a', 'b')
      scene.compact('main', 's')
      expect(fate(scene, 'x')).toBe('summarised')
      scene.rewind('main', 'A')
      expect(fate(scene, 'x')).toBe('rewound')
      scene.undo('main')
      scene.clear('main')
      expect(fate(scene, 'x')).toBe('cleared')
      for (let n = 0; n < 3; n++) scene.undo('main')
      expect(scene.shows('main')).toBe('a a! b b!')
      expect(fate(scene, 'x')).toBe('discarded')
    }))

  test('is that of the last save that stands', () =>
    play((scene) => {
      scene.mark('main', 'A')
      scene.fork('main', 'f')
      scene.turn('f', 'x')
      scene.save('f')
      scene.rewind('main', 'A')
      scene.save('f')
      end(scene, 'f', 'saved')
      expect(fate(scene, 'x')).toBe('shown')
      scene.undo('main')
      expect(fate(scene, 'x')).toBe('rewound')
      scene.undo('main')
      expect(fate(scene, 'x')).toBe('shown')
      scene.undo('main')
      expect(fate(scene, 'x')).toBe('discarded')
    }))

  test('of a step that never ended is none of these', () =>
    play((scene) => {
      const calls = [{ id: 'c', tool: 'wait', args: {} }]
      scene.start('main', 'a')
      scene.say('main', { role: 'assistant', text: 'b', calls })
      expect(fate(scene, 'b')).toBe('other')
    }))

  test('of what people said survives a model’s own clear, and not the next one', () =>
    play((scene) => {
      const calls = [{ id: 'c', tool: 'slash', args: {} }]
      scene.turn('main', 'old')
      scene.start('main', 'a')
      scene.say('main', { role: 'assistant', text: 'b', calls })
      const step = scene.writing.end as Position
      scene.say('main', { role: 'tool', call: 'c', tool: 'slash', text: 'cleared' })
      scene.clearByModel('main', step)
      expect(['old', 'a', 'b'].map((text) => fate(scene, text))).toEqual(['cleared', 'shown', 'shown'])
      scene.finish('main')
      scene.clear('main')
      expect(['old', 'a', 'b'].map((text) => fate(scene, text))).toEqual(['cleared', 'cleared', 'cleared'])
    }))

  test('of what was saved before the branch was discarded is not discarded', () =>
    play((scene) => {
      scene.fork('main', 'f')
      scene.turn('f', 'x')
      scene.save('f')
      scene.turn('f', 'y')
      end(scene, 'f', 'discarded')
      expect(fate(scene, 'x')).toBe('shown')
      expect(fate(scene, 'y')).toBe('discarded')
    }))

  test('of what was saved from branch to branch is what became of it in the last', () =>
    play((scene) => {
      scene.root('run', 'background')
      scene.fork('run', 'f')
      scene.fork('f', 'g')
      scene.turn('g', 'x')
      scene.save('g')
      end(scene, 'g', 'saved')
      expect(scene.shows('f')).toBe('x x!')
      scene.save('f')
      end(scene, 'f', 'saved')
      expect(scene.shows('run')).toBe('x x!')
      expect(fate(scene, 'x')).toBe('shown')
      scene.undo('run')
      expect(fate(scene, 'x')).toBe('discarded')
    }))

  test('of what was saved into a branch that was discarded then is discarded', () =>
    play((scene) => {
      scene.root('run', 'background')
      scene.fork('run', 'f')
      scene.fork('f', 'g')
      scene.turn('g', 'x')
      scene.save('g')
      end(scene, 'g', 'saved')
      end(scene, 'f', 'discarded')
      expect(fate(scene, 'x')).toBe('discarded')
    }))

  test('of a summary is that of the last message it covers', () =>
    play((scene) => {
      scene.turn('main', 'a', 'b')
      scene.compact('main', 's')
      const summary = { branch: scene.id('main'), position: scene.writing.end as Position, part: 0 }
      expect(fateOf(scene.writing, summary)).toBe('summarised')
      scene.clear('main')
      expect(fateOf(scene.writing, summary)).toBe('cleared')
    }))

  test('of a summary that a newer one took the place of is superseded, until that is undone', () =>
    play((scene) => {
      const made = (text: string): Said => {
        scene.compact('main', text)
        return { branch: scene.id('main'), position: scene.writing.end as Position, part: 0 }
      }
      const fates = () => [first, second, third].map((said) => fateOf(scene.writing, said))
      scene.turn('main', 'a', 'b')
      const first = made('one')
      scene.turn('main', 'c')
      const second = made('two')
      scene.mark('main', 'M')
      scene.turn('main', 'd')
      const third = made('three')
      expect(fates()).toEqual(['superseded', 'superseded', 'summarised'])
      scene.undo('main')
      expect(fates()).toEqual(['superseded', 'summarised', 'shown'])
      scene.redo('main')
      scene.clear('main')
      expect(fates()).toEqual(['cleared', 'cleared', 'cleared'])
    }))

  test('of a summary that was opened and made once more is superseded; one that was only opened is not', () =>
    play((scene) => {
      scene.turn('main', 'a', 'b')
      scene.compact('main', 'one')
      const said = { branch: scene.id('main'), position: scene.writing.end as Position, part: 0 }
      scene.expand('main')
      expect(fateOf(scene.writing, said)).toBe('shown')
      scene.turn('main', 'c')
      scene.compact('main', 'two')
      expect(fateOf(scene.writing, said)).toBe('superseded')
    }))

  test('of a summary that was saved is what became of it there', () =>
    play((scene) => {
      scene.fork('main', 'f')
      scene.turn('f', 'x', 'y')
      scene.compact('f', 'one')
      const said = { branch: scene.id('f'), position: scene.writing.end as Position, part: 0 }
      scene.save('f')
      end(scene, 'f', 'saved')
      expect(fateOf(scene.writing, said)).toBe('summarised')
      scene.turn('main', 'a', 'b')
      scene.compact('main', 'two')
      expect(fateOf(scene.writing, said)).toBe('superseded')
    }))

  test('of a summary that a fork made of what it inherited does not hang on an older one elsewhere', () =>
    play((scene) => {
      scene.turn('main', 'a', 'b')
      scene.fork('main', 'f')
      scene.compact('main', 'one')
      scene.compact('f', 'two')
      const said = { branch: scene.id('f'), position: scene.writing.end as Position, part: 0 }
      expect(fateOf(scene.writing, said)).toBe('summarised')
      end(scene, 'f', 'discarded')
      expect(fateOf(scene.writing, said)).toBe('summarised')
    }))

  test('has a label only where no branch goes by it any more', () => {
    const silent = ['shown', 'summarised', 'other'] as const
    const told = ['rewound', 'cleared', 'discarded', 'superseded'] as const
    expect([...silent, ...told].map(labelOf)).toEqual([undefined, undefined, undefined, ...told])
  })
})
