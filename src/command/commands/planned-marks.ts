import { getBranch } from '../../context/branch.ts'
import { marksOf } from '../../context/version.ts'
import type { BranchId, Position } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'

export interface PlannedMark {
  readonly name: string
  /** Null: it will stand behind this step, so nothing follows it yet. */
  readonly at: Position | null
}

/** The marks as they will be behind a step: those of the log, changed by the acts of the step so far. */
export class PlannedMarks {
  #marks: readonly PlannedMark[]
  #clearedTo: Position | null | undefined

  constructor(reader: Reader, branch: BranchId) {
    this.#marks = marksOf(reader, getBranch(reader, branch))
  }

  get all(): readonly PlannedMark[] {
    return this.#marks
  }

  /** Where the step cut the context: behind a mark, or (null) before everything; undefined when it did not. */
  get clearedTo(): Position | null | undefined {
    return this.#clearedTo
  }

  find(name: string): PlannedMark | undefined {
    return this.#marks.find((mark) => mark.name === name)
  }

  /** Whether nothing but this step follows the mark. */
  isHere(name: string): boolean {
    const mark = this.find(name)
    return mark !== undefined && (mark.at === null || mark.at === this.#clearedTo)
  }

  set(name: string): void {
    this.#marks = [...this.#marks.filter((mark) => mark.name !== name), { name, at: null }]
  }

  /** Null: all of them go. */
  cutAfter(name: string | null): void {
    const mark = name === null ? undefined : this.find(name)
    this.#marks = mark === undefined ? [] : this.#marks.slice(0, this.#marks.indexOf(mark) + 1)
    // A mark of this step takes nothing away.
    if (mark?.at !== null) this.#clearedTo = mark?.at ?? null
  }
}
