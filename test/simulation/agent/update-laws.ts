import type { Event, EventOf } from '../../../src/event/event.ts'
import type { BranchId, Position } from '../../../src/event/id.ts'
import { hold } from '../witness.ts'
import type { Places } from './approval-laws.ts'

interface Update {
  readonly reported: EventOf<'update-reported'>
  /** The message of main, or the save, that told it. */
  settled: Position | undefined
}

type Added = EventOf<'message-added'>

/** The facts about a branch that are needed here. */
type BranchNow = ReturnType<Places['branch']> & { readonly id: BranchId; readonly parent: BranchId | null }

interface Tree {
  branch(id: BranchId): BranchNow
}

const HEADINGS = {
  pop: 'RECENT BACKGROUND UPDATES (mention key findings in your response)',
  peek: 'RECENT BACKGROUND UPDATES (read-only — main session will also see these)',
} as const
/** The simulation's reports; such texts are searched word for word. */
const PLAIN = /^(?:news|finding|told) \d+$/
const LINES_MAX = 10

/**
 * UPD1 and UPD2, against lists that are searched from end to end: main is told once, others only peek, and a save
 * settles what it brings along as long as it stands.
 */
export class UpdateLaws {
  readonly #tree: Tree
  /** What the last save brought into main. */
  readonly #brought: () => ReadonlySet<Position>
  readonly #updates = new Map<BranchId, Update[]>()
  readonly #saves = new Map<Position, EventOf<'context-saved'>>()
  /** Messages of branches that only peek. */
  readonly #peeks = new Map<Position, readonly Position[]>()
  /** The newest update that a branch has seen, itself or through the branch it copies. */
  readonly #looked = new Map<BranchId, number>()
  readonly #isolated = new Set<BranchId>()
  readonly #keys = new Set<string>()
  /** What told an update that waits again, and the change that dropped that. */
  readonly #dropped = new Map<Update, { readonly by: Position | undefined; readonly in: Position }>()
  /** The turn of a branch's newest message that could show updates. */
  readonly #opened = new Map<BranchId, string>()
  shown = 0
  counted = 0
  peeked = 0
  settledBySaves = 0
  unsettled = 0

  constructor(tree: Tree, brought: () => ReadonlySet<Position>) {
    this.#tree = tree
    this.#brought = brought
  }

  pending(branch: BranchId): readonly Position[] {
    return this.#waiting(branch).map(({ reported }) => reported.position)
  }

  take(event: Event): void {
    switch (event.kind) {
      case 'branch-created':
        return void this.#looked.set(event.branch, this.#lookedBy(event.parent))
      case 'run-started':
        return void (event.isolated && this.#isolated.add(event.branch))
      case 'update-reported':
        return this.#report(event)
      case 'message-added':
        return this.#add(event)
      case 'context-saved':
        return this.#save(event)
      case 'context-cleared':
        return this.#reopen(event)
      case 'context-undone':
        return this.#undo(event)
      case 'context-redone':
        return this.#redo(event)
      default:
    }
  }

  #of(main: BranchId): Update[] {
    const known = this.#updates.get(main) ?? []
    this.#updates.set(main, known)
    return known
  }

