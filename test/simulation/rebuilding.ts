import { contextProjections } from '../../src/context/fold.ts'
import { rebuild } from '../../src/log/folding.ts'
import type { Log } from '../../src/log/log.ts'
import type { SqliteStore } from '../../src/log/sqlite-store.ts'
import { dump, firstDifference, Rendering } from '../model/dump.ts'

/** CTX2: `doctor --rebuild` gives the same tables and the same views as before. */
export async function checkRebuild(store: SqliteStore, log: Log): Promise<void> {
  const before = await log.read(stateOf)
  const { tables } = rebuild(store, contextProjections, { keep: true })
  const differing = tables.filter(({ differs }) => differs).map(({ table }) => table)
  if (differing.length > 0) throw new Error(`[CTX2] doctor --rebuild changed ${differing.join(', ')}`)
  const after = await log.read(stateOf)
  if (before === after) return
  throw new Error(`[CTX2] after doctor --rebuild the state is another: ${firstDifference(after, before)}`)
}

const stateOf = (reader: Parameters<typeof dump>[0]) => `${dump(reader)}\n${new Rendering().render(reader)}`
