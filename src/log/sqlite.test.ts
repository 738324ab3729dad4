import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { pragma } from './sqlite-schema.ts'
import { integer, table, text, type Projection } from '../event/table.ts'
import { seededRandom } from '../base/random.ts'
import { makeBranchId } from '../event/id.ts'
import { openSqliteStore } from './sqlite.ts'
import { StoreLog } from './store-log.ts'

test('[LOG3] a commit waits for the disk: what a killed process cannot show, a power cut would', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mainstem-sqlite-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const holder = { command: 'test', pid: process.pid, since: 0 }
  const store = openSqliteStore({ file: join(folder, 'log.db'), projections: [], holder })
  const FULL = 2
  expect(pragma(store.db, 'synchronous')).toBe(FULL)
  expect(pragma(store.db, 'journal_mode')).toBe('wal')
  store.close()
})

const countTable = table('test_count', { what: text() }, { count: integer() })
const counting: Projection = {
  name: 'test-count',
  version: 1,
  tables: [countTable],
  apply(_, writer) {
    const count = (writer.row(countTable, ['events'])?.count ?? 0) + 1
    writer.put(countTable, { what: 'events', count })
  },
}

test('[CTX2] rows that another program left alone are folded once, though it added no event', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mainstem-sqlite-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const holder = { command: 'test', pid: process.pid, since: 0 }
  const open = (projections: readonly Projection[]): StoreLog =>
    new StoreLog(openSqliteStore({ file: join(folder, 'log.db'), projections, holder }), projections)
  const branch = makeBranchId(0, seededRandom(1))
  const addMark = async (projections: readonly Projection[]): Promise<number | undefined> => {
    const log = open(projections)
    const author = { by: 'person' } as const
    await log.write((writing) => writing.append({ kind: 'mark-set', branch, at: 0, v: 1, name: 'A', author }))
    const count = await log.read((reader) => reader.row(countTable, ['events'])?.count)
    await log.close()
    return count
  }
  expect(await addMark([counting])).toBe(1)
  await open([]).close()
  expect(await addMark([counting])).toBe(2)
  expect(await addMark([counting])).toBe(3)
})

test('[LOG5] a reader sees what a writer that does not know its tables adds', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mainstem-sqlite-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'log.db')
  const holder = { command: 'test', pid: process.pid, since: 0 }
  const writer = new StoreLog(openSqliteStore({ file, projections: [], holder }), [])
  const branch = makeBranchId(0, seededRandom(1))
  const author = { by: 'person' } as const
  const addMark = () =>
    writer.write((writing) => writing.append({ kind: 'mark-set', branch, at: 0, v: 1, name: 'A', author }))
  await addMark()
  const reader = new StoreLog(openSqliteStore({ file, projections: [counting] }), [counting])
  const count = () => reader.read((log) => log.row(countTable, ['events'])?.count)
  expect(await count()).toBe(1)
  await addMark()
  expect(await count()).toBe(2)
  await reader.close()
  await writer.close()
})
