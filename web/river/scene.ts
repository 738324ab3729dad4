import type {
  RiverBins,
  RiverBranch,
  RiverMessage,
  RiverThing,
  RiverView,
} from '../../src/view/river/river.ts'

/** Runs of one job, or of several that share its lane, in order of time. `of` is -1 where `counts` were counted. */
export interface RunLane {
  readonly lane: number
  readonly job: string
  readonly starts: Float64Array
  readonly ends: Float64Array
  readonly counts: Uint32Array
  readonly of: Int32Array
}

/** Counts of what is too dense to be listed. */
export interface Dense {
  readonly at: Float64Array
  readonly counts: Uint32Array
}

export interface Things {
  readonly at: Float64Array
  readonly list: readonly RiverThing[]
}

/** Everything that may be drawn, in order of time. */
export interface Scene {
  readonly main: string
  readonly since: number
  readonly binMs: number
  readonly stem: {
    readonly at: Float64Array
    readonly tokens: Float64Array
    readonly counts: Uint32Array
    readonly first: Float64Array
  }
  readonly tokensMax: number
  /** Forks and children. */
  readonly branches: readonly RiverBranch[]
  readonly runs: readonly RiverBranch[]
  readonly lanes: readonly RunLane[]
  readonly lanesUp: number
  readonly things: ReadonlyMap<RiverThing['kind'], Things>
  readonly dense: ReadonlyMap<RiverBins['what'], Dense>
  readonly messages: readonly RiverMessage[]
}

/** Joins windows that lie side by side. What reaches over an edge is in both. */
export function sceneOf(tiles: readonly RiverView[], tokensMaxBefore = 0): Scene | undefined {
  const [first] = tiles
  if (first === undefined) return undefined
  const branches = unique(
    tiles.flatMap((tile) => tile.branches),
    ({ id, from }) => `${id} ${from}`,
  ).toSorted((one, other) => one.from - other.from)
  const stem = unique(
    tiles.flatMap((tile) => tile.stem),
    ({ at }) => at,
  ).toSorted((one, other) => one.at - other.at)
  const [up, runs] = [
    branches.filter(({ side }) => side === 'up'),
    branches.filter(({ side }) => side === 'down'),
  ]
  const jobs = unique(
    tiles.flatMap((tile) => tile.jobs),
    ({ lane }) => lane,
  )
  return {
    main: first.main,
    since: first.since,
    binMs: Math.max(...tiles.map(({ binMs }) => binMs)),
    stem: {
      at: Float64Array.from(stem, ({ at }) => at),
      tokens: Float64Array.from(stem, ({ tokens }) => tokens),
      counts: Uint32Array.from(stem, ({ count }) => count),
      first: Float64Array.from(stem, (bin) => bin.first),
    },
    tokensMax: stem.reduce((most, { tokens }) => Math.max(most, tokens), Math.max(1, tokensMaxBefore)),
    branches: up,
    runs,
    lanes: jobs.map(({ lane, job }) => laneOf({ lane, job }, runs, tiles)),
    lanesUp: up.reduce((most, { lane }) => Math.max(most, lane), 0),
    things: thingsOf(tiles),
    dense: denseOf(tiles),
    messages: unique(
      tiles.flatMap((tile) => tile.messages),
      ({ position }) => position,
    ).toSorted((one, other) => one.at - other.at),
  }
}

function laneOf(
  { lane, job }: { readonly lane: number; readonly job: string },
  runs: readonly RiverBranch[],
  tiles: readonly RiverView[],
): RunLane {
  const dense = tiles.filter(({ bins }) => bins.some((one) => one.what === 'run' && one.lane === lane))
  const counted = dense.flatMap(({ binMs, bins }) =>
    bins
      .filter((one) => one.what === 'run' && one.lane === lane)
      .flatMap((one) => one.bins.map(({ at, count }) => ({ start: at, end: at + binMs, count, of: -1 }))),
  )
  // What a dense window lists besides is in its bins already.
  const isCounted = (at: number): boolean => dense.some(({ from, to }) => at >= from && at <= to)
  const listed = runs.flatMap((run, of) =>
    run.lane !== lane || isCounted(run.from)
      ? []
      : [{ start: run.from, end: run.until ?? Infinity, count: 1, of }],
  )
  const all = [...counted, ...listed].toSorted((one, other) => one.start - other.start)
  return {
    lane,
    job,
    starts: Float64Array.from(all, ({ start }) => start),
    ends: Float64Array.from(all, ({ end }) => end),
    counts: Uint32Array.from(all, ({ count }) => count),
    of: Int32Array.from(all, ({ of }) => of),
  }
}

function thingsOf(tiles: readonly RiverView[]): Scene['things'] {
  const all = unique(
    tiles.flatMap((tile) => tile.things),
    ({ position }) => position,
  ).toSorted((one, other) => one.at - other.at)
  const byKind = Map.groupBy(all, ({ kind }) => kind)
  return new Map(
    Array.from(
      byKind,
      ([kind, list]) => [kind, { at: Float64Array.from(list, ({ at }) => at), list }] as const,
    ),
  )
}

function denseOf(tiles: readonly RiverView[]): Scene['dense'] {
  const all = tiles.flatMap(({ bins, binMs }) => bins.map((one) => ({ ...one, binMs })))
  const byKind = Map.groupBy(
    all.filter(({ what }) => what !== 'run'),
    ({ what }) => what,
  )
  return new Map(
    Array.from(byKind, ([what, lists]) => {
      const bins = unique(
        lists.flatMap((list) => list.bins.map(({ at, count }) => ({ at: at + list.binMs / 2, count }))),
        ({ at }) => at,
      ).toSorted((one, other) => one.at - other.at)
      const dense = {
        at: Float64Array.from(bins, ({ at }) => at),
        counts: Uint32Array.from(bins, ({ count }) => count),
      }
      return [what, dense] as const
    }),
  )
}

function unique<T>(all: readonly T[], keyOf: (one: T) => unknown): T[] {
  return [...new Map(all.map((one) => [keyOf(one), one])).values()]
}

/** The index of the first value that is at least `at`. */
export function indexFrom(values: Float64Array, at: number): number {
  let [low, high] = [0, values.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((values[middle] ?? 0) < at) low = middle + 1
    else high = middle
  }
  return low
}
