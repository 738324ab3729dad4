import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mainOf, openLog, type Opened } from '../bench/data.ts'
import { Years } from '../bench/years.ts'
import type { Event, EventOf } from '../src/event/event.ts'
import type { BranchId } from '../src/event/id.ts'
import { rebuild } from '../src/log/folding.ts'
import { projections } from '../src/runtime/home/open-log.ts'
import { riverView, type RiverView } from '../src/view/river/river.ts'

const DAY = 86_400_000
const UNTIL = Date.UTC(2026, 10, 16)
const DAYS = 24

const directory = mkdtempSync(join(tmpdir(), 'mainstem-river-'))
let opened: Opened
let main: BranchId
let events: Event[]

beforeAll(async () => {
  opened = openLog(join(directory, 'log.db'))
  const years = new Years({ messages: 900, days: DAYS, until: UNTIL, seed: 3 })
  while (!years.isOver) await opened.log.write((writing) => years.day(writing))
  main = mainOf(opened.store)
  events = await Array.fromAsync(opened.log.events())
})

afterAll(async () => {
  await opened.log.close()
  rmSync(directory, { recursive: true, force: true })
})

function look(from: number, to: number, pixels = 1_200): Promise<RiverView> {
  return opened.log.read((reader) => riverView(reader, { main, from, to, pixels }))
}

function ofKind<K extends Event['kind']>(kind: K): EventOf<K>[] {
  return events.filter((event): event is EventOf<K> => event.kind === kind)
}

const counted = (bins: readonly { readonly count: number }[]) =>
  bins.reduce((sum, { count }) => sum + count, 0)

test('[RIVER1] at any zoom, what is listed and counted is what the log has', async () => {
  const said = ofKind('message-added').filter(({ branch }) => branch === main).length
  for (const pixels of [200, 1_200, 8_000]) {
    const river = await look(0, UNTIL + DAY, pixels)
    expect(counted(river.stem)).toBe(said)
    for (const [kind, expected] of [
      ['mark', ofKind('mark-set')],
      ['compaction', ofKind('context-compacted')],
      ['cut', ofKind('context-cleared')],
      ['mail', ofKind('mail-sent')],
      ['update', ofKind('update-reported')],
      ['ping', ofKind('ping-decided')],
    ] as const) {
      const listed = river.things.filter((thing) => thing.kind === kind).length
      const dense = river.bins.filter(({ what }) => what === kind).map(({ bins }) => counted(bins))
      expect({ kind, seen: dense[0] ?? listed }).toEqual({ kind, seen: expected.length })
    }
    for (const { lane, job } of river.jobs) {
      const started = ofKind('run-started').filter((run) =>
        job === 'reminders' ? run.tag === 'reminder-bg' : job.endsWith(` ${run.job}`),
      )
      const dense = river.bins.find((bins) => bins.what === 'run' && bins.lane === lane)
      const listed = river.branches.filter((branch) => branch.side === 'down' && branch.lane === lane)
      expect({ job, runs: dense ? counted(dense.bins) : listed.length }).toEqual({
        job,
        runs: started.length,
      })
    }
  }
})

test('[RIVER1] a window lists every branch that overlaps it, also one that began long before', async () => {
  const ends = new Map(ofKind('branch-ended').map(({ branch, at }) => [branch, at]))
  const beside = ofKind('branch-created').filter(({ mode }) => mode === 'fork' || mode === 'child')
  expect(beside.length).toBeGreaterThan(10)
  for (let from = UNTIL - DAYS * DAY; from < UNTIL; from += DAY / 3) {
    const to = from + DAY / 2
    const overlapping = beside.filter(({ branch, at }) => at <= to && (ends.get(branch) ?? Infinity) >= from)
    const river = await look(from, to)
    const listed = river.branches.filter(({ side }) => side === 'up').map(({ id }) => id)
    expect(listed.toSorted()).toEqual(overlapping.map(({ branch }) => branch).toSorted())
  }
})

test('branches that live at the same time have lanes of their own, and a job keeps its lane', async () => {
  const { branches } = await look(0, UNTIL + DAY)
  const up = branches.filter(({ side }) => side === 'up')
  for (const one of up)
    for (const other of up)
      if (one.id !== other.id && one.lane === other.lane)
        expect((one.until ?? Infinity) <= other.from || (other.until ?? Infinity) <= one.from).toBe(true)
  const grandchild = up.find(({ parent }) => parent?.side === 'up')
  expect(grandchild?.lane).toBeGreaterThan(grandchild?.parent?.lane ?? Infinity)
})

test('a short window has every message with its turn, and the ghost of a rewind says what was lost', async () => {
  const message = ofKind('message-added').find(({ branch }) => branch === main)
  const { messages } = await look(message!.at - 1_000, message!.at + 60_000)
  expect(messages[0]).toMatchObject({ position: message!.position, role: 'user', turn: 1, side: 'main' })
  const cut = ofKind('context-cleared').at(-1)!
  const { things } = await look(cut.at - DAY, cut.at + DAY)
  const ghost = things.find(({ position }) => position === cut.position)
  expect(ghost).toMatchObject({ kind: 'cut', text: 'PLAN', messages: 8, isUndone: false })
  expect(ghost?.since).toBeLessThan(cut.at)
})

test('[CTX2] the index of the river folded again is the same', () => {
  const { tables } = rebuild(opened.store, projections, { keep: false })
  expect(tables.filter(({ differs }) => differs).map(({ table }) => table)).toEqual([])
  expect(tables.filter(({ table }) => table.startsWith('river')).every(({ rows }) => rows > 0)).toBe(true)
})
