import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openTextIndex } from '../src/recall/index/sqlite-index.ts'
import type { TextIndex } from '../src/recall/contract/text-index.ts'
import { termsOf } from '../src/recall/words/words.ts'
import { temporaryFolder } from './recall-index/home.ts'
import { madeUp } from './recall-index/made-up.ts'
import { saidBy } from './recall-index/naive.ts'

const INDEXER = fileURLToPath(new URL('recall-index/indexer.ts', import.meta.url))
const DOCUMENTS = 60_000
const KILLS = 6
const documents = madeUp(DOCUMENTS)
const terms = [...new Set(documents.flatMap(({ text }) => termsOf(text)))]

test('an index whose process died of `kill -9` is whole up to where it came, and goes on from there', async () => {
  const file = join(temporaryFolder(), 'recall.db')
  let watermark = 0
  let killed = 0
  for (let kill = 0; kill < KILLS; kill++) {
    if (await isKilled(file, kill * 30)) killed++
    const index = openTextIndex({ file })
    expect(index.watermark).toBeGreaterThan(watermark)
    watermark = index.watermark
    expectWhole(index, watermark)
    index.close()
  }
  expect(killed).toBeGreaterThan(1)
})

test('processes that index the same log at the same time make one index', async () => {
  const file = join(temporaryFolder(), 'recall.db')
  const count = 3_000
  const ends = await Promise.all([1, 2, 3].map(() => run(file, count)))
  expect(ends).toEqual(['', '', ''])
  const index = openTextIndex({ file })
  expect(index.watermark).toBe(count)
  expectWhole(index, count)
  index.close()
})

function expectWhole(index: TextIndex, count: number): void {
  const reference = openTextIndex('memory')
  if (count > 0) reference.add(documents.slice(0, count), count)
  expect(saidBy(index, terms)).toEqual(saidBy(reference, terms))
  expect(index.near('w1')).toEqual(reference.near('w1'))
  reference.close()
}

/** False when it was ready before. */
async function isKilled(file: string, lifeMs: number): Promise<boolean> {
  const child = spawn(process.execPath, [INDEXER, file, String(DOCUMENTS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close')
  await Promise.race([once(child.stdout, 'data'), closed])
  await sleep(lifeMs)
  child.kill('SIGKILL')
  const [, signal] = (await closed) as [number | null, NodeJS.Signals | null]
  return signal === 'SIGKILL'
}

/** What it complained of. */
async function run(file: string, count: number): Promise<string> {
  const child = spawn(process.execPath, [INDEXER, file, String(count)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  await once(child, 'close')
  return errors
}
