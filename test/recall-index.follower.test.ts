import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../src/base/random.ts'
import { compact, planCompaction } from '../src/context/compaction.ts'
import { createBranch } from '../src/context/fork.ts'
import { contextProjections } from '../src/context/fold.ts'
import { isRefusal } from '../src/context/decision.ts'
import { makeBranchId, type BranchId } from '../src/event/id.ts'
import type { Log } from '../src/log/log.ts'
import { openMemoryLog } from '../src/log/memory.ts'
import { NONE, type TextIndex } from '../src/recall/contract/text-index.ts'
import { Follower } from '../src/recall/index/follower.ts'
import { openTextIndex } from '../src/recall/index/sqlite-index.ts'
import { temporaryFolder } from './recall-index/home.ts'

const AT = 1_700_000_000_000

describe('an index that follows a log', () => {
  test('has everything that was committed, and says how far it is behind until then', async () => {
    const { log, branch } = await newLog()
    const index = openTextIndex('memory')
    const follower = new Follower({ log, index })
    await say(log, branch, { count: 700 })
    expect(await follower.behind()).toBe(701)
    const told: [number, number][] = []
    await follower.catchUp({ batchDocuments: 16, progress: (done, all) => told.push([done, all]) })
    expect(await follower.behind()).toBe(0)
    expect(told.at(-1)).toEqual([701, 701])
    expect(told.length).toBeGreaterThan(700 / 16)
    expect(told.every(([done, all], at) => done <= all && done >= (told[at - 1]?.[0] ?? 0))).toBe(true)
    expectEach(index, 700)
    await say(log, branch, { count: 5, from: 700 })
    expect(await follower.behind()).toBe(5)
    await follower.catchUp({ batchDocuments: 16 })
    expectEach(index, 705)
    await follower.close()
  })

  test('knows who spoke, and finds what a tool was called with', async () => {
    const { log, branch } = await newLog()
    const index = openTextIndex('memory')
    const header = { v: 1, branch, at: AT } as const
    await log.write((writing) => {
      const source = { from: 'person', channel: 'tg', conversation: '1', person: 'anna', key: null } as const
      const took = writing.append({
        kind: 'inbound-admitted',
        ...header,
        source,
        form: 'message',
        text: 'hi',
        before: ['attached', 'The person replies to this message:\n<data source="message">\nquoted\n</data>'],
      })
      const reported = writing.append({
        kind: 'update-reported',
        ...header,
        source: 'mcp a',
        text: 'green',
        from: null,
        author: { by: 'policy', name: 'handed-in' },
        key: null,
      })
      const said = { kind: 'message-added', ...header, turn: null, tokens: 1 } as const
      writing.append({
        ...said,
        took,
        message: {
          role: 'user',
          text: 'lamp',
          head: '[time]',
          before: ['RECENT\n- (1 min ago, mcp a) green', 'REPORTING', 'attached', 'quoted'],
        },
        updates: { of: branch, shown: [reported] },
      })
      const calls = [{ id: 'c', tool: 'search', args: { query: 'ladders', deep: [{ size: 12 }] } }]
      writing.append({ ...said, message: { role: 'assistant', text: 'wait', calls } })
      writing.append({ ...said, message: { role: 'tool', call: 'c', tool: 'search', text: 'none' } })
      writing.append({ ...said, message: { role: 'note', author: { by: 'person' }, text: 'noted' } })
    })
    await new Follower({ log, index }).catchUp()
    expect(index.watermark).toBe(7)
    expect(index.speakers).toEqual(['mcp a', 'anna', 'assistant', 'search', 'user'])
    const found = (term: string) => Array.from(index.postings(term).documents)
    expect(['lamp', 'attach', 'quot', 'ladder', '12', 'none', 'note'].map(found)).toEqual([
      [1],
      [1],
      [1],
      [3],
      [3],
      [4],
      [5],
    ])
    expect(found('green')).toEqual([0, 2])
    for (const host of ['time', 'recent', 'report', 'repli', 'data']) expect(found(host)).toEqual([])
    expect(Array.from({ length: 4 }, (_, number) => index.columns.previous[number])).toEqual([
      NONE,
      NONE,
      NONE,
      1,
    ])
  })

  test("finds what a summary says, which is nobody's neighbour", async () => {
    const { log, branch } = await newLog()
    const index = openTextIndex('memory')
    await say(log, branch, { count: 6 })
    await log.write((writing) => {
      const plan = planCompaction(writing, { branch, keep: 2 })
      if (isRefusal(plan)) throw new Error(plan.refused)
      const texts = plan.parts.map(() => ({ text: 'ladders were bought', tokens: 1 }))
      const author = { by: 'person' } as const
      const made = compact(writing, {
        branch,
        at: AT,
        author,
        covered: plan.covered,
        texts,
        writer: 'extract',
      })
      if (isRefusal(made)) throw new Error(made.refused)
      writing.append(made.draft)
    })
    await say(log, branch, { count: 1, from: 6 })
    await new Follower({ log, index }).catchUp()
    expect(Array.from(index.postings('ladder').documents)).toEqual([6])
    const { session, previous, next, speaker } = index.columns
    expect(index.speakers[speaker[6] ?? -1]).toBe('extract')
    expect([session[6], previous[6], next[6]]).toEqual([6, NONE, NONE])
    expect([session[7], previous[7], next[5]]).toEqual([0, 5, 7])
  })

  test('reads no event twice though many ask at the same time', async () => {
    const { log, branch } = await newLog()
    const index = counting(openTextIndex('memory'))
    const follower = new Follower({ log, index })
    await say(log, branch, { count: 200 })
    await Promise.all([
      follower.catchUp({ batchDocuments: 10 }),
      follower.catchUp({ batchDocuments: 10 }),
      follower.catchUp({ batchDocuments: 10 }),
    ])
    expectEach(index, 200)
    expect(index.added).toBe(200)
    await follower.close()
  })

  test('lets others run between its batches, and stops after one when it is told to', async () => {
    const { log, branch } = await newLog()
    await say(log, branch, { count: 400 })
    for (const stop of ['close', 'signal'] as const) {
      const index = openTextIndex('memory')
      const follower = new Follower({ log, index })
      const controller = new AbortController()
      const run = follower.catchUp({ batchDocuments: 10, signal: controller.signal })
      while (index.watermark === 0) await new Promise(setImmediate)
      if (stop === 'signal') controller.abort()
      else await follower.close()
      await run
      expect(index.watermark).toBeGreaterThan(0)
      expect(index.watermark).toBeLessThan(100)
      await follower.close()
    }
  })

  test('goes on where another process stopped', async () => {
    const { log, branch } = await newLog()
    const file = join(temporaryFolder(), 'recall.db')
    await say(log, branch, { count: 300 })
    const handles = [openTextIndex({ file }), openTextIndex({ file })]
    await Promise.all(handles.map((index) => new Follower({ log, index }).catchUp({ batchDocuments: 7 })))
    for (const index of handles) {
      expect(index.watermark).toBe(301)
      expectEach(index, 300)
      index.close()
    }
  })

  test.each([
    ['a shorter one', 3],
    ['a longer one', 30],
  ])('is made anew when the home has another log: %s', async (_, count) => {
    const file = join(temporaryFolder(), 'recall.db')
    const first = await newLog()
    await say(first.log, first.branch, { count: 10 })
    const index = openTextIndex({ file })
    await new Follower({ log: first.log, index }).catchUp()
    index.close()
    const other = await newLog(2)
    await say(other.log, other.branch, { count, from: 1_000 })
    const again = openTextIndex({ file })
    const follower = new Follower({ log: other.log, index: again })
    expect(await follower.behind()).toBe(count + 1)
    await follower.catchUp()
    expect(again.branches).toEqual([other.branch])
    expect(again.postings('w1').documents).toHaveLength(0)
    expectEach(again, count, 1_000)
    again.close()
  })

  test('begins again when the index is lost while it is made', async () => {
    const { log, branch } = await newLog()
    const index = openTextIndex('memory')
    await say(log, branch, { count: 100 })
    const follower = new Follower({ log, index })
    let lost = 0
    await follower.catchUp({
      batchDocuments: 10,
      progress: (done) => {
        if (done > 50 && lost++ === 0) index.clear()
      },
    })
    expect(lost).toBeGreaterThan(0)
    expect(index.watermark).toBe(101)
    expectEach(index, 100)
  })
})

