import { expect, test } from 'vitest'
import { MemoryDisk, openMemoryStore } from './memory.ts'
import { LogError } from './log.ts'
import { StoreLog } from './store-log.ts'
import type { Store } from './store.ts'

test('[LOG2] when the store cannot even be read, every writer is told so, and nobody waits for ever', async () => {
  const log = new StoreLog(unreadable(openMemoryStore(new MemoryDisk(), 'test')), [])
  const writes = [log.write(() => 1), log.write(() => 2)]
  const outcomes = await Promise.allSettled(writes)
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

/** A store that says there are events to read, and fails at reading them. */
function unreadable(store: Store): Store {
  return Object.create(store, {
    end: { value: 3 },
    followed: { value: 0 },
    close: { value: () => store.close() },
    page: {
      value: () => {
        throw new LogError('unreadable', 'the disk is gone')
      },
    },
  }) as Store
}
