import { assert } from '../base/assert.ts'
import { limits } from '../base/limits.ts'
import { checkDraft, EventError, toStored, type StoredEvent } from '../event/codec.ts'
import type { Draft, Event } from '../event/event.ts'
import type { Position } from '../event/id.ts'
import type { Projection, Reader, Writing } from '../event/table.ts'
import { Layer } from './layer.ts'

/** Events and rows that are not durable yet, read as if they were. A work's layer lies on its group's, and that on the log. */
export class Staged extends Layer implements Writing {
  readonly events: Event[] = []
  readonly stored: StoredEvent[] = []
  readonly #projections: readonly Projection[]
  /** The event of an import that is being folded. */
  #taken: Event | undefined

  constructor(below: Reader, projections: readonly Projection[]) {
    super(below)
    this.#projections = projections
  }

  override get end(): number {
    return this.below.end + this.events.length
  }

  override event(position: Position): Event {
    const taken = this.#taken
    // Otherwise a forged position would look like a damaged log (SAFE5).
    if (taken !== undefined && position > this.end)
      throw new EventError(
        `event ${taken.position}, a '${taken.kind}', names event ${position}, which does not come before it`,
      )
    return this.events[position - this.below.end - 1] ?? this.below.event(position)
  }

  append(draft: Draft): Position {
    const position = (this.end + 1) as Position
    const event = Object.assign(checkDraft(draft), { position })
    this.#add(event, toStored(event))
    return position
  }

  /** For imports: the event was checked and has its position already. */
  take(event: Event): void {
    assert(event.position === this.end + 1, `[LOG1] event ${event.position} cannot follow ${this.end}`)
    this.#taken = event
    this.#add(event, toStored(event))
    this.#taken = undefined
  }

  #add(event: Event, stored: StoredEvent): void {
    const { body } = stored
    // A character takes at most three bytes, so most bodies need not be measured.
    if (body.length * 3 > limits.eventBytesMax && Buffer.byteLength(body) > limits.eventBytesMax) {
      throw new EventError(
        `refused to write a '${event.kind}' event of ${Buffer.byteLength(body)} bytes: at most ${limits.eventBytesMax} fit`,
      )
    }
    this.events.push(event)
    this.stored.push(stored)
    for (const projection of this.#projections) projection.apply(event, this)
  }

  /** Hands everything to the layer below, which must be the one this layer was made on. */
  mergeInto(layer: Staged): void {
    assert(layer === this.below, 'a layer merges into the one it stands on')
    for (const event of this.events) layer.events.push(event)
    for (const stored of this.stored) layer.stored.push(stored)
    for (const { table, row } of this.changed.all()) layer.changed.put(table, row)
  }
}