  #waiting(main: BranchId): Update[] {
    return this.#of(main).filter(({ settled }) => settled === undefined)
  }

  #lookedBy(parent: BranchId | null): number {
    if (parent === null || this.#tree.branch(parent).mode === 'main') return 0
    return this.#looked.get(parent) ?? 0
  }

  #report(event: EventOf<'update-reported'>): void {
    const { branch, key, position } = event
    hold(this.#tree.branch(branch).mode === 'main', `[UPD1] ${position} is reported to ${branch}, no main`)
    hold(key === null || !this.#keys.has(key), `[UPD1] '${key}' is reported a second time`)
    if (key !== null) this.#keys.add(key)
    this.#of(branch).push({ reported: event, settled: undefined })
  }

  #add(event: Added): void {
    const { message, branch, position, updates } = event
    const before = message.role === 'user' ? (message.before ?? []) : []
    const blocks = before.filter((part) => part.startsWith('RECENT BACKGROUND UPDATES'))
    hold(blocks.length === (updates === undefined ? 0 : 1), `[UPD1] ${position} shows ${blocks.length} lists`)
    const opens = this.#opens(event)
    const now = this.#tree.branch(branch)
    const due = opens ? this.#dueIn(now) : []
    const told = due.map(({ reported }) => reported.position)
    hold(
      told.join() === (updates?.shown ?? []).join(),
      `[UPD1] ${position} should show ${told.join()}, and shows ${updates?.shown.join()}`,
    )
    if (updates === undefined) return
    const isOwn = now.mode === 'main'
    hold(updates.of === this.#mainOf(now), `[UPD1] ${position} shows what ${updates.of} is to be told`)
    this.#checkText(event, blocks[0] ?? '', { heading: HEADINGS[isOwn ? 'pop' : 'peek'], due })
    if (isOwn) for (const update of due) update.settled = position
    else {
      this.peeked += due.length
      this.#peeks.set(position, told)
      this.#looked.set(branch, Math.max(this.#looked.get(branch) ?? 0, ...told))
    }
  }

  #checkText({ position }: Added, block: string, { heading, due }: { heading: string; due: Update[] }): void {
    hold(block.startsWith(`${heading}\n`), `[UPD1] ${position} has the wrong heading`)
    const omitted = Number(/^\((\d+) earlier/m.exec(block)?.[1] ?? 0)
    const lines = block.split('\n').filter((line) => line.startsWith('- ('))
    const isCapped = lines.length + (omitted > 0 ? 1 : 0) <= LINES_MAX
    hold(
      isCapped && omitted + lines.length === due.length,
      `[UPD1] ${position} shows ${lines.length} and counts ${omitted}, but ${due.length} wait`,
    )
    for (const [index, { reported }] of due.slice(omitted).entries())
      hold(
        !PLAIN.test(reported.text) || lines[index]?.endsWith(`) ${reported.text}`) === true,
        `[UPD1] ${position} does not show '${reported.text}'`,
      )
    this.shown += lines.length
    this.counted += omitted
  }

  /** The updates that the message opening a turn must show. */
  #dueIn(now: BranchNow): Update[] {
    const main = this.#mainOf(now)
    const isBlind = now.mode === 'child' || this.#isolated.has(now.id)
    if (main === undefined || isBlind) return []
    const looked = now.mode === 'main' ? 0 : (this.#looked.get(now.id) ?? 0)
    return this.#waiting(main).filter(({ reported }) => reported.position > looked)
  }

  #mainOf({ id, mode, parent }: BranchNow): BranchId | undefined {
    if (mode === 'main') return id
    return parent === null ? undefined : this.#mainOf(this.#tree.branch(parent))
  }

  /** Whether it is the first message of a turn, before a model is called. */
  #opens({ branch, turn, message, took }: Added): boolean {
    const { running } = this.#tree.branch(branch)
    if (message.role !== 'user' || took === undefined || turn === null) return false
    if (running?.id !== turn || running.calls > 0 || this.#opened.get(branch) === turn) return false
    this.#opened.set(branch, turn)
    return true
  }

  #save(event: EventOf<'context-saved'>): void {
    const { branch, position, settles = [] } = event
    const shown = new Set([...this.#brought()].flatMap((message) => this.#peeks.get(message) ?? []))
    const due = this.#waiting(branch).filter(({ reported }) => shown.has(reported.position))
    const wanted = due.map((update) => update.reported.position)
    hold(
      wanted.join() === settles.join(),
      `[UPD2] the save at ${position} settles ${settles.join()}, and brings ${wanted.join()} along`,
    )
    for (const update of due) update.settled = position
    this.settledBySaves += due.length
    this.#saves.set(position, event)
  }

  /** An exchange that is taken back told what it told to nobody. */
  #reopen({ branch, position, to, drops, reopens = [] }: EventOf<'context-cleared'>): void {
    const told = this.#of(branch).filter(
      ({ settled = 0 }) => drops === 'exchange' && settled > (to?.at ?? position),
    )
    const listed = new Set(reopens.flatMap(({ updates }) => updates))
    hold(
      told.length === listed.size && told.every(({ reported }) => listed.has(reported.position)),
      `[UPD2] ${position} reopens ${[...listed].join()}`,
    )
    for (const update of told) {
      this.#dropped.set(update, { by: update.settled, in: position })
      update.settled = undefined
    }
  }

  #undo({ branch, undone }: EventOf<'context-undone'>): void {
    for (const [update, { by, in: change }] of this.#dropped)
      if (change === undone && update.settled === undefined) update.settled = by
    if (!this.#saves.has(undone)) return
    for (const update of this.#of(branch))
      if (update.settled === undone) {
        update.settled = undefined
        this.unsettled++
      }
  }

  /** Updates that main was told of meanwhile stay settled by that. */
  #redo({ branch, version }: EventOf<'context-redone'>): void {
    for (const [update, { by, in: change }] of this.#dropped)
      if (change === version && update.settled === by) update.settled = undefined
    const settles = this.#saves.get(version)?.settles ?? []
    for (const update of this.#waiting(branch))
      if (settles.includes(update.reported.position)) update.settled = version
  }
}
