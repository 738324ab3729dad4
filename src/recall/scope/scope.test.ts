import type { BranchId } from '../../event/id.ts'
import { describe, expect, test } from 'vitest'
import type { Position } from '../../event/id.ts'
import { counting } from '../../../test/model/counting.ts'
import type { Scene } from '../../../test/model/scene.ts'
import { play } from '../../../test/model/stage.ts'
import { identity } from '../../../test/model/trial.ts'
import { messageOf } from '../../context/step.ts'
import type { Within } from '../contract/recall.ts'
import { automaticWithin, withinOf, type Automatic } from './scope.ts'
import { newVersions } from './standing.ts'
import { OWNER } from '../../event/speaker.ts'

const managed = { policy: 'managed', acrossClear: false } as const
const across = { policy: 'managed', acrossClear: true } as const

/** The texts that would be found, in the order of the log. */
function foundBy(scene: Scene, within: Within | undefined): string {
  if (within === undefined) return 'nothing to look for'
  const found: string[] = []
  for (let position = 1; position <= scene.writing.end; position++) {
    const event = scene.writing.event(position as Position)
    if (event.kind !== 'message-added') continue
    const stretches = within(event.branch)
    if (stretches === 'all' || stretches.some(({ from, to }) => from <= position && position <= to))
      found.push(identity(messageOf(event)))
  }
  return found.join(' ')
}

function automatic(scene: Scene, branch: string, words: Automatic = managed): string {
  return foundBy(scene, automaticWithin(scene.writing, scene.id(branch), words))
}

describe('[RECALL1] automatic recall', () => {
  test('brings what a summary covers, and not what is shown', () =>
    play((scene) => {
      scene.turn('main', 'a', 'b', 'c')
      expect(automatic(scene, 'main')).toBe('nothing to look for')
      scene.compact('main', 's')
      expect(automatic(scene, 'main')).toBe('a a! b b!')
      scene.expand('main')
      expect(automatic(scene, 'main')).toBe('nothing to look for')
    }))

  test('does not bring what a standing rewind dropped, and brings it when the rewind is undone', () =>
    play((scene) => {
      scene.turn('main', 'a')
      scene.mark('main', 'A')
      scene.turn('main', 'b', 'c')
      scene.compact('main', 's')
      scene.rewind('main', 'A')
      scene.turn('main', 'd', 'e')
      scene.compact('main', 't')
      expect(automatic(scene, 'main')).toBe('a a! d d!')
      expect(automatic(scene, 'main', across)).toBe('a a! d d!')
      scene.undo('main')
      scene.undo('main')
      expect(automatic(scene, 'main')).toBe('a a! b b!')
    }))

  test('brings what was said before a clear only where that is wanted, and nothing rewound before it', () =>
    play((scene) => {
      scene.turn('main', 'a')
      scene.mark('main', 'A')
      scene.turn('main', 'b')
      scene.rewind('main', 'A')
      scene.turn('main', 'c')
      scene.clear('main')
      scene.turn('main', 'd')
      scene.clear('main')
      scene.turn('main', 'e')
      expect(automatic(scene, 'main')).toBe('nothing to look for')
      expect(automatic(scene, 'main', across)).toBe('a a! c c! d d!')
      scene.undo('main')
      expect(automatic(scene, 'main', across)).toBe('a a! c c!')
    }))

  test('does not bring what was cleared, saved once more, and rewound then', () =>
    play((scene) => {
      scene.fork('main', 'f')
      scene.turn('f', 'x')
      scene.save('f')
      scene.clear('main')
      scene.mark('main', 'A')
      scene.save('f')
      expect(scene.shows('main')).toBe('x x!')
      scene.rewind('main', 'A')
      expect(automatic(scene, 'main', across)).toBe('nothing to look for')
      scene.undo('main')
      scene.undo('main')
      expect(automatic(scene, 'main', across)).toBe('x x!')
    }))

  test('brings of forks what was saved, and nothing of the others', () =>
    play((scene) => {
      for (const fork of ['saved', 'discarded', 'child']) {
        scene.fork('main', fork, { mode: fork === 'child' ? 'child' : 'fork' })
        scene.turn(fork, fork)
      }
      scene.end('discarded')
      scene.save('saved')
      scene.turn('main', 'a', 'b')
      scene.compact('main', 's')
      expect(automatic(scene, 'main')).toBe('saved saved! a a!')
    }))

  test('is there in forks and forked runs, and not in isolated runs, children, and under explicit', () =>
    play((scene) => {
      scene.turn('main', 'a', 'b')
      scene.compact('main', 's')
      scene.fork('main', 'fork')
      scene.fork('main', 'run', { mode: 'background' })
      scene.fork('main', 'isolated', { mode: 'background', inherit: { take: 'nothing' }, goal: 'go' })
      scene.turn('isolated', 'x', 'y')
      scene.compact('isolated', 't')
      scene.fork('main', 'child', { mode: 'child' })
      expect(automatic(scene, 'fork')).toBe('a a!')
      expect(automatic(scene, 'run')).toBe('a a!')
      expect(automatic(scene, 'isolated')).toBe('nothing to look for')
      expect(automatic(scene, 'child')).toBe('nothing to look for')
      expect(automatic(scene, 'main', { ...managed, policy: 'explicit' })).toBe('nothing to look for')
    }))

  test('does not read more the more summaries are nested', () =>
    play((scene) => {
      const readsAfter = (compactions: number): number => {
        for (let n = 0; n < compactions; n++) {
          scene.turn('main', `${n}`, `${n}'`)
          scene.compact('main', `s${n}`)
        }
        const { reader, reads } = counting(scene.writing)
        automaticWithin(reader, scene.id('main'), { ...across, versions: newVersions() })
        return reads()
      }
      const [few, many] = [readsAfter(10), readsAfter(500)]
      expect(many).toBeLessThan(few * 4)
    }))
})

