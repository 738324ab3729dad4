/* oxlint-disable typescript/no-explicit-any -- what a stranger sends has no type */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { audit } from '../src/context/audit.ts'
import { branchesByHandle, FoldError, getBranch } from '../src/context/branch.ts'
import { after, cut, flatten } from '../src/context/list.ts'
import { contextProjections } from '../src/context/fold.ts'
import { show, type Shown } from '../src/context/prompt.ts'
import { listOf, marksOf, versionAt } from '../src/context/version.ts'
import { EventError, fromLine, toLine } from '../src/event/codec.ts'
import type { Reader } from '../src/event/table.ts'
import { MemoryDisk, openMemoryStore } from '../src/log/memory.ts'
import { Staged } from '../src/log/staged.ts'
import { StoreReader } from '../src/log/store-reader.ts'
import { rounds } from './rounds.ts'

const file = join(import.meta.dirname, 'fixtures', 'logs', 'format-1', 'format-1.jsonl')
const lines = readFileSync(file, 'utf8').trimEnd().split('\n')

/** Folds an export as an import does; the reader of what results, or why it was refused. */
function fold(texts: readonly string[]): Reader | Error {
  const empty = new StoreReader(openMemoryStore(new MemoryDisk(), 'audit'))
  const staged = new Staged(empty, [audit, ...contextProjections])
  try {
    for (const text of texts) staged.take(fromLine(text))
    return staged
  } catch (error) {
    if (error instanceof FoldError || error instanceof EventError) return error
    throw error
  }
}

/** The line of the first event that `change` changes, with what it makes of it. */
function altered(change: (fields: Record<string, never>) => unknown): string[] {
  let done = false
  return lines.map((line) => {
    if (done) return line
    const fields = JSON.parse(line) as Record<string, never>
    const before = JSON.stringify(fields)
    change(fields)
    done = JSON.stringify(fields) !== before
    return JSON.stringify(fields)
  })
}

describe('what comes from elsewhere', () => {
  test('a log of ours passes', () => {
    expect(fold(lines)).not.toBeInstanceOf(Error)
  })

  const hostile: [string, (fields: any) => unknown, RegExp][] = [
    [
      'a range to what is no message',
      (e) => e.items?.[0]?.from && (e.items[0].from = 1),
      /wrote no message at 1|parts a step/,
    ],
    ['a range that is to come', (e) => e.items?.[0]?.to && (e.items[0].to = 10_000), /no range from/],
    [
      'a reversed range',
      (e) => e.items?.[0]?.to && ([e.items[0].from, e.items[0].to] = [9, 2]),
      /no range from 9 to 2/,
    ],
    [
      'a summary of nothing',
      (e) => e.items?.[0]?.summary && (e.items[0].summary = 2),
      /no summary|not what it is taken for/,
    ],
    [
      'a summary that covers itself',
      (e) => e.summaries && (e.summaries[0].covers = [e.items[0]]),
      /not older/,
    ],
    ['a summary deeper than its chain', (e) => e.summaries && (e.summaries[0].depth = 7), /is not 7 deep/],
    [
      'a jump to what is no summary',
      (e) => e.summaries && (e.summaries[0].jump = { summary: 1, part: 0, last: 1 }),
      /jumps to where its chain is not/,
    ],
    ['a mark nobody set', (e) => e.marks?.[0] && (e.marks[0].at = 2), /was not set at 2/],
    ['a mark that is to come', (e) => e.marks?.[0] && (e.marks[0].at = 9_999), /to come/],
    ['a fork of a version to come', (e) => e.base?.version && (e.base.version = 9_999), /to come/],
    [
      'a turn on another version',
      (e) => e.kind === 'turn-started' && e.position > 60 && (e.version = 1),
      /the version is/,
    ],
    [
      'two calls with one id',
      (e) => e.message?.calls?.length > 1 && (e.message.calls[1].id = e.message.calls[0].id),
      /the same id/,
    ],
    [
      'arguments of a thousand levels',
      (e) => e.message?.calls?.[0] && (e.message.calls[0].args = { a: deep(1_000) }),
      /not too deep/,
    ],
  ]

  test.each(hostile)('%s is refused', (_, change, message) => {
    const found = fold(altered(change))
    expect(found).toBeInstanceOf(Error)
    expect((found as Error).message).toMatch(message)
  })

  test('[CTX3] whatever number is changed, it is refused, or everything can be shown and is whole', () => {
    const numbers = lines.flatMap((line, index) => {
      if (!/"(items|base|covers|marks)"/.test(line)) return []
      const body = line.indexOf('"kind"')
      const found = [...line.matchAll(/(?<=[:[,])\d+(?=[,}\]])/g)].filter((match) => match.index > body)
      return found.map((match) => ({ index, at: match.index, text: match[0] }))
    })
    expect(numbers.length).toBeGreaterThan(150)
    fc.assert(
      fc.property(fc.constantFrom(...numbers), fc.nat(140), ({ index, at, text }, value) => {
        const line = lines[index] as string
        const changed = lines.with(index, line.slice(0, at) + String(value) + line.slice(at + text.length))
        const reader = fold(changed)
        if (!(reader instanceof Error)) lookAtEverything(reader)
      }),
      { numRuns: rounds(1_500) },
    )
  })
})

/** What later commands would do with it, and none of it may fail or hang. */
function lookAtEverything(reader: Reader): void {
  for (const id of branchesByHandle(reader, '', 1_000)) {
    const branch = getBranch(reader, id)
    const list = listOf(reader, branch)
    expectWhole(show(reader, list))
    for (const item of list) flatten(reader, item)
    for (const { at } of marksOf(reader, branch)) {
      expectWhole(show(reader, cut(reader, list, { self: id, time: at })))
      expectWhole(show(reader, after(reader, list, { self: id, time: at })))
    }
    for (let now = versionAt(reader, branch.version); now.prev !== null; now = versionAt(reader, now.prev)) {
      expectWhole(show(reader, now.items))
    }
  }
}

function expectWhole(shown: readonly Shown[]): void {
  let open = new Set<string>()
  for (const one of shown) {
    const message = one.kind === 'message' ? one.event.message : undefined
    if (message?.role === 'tool') expect(open.delete(message.call)).toBe(true)
    else {
      expect(open.size).toBe(0)
      open = new Set(message?.role === 'assistant' ? message.calls.map(({ id }) => id) : [])
    }
  }
  expect(open.size).toBe(0)
}

function deep(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = [value]
  return value
}

test('the fixture is what an export gives', () => {
  expect(lines.map((line) => toLine(fromLine(line)))).toEqual(lines)
})
