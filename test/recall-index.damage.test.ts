import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { IndexError } from '../src/recall/contract/index-error.ts'
import { openTextIndex } from '../src/recall/index/sqlite-index.ts'
import type { TextIndex } from '../src/recall/contract/text-index.ts'
import { plain, temporaryFolder } from './recall-index/home.ts'

const DOCUMENTS = 3_000
const PAGE_BYTES = 4_096

describe('what is in the place of an index', () => {
  test.each([
    ['garbage', (file: string) => writeFileSync(file, 'no index at all, '.repeat(500))],
    ['a directory', (file: string) => mkdirSync(file)],
    ["somebody else's database", (file: string) => foreign(file)],
  ])('is kept under another name: %s', (_, put) => {
    const folder = temporaryFolder()
    const file = join(folder, 'recall.db')
    for (const names of [['recall.db.set-aside'], ['recall.db.set-aside', 'recall.db.set-aside-2']]) {
      put(file)
      worksFromTheBeginning(file)
      expect(readdirSync(folder).filter((name) => name !== 'recall.db')).toEqual(names)
      rmSync(file)
    }
  })

  test('is used when it is empty', () => {
    const file = join(temporaryFolder(), 'recall.db')
    writeFileSync(file, '')
    worksFromTheBeginning(file)
  })

  test('is made anew when it is of another version', () => {
    const file = join(temporaryFolder(), 'recall.db')
    fill(file)
    const db = new DatabaseSync(file)
    db.exec("UPDATE state SET version = 'older'; DROP TABLE block")
    db.close()
    worksFromTheBeginning(file)
  })

  test('a program of another version that takes it over does not disturb one that uses it', () => {
    const file = join(temporaryFolder(), 'recall.db')
    fill(file)
    const index = openTextIndex({ file })
    expect(index.columns.count).toBe(DOCUMENTS)
    const db = new DatabaseSync(file)
    db.exec("UPDATE state SET version = 'newer'; DROP TABLE posting; DROP TABLE block")
    db.close()
    expect(Array.from(index.postings('lamp').documents)).toEqual([])
    expect(index.watermark).toBe(0)
    addAll(index)
    index.close()
    const other = new DatabaseSync(file)
    expect(other.prepare('SELECT version FROM state').get()).toMatchObject({ version: 'newer' })
    other.close()
  })
})

describe('a damaged index', () => {
  test('is made anew, wherever it was cut off', () => {
    for (const share of [0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99]) {
      const file = join(temporaryFolder(), 'recall.db')
      fill(file)
      truncateSync(file, Math.floor(statSync(file).size * share))
      recovers(file)
    }
  })

  test('is made anew, whichever page was overwritten', () => {
    const file = join(temporaryFolder(), 'recall.db')
    fill(file)
    const pages = statSync(file).size / PAGE_BYTES
    for (let page = 0; page < pages; page += Math.ceil(pages / 25)) {
      overwrite(file, page)
      recovers(file)
      rmSync(file)
      fill(file)
    }
  })

  test('is made anew when its columns are not what was written', () => {
    const file = join(temporaryFolder(), 'recall.db')
    fill(file)
    const db = new DatabaseSync(file)
    db.exec('UPDATE block SET columns = zeroblob(length(columns)) WHERE number = 3')
    db.close()
    const index = openTextIndex({ file })
    expect(index.columns.count).toBe(0)
    addAll(index)
    index.close()
  })

  test('is noticed while it is used, and says nothing until it is whole again', () => {
    const file = join(temporaryFolder(), 'recall.db')
    fill(file)
    const index = openTextIndex({ file })
    const size = statSync(file).size
    for (let page = 1; page < size / PAGE_BYTES; page++) overwrite(file, page)
    expect(Array.from(index.postings('lamp').documents)).toEqual([])
    expect(index.watermark).toBe(0)
    expect(index.columns.count).toBe(0)
    addAll(index)
    index.close()
  })
})

test('where nothing can be written, an error says so, and an index in memory works', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'file'), '')
  for (const file of [join(folder, 'file', 'recall.db'), join(folder, 'missing', 'recall.db')]) {
    const error = thrownBy(() => openTextIndex({ file }))
    expect(error).toBeInstanceOf(IndexError)
    expect(error).toMatchObject({ code: 'unwritable' })
    expect((error as Error).message).toContain(file)
  }
  const index = openTextIndex('memory')
  addAll(index)
  index.close()
})

