import type { Event, EventOf } from '../../../src/event/event.ts'
import type { BranchId, Position } from '../../../src/event/id.ts'
import { hold } from '../witness.ts'
import type { Places } from './approval-laws.ts'

type Update = EventOf<'update-reported'>

const HEADING = 'RECENT BACKGROUND UPDATES'
/** What simulations report; such texts are looked for word by word. */
const PLAIN = /^news \d+$/

/** UPD1: an update is in one user message of main, or counted in it, and until then it waits. */
export class UpdateLaws {
  readonly #places: Places
  readonly #pending = new Map<BranchId, Update[]>()
  readonly #keys = new Set<string>()
  /** The turn in which the newest message of a branch that could show updates stands. */
  readonly #opened = new Map<BranchId, string>()
  shown = 0
  counted = 0

  constructor(places: Places) {
    this.#places = places
  }

  pending(branch: BranchId): readonly Position[] {
    return (this.#pending.get(branch) ?? []).map(({ position }) => position)
  }

  take(event: Event): void {
    if (event.kind === 'message-added') return this.#add(event)
    if (event.kind !== 'update-reported') return
    const { branch, key } = event
    hold(key === null || !this.#keys.has(key), `[UPD1] '${key}' is reported a second time`)
    if (key !== null) this.#keys.add(key)
    this.#pending.set(branch, [...(this.#pending.get(branch) ?? []), event])
  }

  #add(event: EventOf<'message-added'>): void {
    const { message, branch, position, updates } = event
    const before = message.role === 'user' ? (message.before ?? []) : []
    const block = before.filter((part) => part.startsWith(HEADING)).join('\n')
    if (block === '') {
      hold(updates === undefined, `[UPD1] ${position} says that it shows updates, and does not`)
      return this.#mayBeSilent(event)
    }
    const { mode } = this.#places.branch(branch)
    hold(mode === 'main' && this.#opens(event), `[UPD1] ${position} shows updates, and opens no turn of main`)
    const pending = this.#pending.get(branch) ?? []
    hold(updates === pending.at(-1)?.position, `[UPD1] ${position} shows updates up to ${updates}`)
    const omitted = Number(/^\((\d+) earlier/m.exec(block)?.[1] ?? 0)
    const lines = block.split('\n').filter((line) => line.startsWith('- ('))
    hold(
      omitted + lines.length === pending.length,
      `[UPD1] ${position} shows ${lines.length} and counts ${omitted}, but ${pending.length} wait`,
    )
    for (const [index, { text }] of pending.slice(omitted).entries())
      hold(
        !PLAIN.test(text) || lines[index]?.endsWith(`) ${text}`) === true,
        `[UPD1] ${position} does not show '${text}'`,
      )
    this.shown += lines.length
    this.counted += omitted
    this.#pending.set(branch, [])
  }

  /** The first that is said in a turn, before a model is asked. */
  #opens({ branch, turn, message, took }: EventOf<'message-added'>): boolean {
    const { running } = this.#places.branch(branch)
    if (message.role !== 'user' || took === undefined || turn === null) return false
    if (running?.id !== turn || running.calls > 0 || this.#opened.get(branch) === turn) return false
    this.#opened.set(branch, turn)
    return true
  }

  #mayBeSilent(event: EventOf<'message-added'>): void {
    const { branch, position } = event
    if (this.#places.branch(branch).mode !== 'main' || !this.#opens(event)) return
    const left = this.pending(branch)
    hold(left.length === 0, `[UPD1] ${position} opens a turn and does not tell of ${left.join(', ')}`)
  }
}
