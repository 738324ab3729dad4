import { isContent, sameEntry, summed, writerOf, type Content, type Entry } from './entry.ts'
import type { NaiveWorld } from './naive.ts'

export interface NaivePlan {
  readonly branch: number
  readonly covered: readonly Content[]
  /** How many summaries are to be written. */
  readonly texts: number
}

/** Covers everything before the first kept message: at least `keep` stay, and a turn is not torn apart. */
export function planCompaction(world: NaiveWorld, number: number, keep: number): NaivePlan | undefined {
  if (!world.mayChange(number)) return undefined
  const content = world.get(number).entries.filter(isContent)
  let kept = 0
  for (let index = content.length - 1; index >= 0; index--) {
    if (content[index]?.kind !== 'said') continue
    kept++
    if (kept < keep || !opensTurn(content, index)) continue
    const covered = content.slice(0, index)
    const texts = parts(world, number, covered).filter(isToWrite).length
    return texts === 0 ? undefined : { branch: number, covered, texts }
  }
  return undefined
}

/** One id for each text. `undefined`: the context has changed, or nothing would be kept. */
export function compact(world: NaiveWorld, plan: NaivePlan, texts: readonly string[]): boolean | 'abandoned' {
  const { branch: number, covered } = plan
  if (!world.mayChange(number)) return false
  const content = world.get(number).entries.filter(isContent)
  if (!covered.every((entry, index) => sameEntry(entry, content[index]))) return 'abandoned'
  if (content.length === covered.length) return 'abandoned'
  const summaries = texts.map((id) => ({ id, age: world.next(), madeIn: number }))
  const apply = (all: readonly Entry[]): readonly Entry[] => {
    const last = placeOfContent(all, covered.length)
    const waiting = [...summaries]
    const made = parts(world, number, all.slice(0, last + 1)).flatMap((part) => {
      const summary = isToWrite(part) ? waiting.shift() : undefined
      return summary === undefined ? part : summed(part, summary)
    })
    return [...made, ...all.slice(last + 1)]
  }
  world.act(number, { kind: 'change', what: 'compact', apply })
  return true
}

function opensTurn(content: readonly Content[], index: number): boolean {
  const [before, first] = [content[index - 1], content[index]]
  if (before?.kind !== 'said' || first?.kind !== 'said') return true
  if (first.message.turn === null) return first.message.role !== 'tool'
  return first.message.turn !== before.message.turn
}

/** Neighbours that lie on the same side of every fork point of the branch and of those above it. */
function parts(world: NaiveWorld, number: number, entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const line = world.line(number)
  const found: { level: number; part: Entry[] }[] = []
  for (const entry of entries) {
    const last = found.at(-1)
    if (!isContent(entry)) {
      if (last === undefined) found.push({ level: number, part: [entry] })
      else last.part.push(entry)
      continue
    }
    const above = world.line(writerOf(entry))
    const level = line.find((branch) => above.includes(branch)) ?? -1
    if (last?.level === level) last.part.push(entry)
    else found.push({ level, part: [entry] })
  }
  return found.map(({ part }) => part)
}

/** What is one summary already stays as it is. */
function isToWrite(part: readonly Entry[]): boolean {
  const [first, second] = part.filter(isContent)
  return first !== undefined && (second !== undefined || first.kind !== 'summed')
}

/** Where the `count`-th message or summary stands. */
function placeOfContent(entries: readonly Entry[], count: number): number {
  let seen = 0
  return entries.findIndex((entry) => isContent(entry) && ++seen === count)
}