async function newLog(seed = 1): Promise<{ log: Log; branch: BranchId }> {
  const log = openMemoryLog({ projections: contextProjections })
  const branch = makeBranchId(AT, seededRandom(seed))
  const author = { by: 'person' } as const
  await log.write((writing) =>
    writing.append(createBranch({ child: branch, mode: 'main', title: null, at: AT, author }).draft),
  )
  return { log, branch }
}

/** Messages with a word of their own each: w0, w1, … */
async function say(
  log: Log,
  branch: BranchId,
  { count, from = 0 }: { count: number; from?: number },
): Promise<void> {
  await log.write((writing) => {
    for (let n = from; n < from + count; n++) {
      const message = { role: 'user', text: `lamp w${n}` } as const
      writing.append({ v: 1, kind: 'message-added', branch, at: AT, turn: null, message, tokens: 1 })
    }
  })
}

function expectEach(index: TextIndex, count: number, from = 0): void {
  const found = Array.from({ length: count }, (_, n) => Array.from(index.postings(`w${from + n}`).documents))
  expect(found).toEqual(Array.from({ length: count }, (_, n) => [n]))
}

/** An index that counts what it is given. */
function counting(index: TextIndex): TextIndex & { readonly added: number } {
  let added = 0
  return new Proxy(index, {
    get: (_, name) => {
      if (name === 'added') return added
      if (name === 'add') {
        return (...[documents, to]: Parameters<TextIndex['add']>) => {
          added += documents.length
          index.add(documents, to)
        }
      }
      const value: unknown = Reflect.get(index, name, index)
      return typeof value === 'function' ? value.bind(index) : value
    },
  }) as TextIndex & { readonly added: number }
}
