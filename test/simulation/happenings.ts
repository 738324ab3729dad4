/** Events that must occur often in the simulated worlds, or they prove little. */
const HAPPENINGS = [
  'commits',
  'commits that flush the index',
  'commits on a full disk',
  'flushes on a full disk',
  'commits that SQLite itself found no room for',
  'kills',
  'kills right before a flush',
  'kills right after a flush',
  'restarts',
  'restarts with a part of the index written',
  'steps compared with their folding',
  'foldings from nothing',
  'rebuilds',
  'rebuilds with a part of the index written',
  'looks from outside',
  'looks from outside within a commit',
  'looks from outside within a flush',
] as const

export type Happening = (typeof HAPPENINGS)[number]

/** Counts how often each of them occurred. */
export class Happenings {
  readonly #counts = new Map<Happening, number>(HAPPENINGS.map((happening) => [happening, 0]))

  add(happening: Happening, times = 1): void {
    this.#counts.set(happening, this.of(happening) + times)
  }

  addAll(other: Happenings): void {
    for (const happening of HAPPENINGS) this.add(happening, other.of(happening))
  }

  of(happening: Happening): number {
    return this.#counts.get(happening) ?? 0
  }

  /** Those that occurred less often. */
  rarerThan(times: number): readonly Happening[] {
    return HAPPENINGS.filter((happening) => this.of(happening) < times)
  }

  toString(): string {
    return HAPPENINGS.map((happening) => `${String(this.of(happening)).padStart(8)} ${happening}`).join('\n')
  }
}
