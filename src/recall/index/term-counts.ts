import type { IndexStorage } from './index-storage.ts'

const TERMS_MAX = 32_768

interface Counted {
  /** Chunks before this one are full: nothing is added to them any more. */
  readonly chunk: number
  readonly count: number
}

/** How many documents have a term, remembered for the chunks that do not change. */
export class TermCounts {
  readonly #counted = new Map<string, Counted>()

  of(term: string, full: number, storage: Pick<IndexStorage, 'countIn'>): number {
    const rest = storage.countIn(term, { from: full, to: full + 1 })
    if (full === 0) return rest
    const known = this.#counted.get(term) ?? { chunk: 0, count: 0 }
    if (known.chunk === full) return known.count + rest
    const count = known.count + storage.countIn(term, { from: known.chunk, to: full })
    if (this.#counted.size >= TERMS_MAX) this.#counted.clear()
    this.#counted.set(term, { chunk: full, count })
    return count + rest
  }

  clear(): void {
    this.#counted.clear()
  }
}
