import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contextProjections } from '../src/context/fold.ts'
import type { BranchId } from '../src/event/id.ts'
import type { Log } from '../src/log/log.ts'
import { MemoryDisk, openMemoryLog } from '../src/log/memory.ts'
import { askRecall } from '../src/recall/asking.ts'
import { documentsOf, type Document } from '../src/recall/contract/document.ts'
import type { Recall } from '../src/recall/contract/recall.ts'
import { termsOf } from '../src/recall/words/words.ts'
import { liveRecall } from './agent/live-recall.ts'
import { NEWEST, operations, type Operation } from './model/operations.ts'
import { createRoot, perform } from './model/perform.ts'
import { Trial } from './model/trial.ts'
import { isWholeRun, rounds } from './rounds.ts'
import { OWNER } from '../src/event/speaker.ts'

const RUNS = rounds(30)
/** What a fork says that is killed then: by chance alone that is seldom. */
const LEFT: readonly Operation[] = [
  { do: 'fork', any: 0, inherit: 'everything', goal: false, mode: 'fork' },
  { do: 'turn', branch: NEWEST, steps: 1 },
  { do: 'kill', branch: NEWEST },
]
/** In between, so that the index grows by few and by many, and what was asked once stays right. */
const ASKED_EVERY = 7

test('[CTX5] every message of the log is found by a word that only it has, whatever was rewound, cleared, summed up, forked, saved or killed', async () => {
  const seen = new Map<string, number>()
  const holds = fc.asyncProperty(operations, (sequence) => live(sequence, seen))
  await fc.assert(holds, { numRuns: RUNS })
  const seldom = ['found', 'rewound', 'cleared', 'discarded'].filter(
    (what) => (seen.get(what) ?? 0) < RUNS / 4,
  )
  if (isWholeRun) expect(seldom).toEqual([])
})

async function live(sequence: readonly Operation[], seen: Map<string, number>): Promise<void> {
  const trial = new Trial()
  const log = openMemoryLog({ disk: new MemoryDisk(), projections: contextProjections })
  const recall = liveRecall(log)
  await log.write((writing) => createRoot(trial, writing, 'main'))
  for (const [index, operation] of [...sequence, ...LEFT].entries()) {
    await log.write((writing) => perform(trial, writing, operation))
    if (index % ASKED_EVERY === 0) await expectFound({ log, recall, trial, seen, newest: 2 })
  }
  await expectFound({ log, recall, trial, seen })
  await recall.close()
  await log.close()
}

interface Asked {
  readonly log: Log
  readonly recall: Recall
  readonly trial: Trial
  /** How often something was found, and with which label. */
  readonly seen: Map<string, number>
  /** Only so many of the last messages are asked for. */
  readonly newest?: number
}

async function expectFound({ log, recall, trial, seen, newest = Infinity }: Asked): Promise<void> {
  const all = await documents(log)
  const messages = all.filter(({ kind }) => kind !== 'summary')
  const asking = { asker: OWNER, branch: trial.ids[0] as BranchId, now: trial.now }
  for (const { position, text } of messages.slice(-newest)) {
    const word = onlyIn(text, all)
    if (word === undefined) continue
    const wish = { text: word, limit: 5, snippetTokensMax: 80, ...asking }
    const asked = await askRecall({ log, recall, told: () => null, whose: () => OWNER }, wish)
    const hits = asked.kind === 'found' ? asked.hits : []
    const found = hits.find((hit) => hit.position === position)
    expect(found?.text, `'${word}' at ${position}`).toBe(text.trim())
    expect(hits[0]?.position, `'${word}' first`).toBe(position)
    for (const what of ['found', found?.label ?? 'no label']) seen.set(what, (seen.get(what) ?? 0) + 1)
  }
}

function documents(log: Log): Promise<Document[]> {
  return log.read((reader) => {
    const found: Document[] = []
    for (let position = 1; position <= reader.end; position++)
      found.push(...documentsOf(reader, reader.event(position as Document['position'])))
    return found
  })
}

function onlyIn(text: string, all: readonly Document[]): string | undefined {
  return termsOf(text).find((term) => all.filter((one) => termsOf(one.text).includes(term)).length === 1)
}
