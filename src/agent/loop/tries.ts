import type { Position } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { World } from '../contract/world.ts'
import { addresses, addressKey, firstUnsettled, openPreview, partsSent, previewed } from '../state/outbox.ts'

/**
 * Tries to send something whose outcome nobody knows: a platform has it at this moment, or the network or a kill hid
 * what became of it. Each is named by the last event that the log has of its message: its intent, its last part, or the
 * beginning of its preview. They are noted outside the log, so that the next process knows which ones a kill hid.
 */
export class Tries {
  readonly #open: Set<Position>
  readonly #note: (open: ReadonlySet<Position>) => void

  constructor(open: Set<Position>, note: (open: ReadonlySet<Position>) => void) {
    this.#open = open
    this.#note = note
    note(open)
  }

  isOpen(position: Position): boolean {
    return this.#open.has(position)
  }

  /** Before the network. */
  begin(position: Position): void {
    if (this.#open.has(position)) return
    this.#open.add(position)
    this.#note(this.#open)
  }

  /** Its outcome is in the log, or nothing was sent. */
  end(position: Position): void {
    if (this.#open.delete(position)) this.#note(this.#open)
  }
}

/** The tries that the last process left open. Without a note of it, everything that could be on its way counts as open. */
export async function openTries({ log, onItsWay }: Pick<World, 'log' | 'onItsWay'>): Promise<Tries> {
  const { end, possible } = await log.read((reader) => ({ end: reader.end, possible: possibleIn(reader) }))
  const last = onItsWay?.last(end)
  const open = new Set(possible.filter((position) => last?.has(position) !== false))
  return new Tries(open, (positions) => onItsWay?.note(positions))
}

/** One message at a time is on its way to an address, so only the first of each can be, or the preview there. */
function possibleIn(reader: Reader): Position[] {
  const messages = addresses(reader).flatMap((to) => {
    const first = firstUnsettled(reader, addressKey(to))
    return first === undefined ? [] : (partsSent(reader, first).at(-1)?.position ?? first)
  })
  const previews = previewed(reader).flatMap((key) => {
    const preview = openPreview(reader, key)
    return preview?.platformId === null ? preview.begun.position : []
  })
  return [...messages, ...previews]
}
