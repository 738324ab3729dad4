import { expect, test } from 'vitest'
import { projections } from '../../../test/agent/stage.ts'
import { Scene } from '../../../test/model/scene.ts'
import { openMemoryLog } from '../../log/memory.ts'
import { memoryIn, noteMemory } from './setup.ts'

const author = { by: 'person' } as const

async function noting() {
  const log = openMemoryLog({ projections })
  const branch = await log.write((writing) => {
    const scene = new Scene(writing)
    scene.root('main')
    return scene.id('main')
  })
  return {
    log,
    note: (at: number, ...lines: string[]) =>
      log.write((writing) => noteMemory(writing, lines, { branch, at, author })),
    lines: () => log.read(memoryIn),
  }
}

test('before anything was read there are no lines, and no file is no change', async () => {
  const { lines, note } = await noting()
  expect(await lines()).toEqual([])
  expect(await note(5)).toBe(false)
})

test('a line that stays keeps the time since which it stands there; a new one has the time of the reading', async () => {
  const { lines, note } = await noting()
  expect(await note(10, 'a', 'b')).toBe(true)
  expect(await note(20, 'c', 'a')).toBe(true)
  expect(await lines()).toEqual([
    { text: 'c', since: 20 },
    { text: 'a', since: 10 },
  ])
})

test('a line that was gone and came back is new', async () => {
  const { lines, note } = await noting()
  await note(10, 'a')
  expect(await note(20)).toBe(true)
  await note(30, 'a')
  expect(await lines()).toEqual([{ text: 'a', since: 30 }])
})

test('the same lines are written once; another order is a change', async () => {
  const { log, note, lines } = await noting()
  await note(10, 'a', 'b')
  const end = await log.read((reader) => reader.end)
  expect(await note(20, 'a', 'b')).toBe(false)
  expect(await log.read((reader) => reader.end)).toBe(end)
  expect(await note(30, 'b', 'a')).toBe(true)
  expect((await lines()).map(({ since }) => since)).toEqual([10, 10])
})
