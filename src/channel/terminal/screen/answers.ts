import { GrowingMarkdown } from '../text/growing.ts'
import type { ScreenHappening } from '../port.ts'
import type { Look } from '../text/look.ts'
import type { Line } from '../text/wrap.ts'

/**
 * The answer that is being written, and the previous one until its final text arrives: that is delivered after its turn
 * has ended, when the next turn may have begun.
 */
export class Answers {
  readonly #look: () => Look
  readonly #keep: (text: string, how: 'whole' | 'unfinished') => void
  #growing: GrowingMarkdown | null = null
  /** Without a timer: its final text comes for sure. */
  #released: { readonly growing: GrowingMarkdown; readonly timer: NodeJS.Timeout | null } | null = null

  /** An answer whose final text never comes goes to `keep`: the person has read it, so it must not vanish. */
  constructor(look: () => Look, keep: (text: string, how: 'whole' | 'unfinished') => void) {
    this.#look = look
    this.#keep = keep
  }

  /** Only an answer of the branch shown here can be the whole of the pieces. */
  hear(happening: ScreenHappening, shown: string): void {
    if (happening.kind === 'pieces-void') {
      this.#forgetReleased()
      this.#growing = null
    } else if (happening.kind === 'piece') {
      this.#growing ??= new GrowingMarkdown(this.#look())
      this.#growing.add(happening.text)
    } else if (happening.kind === 'entry' && happening.entry.kind === 'answer') {
      const { branch, text } = happening.entry
      if (branch !== shown) return
      if (this.#isOfReleased(text)) this.#forgetReleased()
      else this.#growing = null
    }
  }

  /** Called when a turn ends or begins: the answer being written is now complete, or never will be. */
  release(answer?: 'follows' | 'elsewhere'): void {
    if (this.#growing === null) return
    this.#settleReleased()
    const growing = this.#growing
    this.#growing = null
    if (answer === 'elsewhere') return this.#keep(growing.text().trim(), 'whole')
    const timer = answer === 'follows' ? null : setTimeout(() => this.#settleReleased(), PATIENCE_MS)
    this.#released = { growing, timer }
  }

  /** Nothing more comes of the previous answer, unless it is known to follow. */
  settle(): void {
    if (this.#released?.timer !== null) this.#settleReleased()
  }

  last(count: number): { readonly lines: readonly Line[]; readonly above: number } {
    return (this.#growing ?? this.#released?.growing)?.last(count) ?? { lines: [], above: 0 }
  }

  relook(): void {
    this.#growing?.relook(this.#look())
    this.#released?.growing.relook(this.#look())
  }

  end(): void {
    this.release()
    this.#settleReleased()
  }

  #isOfReleased(whole: string): boolean {
    if (this.#released === null) return false
    return this.#growing === null || whole.trim().startsWith(this.#released.growing.text().trim())
  }

  #settleReleased(): void {
    const { growing, timer = null } = this.#released ?? {}
    this.#forgetReleased()
    const text = growing?.text().trim() ?? ''
    if (text !== '' && timer !== null) this.#keep(text, 'unfinished')
  }

  #forgetReleased(): void {
    clearTimeout(this.#released?.timer ?? undefined)
    this.#released = null
  }
}

const PATIENCE_MS = 1_000
