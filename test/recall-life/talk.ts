import { seededRandom } from '../../src/base/random.ts'
import { createBranch } from '../../src/context/fork.ts'
import { contextProjections } from '../../src/context/fold.ts'
import { makeBranchId, type BranchId } from '../../src/event/id.ts'
import type { Log } from '../../src/log/log.ts'
import { openMemoryLog } from '../../src/log/memory.ts'
import { documentsOf } from '../../src/recall/contract/document.ts'
import type { Recall, Search } from '../../src/recall/contract/recall.ts'
import { wordsIn } from '../../src/recall/words/words.ts'
import { openForWriting } from '../../src/runtime/home/open-log.ts'

const AT = 1_700_000_000_000
const COMMON = ['lamp', 'green', 'ladder', 'window', 'garden', 'dentist', 'train', 'letter']

/** What a configuration says of recall when nobody says anything. */
export const usualValues = () => ({ embedder: 'static-en-128', recallAlpha: null, recallDecay: 0.1 })

/** A log with one branch, to be talked into. */
export interface Talk {
  readonly log: Log
  readonly branch: BranchId
  /** So many messages more, each with a word that no other has: `unique0x`, `unique1x`, … */
  readonly say: (count: number) => Promise<void>
}

export function memoryTalk(): Promise<Talk> {
  return talkIn(openMemoryLog({ projections: contextProjections }))
}

/** A home whose log was written by a program that knew no recall. */
export async function oldHome(home: string, messages: number): Promise<void> {
  const { log, say } = await talkIn(openForWriting({ home, command: 'test' }))
  await say(messages)
  await log.close()
}

async function talkIn(log: Log): Promise<Talk> {
  const branch = makeBranchId(AT, seededRandom(1))
  const author = { by: 'person' } as const
  await log.write((writing) =>
    writing.append(createBranch({ child: branch, mode: 'main', title: null, at: AT, author }).draft),
  )
  let said = 0
  return {
    log,
    branch,
    say: async (count) => {
      await log.write((writing) => {
        for (const end = said + count; said < end; said++) {
          const message = { role: 'user', text: textOf(said) } as const
          writing.append({
            v: 1,
            kind: 'message-added',
            branch,
            at: AT + said,
            turn: null,
            message,
            tokens: 1,
          })
        }
      })
    },
  }
}

function textOf(number: number): string {
  const random = seededRandom(number)
  const words = Array.from({ length: 8 }, () => COMMON[random() % COMMON.length])
  return `${words.join(' ')} ${uniqueWord(number)} w${random() % 5_000}`
}

export function uniqueWord(number: number): string {
  return `unique${number}x`
}

export function searchFor(text: string, more: Partial<Search> = {}): Search {
  return { text, within: () => 'all', limit: 20, now: AT, ...more }
}

/** The positions at which a word stands: what was only near it is left out. */
export async function placesOf(recall: Recall, word: string, more: Partial<Search> = {}): Promise<number[]> {
  const { hits } = await recall.search(searchFor(word, more))
  return hits
    .filter(({ why }) => why.matched.length > 0)
    .map(({ position }) => position)
    .toSorted((a, b) => a - b)
}

/** The same by reading all of the log: each word as somebody wrote it, with all places of what is taken for the same. */
export async function naivePlaces(log: Log): Promise<readonly Places[]> {
  const events = await Array.fromAsync(log.events())
  return log.read((reader) => {
    const places = new Map<string, { word: string; positions: Set<number> }>()
    for (const { position, text } of events.flatMap((event) => documentsOf(reader, event)))
      for (const { typed, term } of wordsIn(text)) {
        const known = places.get(term) ?? { word: typed, positions: new Set() }
        known.positions.add(position)
        places.set(term, known)
      }
    return [...places.values()]
  })
}

export interface Places {
  readonly word: string
  readonly positions: ReadonlySet<number>
}
