import { describe, expect, test } from 'vitest'
import { Scene } from '../../test/model/scene.ts'
import { naiveRecall } from '../../test/recall-double.ts'
import { contextProjections } from '../context/fold.ts'
import type { Position } from '../event/id.ts'
import { openMemoryLog } from '../log/memory.ts'
import { askRecall, type RecallAnswer, type AskingParts, type Wish } from './asking.ts'
import type { Hit } from './contract/recall.ts'

async function logOf(acts: (scene: Scene) => void) {
  const log = openMemoryLog({ projections: contextProjections })
  const scene = await log.write((writing) => {
    const begun = new Scene(writing)
    begun.root('main')
    acts(begun)
    return begun
  })
  const recall = naiveRecall(log)
  const ask = async (wish: Partial<Wish> = {}, parts: Partial<AskingParts> = {}): Promise<RecallAnswer> =>
    askRecall(
      { log, recall, told: () => null, whose: () => 'owner', ...parts },
      {
        text: 'tea',
        limit: 5,
        snippetTokensMax: 300,
        now: 0,
        asker: 'owner',
        branch: scene.id('main'),
        ...wish,
      },
    )
  const texts = async (wish: Partial<Wish> = {}, parts: Partial<AskingParts> = {}): Promise<string[]> => {
    const asked = await ask(wish, parts)
    return asked.kind === 'found' ? asked.hits.map(({ text }) => text) : [asked.kind]
  }
  return { log, scene, recall, ask, texts }
}

const user = (text: string) => ({ role: 'user', text }) as const

/** A search that always finds these. */
function fixed(...hits: (Pick<Hit, 'position' | 'score'> & { matched: string[] })[]) {
  return (branch: Hit['branch']): AskingParts['recall'] => ({
    search: async () => ({
      hits: hits.map(({ position, score, matched }) => ({
        position,
        score,
        part: 0,
        branch,
        at: 0,
        kind: 'user' as const,
        speaker: 'user',
        why: {
          words: 0,
          vector: 1,
          meaning: 1,
          alpha: 1,
          recency: 1,
          spread: 1,
          matched,
          coverage: matched.length,
        },
      })),
      repaired: [{ typed: 'Sicliy', taken: 'sicily' }],
      behind: { events: 0, vectors: 0 },
    }),
    people: async () => new Map(),
  })
}

const at = (position: number): Position => position as Position

describe('a person asks', () => {
  test.each(['', ' ', '?!', '...', '()'])(
    '%j has no word to look for, and nothing is searched',
    async (text) => {
      const { ask, recall } = await logOf(() => undefined)
      expect(await ask({ text })).toEqual({ kind: 'no-words' })
      expect(recall.searches).toEqual([])
    },
  )

  test('a long text is shown as far as is wanted', async () => {
    const { texts } = await logOf(
      (on) => void on.say('main', user(`${'Rain again. '.repeat(200)}There is tea.`)),
    )
    const [text = ''] = await texts({ snippetTokensMax: 30 })
    expect(text).toContain('There is tea.')
    expect(text.length).toBeLessThan(200)
  })

  test('what the branch says from a position on can be left out, what others say there cannot', async () => {
    const { texts } = await logOf((on) => {
      on.say('main', user('tea one'))
      on.fork('main', 'f')
      on.say('main', user('tea two'))
      on.say('f', user('tea three'))
    })
    expect((await texts({ upTo: at(2) })).toSorted()).toEqual(['tea one', 'tea three'])
  })

  test('what has none of the words is left out beside what has them, unless it is near', async () => {
    const { scene, texts } = await logOf((on) => {
      for (const text of ['Sicily in May', 'an island in the sun', 'the car']) on.say('main', user(text))
    })
    const recall = fixed(
      { position: at(2), score: 0.9, matched: ['Sicliy'] },
      { position: at(3), score: 0.5, matched: [] },
      { position: at(4), score: 0.1, matched: [] },
    )(scene.id('main'))
    expect(await texts({}, { recall })).toEqual(['Sicily in May', 'an island in the sun'])
  })

  test('where nothing has the words, a few that are near are shown, and it is said', async () => {
    const { scene, ask } = await logOf((on) => {
      for (const text of ['a', 'b', 'c', 'd', 'e']) on.say('main', user(text))
    })
    const hits = [2, 3, 4, 5, 6].map((position) => ({ position: at(position), score: 0.3, matched: [] }))
    const asked = await ask({}, { recall: fixed(...hits)(scene.id('main')) })
    expect(asked).toMatchObject({ isFar: true, isMore: false, hits: { length: 3 } })
  })

  test('a stem that was looked for is told as the word that was found', async () => {
    const { scene, ask } = await logOf((on) => void on.say('main', user('We fly to Sicily')))
    const recall = fixed({ position: at(2), score: 1, matched: ['Sicliy'] })(scene.id('main'))
    expect(await ask({}, { recall })).toMatchObject({
      repaired: [{ typed: 'Sicliy', taken: 'Sicily' }],
      hits: [{ why: { matched: ['Sicily'] } }],
    })
  })

  test('by me is by the asker and by people without a name, by you is by the assistant', async () => {
    const { ask, recall } = await logOf((on) => on.turn('main', 'tea'))
    const spoken = async (speaker: string) => {
      recall.searches.length = 0
      await ask({ speaker })
      return recall.searches.flatMap((search) => search.speakers ?? [])
    }
    expect(await spoken('Me')).toEqual(['owner', 'user'])
    expect(await spoken('you')).toEqual(['assistant'])
    expect(new Set(await spoken(' Anna '))).toEqual(new Set(['Anna']))
  })

  test('what somebody else said in a session of their own is not found', async () => {
    const { scene, texts, recall } = await logOf((on) => {
      on.say('main', user('my tea'))
      on.root('guest')
      on.say('guest', user('their tea'))
    })
    const people = async () =>
      new Map([
        ['owner', new Set([scene.id('main')])],
        ['anna', new Set([scene.id('guest')])],
      ])
    const heard = { recall: { ...recall, people } }
    expect(await texts({}, heard)).toEqual(['my tea'])
    expect(await texts({ asker: 'anna', branch: scene.id('guest') }, heard)).toEqual(['their tea'])
  })
})
