import fc from 'fast-check'
import { expect, test } from 'vitest'
import { arbitraryDraft } from '../../../test/arbitrary-event.ts'
import { seededRandom } from '../../base/random.ts'
import { toLine } from '../../event/codec.ts'
import type { Draft } from '../../event/event.ts'
import type { Happening } from '../../event/happening.ts'
import { makeBranchId, makeTurnId } from '../../event/id.ts'
import { openMemoryLog } from '../../log/memory.ts'
import type { Life } from '../../runtime/life/life.ts'
import { Progress } from '../../runtime/terminal/progress.ts'
import { Broadcast, type BroadcastOptions } from './broadcast.ts'

const nothing = (): void => undefined

function fail(error: unknown): never {
  throw error
}

/** A log without projections takes any events. */
function broadcasting(options?: BroadcastOptions, progress = new Progress()) {
  const log = openMemoryLog({ projections: [] })
  const listeners = new Set<(happening: Happening) => void>()
  const agent = {
    watch: (listener: (happening: Happening) => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  } as unknown as Life['agent']
  const broadcast = new Broadcast({ log, agent, progress }, fail, { isOwn: () => true, ...options })
  const emit = (happening: Happening) => listeners.forEach((listener) => listener(happening))
  const write = (drafts: readonly Draft[]) =>
    log.write((writing) => drafts.forEach((draft) => writing.append(draft)))
  const open = async (after: number, drop = nothing) =>
    broadcast.open({ after, end: await log.read(({ end }) => end) }, drop).body.getReader()
  return { log, broadcast, emit, write, open }
}

type Reader = Awaited<ReturnType<ReturnType<typeof broadcasting>['open']>>

/** What comes until one of it is `last`, or the stream ends. */
async function readTo(reader: Reader, last?: string): Promise<string[]> {
  const blocks: string[] = []
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    blocks.push(...Buffer.from(next.value).toString().trimEnd().split('\n\n'))
    if (last !== undefined && blocks.some((block) => block.includes(last))) break
  }
  return blocks
}

const about = { branch: makeBranchId(1, seededRandom(1)), at: 1 }
const turn = makeTurnId(1, seededRandom(1))
const started: Happening = { kind: 'turn-started', ...about, turn }
const pieceOf = (text: string): Happening => ({ kind: 'piece', branch: about.branch, turn, text })
const markNamed = (name: string): Draft => ({
  kind: 'mark-set',
  ...about,
  v: 1,
  name,
  author: { by: 'person' },
})
const happeningBlock = (happening: Happening) => `event: happening\ndata: ${JSON.stringify(happening)}`

test('[STREAM1] from any position, a stream has exactly the events after it, whatever is written meanwhile', async () => {
  const batches = fc.array(fc.array(arbitraryDraft, { minLength: 1, maxLength: 4 }), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(batches, fc.array(fc.nat()), async (written, starts) => {
      const { log, broadcast, write, open } = broadcasting({ behindBytesMax: 1_000_000 })
      const reading: Promise<{ after: number; blocks: string[] }>[] = []
      for (const [index, drafts] of written.entries()) {
        const done = write(drafts)
        if (index % 2 === 0) await done
        const after = (starts[index] ?? 0) % (await log.read(({ end }) => end + 1))
        const reader = await open(after)
        reading.push(readTo(reader, '"the-end"').then((blocks) => ({ after, blocks })))
      }
      await write([markNamed('the-end')])
      const all = await Array.fromAsync(log.events())
      for (const { after, blocks } of await Promise.all(reading))
        expect(blocks).toEqual([
          `id: ${after}\nevent: opened\ndata: {"position":${after}}`,
          ...all
            .filter(({ position }) => position > after)
            .map((event) => `id: ${event.position}\nevent: event\ndata: ${toLine(event)}`),
        ])
      broadcast.close()
    }),
    { numRuns: 100, seed: 18 },
  )
})

test('a happening comes after the events that were durable before it', async () => {
  const { broadcast, emit, write, open } = broadcasting()
  const reader = await open(0)
  await write([markNamed('a'), markNamed('b')])
  emit(started)
  await write([markNamed('c')])
  const kinds = (await readTo(reader, '"c"')).map((block) => /"(a|b|c|turn-started)"/.exec(block)?.[1])
  expect(kinds).toEqual([undefined, 'a', 'b', 'turn-started', 'c'])
  broadcast.close()
})

