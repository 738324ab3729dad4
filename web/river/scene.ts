import type {
  RiverBins,
  RiverBranch,
  RiverMessage,
  RiverThing,
  RiverView,
} from '../../src/view/river/river.ts'

/** One run of a job; without `branch`, several that were only counted. */
export interface Run {
  readonly at: number
  readonly until: number
  readonly count: number
  readonly branch?: RiverBranch
}

/** The runs of one job, or of several that share its lane. */
export interface Lane {
  readonly lane: number
  readonly job: string
  readonly runs: readonly Run[]
}

/** Everything that may be drawn, in order of time. */
export interface Scene extends Pick<RiverView, 'main' | 'since' | 'binMs' | 'stem'> {
  readonly tokensMax: number
  /** Forks and children. */
  readonly branches: readonly RiverBranch[]
  readonly lanes: readonly Lane[]
  readonly things: ReadonlyMap<RiverThing['kind'], readonly RiverThing[]>
  /** Counts of what is too dense to be listed. */
  readonly dense: ReadonlyMap<RiverBins['what'], readonly Run[]>
  readonly messages: readonly RiverMessage[]
}

/** Joins windows that lie side by side. What reaches over an edge is in both. */
export function sceneOf(tiles: readonly RiverView[], tokensMaxBefore = 1): Scene | undefined {
  const [first] = tiles
  if (first === undefined) return undefined
  const branches = joined(
    tiles.flatMap((tile) => tile.branches.map((branch) => ({ at: branch.from, branch }))),
    ({ branch, at }) => `${branch.id} ${at}`,
  ).map(({ branch }) => branch)
  const stem = joined(
    tiles.flatMap((tile) => tile.stem),
    ({ at }) => at,
  )
  const things = joined(
    tiles.flatMap((tile) => tile.things),
    ({ position }) => position,
  )
  const counts = tiles.flatMap(countsOf)
  const lanes = new Map(tiles.flatMap((tile) => tile.jobs.map(({ lane, job }) => [lane, job])))
  return {
    main: first.main,
    since: first.since,
    binMs: Math.max(...tiles.map(({ binMs }) => binMs)),
    stem,
    tokensMax: stem.reduce((most, { tokens }) => Math.max(most, tokens), tokensMaxBefore),
    branches: branches.filter(({ side }) => side === 'up'),
    lanes: Array.from(lanes, ([lane, job]) => {
      const counted = counts.filter((one) => one.what === 'run' && one.lane === lane)
      // What a dense window lists besides is in its counts already.
      const isCounted = (at: number): boolean =>
        tiles.some(
          ({ from, to, bins }) =>
            at >= from && at <= to && bins.some((one) => one.what === 'run' && one.lane === lane),
        )
      const listed = branches
        .filter((one) => one.side === 'down' && one.lane === lane && !isCounted(one.from))
        .map((branch) => ({ at: branch.from, until: branch.until ?? Infinity, count: 1, branch }))
      return { lane, job, runs: [...counted, ...listed].toSorted(byTime) }
    }),
    things: Map.groupBy(things, ({ kind }) => kind),
    dense: Map.groupBy(
      joined(counts, ({ what, lane, at }) => `${what} ${lane} ${at}`),
      ({ what }) => what,
    ),
    messages: joined(
      tiles.flatMap((tile) => tile.messages),
      ({ position }) => position,
    ),
  }
}

function countsOf({ bins, binMs }: RiverView) {
  return bins.flatMap(({ what, lane, bins: counted }) =>
    counted.map(({ at, count }) => ({ what, lane, at, until: at + binMs, count })),
  )
}

interface Timed {
  readonly at: number
}

function byTime(one: Timed, other: Timed): number {
  return one.at - other.at
}

/** In order of time, each once. */
function joined<T extends Timed>(all: readonly T[], keyOf: (one: T) => unknown): T[] {
  return [...new Map(all.map((one) => [keyOf(one), one])).values()].toSorted(byTime)
}

/** Those from `from` up to `to`. */
export function between<T extends Timed>(all: readonly T[], from: number, to: number): readonly T[] {
  return all.slice(indexFrom(all, from), indexFrom(all, to))
}

/** The index of the first that is not before `at`. */
function indexFrom(all: readonly Timed[], at: number): number {
  let [low, high] = [0, all.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((all[middle]?.at ?? 0) < at) low = middle + 1
    else high = middle
  }
  return low
}
