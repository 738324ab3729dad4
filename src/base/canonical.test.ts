import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson, wellFormed } from './canonical.ts'
import type { Json, JsonObject } from './json.ts'

/** Whole characters, and halves of them, which come together by chance. */
const unit = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
  { weight: 1, arbitrary: fc.constantFrom('\uD83D', '\uDE00', '\uD800', '\uDFFF') },
)
const text = fc.string({ unit, maxLength: 6 })
/** Keys that an object would put first, and keys that are no keys elsewhere. */
const key = fc.oneof(
  text,
  fc.constantFrom('1', '10', '9', '01', '-1', '__proto__', 'constructor', 'toJSON', ''),
)
const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.constantFrom<Json>(null, true, false, 0, 1e21, 1e-7, 0.1, -5),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
})).value

function shuffled(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(shuffled)
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, inner]) => [name, shuffled(inner)]),
  )
}

describe('canonical JSON', () => {
  test('has its keys in order at every depth, and the entries of arrays where they stood', () => {
    const value: Json = { b: [{ d: 1, c: 2 }, [3, 1, 2]], a: { z: null, y: { x: true, w: false } } }
    expect(canonicalJson(value)).toBe('{"a":{"y":{"w":false,"x":true},"z":null},"b":[{"c":2,"d":1},[3,1,2]]}')
  })

  test('orders keys by their UTF-16 code units, those that look like numbers too', () => {
    const names = ['9', '10', '1', 'b', 'B', 'ä', '漢', '😀', '\uFB33', '']
    const value = Object.fromEntries(names.map((name) => [name, 0]))
    expect(canonicalJson(value)).toBe('{"":0,"1":0,"10":0,"9":0,"B":0,"b":0,"ä":0,"漢":0,"😀":0,"\uFB33":0}')
  })

  test('keeps a key named __proto__', () =>
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"d":1,"c":2}}') as Json)).toBe(
      '{"__proto__":{"c":2,"d":1},"b":1}',
    ))

  test('leaves out what is not there', () =>
    expect(canonicalJson({ b: undefined, a: 1 } as unknown as Json)).toBe('{"a":1}'))

  test('is the same text for any order of keys, and comes back as the same value', () =>
    fc.assert(
      fc.property(json, (value) => {
        const written = canonicalJson(value)
        expect(canonicalJson(shuffled(value))).toBe(written)
        expect(canonicalJson(JSON.parse(written) as Json)).toBe(written)
        expect(JSON.stringify(shuffled(JSON.parse(written) as Json))).toBe(
          JSON.stringify(shuffled(sameAs(value))),
        )
      }),
    ))

  test('differs where values differ', () =>
    fc.assert(
      fc.property(json, json, (a, b) => {
        fc.pre(JSON.stringify(sameAs(a)) !== JSON.stringify(sameAs(b)))
        expect(canonicalJson(a)).not.toBe(canonicalJson(b))
      }),
    ))

  test('survives UTF-8, whatever halves of surrogate pairs the texts have, and tells those apart', () => {
    fc.assert(
      fc.property(json, (value) => {
        const written = canonicalJson(value)
        expect(Buffer.from(written, 'utf8').toString('utf8')).toBe(written)
      }),
    )
    expect(canonicalJson(['\uD83D', '\uDE00', '😀', '\uFFFD'])).toBe(
      String.raw`["\ud83d","\ude00","😀","` + '\uFFFD"]',
    )
  })
})

/** With the keys of every object in one and the same order, so that texts can be compared. */
function sameAs(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sameAs)
  const { ...object } = value as JsonObject
  const names = Object.keys(object).toSorted()
  return Object.fromEntries(names.map((name) => [name, sameAs(object[name] ?? null)]))
}

describe('a well-formed value', () => {
  test('has every half of a surrogate pair replaced, in keys and at every depth, and nothing else changed', () =>
    expect(wellFormed({ 'a\uD83D': ['\uDE00x', { b: '😀' }], c: [null, 1, true] })).toEqual({
      'a\uFFFD': ['\uFFFDx', { b: '😀' }],
      c: [null, 1, true],
    }))

  test('comes back from UTF-8 as it was', () =>
    fc.assert(
      fc.property(json, (value) => {
        const written = JSON.stringify(wellFormed(value))
        expect(written.isWellFormed()).toBe(true)
        expect(written).not.toMatch(/(?<!\\)(?:\\\\)*\\ud[89a-f]/)
        expect(wellFormed(wellFormed(value))).toEqual(wellFormed(value))
      }),
    ))
})
