import { seededRandom } from '../../src/base/random.ts'
import { isRefusal } from '../../src/context/decision.ts'
import { createBranch } from '../../src/context/fork.ts'
import { addMessage } from '../../src/context/step.ts'
import type { Message } from '../../src/event/event.ts'
import { makeBranchId, type BranchId, type Position } from '../../src/event/id.ts'
import type { Writing } from '../../src/event/table.ts'
import type { Log } from '../../src/log/log.ts'
import { openMemoryLog } from '../../src/log/memory.ts'
import { ASSISTANT } from '../../src/event/speaker.ts'
import type { Document, DocumentKind } from '../../src/recall/contract/document.ts'
import { Follower } from '../../src/recall/index/follower.ts'
import { openTextIndex } from '../../src/recall/index/sqlite-index.ts'
import type { TextIndex } from '../../src/recall/contract/text-index.ts'
import type { Found, RecallWeights, Search } from '../../src/recall/contract/recall.ts'
import type { Meaning } from '../../src/recall/search/meaning-search.ts'
import { Searcher } from '../../src/recall/search/searcher.ts'
import { contextProjections } from '../../src/context/fold.ts'

/** Noon of a day in May. */
export const AT = Date.UTC(2023, 4, 10, 12)
export const MINUTE = 60_000
export const DAY = 24 * 60 * MINUTE

/** One thing that somebody said. */
export interface Said {
  /** Anna unless another one is named. */
  readonly by?: string
  readonly text: string
  /** A minute after the one before unless it is given. */
  readonly at?: number
  readonly branch?: number
  readonly kind?: DocumentKind
  readonly part?: number
}

const random = seededRandom(11)
const branches = Array.from({ length: 4 }, () => makeBranchId(AT, random))

export function branchOf(number: number): BranchId {
  return branches[number] as BranchId
}

/** Documents by number: the first one stands at position 1. */
export function documentsFor(said: readonly (Said | string)[], from = 0): Document[] {
  let before = AT
  return said.map((one, number) => {
    const {
      by = 'Anna',
      text,
      at = before + MINUTE,
      branch = 0,
      kind,
      part = 0,
    } = typeof one === 'string' ? { text: one } : one
    before = at
    return {
      position: (from + number + 1) as Position,
      part,
      branch: branchOf(branch),
      at,
      kind: kind ?? (by === ASSISTANT ? 'assistant' : 'user'),
      speaker: by,
      text,
    }
  })
}

export function indexOf(...said: readonly (Said | string)[]): TextIndex {
  const index = openTextIndex('memory')
  index.add(documentsFor(said), said.length)
  return index
}

/** A log in which people and the assistant talk, with a searcher over what is indexed of it. */
export class Talk {
  readonly log: Log = openMemoryLog({ projections: contextProjections })
  readonly index: TextIndex = openTextIndex('memory')
  readonly #follower = new Follower({ log: this.log, index: this.index })
  readonly #texts = new Map<Position, string>()
  readonly searcher: Searcher
  #at = AT
  readonly #begun = new Set<number>()

  constructor(meaning: Meaning | null = null) {
    this.searcher = new Searcher({ log: this.log, index: this.index, meaning })
  }

  async say(...said: readonly (Said | string)[]): Promise<void> {
    await this.log.write((writing) => {
      for (const one of said) this.#write(writing, typeof one === 'string' ? { text: one } : one)
    })
    await this.#follower.catchUp()
  }

  async find(
    text: string,
    search: Partial<Search> = {},
    weights: Partial<RecallWeights> = {},
  ): Promise<Found> {
    const found = await this.searcher.search(
      { text, within: () => 'all', limit: 10, now: this.#at, ...search },
      { alpha: null, decay: 0.1, ...weights },
    )
    return { ...found, behind: { events: 0, vectors: 0 } }
  }

  /** The texts of what is found, the best first. */
  async textsFor(text: string, search: Partial<Search> = {}): Promise<string[]> {
    const { hits } = await this.find(text, search)
    return hits.map(({ position }) => this.#texts.get(position) as string)
  }

  #write(writing: Writing, { by = 'Anna', text, at = this.#at + MINUTE, branch = 0 }: Said): void {
    this.#at = at
    const id = branchOf(branch)
    const author = { by: 'person' } as const
    if (!this.#begun.has(branch))
      writing.append(createBranch({ child: id, mode: 'main', title: null, at, author }).draft)
    this.#begun.add(branch)
    const message: Message = by === ASSISTANT ? { role: by, text, calls: [] } : { role: 'user', text }
    const source = { from: 'person', channel: 'test', conversation: id, person: by, key: null } as const
    const took =
      by === ASSISTANT
        ? undefined
        : writing.append({ kind: 'inbound-admitted', branch: id, at, v: 1, source, form: 'message', text })
    const added = addMessage(writing, { branch: id, at, message, tokens: 1 })
    if (isRefusal(added)) throw new Error(added.refused)
    this.#texts.set(writing.append(took === undefined ? added.draft : { ...added.draft, took }), text)
  }
}
