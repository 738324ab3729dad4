import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../../test/cli/run.ts'
import { nearestSigns } from './sign-scan.ts'
import { documentPlaces, openVectors, vectorsFile, type VectorsOptions } from './sqlite-vectors.ts'
import type { Vectors } from '../contract/embedder.ts'
import { rounds } from '../../../test/rounds.ts'

const DIMENSIONS = 40
const ONE_PLACE = (document: number) => document + 1

function open(place: VectorsOptions['place'], changes: Partial<VectorsOptions> = {}): Vectors {
  return openVectors({
    place,
    embedder: { id: 'test-1', dimensions: DIMENSIONS },
    places: () => ONE_PLACE,
    ...changes,
  })
}

function inFolder(): { readonly file: string; readonly list: string } {
  const file = join(tempFolder(), 'recall.db')
  return { file, list: vectorsFile(file) }
}

/** An endless sequence of numbers, the same in every run. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32 - 0.5
  }
}

function vector(seed: number, dimensions = DIMENSIONS): Float32Array {
  const next = numbers(seed * 7_919 + 1)
  const values = Float32Array.from({ length: dimensions }, next)
  const length = Math.hypot(...values)
  return values.map((value) => value / length)
}

function many(from: number, to: number): Float32Array[] {
  return Array.from({ length: to - from }, (_, at) => vector(from + at))
}

function all(count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, document) => document)
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
}

describe.each([
  ['in memory', (): VectorsOptions['place'] => 'memory'],
  ['in a file', inFolder],
])('%s', (_, place) => {
  test('cosines are those of the vectors, up to the rounding of a byte', () => {
    const vectors = open(place())
    vectors.add(many(0, 20_000))
    const query = vector(5_000_000)
    const cosines = vectors.cosines(query, all(20_000))
    for (const [at, value] of cosines.entries())
      expect(Math.abs(value - dot(query, vector(at)))).toBeLessThan(0.01)
    const [same] = vectors.cosines(vector(17), Uint32Array.of(17))
    expect(same).toBeCloseTo(1, 3)
    vectors.close()
  })

  test('a document without a vector has no cosine, and one of zeros has 0', () => {
    const vectors = open(place())
    expect([...vectors.cosines(vector(1), Uint32Array.of(0))]).toEqual([Number.NaN])
    vectors.add([vector(1), new Float32Array(DIMENSIONS)])
    expect([...vectors.cosines(vector(1), Uint32Array.of(2, 1, 9_999_999)).keys()]).toHaveLength(3)
    expect([...vectors.cosines(vector(1), Uint32Array.of(2, 1))]).toEqual([Number.NaN, 0])
    vectors.close()
  })

  test('the nearest are the likest by sign, among those that may be', () => {
    const vectors = open(place())
    vectors.add(many(0, 300))
    expect(vectors.nearest(vector(200), 3, () => true)[0]).toBe(200)
    vectors.add(many(300, 20_000))
    expect(vectors.nearest(vector(19_999), 3, () => true)[0]).toBe(19_999)
    const even = vectors.nearest(vector(200), 5, (document) => document % 2 === 1)
    expect(even).toHaveLength(5)
    for (const document of even) expect(document % 2).toBe(1)
    expect(vectors.nearest(vector(1), 0, () => true)).toHaveLength(0)
    expect(vectors.nearest(new Float32Array(DIMENSIONS), 3, () => true)).toHaveLength(0)
    vectors.close()
  })

  test('what was added meanwhile is left out, and after a gap nothing is added', () => {
    const vectors = open(place())
    vectors.add(many(0, 10))
    vectors.add(many(5, 12), 5)
    expect(vectors.count).toBe(12)
    vectors.add(many(20, 30), 20)
    vectors.add(many(3, 6), 3)
    expect(vectors.count).toBe(12)
    const cosines = vectors.cosines(vector(11), all(12))
    expect(cosines[11]).toBeCloseTo(1, 3)
    vectors.close()
  })

  test('vectors of other documents are dropped as soon as one of them is met', () => {
    let shift = 0
    const vectors = open(place(), { places: () => (document) => document + 1 + shift })
    vectors.add(many(0, 10))
    shift = 1
    expect(vectors.count).toBe(10)
    expect([...vectors.cosines(vector(1), all(2))]).toEqual([Number.NaN, Number.NaN])
    expect(vectors.count).toBe(0)
    expect(vectors.nearest(vector(1), 3, () => true)).toHaveLength(0)
    vectors.add(many(50, 60))
    expect(vectors.nearest(vector(51), 3, () => true)[0]).toBe(1)
    expect(vectors.cosines(vector(51), Uint32Array.of(1))[0]).toBeCloseTo(1, 3)
    vectors.close()
  })

  test('a document that the index does not have is not compared, and nothing is dropped for it', () => {
    const vectors = open(place(), { places: () => (document) => (document < 3 ? document + 1 : undefined) })
    vectors.add(many(0, 5))
    const [known, unknown] = vectors.cosines(vector(1), Uint32Array.of(1, 4))
    expect(known).toBeCloseTo(1, 3)
    expect(unknown).toBeNaN()
    expect(vectors.count).toBe(5)
    vectors.close()
  })

  test('a vector of another length is a bug', () => {
    const vectors = open(place())
    expect(() => vectors.add([new Float32Array(3)])).toThrow('a vector has the dimensions of its embedder')
    vectors.close()
  })
})

test('numbers that are none do no harm', () => {
  const vectors = open('memory')
  vectors.add([vector(1).fill(Number.NaN), vector(2).fill(Infinity), vector(3)])
  expect([...vectors.cosines(vector(3), all(3))].map((value) => Math.round(value))).toEqual([0, 0, 1])
})

describe('a file of vectors', () => {
  test('lies beside that of the index', () =>
    expect(vectorsFile('/home/recall.db')).toBe('/home/recall-vectors.db'))

  test('is there for its owner alone, and again after a restart', () => {
    const place = inFolder()
    const first = open(place)
    first.add(many(0, 1_000))
    first.close()
    for (const name of readdirSync(join(place.file, '..')))
      expect(statSync(join(place.file, '..', name)).mode & 0o077).toBe(0)
    const again = open(place)
    expect(again.count).toBe(1_000)
    expect(again.cosines(vector(999), Uint32Array.of(999))[0]).toBeCloseTo(1, 3)
    expect(again.nearest(vector(999), 1, () => true)[0]).toBe(999)
    again.close()
  })

  test('is shared: each sees what the other adds and drops', () => {
    const place = inFolder()
    let shift = 0
    const [one, other] = [open(place), open(place, { places: () => (document) => document + 1 + shift })]
    one.add(many(0, 100))
    expect(other.count).toBe(100)
    expect(other.nearest(vector(42), 1, () => true)[0]).toBe(42)
    other.add(many(100, 40_000), 100)
    one.add(many(90, 40_010), 90)
    expect(one.count).toBe(40_010)
    expect(one.nearest(vector(40_009), 1, () => true)[0]).toBe(40_009)
    expect(other.cosines(vector(40_009), Uint32Array.of(40_009))[0]).toBeCloseTo(1, 3)
    shift = 5
    other.cosines(vector(1), Uint32Array.of(1))
    expect(one.count).toBe(0)
    one.add(many(7, 9))
    expect(one.nearest(vector(8), 1, () => true)[0]).toBe(1)
    one.close()
    other.close()
  })

  test('keeps embedders apart, and loses what another one left when it is swept', () => {
    const place = inFolder()
    const old = open(place)
    old.add(many(0, 100))
    const fresh = open(place, { embedder: { id: 'test-2', dimensions: 8 } })
    expect(fresh.count).toBe(0)
    fresh.add([vector(1, 8)])
    expect([old.count, fresh.count]).toEqual([100, 1])
    const left = () => readdirSync(join(place.file, '..')).filter((name) => /\.(?:rows|signs)$/.test(name))
    expect(left()).toHaveLength(4)
    fresh.sweep?.()
    expect(left()).toHaveLength(2)
    expect([old.count, fresh.count]).toEqual([0, 1])
    old.add(many(0, 3))
    expect([old.count, fresh.count]).toEqual([3, 1])
    old.close()
    fresh.close()
  })

  test('lets the vectors of the last revision serve until as many new ones are made', () => {
    const place = inFolder()
    const old = open(place, { embedder: { id: 'test-1', dimensions: DIMENSIONS } })
    old.add(many(0, 20))
    old.close()
    const fresh = open(place, { embedder: { id: 'test-2', before: 'test-1', dimensions: DIMENSIONS } })
    const query = vector(7)
    const found = () => [...fresh.cosines(query, all(20))].filter((cosine) => !Number.isNaN(cosine)).length
    expect([fresh.count, found(), fresh.nearest(query, 1, () => true)[0]]).toEqual([0, 20, 7])
    fresh.add(many(100, 119))
    expect([fresh.count, found(), fresh.nearest(query, 1, () => true)[0]]).toEqual([19, 20, 7])
    fresh.add([vector(7)])
    expect([fresh.count, found(), fresh.nearest(query, 1, () => true)[0]]).toEqual([20, 20, 19])
    fresh.sweep?.()
    expect(found()).toBe(20)
    fresh.close()
  })

  test('that is damaged is made anew, without what it had', () => {
    const place = inFolder()
    const one = open(place)
    one.add(many(0, 100))
    one.close()
    writeFileSync(place.list, 'no database at all, but long enough to be one'.repeat(400))
    const again = open(place)
    expect(again.count).toBe(0)
    again.add(many(0, 7))
    expect(again.cosines(vector(6), Uint32Array.of(6))[0]).toBeCloseTo(1, 3)
    again.close()
  })

  test('that is damaged while it is open is made anew', () => {
    const place = inFolder()
    const writer = open(place)
    writer.add(many(0, 10))
    writer.close()
    const vectors = open(place)
    const bytes = readFileSync(place.list)
    writeFileSync(place.list, bytes.fill(0xff, 4_096), { flag: 'r+' })
    expect(vectors.count).toBe(0)
    vectors.add(many(0, 7))
    expect(vectors.cosines(vector(6), Uint32Array.of(6))[0]).toBeCloseTo(1, 3)
    vectors.close()
  })

  test('that another process began anew is taken in its new form', () => {
    const place = inFolder()
    const one = open(place)
    one.add(many(0, 100))
    for (const name of readdirSync(join(place.file, '..'))) rmSync(join(place.file, '..', name))
    const other = open(place)
    other.add(many(0, 7))
    expect(one.count).toBe(7)
    expect(one.cosines(vector(6), Uint32Array.of(6))[0]).toBeCloseTo(1, 3)
    one.close()
    other.close()
  })

  test.each<[string, (rows: string) => void]>([
    ['cut short', (rows) => truncateSync(rows, 1_000)],
    ['removed', (rows) => rmSync(rows)],
    ['overwritten', (rows) => writeFileSync(rows, new Uint8Array(statSync(rows).size))],
  ])('whose vectors were %s begins anew', (_, damage) => {
    const place = inFolder()
    const vectors = open(place)
    vectors.add(many(0, 100))
    vectors.close()
    damage(`${place.list}-1.rows`)
    const again = open(place)
    expect(again.cosines(vector(99), Uint32Array.of(99))[0]).toBeNaN()
    expect(again.count).toBe(0)
    again.add(many(0, 100))
    expect(again.cosines(vector(99), Uint32Array.of(99))[0]).toBeCloseTo(1, 3)
    again.close()
  })

  test("that is somebody else's is left alone", () => {
    const place = inFolder()
    const db = new DatabaseSync(place.list)
    db.exec('CREATE TABLE notes(text TEXT)')
    db.close()
    expect(() => open(place)).toThrow(`${place.list} was not written by mainstem. Move it away`)
  })

  test('that cannot be made is told as such', () => {
    const file = join(tempFolder(), 'missing', 'recall.db')
    expect(() => open({ file })).toThrow(
      /could not write the search index .*: ENOENT.*Check that the directory exists/,
    )
  })
})

test('places tell documents of an index apart', () => {
  const columns = { count: 3, position: Uint32Array.of(7, 7, 8), part: Uint8Array.of(0, 1, 0) }
  const placeOf = documentPlaces({ columns } as never)()
  expect([0, 1, 2, 3].map(placeOf)).toEqual([1_792, 1_793, 2_048, undefined])
})

test('a scan finds what comparing every document would, the earlier of two alike first', () => {
  const words = fc.constantFrom(4, 12)
  fc.assert(
    fc.property(
      words,
      fc.nat(60),
      fc.nat(20),
      fc.integer({ min: 1, max: 9 }),
      fc.nat(),
      (words, count, ...[limit, blockDocuments, seed]) => {
        const next = numbers(seed)
        // Few bits, so that many are equal.
        const some = () =>
          Uint32Array.from({ length: words }, () =>
            next() > 0.2 ? 0x8000_0001 : next() > 0 ? 0xffff_0000 : 0,
          )
        const documents = Array.from({ length: count }, some)
        const query = some()
        const blocks = []
        for (let from = 0; from < count; from += blockDocuments) {
          const block = new Uint32Array(blockDocuments * words).fill(0)
          for (const [at, bits] of documents.slice(from, from + blockDocuments).entries())
            block.set(bits, at * words)
          blocks.push(block)
        }
        const distance = (document: number) =>
          query.reduce((sum, word, at) => sum + bitsIn((word ^ (documents[document]?.[at] ?? 0)) >>> 0), 0)
        const expected = documents
          .map((_, document) => document)
          .filter(mayBe)
          .toSorted((a, b) => distance(a) - distance(b) || a - b)
          .slice(0, limit)
        const found = nearestSigns({ blocks, count, blockDocuments, words }, { query, limit, mayBe })
        expect([...found]).toEqual(expected)
      },
    ),
    { numRuns: rounds(500) },
  )
})

function mayBe(document: number): boolean {
  return document % 3 !== 1
}

function bitsIn(word: number): number {
  return word.toString(2).replaceAll('0', '').length
}
