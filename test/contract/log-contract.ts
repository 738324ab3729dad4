import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/random.ts'
import { contextProjections } from '../../src/context/fold.ts'
import { createBranch } from '../../src/context/fork.ts'
import { headOf, lastMessage } from '../../src/context/message-index.ts'
import { toLine } from '../../src/event/codec.ts'
import type { Draft, Event } from '../../src/event/event.ts'
import { makeBranchId, type BranchId, type Position } from '../../src/event/id.ts'
import type { Writing } from '../../src/event/table.ts'
import { LogError, type Log, type Query } from '../../src/log/log.ts'
import { StoreLog } from '../../src/log/store-log.ts'
import type { Batch, Store } from '../../src/log/store.ts'

/** A place where a log outlives the process that wrote it. */
export interface Place {
  /** Opens the store; a second call without closing the first is a second writer. */
  open(holder: string): Store
  /** What the operating system does when a process dies: locks go, what is on the disk stays. */
  crash(store: Store): void
}

/** What every log must do, whatever keeps it. `logOn` makes the log of a store. */
export function describeLog(
  name: string,
  newPlace: () => Place,
  logOn: (store: Store) => Log = (store) => new StoreLog(store, contextProjections),
): void {
  const openLog = (place: Place, holder = 'first'): Log => logOn(place.open(holder))
  describe(`log in ${name}`, () => {
    test('[LOG1] positions grow by one without gaps, whoever appends at the same time', async () => {
      const log = openLog(newPlace())
      const branch = await begin(log)
      const works = Array.from({ length: 40 }, (_, n) =>
        log.write((w) => [w.append(note(branch, `a${n}`)), w.append(note(branch, `b${n}`))]),
      )
      const pairs = await Promise.all(works)
      expect(pairs.flat().toSorted((a, b) => a - b)).toEqual(Array.from({ length: 80 }, (_, n) => n + 2))
      for (const [first, second] of pairs) expect(second).toBe((first ?? 0) + 1)
      expect((await all(log)).map((event) => event.position)).toEqual(
        Array.from({ length: 81 }, (_, n) => n + 1),
      )
      await log.close()
    })

    test('[LOG2] a work that throws appends nothing, and those that share its commit are untouched', async () => {
      const log = openLog(newPlace())
      const branch = await begin(log)
      const results = await Promise.allSettled([
        log.write((w) => w.append(note(branch, 'before'))),
        log.write((w) => {
          w.append(note(branch, 'half'))
          throw new Error('changed my mind')
        }),
        log.write((w) => w.append(note(branch, 'after'))),
      ])
      expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect(await texts(log)).toEqual(['before', 'after'])
      await log.close()
    })

    test('[LOG2] an event that does not hold takes its whole work with it', async () => {
      const log = openLog(newPlace())
      const branch = await begin(log)
      const broken = { ...note(branch, 'x'), tokens: -1 } as Draft
      await expect(log.write((w) => [w.append(note(branch, 'fine')), w.append(broken)])).rejects.toThrow(
        /tokens/,
      )
      await expect(log.write((w) => w.append(note(branch, 'x'.repeat(17 * 1024 * 1024))))).rejects.toThrow(
        /at most/,
      )
      const stranger = makeBranchId(1, seededRandom(99))
      await expect(log.write((w) => w.append(note(stranger, 'x')))).rejects.toThrow(/never created/)
      expect(await texts(log)).toEqual([])
      await log.close()
    })

    test('[LOG2] when the commit fails, all of the group fail, and the next write succeeds', async () => {
      const place = newPlace()
      const faulty = failing(place.open('first'))
      const log = logOn(faulty.store)
      const branch = await begin(log)
      faulty.failNext = true
      const group = await Promise.allSettled(
        ['a', 'b', 'c'].map((text) => log.write((w) => w.append(note(branch, text)))),
      )
      expect(group.every((result) => result.status === 'rejected')).toBe(true)
      await log.write((w) => w.append(note(branch, 'd')))
      expect(await texts(log)).toEqual(['d'])
      await log.close()
    })

    test('[LOG3] what was acknowledged is there after a crash, with its rows', async () => {
      const place = newPlace()
      const store = place.open('first')
      const log = logOn(store)
      const branch = await begin(log)
      for (let n = 0; n < 300; n++) await log.write((w) => w.append(note(branch, `n${n}`)))
      place.crash(store)
      const again = openLog(place)
      expect(await texts(again)).toHaveLength(300)
      const last = await again.read((reader) => lastMessage(reader, branch))
      expect(last).toMatchObject({ position: 301, ordinal: 300, tokens: 300 })
      await again.close()
    })

    test('[LOG4] a second writer is refused and told who holds the log', async () => {
      const place = newPlace()
      const log = openLog(place, 'mainstem serve')
      const refusal = catchError(() => place.open('second'))
      expect(refusal).toBeInstanceOf(LogError)
      expect(refusal).toMatchObject({ code: 'in-use' })
      expect(String(refusal)).toContain('mainstem serve')
      await log.close()
      await openLog(place, 'second').close()
    })

    test('[LOG6] an event reads the same for ever, whatever is appended after it', async () => {
      const place = newPlace()
      const log = openLog(place)
      const branch = await begin(log)
      await log.write((w) => w.append(note(branch, 'said once')))
      const before = (await all(log)).map(toLine)
      for (let n = 0; n < 20; n++) await log.write((w) => w.append(note(branch, `more ${n}`)))
      await log.close()
      const again = openLog(place)
      expect((await all(again)).map(toLine).slice(0, before.length)).toEqual(before)
      await again.close()
    })

    test('[LOG7] a work appends the same when what it reads is read again', async () => {
      const log = openLog(newPlace())
      const branch = await begin(log)
      const work = (w: Writing): Position =>
        w.append(note(branch, `after ${lastMessage(w, branch)?.ordinal}`))
      for (let n = 0; n < 50; n++) await Promise.all([log.write(work), log.write(work)])
      expect(await texts(log)).toEqual(Array.from({ length: 100 }, (_, n) => `after ${n || undefined}`))
      await log.close()
    })

    test('a work sees what it appended, and what works before it in the same commit appended', async () => {
      const log = openLog(newPlace())
      const branch = await begin(log)
      const [, seen] = await Promise.all([
        log.write((w) => w.append(note(branch, 'first'))),
        log.write((w) => {
          const before = w.end
          const position = w.append(note(branch, 'second'))
          return { before, position, head: headOf(w, branch), event: w.event(position).kind }
        }),
      ])
      expect(seen).toEqual({ before: 2, position: 3, head: 3, event: 'message-added' })
      await log.close()
    })

    test('a reader never sees what is not durable', async () => {
      const place = newPlace()
      const faulty = failing(place.open('first'))
      const log = logOn(faulty.store)
      const branch = await begin(log)
      faulty.failNext = true
      const write = log.write((w) => w.append(note(branch, 'lost')))
      expect(await log.read((reader) => reader.end)).toBe(1)
      await expect(write).rejects.toThrow()
      expect(await log.read((reader) => [reader.end, headOf(reader, branch)])).toEqual([1, null])
      await log.close()
    })

    test('writers at the same moment share a commit', async () => {
      const place = newPlace()
      const counted = failing(place.open('first'))
      const log = logOn(counted.store)
      const branch = await begin(log)
      const before = counted.commits
      await Promise.all(
        Array.from({ length: 16 }, (_, n) => log.write((w) => w.append(note(branch, `${n}`)))),
      )
      expect(counted.commits - before).toBe(1)
      await log.close()
    })

    test('a busy writer does not starve timers', async () => {
      const log = openLog(newPlace())
      const branch = await begin(log)
      const seen = { ticks: 0 }
      const timer = setInterval(() => seen.ticks++, 1)
      for (let n = 0; n < 2_000 && seen.ticks === 0; n++) await log.write((w) => w.append(note(branch, 'x')))
      clearInterval(timer)
      expect(seen.ticks).toBeGreaterThan(0)
      await log.close()
    })

    test('events are found by position, branch, kind and time', async () => {
      const log = openLog(newPlace())
      const one = await begin(log, 1)
      const two = await begin(log, 2)
      const numbers = Array.from({ length: 1_100 }, (_, n) => n)
      await log.write((w) => {
        for (const n of numbers) w.append({ ...note(n % 2 ? one : two, `${n}`), at: n })
      })
      const count = async (query: Query) => (await all(log, query)).length
      expect(await count({})).toBe(1_102)
      expect(await count({ after: 1_100 })).toBe(2)
      expect(await count({ after: 1_000, upTo: 1_050 })).toBe(50)
      expect(await count({ upTo: 100, branch: one })).toBe(50)
      expect(await count({ branch: one })).toBe(551)
      expect(await count({ kind: 'branch-created' })).toBe(2)
      expect(await count({ since: 1_000, branch: two, kind: 'message-added' })).toBe(50)
      await log.close()
    })

    test('[LOG8] a follower gets each event once and in order, those that come meanwhile too', async () => {
      const log = openLog(newPlace())
      const branch = await begin(log)
      const say = (text: string) => log.write((w) => w.append(note(branch, text)))
      await Promise.all(Array.from({ length: 1_200 }, (_, n) => say(`${n}`)))
      const seen: number[] = []
      for await (const { position } of log.follow(100, new AbortController().signal)) {
        seen.push(position)
        if (position === 700) await say('beside it')
        if (position === 1_202) void say('while it waits')
        if (position === 1_203) break
      }
      expect(seen).toEqual(Array.from({ length: 1_103 }, (_, n) => n + 101))
      await log.close()
    })

    test('[LOG8] a follower gets nothing that is not durable', async () => {
      const faulty = failing(newPlace().open('first'))
      const log = logOn(faulty.store)
      const branch = await begin(log)
      const seen = collectAfter(log, 1)
      faulty.failNext = true
      await expect(log.write((w) => w.append(note(branch, 'lost')))).rejects.toThrow()
      await log.write((w) => w.append(note(branch, 'kept')))
      await expect.poll(() => seen.events.length).toBe(1)
      expect(seen.events).toMatchObject([{ position: 2, message: { text: 'kept' } }])
      await log.close()
      await seen.ended
    })

    test('a slow follower reads the log in pages, and keeps no writer waiting', async () => {
      const pages: number[] = []
      const store = newPlace().open('first')
      const log = logOn(
        replacing(store, {
          page: (query: Query, limit: number) => {
            const page = store.page(query, limit)
            pages.push(page.length)
            return page
          },
        }),
      )
      const branch = await begin(log)
      const following = log.follow(0, new AbortController().signal)[Symbol.asyncIterator]()
      expect((await following.next()).value).toMatchObject({ position: 1 })
      await Promise.all(
        Array.from({ length: 1_500 }, (_, n) => log.write((w) => w.append(note(branch, `${n}`)))),
      )
      pages.length = 0
      for (let position = 2; position <= 1_501; position++)
        expect((await following.next()).value).toMatchObject({ position })
      expect(pages).toEqual([500, 500, 500])
      await log.close()
    })

    test('following ends when the signal aborts, and when the log closes', async () => {
      const log = openLog(newPlace())
      await begin(log)
      const stop = new AbortController()
      const [stopped, left] = [collectAfter(log, 0, stop.signal), collectAfter(log, 1)]
      await expect.poll(() => stopped.events.length).toBe(1)
      stop.abort()
      await stopped.ended
      await log.close()
      await left.ended
      expect(await collectAfter(log, 0).ended).toEqual([])
    })

    test('a closed log finishes what was asked before and refuses what comes after', async () => {
      const place = newPlace()
      const log = openLog(place)
      const branch = await begin(log)
      const last = log.write((w) => w.append(note(branch, 'just in time')))
      await log.close()
      await expect(last).resolves.toBe(2)
      await expect(log.write((w) => w.end)).rejects.toMatchObject({ code: 'closed' })
      await expect(log.read((reader) => reader.end)).rejects.toMatchObject({ code: 'closed' })
      const again = openLog(place)
      expect(await texts(again)).toEqual(['just in time'])
      await again.close()
    })
  })
}

