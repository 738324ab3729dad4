import { existsSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { IndexError, type IndexErrorCode } from '../src/recall/contract/index-error.ts'
import { openTextIndex } from '../src/recall/index/sqlite-index.ts'
import type { TextIndex } from '../src/recall/contract/text-index.ts'
import { LiveRecall, type RecallParts } from '../src/recall/live.ts'
import { EmbedderError } from '../src/recall/contract/embedder.ts'
import { documentPlaces, openVectors } from '../src/recall/vector/sqlite-vectors.ts'
import { staticEncoder } from '../src/recall/vector/static-encoder.ts'
import type { Opened } from '../src/recall/working.ts'
import { openHomeRecall } from '../src/runtime/home/home-recall.ts'
import { temporaryFolder } from './recall-index/home.ts'
import { memoryTalk, placesOf, searchFor, uniqueWord, usualValues, type Talk } from './recall-life/talk.ts'

const MESSAGES = 1_500

describe('an index that is lost while a process uses it', () => {
  test('[RECALL2] is made anew when its files are deleted, and every search finds what it found before', async () => {
    const { talk, home, recall, heard } = await inHome(MESSAGES)
    const file = join(home, 'recall.db')
    expect(await placesOf(recall, uniqueWord(3))).toEqual([5])
    for (const ends of [['', '-wal', '-shm'], [''], ['-wal', '-shm', '']]) {
      for (const end of ends) rmSync(file + end, { force: true })
      expect(await placesOf(recall, uniqueWord(7))).toEqual([9])
      await talk.say(1)
      expect(await placesOf(recall, uniqueWord(MESSAGES - 1))).toEqual([MESSAGES + 1])
      expect(existsSync(file)).toBe(true)
    }
    expect(heard).toEqual([])
  })

  test.each([
    ['cut off', (file: string) => truncateSync(file, Math.floor(statSync(file).size / 2))],
    ['emptied', (file: string) => truncateSync(file, 0)],
    ['replaced by something else', (file: string) => writeFileSync(file, 'no index '.repeat(2_000))],
  ])('[RECALL2] is made anew when it is %s, and every search finds what it found before', async (_, harm) => {
    const { talk, home, recall, heard } = await inHome(MESSAGES)
    const file = join(home, 'recall.db')
    await recall.catchUp()
    for (let round = 0; round < 3; round++) {
      harm(file)
      for (const number of [0, 700, MESSAGES - 1])
        expect(await placesOf(recall, uniqueWord(number))).toEqual([number + 2])
      await talk.say(1)
      expect(await placesOf(recall, uniqueWord(MESSAGES + round))).toEqual([MESSAGES + round + 2])
    }
    expect(heard).toEqual([])
  })

  test('[RECALL2] in the middle of a search is looked at once more', async () => {
    const talk = await talked(50)
    let losses = 1
    const recall = over(talk, {
      openIndex: () => {
        const index = openTextIndex('memory')
        return changed(index, {
          postings: (term) => {
            if (losses-- > 0) index.clear()
            return index.postings(term)
          },
        })
      },
    })
    expect(await placesOf(recall, uniqueWord(20))).toEqual([22])
    expect(losses).toBeLessThan(0)
  })
})

describe('an index that cannot be written', () => {
  test('for now is written later, and nobody is told', async () => {
    const talk = await talked(10)
    const { index, refuse } = refusing()
    const heard: unknown[] = []
    const recall = over(talk, { openIndex: () => index, heard })
    refuse('busy', 2)
    recall.nudge()
    await until(() => index.watermark === 11)
    expect(heard).toEqual([])
    await recall.close()
  })

  test('[RECALL2] because the disk is full is told once; what is there is found, and what is missing is said', async () => {
    const talk = await talked(10)
    const { index, refuse } = refusing()
    const heard: unknown[] = []
    const recall = over(talk, { openIndex: () => index, heard })
    expect(await placesOf(recall, uniqueWord(4))).toEqual([6])
    refuse('full', Number.POSITIVE_INFINITY)
    await talk.say(5)
    for (let times = 0; times < 3; times++) {
      const { hits, behind } = await recall.search(searchFor(uniqueWord(4)))
      expect({ first: hits[0]?.position, behind: behind.events }).toEqual({ first: 6, behind: 5 })
      expect((await recall.people()).size).toBe(0)
    }
    expect(heard).toEqual(['Recall: no room. Until then, searches find only what is already indexed.'])
    refuse('full', 0)
    expect(await placesOf(recall, uniqueWord(12))).toEqual([14])
    await recall.close()
  })

  test('[RECALL2] and has nothing yet gives way to one in memory', async () => {
    const talk = await talked(10)
    const { index, refuse } = refusing()
    refuse('full', Number.POSITIVE_INFINITY)
    const heard: unknown[] = []
    const recall = over(talk, {
      openIndex: (place) => (place === 'memory' ? openTextIndex('memory') : index),
      heard,
    })
    expect(await placesOf(recall, uniqueWord(4))).toEqual([6])
    await talk.say(1)
    expect(await placesOf(recall, uniqueWord(10))).toEqual([12])
    expect(heard).toHaveLength(1)
    await recall.close()
  })

  test('or opened is tried again by the next search', async () => {
    const talk = await talked(10)
    let failures = 1
    const recall = over(talk, {
      openIndex: () => {
        if (failures-- > 0) throw new IndexError('busy', 'another program writes')
        return openTextIndex('memory')
      },
    })
    await expect(recall.search(searchFor('lamp'))).rejects.toThrow(IndexError)
    expect(await placesOf(recall, uniqueWord(4))).toEqual([6])
    await recall.close()
  })

  test('because of a bug fails', async () => {
    const talk = await talked(10)
    const bug = new TypeError('a bug')
    const index = changed(openTextIndex('memory'), {
      add: () => {
        throw bug
      },
    })
    const heard: unknown[] = []
    const recall = over(talk, { openIndex: () => index, heard })
    recall.nudge()
    await until(() => heard.length > 0)
    expect(heard).toEqual([bug])
    await expect(recall.search(searchFor('lamp'))).rejects.toBe(bug)
  })
})

test('an embedder that fails takes the meaning away, and no words', async () => {
  const talk = await talked(10)
  const heard: unknown[] = []
  const embedder = {
    ...staticEncoder(),
    embed: () => Promise.reject(new EmbedderError('the model cannot be run')),
  }
  const open = async (): Promise<Opened> => {
    const index = openTextIndex('memory')
    const vectors = openVectors({ place: 'memory', embedder, places: documentPlaces(index) })
    return { index, meaning: { embedder, vectors } }
  }
  const recall = over(talk, { open, heard })
  expect(await placesOf(recall, uniqueWord(4))).toEqual([6])
  expect((await recall.search(searchFor('lamp'))).behind).toEqual({ events: 0, vectors: 10 })
  expect(heard).toEqual(['Recall: the model cannot be run. Until then, searches use words only.'])
  await recall.close()
})

describe('a log that was never indexed', () => {
  const OLD = 6_000

  test('does not keep a search waiting that may not wait, which says what is missing', async () => {
    const talk = await talked(OLD)
    const recall = over(talk, {})
    const first = await recall.search(searchFor(uniqueWord(OLD - 1)))
    expect(first.behind.events).toBeGreaterThan(OLD / 2)
    await expect.poll(async () => (await recall.search(searchFor('lamp'))).behind.events).toBe(0)
    expect(await placesOf(recall, uniqueWord(OLD - 1))).toEqual([OLD + 1])
    await recall.close()
  })

  test('[RECALL2] is searched to its end by one that waits, also while it is being indexed', async () => {
    const talk = await talked(OLD)
    const recall = over(talk, {})
    const making = recall.catchUp()
    expect(await placesOf(recall, uniqueWord(OLD - 1), { isPatient: true })).toEqual([OLD + 1])
    await making
    await recall.close()
  })

  test('is told of once, where indexing it takes a while', async () => {
    const talk = await talked(OLD)
    const heard: unknown[] = []
    const recall = over(talk, { heard, quietMs: 0 })
    recall.nudge()
    await expect.poll(async () => (await recall.search(searchFor('lamp'))).behind.events).toBe(0)
    expect(heard).toEqual([
      expect.stringMatching(
        /^Indexing older messages for recall: \d+ % done\. Searches find all of them in about \d+ s\.$/,
      ),
    ])
    await recall.close()
  })

  test('does not keep anybody waiting who closes', async () => {
    const talk = await talked(OLD)
    const index = openTextIndex('memory')
    let added = 0
    const counting = changed(index, {
      add: (documents, to) => {
        index.add(documents, to)
        added += documents.length
      },
    })
    const recall = over(talk, { openIndex: () => counting })
    const making = recall.catchUp()
    const asked = recall.search(searchFor('lamp', { isPatient: true }))
    await until(() => added > 0)
    await Promise.all([recall.close(), recall.close()])
    expect(added).toBeLessThan(OLD / 2)
    await making
    expect((await asked).behind.events).toBeGreaterThan(OLD / 2)
    await expect(recall.search(searchFor('lamp'))).rejects.toThrow('recall is closed')
  })
})

async function talked(messages: number): Promise<Talk> {
  const talk = await memoryTalk()
  await talk.say(messages)
  return talk
}

interface Over {
  readonly openIndex?: (place?: 'memory') => TextIndex
  readonly open?: RecallParts['open']
  /** What is warned of, and what it fails with. */
  readonly heard?: unknown[]
  readonly quietMs?: number
}

function over(
  { log }: Talk,
  { openIndex = () => openTextIndex('memory'), open, heard = [], quietMs = 60_000 }: Over,
) {
  return new LiveRecall(
    {
      log,
      open: open ?? (async (place) => ({ index: openIndex(place), meaning: null })),
      weights: () => ({ alpha: null, decay: 0.1 }),
      warn: (text) => heard.push(text),
      pauses: { idleMs: 1, retryMs: 1, quietMs },
    },
    (error) => heard.push(error),
  )
}

async function inHome(messages: number) {
  const talk = await talked(messages)
  const home = temporaryFolder()
  const heard: unknown[] = []
  const hear = (what: unknown) => heard.push(what)
  const recall = openHomeRecall({ home, log: talk.log, values: usualValues, warn: hear, fail: hear })
  onTestFinished(() => recall.close())
  return { talk, home, recall, heard }
}

/** An index that refuses to be written so many times. */
function refusing() {
  const inner = openTextIndex('memory')
  const state: { code: IndexErrorCode; left: number } = { code: 'failed', left: 0 }
  const index = changed(inner, {
    add: (documents, to) => {
      if (state.left-- > 0) throw new IndexError(state.code, 'no room')
      inner.add(documents, to)
    },
  })
  const refuse = (code: IndexErrorCode, left: number): void => void Object.assign(state, { code, left })
  return { index, refuse }
}

/** Not a copy: what an index knows is read through it. */
function changed(index: TextIndex, other: Partial<TextIndex>): TextIndex {
  return new Proxy(index, {
    get: (target, name) => {
      const value: unknown =
        name in other ? other[name as keyof TextIndex] : Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

async function until(holds: () => boolean): Promise<void> {
  await expect.poll(holds, { interval: 2 }).toBe(true)
}
