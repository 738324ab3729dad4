/** A process that appends to a log as fast as it can, several works at once, and reports what was acknowledged. */
import { createHash } from 'node:crypto'
import { writeSync } from 'node:fs'
import { contextProjections } from '../../src/context/fold.ts'
import { setMark } from '../../src/context/change.ts'
import { compact, planCompaction } from '../../src/context/compaction.ts'
import { isRefusal } from '../../src/context/decision.ts'
import { createBranch } from '../../src/context/fork.ts'
import { addMessage } from '../../src/context/step.ts'
import { limits } from '../../src/base/limits.ts'
import { seededRandom } from '../../src/base/random.ts'
import { toLine } from '../../src/event/codec.ts'
import { makeBranchId, type BranchId, type Position } from '../../src/event/id.ts'
import type { Writing } from '../../src/event/table.ts'
import { openSqliteStore } from '../../src/log/sqlite.ts'
import { StoreLog } from '../../src/log/store-log.ts'

const [file = '', seed = '1'] = process.argv.slice(2)
const AT = 1_700_000_000_000
const APPENDERS = 5
/** From an index that is written all the time to one written as rarely as in the product. */
const FOLLOW_EVENTS_MAX = [limits.followEventsMax, 1, 5, 40]
const PERSON = { by: 'person' } as const
const random = seededRandom(Number(seed))
const holder = { command: 'appender', pid: process.pid, since: AT }
const log = new StoreLog(
  openSqliteStore({ file, projections: contextProjections, holder }),
  contextProjections,
  { followEventsMax: FOLLOW_EVENTS_MAX[Number(seed) % FOLLOW_EVENTS_MAX.length] ?? 1 },
)

writeSync(1, 'ready\n')
await Promise.all(Array.from({ length: APPENDERS }, appendForEver))

/** Each has its own branch. An acknowledgement is reported after the promise resolved, never before. */
async function appendForEver(): Promise<never> {
  const branch = makeBranchId(AT, random)
  await tell((writing) => {
    const { draft } = createBranch({ child: branch, mode: 'main', title: null, at: AT, author: PERSON })
    writing.append(draft)
  })
  for (let n = 1; ; n++) await tell((writing) => appendSome(writing, { branch, n }))
}

/** Several events that belong together: a message, sometimes with a mark, or a compaction. */
function appendSome(writing: Writing, { branch, n }: { branch: BranchId; n: number }): void {
  const act = { branch, at: AT, author: PERSON }
  const message = { role: 'note', author: PERSON, text: 'x'.repeat(random() % 400) } as const
  append(writing, addMessage(writing, { branch, at: AT, message, tokens: 1 }))
  if (n % 3 === 0) append(writing, setMark(writing, { ...act, name: `m${n % 7}` }))
  const plan = n % 10 === 0 ? planCompaction(writing, { branch, keep: 3 }) : undefined
  if (plan === undefined || isRefusal(plan)) return
  const texts = plan.parts.map(() => ({ text: `s${n}`, tokens: 1 }))
  append(writing, compact(writing, { ...act, covered: plan.covered, texts, writer: 'extract' }))
}

function append(writing: Writing, decision: object): void {
  if ('draft' in decision) writing.append(decision.draft as Parameters<Writing['append']>[0])
}

async function tell(work: (writing: Writing) => void): Promise<void> {
  const lines = await log.write((writing) => {
    const before = writing.end
    work(writing)
    const count = writing.end - before
    return Array.from({ length: count }, (_, index) =>
      toLine(writing.event((before + index + 1) as Position)),
    )
  })
  const first = (JSON.parse(lines[0] ?? '{}') as { position: number }).position
  const hashes = lines.map((line) => createHash('sha256').update(line).digest('hex'))
  // Written to the pipe in one piece, so that the reader never takes half a line for a whole one.
  writeSync(1, `${first} ${hashes.join(' ')}\n`)
}