function world(acts: (scene: Scene) => void): Promise<void> {
  return play((scene) => {
    for (const root of ['other', 'group', 'bens', 'imported']) scene.root(root)
    scene.fork('main', 'fork')
    scene.fork('group', 'aside')
    acts(scene)
  })
}

describe('asked recall', () => {
  const spokeIn = { [OWNER]: ['main', 'other', 'group'], ben: ['group', 'bens'] }

  function seenFrom(scene: Scene, branch: string, asker: string): string {
    const names = new Map([...scene.ids].map(([name, id]) => [id, name]))
    const whose = (_: unknown, tree: BranchId): string =>
      (names.get(tree) ?? '').startsWith('guest') ? 'guest' : OWNER
    const ids = (branches: readonly string[]) => new Set(branches.map((one) => scene.id(one)))
    const people = new Map(Object.entries(spokeIn).map(([name, branches]) => [name, ids(branches)]))
    const within = withinOf(scene.writing, people, { branch: scene.id(branch), asker, whose })
    return [...scene.ids].flatMap(([name, id]) => (within(id) === 'all' ? [name] : [])).join(' ')
  }

  test('sees every tree in which nobody but the asker spoke, and what no person said', () =>
    world((scene) => {
      expect(seenFrom(scene, 'main', OWNER)).toBe('main other imported fork')
      expect(seenFrom(scene, 'fork', OWNER)).toBe('main other imported fork')
      expect(seenFrom(scene, 'imported', OWNER)).toBe('main other imported fork')
    }))

  test('in a tree where several people speak sees that tree alone', () =>
    world((scene) => {
      expect(seenFrom(scene, 'group', OWNER)).toBe('group aside')
      expect(seenFrom(scene, 'aside', 'ben')).toBe('group aside')
      expect(seenFrom(scene, 'bens', OWNER)).toBe('bens')
    }))

  test('[PEOPLE2] sees no tree of another person, whoever spoke there', () =>
    world((scene) => {
      scene.root('guests')
      expect(seenFrom(scene, 'main', OWNER)).not.toContain('guests')
      expect(seenFrom(scene, 'guests', OWNER)).toBe('guests')
    }))

  test('of a guest sees nothing that no person said', () =>
    world((scene) => {
      expect(seenFrom(scene, 'bens', 'ben')).toBe('bens')
    }))
})
