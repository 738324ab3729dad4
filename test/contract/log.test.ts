import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { contextProjections } from '../../src/context/projections.ts'
import { MemoryDisk, openMemoryStore } from '../../src/log/memory.ts'
import { openSqliteStore } from '../../src/log/sqlite.ts'
import { describeLog } from './log-contract.ts'

const directory = mkdtempSync(join(tmpdir(), 'mainstem-contract-'))
afterAll(() => rmSync(directory, { recursive: true }))

describeLog('memory', () => {
  const disk = new MemoryDisk()
  return {
    open: (holder) => openMemoryStore(disk, holder),
    crash: () => {
      disk.holder = null
    },
  }
})

let logs = 0
describeLog('SQLite', () => {
  const file = join(directory, `${++logs}.db`)
  return {
    open: (command) =>
      openSqliteStore({
        file,
        projections: contextProjections,
        holder: { command, pid: process.pid, since: 0 },
      }),
    crash: (store) => store.close(),
  }
})