test('an index can be told to forget everything, and others who use it notice', () => {
  const file = join(temporaryFolder(), 'recall.db')
  fill(file)
  const [one, other] = [openTextIndex({ file }), openTextIndex({ file })]
  expect(other.postings('lamp').documents).toHaveLength(DOCUMENTS)
  one.clear()
  // What follows the documents that are gone must not come to stand at the beginning.
  other.add([plain(DOCUMENTS + 1, 'lamp')], DOCUMENTS + 1)
  expect([one.watermark, other.watermark]).toEqual([0, 0])
  expect([one.columns.count, other.columns.count]).toEqual([0, 0])
  one.add([plain(1, 'lamp')], 1)
  expect(other.watermark).toBe(1)
  expect(Array.from(other.postings('lamp').documents)).toEqual([0])
  one.close()
  other.close()
})

test('the file can be read by its owner alone', () => {
  const file = join(temporaryFolder(), 'recall.db')
  fill(file)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('whoever adds what another added already changes nothing', () => {
  const file = join(temporaryFolder(), 'recall.db')
  const [one, other] = [openTextIndex({ file }), openTextIndex({ file })]
  const documents = [1, 2, 3, 4].map((position) => plain(position, `lamp w${position}`))
  one.add(documents.slice(0, 3), 3)
  other.add(documents.slice(0, 2), 2)
  expect(other.watermark).toBe(3)
  other.add(documents, 4)
  for (const index of [one, other]) {
    expect(index.watermark).toBe(4)
    expect(Array.from(index.columns.position.subarray(0, index.columns.count))).toEqual([1, 2, 3, 4])
    expect(Array.from(index.postings('lamp').documents)).toEqual([0, 1, 2, 3])
    index.close()
  }
})

function fill(file: string): void {
  const index = openTextIndex({ file })
  addAll(index)
  index.close()
}

function addAll(index: TextIndex): void {
  const documents = Array.from({ length: DOCUMENTS }, (_, n) => plain(n + 1, `lamp w${n + 1} t${n % 50}`))
  const missing = documents.filter(({ position }) => position > index.watermark)
  for (let from = 0; from < missing.length; from += 500) {
    const batch = missing.slice(from, from + 500)
    index.add(batch, batch.at(-1)?.position ?? 0)
  }
  expect(index.watermark).toBe(DOCUMENTS)
  expect(Array.from(index.postings('lamp').documents)).toEqual(documents.map((_, number) => number))
  expect(Array.from(index.postings(`w${DOCUMENTS}`).documents)).toEqual([DOCUMENTS - 1])
}

function worksFromTheBeginning(file: string): void {
  const index = openTextIndex({ file })
  expect(index.watermark).toBe(0)
  expect(index.columns.count).toBe(0)
  addAll(index)
  index.close()
}

/** Whatever is asked, nothing throws, and in the end everything is found. */
function recovers(file: string): void {
  const index = openTextIndex({ file })
  for (let n = 0; n < 50; n++) index.postings(`t${n}`)
  expect(index.columns.count).toBeGreaterThanOrEqual(0)
  index.near('lampp')
  addAfterLoss(index)
  index.close()
}

/** Adding may be what meets the damage; then it is done again. */
function addAfterLoss(index: TextIndex): void {
  const documents = Array.from({ length: DOCUMENTS + 10 }, (_, n) =>
    plain(n + 1, `lamp w${n + 1} t${n % 50}`),
  )
  for (let tries = 0; index.watermark < documents.length && tries < 3; tries++) {
    index.add(documents.slice(index.watermark), documents.length)
  }
  expect(index.watermark).toBe(documents.length)
}

function overwrite(file: string, page: number): void {
  const handle = openSync(file, 'r+')
  writeSync(handle, Buffer.alloc(PAGE_BYTES, 0xa5), 0, PAGE_BYTES, page * PAGE_BYTES)
  closeSync(handle)
}

function foreign(file: string): void {
  const db = new DatabaseSync(file)
  db.exec('CREATE TABLE state(id INTEGER); INSERT INTO state VALUES (7)')
  db.close()
}

function thrownBy(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return undefined
}
