import { isChange } from '../../../src/context/version.ts'
import type { Event, EventOf, Mode } from '../../../src/event/event.ts'
import type { BranchId, Position } from '../../../src/event/id.ts'
import { isSummary, type Item } from '../../../src/event/item.ts'
import { hold } from '../witness.ts'

/** An entry of a context: a message, or a summary with everything it stands for. */
type Entry = Position | readonly Entry[]

interface Known {
  readonly mode: Mode
  entries: readonly Entry[]
  /** Everything that was ever in it. */
  readonly ever: Set<Position>
  /** What could have been recalled at any moment since its newest turn began. */
  may: Set<Position>
}

/** RECALL1: checks automatic recall against arrays that are copied at every change. */
export class RecallLaws {
  /** Whether cleared messages may be recalled too. */
  acrossClear = false
  /** How many prompts had recalled messages. */
  tails = 0
  readonly #events: Event[] = []
  readonly #branches = new Map<BranchId, Known>()
  readonly #versions = new Map<Position, readonly Entry[]>()
  readonly #contents = new Map<string, string>()
  /** The messages that the newest save brought into its target. */
  brought: ReadonlySet<Position> = new Set()

  take(event: Event): void {
    this.#events.push(event)
    if (event.kind === 'branch-created') this.#create(event)
    else if (event.kind === 'content-kept') this.#contents.set(event.hash, event.text)
    else if (event.kind === 'message-added') this.#now(event, [...this.#of(event).entries, event.position])
    else if (event.kind === 'turn-started') this.#of(event).may = new Set(allowedIn(this.#of(event).entries))
    else if (event.kind === 'model-called') this.#called(event)
    else if (event.kind === 'context-undone' || event.kind === 'context-redone')
      this.#now(event, this.#since(event.version, event))
    else if (isChange(event)) {
      if (event.kind === 'context-saved') this.#bring(event)
      this.#versions.set(event.position, this.#expand(event.items))
      this.#now(event, this.#expand(event.items))
    }
  }

  #create({ branch, position, mode, base }: EventOf<'branch-created'>): void {
    const inherited = {
      nothing: (): readonly Entry[] => [],
      items: () => (base.from === 'items' ? this.#expand(base.items) : []),
      parent: () => (base.from === 'parent' ? this.#inherited(base) : []),
    }
    const entries = inherited[base.from]()
    this.#versions.set(position, entries)
    this.#branches.set(branch, { mode, entries, ever: new Set(flat(entries)), may: new Set() })
  }

  #bring(event: EventOf<'context-saved'>): void {
    const before = new Set(flat(this.#of(event).entries))
    this.brought = new Set(flat(this.#expand(event.items)).filter((position) => !before.has(position)))
  }

  #inherited({ version, head }: { readonly version: Position; readonly head: Position }): readonly Entry[] {
    const { branch } = this.#events[version - 1] as Event
    return this.#since(version, { branch, position: head })
  }

  /** A version, with its branch's later messages. */
  #since(version: Position, { branch, position }: Pick<Event, 'branch' | 'position'>): readonly Entry[] {
    const written = this.#written({ src: branch, from: version + 1, to: position })
    return [...(this.#versions.get(version) ?? []), ...written]
  }

  #expand(items: readonly Item[]): readonly Entry[] {
    return items.flatMap((item): readonly Entry[] => {
      if (!isSummary(item)) return this.#written(item)
      const made = this.#events[item.summary - 1] as EventOf<'context-compacted'>
      return [this.#expand(made.summaries[item.part]?.covers ?? [])]
    })
  }

  #written({ src, from, to }: { src: BranchId; from: number; to: number }): readonly Position[] {
    return this.#events
      .filter(({ kind, branch, position }) => kind === 'message-added' && branch === src && position >= from)
      .map(({ position }) => position)
      .filter((position) => position <= to)
  }

  #now(event: Event, entries: readonly Entry[]): void {
    const known = this.#of(event)
    known.entries = [...entries]
    for (const position of flat(entries)) known.ever.add(position)
    for (const position of allowedIn(entries)) known.may.add(position)
  }

  #called(event: EventOf<'model-called'>): void {
    const { mode, entries, ever, may } = this.#of(event)
    const recalled = recalledIn(event.tail === null ? '' : (this.#contents.get(event.tail.text) ?? ''))
    if (recalled.length === 0) return
    this.tails++
    hold(mode !== 'child', `[RECALL1] something came back into a child at ${event.position}`)
    for (const position of recalled) {
      hold(
        !entries.includes(position),
        `[RECALL1] the prompt at ${event.position} shows ${position}, and it came back`,
      )
      const isAllowed = may.has(position) || (this.acrossClear && ever.has(position))
      hold(isAllowed, `[RECALL1] ${position} came back at ${event.position}, where nothing stands for it`)
    }
  }

  #of({ branch }: Pick<Event, 'branch'>): Known {
    const known = this.#branches.get(branch)
    hold(known !== undefined, `there is no branch ${branch}`)
    return known
  }
}

function flat(entries: readonly Entry[]): Position[] {
  return entries.flatMap((entry) => (typeof entry === 'number' ? [entry] : flat(entry)))
}

/** The messages under summaries that are not also shown. */
function allowedIn(entries: readonly Entry[]): Position[] {
  const covered = entries.flatMap((entry) => (typeof entry === 'number' ? [] : flat(entry)))
  return covered.filter((position) => !entries.includes(position))
}

/** The positions that a tail names. */
function recalledIn(tail: string): Position[] {
  return [...tail.matchAll(/^\[log (\d+), /gm)].map(([, position]) => Number(position) as Position)
}