export function note(branch: BranchId, text: string): Draft {
  const message = { role: 'note', author: { by: 'person' }, text } as const
  return { kind: 'message-added', branch, at: 1_000, v: 1, turn: null, message, tokens: 1 }
}

export async function begin(log: Log, seed = 1): Promise<BranchId> {
  const child = makeBranchId(1_000, seededRandom(seed))
  const { draft } = createBranch({ child, mode: 'main', title: null, at: 1_000, author: { by: 'person' } })
  await log.write((w) => w.append(draft))
  return child
}

export async function all(log: Log, query: Query = {}): Promise<Event[]> {
  return Array.fromAsync(log.events(query))
}

async function texts(log: Log): Promise<string[]> {
  const events = await all(log, { kind: 'message-added' })
  return events.map((event) => (event.kind === 'message-added' ? event.message.text : ''))
}

function collectAfter(log: Log, after: number, signal = new AbortController().signal) {
  const events: Event[] = []
  const follow = async (): Promise<Event[]> => {
    for await (const event of log.follow(after, signal)) events.push(event)
    return events
  }
  return { events, ended: follow() }
}

/** A store that counts its commits and fails one when told, before anything is written. */
function failing(store: Store): { store: Store; commits: number; failNext: boolean } {
  const commit = (batch: Batch): void => {
    control.commits++
    if (control.failNext) {
      control.failNext = false
      throw new LogError('full', 'no room')
    }
    store.commit(batch)
  }
  const control = { store: replacing(store, { commit }), commits: 0, failNext: false }
  return control
}

/** The store with some of its methods replaced. */
function replacing(store: Store, methods: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, property) {
      const value: unknown = Reflect.get(property in methods ? methods : target, property, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

function catchError(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return undefined
}
