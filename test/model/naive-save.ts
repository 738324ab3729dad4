import {
  bare,
  isContent,
  joinedBy,
  messagesUnder,
  sameContent,
  writerOf,
  type Content,
  type Entry,
  type NaiveMessage,
  type Summed,
} from './entry.ts'
import type { NaiveWorld } from './naive.ts'

/** The target of a save: the nearest main above, or the parent. */
export function saveTarget(world: NaiveWorld, source: number): number | undefined {
  const [parent, ...above] = world.line(source).slice(1)
  const main = [parent, ...above].find((number) => number !== undefined && world.get(number).mode === 'main')
  return main ?? parent
}

/** Brings everything made below the target, on the line to the source, that the target does not have. */
export function save(world: NaiveWorld, source: number): boolean {
  const target = saveTarget(world, source)
  if (target === undefined || world.get(source).turn !== null || !world.mayChangeBetweenTurns(target))
    return false
  const line = world.line(source)
  const top = line[line.indexOf(target) - 1] as number
  const mine = bare(world.get(source).entries)
  const isOwn = (entry: Content) => world.line(writerOf(entry)).includes(top)
  const have = new Set(messagesUnder(world.get(target).entries))
  const own = joinedBy(missing(mine.filter(isOwn), have), world.next())
  if (own.length === 0) return false
  const inherited = mine.filter((entry) => !isOwn(entry))
  const isMadeBelow = (entry: Summed) => world.line(entry.madeIn).includes(source)
  const unmoved = source === top && sameContent(opened(inherited, isMadeBelow), world.get(target).entries)
  const apply = (all: readonly Entry[]): readonly Entry[] => {
    if (!unmoved) return [...all, ...own]
    const left = [...all]
    return [...woven(inherited, { left, isMadeBelow }), ...left, ...own]
  }
  world.act(target, { kind: 'change', what: 'save', apply })
  return true
}

/** Without the messages already there; a summary that is partly there is opened. */
function missing(entries: readonly Content[], have: ReadonlySet<NaiveMessage>): readonly Content[] {
  return entries.flatMap((entry): readonly Content[] => {
    const there = messagesUnder([entry]).filter((message) => have.has(message)).length
    if (there === 0) return [entry]
    if (entry.kind === 'said' || there === messagesUnder([entry]).length) return []
    return missing(entry.covers.filter(isContent), have)
  })
}

type IsMadeBelow = (entry: Summed) => boolean

/** Opens the summaries made in the source or below it. */
function opened(entries: readonly Entry[], isMadeBelow: IsMadeBelow): readonly Entry[] {
  return entries.flatMap((entry) =>
    entry.kind === 'summed' && isMadeBelow(entry) ? opened(entry.covers, isMadeBelow) : [entry],
  )
}

/**
 * The source's summaries over the target's own entries, whose sentinels keep their places. Removes placed ones from
 * `left`.
 */
function woven(
  pattern: readonly Entry[],
  { left, isMadeBelow }: { left: Entry[]; isMadeBelow: IsMadeBelow },
): readonly Entry[] {
  return pattern.filter(isContent).flatMap((entry): readonly Entry[] => {
    const before: Entry[] = []
    while (left[0]?.kind === 'sentinel') before.push(left.shift() as Entry)
    if (entry.kind === 'summed' && isMadeBelow(entry)) {
      return [...before, { ...entry, covers: woven(entry.covers, { left, isMadeBelow }) }]
    }
    return [...before, left.shift() as Entry]
  })
}