test('whoever joins while a model speaks gets what it has said so far, once', async () => {
  const { broadcast, emit, open } = broadcasting()
  emit(started)
  emit(pieceOf('void'))
  emit({ kind: 'pieces-void', branch: about.branch, turn })
  emit(pieceOf('Hel'))
  const first = await open(0)
  emit(pieceOf('lo'))
  expect((await readTo(first, '"lo"')).slice(1)).toEqual(
    [started, pieceOf('Hel'), pieceOf('lo')].map(happeningBlock),
  )
  const second = await open(0)
  emit({ kind: 'turn-ended', branch: about.branch, turn })
  expect((await readTo(second, 'turn-ended')).slice(1, 3)).toEqual(
    [started, pieceOf('Hello')].map(happeningBlock),
  )
  const third = await open(0)
  emit(pieceOf('!'))
  expect(await readTo(third, '"!"')).toHaveLength(2)
  broadcast.close()
})

test('[PEOPLE2] of what others say and do, a reader learns only that there is something', async () => {
  const own = makeBranchId(2, seededRandom(2))
  const { broadcast, emit, write, open } = broadcasting({ isOwn: (_, branch) => branch === own })
  emit(started)
  emit(pieceOf('a secret'))
  await write([markNamed('before')])
  const reader = await open(0)
  await write([markNamed('after'), { ...markNamed('mine'), branch: own }])
  emit(pieceOf('another secret'))
  emit({ kind: 'turn-ended', branch: own, turn })
  const blocks = await readTo(reader, 'turn-ended')
  const shown = blocks.map((block) => /before|after|mine|secret|mark-set|turn-ended/g.exec(block)?.[0])
  expect(shown).toEqual([undefined, 'mark-set', 'mark-set', 'mark-set', 'turn-ended'])
  expect(blocks.join()).toContain('"name":"mine"')
  expect(blocks.join()).not.toMatch(/before|after|secret/)
  broadcast.close()
})

test('a turn that goes on before anybody listens is told from its beginning', async () => {
  const progress = new Progress()
  for (const happening of [started, pieceOf('Hel')]) progress.hear(happening)
  const { broadcast, emit, open } = broadcasting({}, progress)
  emit(pieceOf('lo'))
  const reader = await open(0)
  emit(pieceOf('!'))
  expect((await readTo(reader, '"!"')).slice(1)).toEqual(
    [started, pieceOf('Hello'), pieceOf('!')].map(happeningBlock),
  )
  broadcast.close()
})

test('[STREAM1] a reader that is too far behind is told from where to resume, and others go on', async () => {
  const dropped: string[] = []
  const { broadcast, write, open } = broadcasting({ behindBytesMax: 1_000, patienceMs: 1 })
  const slow = await open(0, () => void dropped.push('slow'))
  const quick = await open(0)
  const got: string[] = []
  for (let n = 1; n <= 40; n++) {
    await write([markNamed(`mark-${n}`)])
    got.push(...(await readTo(quick, `"mark-${n}"`)))
  }
  expect(got).toHaveLength(41)
  const blocks = await readTo(slow)
  const last = Number(/^id: (\d+)/.exec(blocks.at(-2) ?? '')?.[1])
  expect(last).toBeLessThan(12)
  expect(blocks.at(-1)).toBe(`event: cut\ndata: {"position":${last}}`)
  await expect.poll(() => dropped).toEqual(['slow'])
  expect((await readTo(await open(last), '"mark-40"')).slice(1)).toEqual(got.slice(last + 1))
  broadcast.close()
})

test('[STREAM1] a reader that catches up goes at its own pace, and is cut only if it takes nothing', async () => {
  const { broadcast, write, open } = broadcasting({ behindBytesMax: 500, patienceMs: 50 })
  await write(Array.from({ length: 300 }, (_, n) => markNamed(`mark-${n}`)))
  expect(await readTo(await open(0), '"mark-299"')).toHaveLength(301)
  const dropped: string[] = []
  const stuck = await open(0, () => void dropped.push('stuck'))
  const watching = await open(300)
  await readTo(watching, 'event: opened')
  await expect.poll(() => dropped).toEqual(['stuck'])
  expect((await readTo(stuck)).at(-1)).toMatch(/^event: cut\ndata: \{"position":\d\}$/)
  broadcast.close()
})
