import type { Branch } from '../../src/context/branch.ts'
import { flatten } from '../../src/context/list.ts'
import { headOf, messagesIn, rangeOf } from '../../src/context/message-index.ts'
import { isChange, listAtVersion } from '../../src/context/version.ts'
import type { Position } from '../../src/event/id.ts'
import type { Item } from '../../src/event/item.ts'
import type { Reader } from '../../src/event/table.ts'
import { Disagreement } from './trial.ts'

/** From where on a branch's messages must be there, and which of them a standing rewind dropped. */
interface Standing {
  readonly since: Position
  readonly dropped: ReadonlySet<Position>
}

/**
 * Checks that each message of a branch since its last clear is shown, covered by a shown summary, or dropped by a
 * standing rewind. Versions never change, so their facts are cached.
 */
export class Standings {
  readonly #known = new Map<Position, Standing>()
  readonly #checked = new Set<string>()

  check(reader: Reader, branch: Branch, list: readonly Item[]): void {
    const head = headOf(reader, branch.id) ?? 0
    const state = `${branch.version} ${head}`
    if (this.#checked.has(state)) return
    this.#checked.add(state)
    const { since, dropped } = this.#of(reader, branch.version)
    const all = rangeOf(reader, branch.id, { from: since, to: head })
    if (all === undefined) return
    const there = positionsIn(reader, list)
    for (const { position } of messagesIn(reader, all)) {
      if (there.has(position) || dropped.has(position)) continue
      throw new Disagreement(`the message at ${position} is neither shown, nor summed up, nor rewound`)
    }
  }

  forget(): void {
    this.#known.clear()
    this.#checked.clear()
  }

  #of(reader: Reader, version: Position): Standing {
    const waiting: Position[] = []
    let now = version
    for (let known = this.#known.get(now); known === undefined; known = this.#known.get(now)) {
      const event = reader.event(now)
      const starts = !isChange(event) || (event.kind === 'context-cleared' && event.to === null)
      if (starts) this.#known.set(now, { since: now, dropped: new Set() })
      else {
        waiting.push(now)
        now = event.prev
      }
    }
    for (const each of waiting.toReversed()) this.#known.set(each, this.#behind(reader, each))
    return this.#known.get(version) as Standing
  }

  #behind(reader: Reader, version: Position): Standing {
    const event = reader.event(version)
    if (!isChange(event)) throw new Error(`event ${version} follows no version`)
    const before = this.#known.get(event.prev) as Standing
    if (event.kind !== 'context-cleared') return before
    const list = listAtVersion(reader, event.prev, headOf(reader, event.branch, version))
    const dropped = positionsIn(reader, list).difference(positionsIn(reader, event.items))
    return { ...before, dropped: before.dropped.union(dropped) }
  }
}

function positionsIn(reader: Reader, list: readonly Item[]): Set<Position> {
  const ranges = list.flatMap((item) => flatten(reader, item))
  return new Set(ranges.flatMap((range) => messagesIn(reader, range)).map(({ position }) => position))
}
