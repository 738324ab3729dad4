import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/random.ts'
import { lastMessage } from '../../src/context/message-index.ts'
import { contextProjections } from '../../src/context/fold.ts'
import { MemoryDisk, openMemoryStore } from '../../src/log/memory.ts'
import { openSqliteStore } from '../../src/log/sqlite.ts'
import type { Writing } from '../../src/event/table.ts'
import type { Log } from '../../src/log/log.ts'
import { StoreLog } from '../../src/log/store-log.ts'
import type { Store } from '../../src/log/store.ts'
import { rerunning } from '../simulation/rerunning-log.ts'
import { begin, describeLog, note, type Place } from './log-contract.ts'

const directory = mkdtempSync(join(tmpdir(), 'mainstem-contract-'))
afterAll(() => rmSync(directory, { recursive: true }))

function inMemory(): Place {
  const disk = new MemoryDisk()
  return {
    open: (holder) => openMemoryStore(disk, holder),
    crash: () => {
      disk.holder = null
    },
  }
}

let logs = 0
function inSqlite(): Place {
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
}

/** LOG7 */
function runningAgain(store: Store): Log {
  const log = new StoreLog(store, contextProjections)
  const forget = (): void => (store as { forgetRows?: () => void }).forgetRows?.()
  return rerunning(log, { random: seededRandom(7), projections: contextProjections, forget })
}

describeLog('memory', inMemory)
describeLog('SQLite', inSqlite)
describeLog('memory that runs works again', inMemory, runningAgain)
describeLog('SQLite that runs works again', inSqlite, runningAgain)

describe('a log that runs works again', () => {
  test.each([
    ['draws a number', () => Math.random()],
    ['keeps what it did before', counting()],
  ])('[LOG7] finds a work that %s', async (_, value) => {
    const log = runningAgain(inMemory().open('first'))
    const branch = await begin(log)
    await expect(log.write((w) => w.append(note(branch, `${value()}`)))).rejects.toThrow(/LOG7/)
    await expect(log.write(value)).rejects.toThrow(/LOG7/)
    await log.close()
  })

  test('[LOG7] finds a work that goes on without what it could not read', async () => {
    const log = runningAgain(inMemory().open('first'))
    const branch = await begin(log)
    const careless = (w: Writing): void => {
      for (let times = 0; times < 100; times++) {
        try {
          lastMessage(w, branch)
        } catch {
          continue
        }
      }
    }
    const tries = Array.from({ length: 10 }, () => log.write(careless))
    await expect(Promise.all(tries)).rejects.toThrow(/LOG7/)
    await log.close()
  })
})

function counting(): () => number {
  let count = 0
  return () => ++count
}
