import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../../test/cli/run.ts'
import { createBranch } from '../../context/fork.ts'
import { isRefusal } from '../../context/decision.ts'
import { addMessage } from '../../context/step.ts'
import { type BranchId, makeBranchId } from '../../event/id.ts'
import type { Log } from '../../log/log.ts'
import { openMemoryLog } from '../../log/memory.ts'
import { openForWriting, projections } from '../../runtime/home/open-log.ts'
import type { Embedder } from '../contract/embedder.ts'
import { Follower } from '../index/follower.ts'
import { openTextIndex } from '../index/sqlite-index.ts'
import { documentPlaces, openVectors } from './sqlite-vectors.ts'
import { staticEncoder } from './static-encoder.ts'
import { VectorFollower } from './vector-follower.ts'

const CHILD = fileURLToPath(new URL('../../../test/recall/vectors-process.ts', import.meta.url))
const AT = 1_700_000_000_000
const encoder = staticEncoder()

async function branchIn(log: Log): Promise<BranchId> {
  const child = makeBranchId(AT, () => 7)
  const author = { by: 'person' } as const
  await log.write((writing) =>
    writing.append(createBranch({ child, mode: 'fork', title: null, at: AT, author }).draft),
  )
  return child
}

async function say(log: Log, branch: BranchId, texts: readonly string[]): Promise<void> {
  await log.write((writing) => {
    for (const text of texts) {
      const added = addMessage(writing, { branch, at: AT, message: { role: 'user', text }, tokens: 1 })
      if (isRefusal(added)) throw new Error(added.refused)
      writing.append(added.draft)
    }
  })
}

function texts(count: number): string[] {
  return Array.from(
    { length: count },
    (_, at) => `message ${at} is about ${['cats', 'ports', 'trains'][at % 3]}`,
  )
}

async function rig(embedder: Embedder = encoder) {
  const log = openMemoryLog({ projections })
  const branch = await branchIn(log)
  const index = openTextIndex('memory')
  const vectors = openVectors({ place: 'memory', embedder, places: documentPlaces(index) })
  const follower = new VectorFollower({ log, index, vectors, embedder })
  const words = new Follower({ log, index })
  return {
    vectors,
    follower,
    index,
    say: async (...said: string[]) => {
      await say(log, branch, said)
      await words.catchUp()
    },
  }
}

describe('following', () => {
  test('gives every document the vector of its own text', async () => {
    const { say, follower, vectors, index } = await rig()
    await say(...texts(700))
    expect(follower.behind()).toBe(700)
    const seen: string[] = []
    await follower.catchUp({ progress: (done, all) => seen.push(`${done}/${all}`) })
    expect(seen).toEqual(['256/700', '512/700', '700/700'])
    expect([follower.behind(), vectors.count, index.columns.count]).toEqual([0, 700, 700])
    for (const at of [0, 1, 255, 256, 699]) {
      const [cosine] = vectors.cosines(encoder.encode(texts(700)[at] ?? ''), Uint32Array.of(at))
      expect(cosine).toBeGreaterThan(0.999)
    }
    await say('one more')
    expect(follower.behind()).toBe(1)
    await follower.catchUp()
    expect(vectors.cosines(encoder.encode('one more'), Uint32Array.of(700))[0]).toBeGreaterThan(0.999)
  })

  test('lets others work between two batches, and stops when it is told to', async () => {
    const { say, follower, vectors } = await rig()
    await say(...texts(2_000))
    const stop = new AbortController()
    let turns = 0
    const beside = setInterval(() => turns++, 0)
    const progress = (done: number) => {
      if (done >= 1_024) stop.abort()
    }
    await follower.catchUp({ signal: stop.signal, progress })
    clearInterval(beside)
    expect(vectors.count).toBe(1_024)
    expect(turns).toBeGreaterThan(1)
    await follower.catchUp()
    expect(follower.behind()).toBe(0)
  })

  test('takes as many texts at once as the embedder likes, and each only once', async () => {
    const sizes: number[] = []
    const small: Embedder = {
      ...encoder,
      batchMax: 3,
      embed: (batch) => {
        sizes.push(batch.length)
        return encoder.embed(batch)
      },
    }
    const { say, follower } = await rig(small)
    await say(...texts(8))
    await Promise.all([follower.catchUp(), follower.catchUp()])
    expect(sizes).toEqual([3, 3, 2])
  })

  test('a failure is told to who asked, and the next one goes on', async () => {
    let isBroken = true
    const { say, follower } = await rig({
      ...encoder,
      embed: (batch) => (isBroken ? Promise.reject(new Error('no such model')) : encoder.embed(batch)),
    })
    await say('a', 'b')
    await expect(follower.catchUp()).rejects.toThrow('no such model')
    isBroken = false
    await follower.catchUp()
    expect(follower.behind()).toBe(0)
  })

  test('ends soon when it is closed', async () => {
    const { say, follower, vectors } = await rig()
    await say(...texts(2_000))
    const running = follower.catchUp()
    await follower.close()
    await running
    expect(vectors.count).toBeLessThan(2_000)
  })
})

test('whoever dies in the middle, the next one goes on where it was and makes all of it', async () => {
  const home = join(tempFolder(), 'home')
  mkdirSync(home)
  const log = openForWriting({ home, command: 'test' })
  await say(log, await branchIn(log), texts(1_000))
  await log.close()
  let before = 0
  for (const killAt of [50, 300, 700]) {
    const reached = await follow(home, killAt)
    expect(reached).toBeGreaterThanOrEqual(killAt)
    expect(reached).toBeGreaterThan(before)
    before = reached
  }
  expect(await follow(home)).toBe(1_000)
  const vectors = openVectors({
    place: { file: join(home, 'recall.db') },
    embedder: encoder,
    places: () => (document) => ((document + 2) * 256) >>> 0,
  })
  onTestFinished(() => vectors.close())
  expect(vectors.count).toBe(1_000)
  for (const [at, text] of texts(1_000).entries())
    expect(vectors.cosines(encoder.encode(text), Uint32Array.of(at))[0]).toBeGreaterThan(0.999)
  expect(vectors.nearest(encoder.encode('message 77 is about trains'), 20, () => true)).toContain(77)
})

/**
 * Runs a process that makes vectors batch by batch, and kills it during the batch after `killAt` vectors. Resolves with
 * the number it reported.
 */
async function follow(home: string, killAt = Number.POSITIVE_INFINITY): Promise<number> {
  const child = spawn(process.execPath, [CHILD, home], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.on('error', () => undefined)
  const closed = once(child, 'close')
  let reached = 0
  child.stdin.write('go\n')
  for await (const line of createInterface({ input: child.stdout })) {
    reached = Number(line)
    child.stdin.write('go\n')
    if (reached < killAt) continue
    child.kill('SIGKILL')
    break
  }
  await closed
  return reached
}
