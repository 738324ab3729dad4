import { callsOf } from '../agent/turn/call-prompt.ts'
import { contentOf } from '../agent/state/setup.ts'
import { getBranch, workOf } from '../context/branch.ts'
import type { BranchId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import { MEMORY_HEADING } from '../recall/memory-text.ts'

/** The recalled text of a prompt, as it stands there. */
export type Recalled = NonNullable<ReturnType<typeof recalledIn>>

/**
 * No text inside a fence can end it, so a head that somebody quotes is not taken for one. Prompts in old logs have a
 * label after the time, which says that a memory line superseded the piece.
 */
const PIECE =
  /^\[log (\d+), (.+), (\S+ \S+ \S+)(?:, superseded by memory, \S+)?\]\n<data source="recall">\n([^]*?)\n<\/data>$/gmu

/**
 * Read from the text that was sent: nothing else says for ever what a model was shown. `text` is the whole block, `rest`
 * what else the tail says, such as unread mail, and `when` has the time zone of then.
 */
export function recalledIn(tail: string) {
  if (!tail.startsWith(MEMORY_HEADING)) return undefined
  const found = [...tail.matchAll(PIECE)]
  const last = found.at(-1)
  const end = last === undefined ? tail.length : last.index + last[0].length
  const pieces = found.map(([, at, who = '', when = '', text = '']) => ({
    position: Number(at),
    who,
    when,
    text,
  }))
  return { text: tail.slice(0, end), pieces, rest: tail.slice(end).trim() }
}

/** The heading of a block, and each of its pieces as a whole, with its head and fence. */
export function recallBlocks({ text }: Recalled) {
  const found = [...text.matchAll(PIECE)]
  return { heading: text.slice(0, found[0]?.index).trimEnd(), wholes: found.map(([whole]) => whole) }
}

/** `log 8, the person, 2026-03-01 Sun 09:30` */
export function pieceWords({ position, who, when }: Recalled['pieces'][number]): string {
  return `log ${position}, ${who}, ${when}`
}

/** `3 things said earlier` */
export function thingsWords(count: number): string {
  return count === 1 ? '1 thing said earlier' : `${count} things said earlier`
}

/** What recall added to the newest prompt of a branch. */
export function recalledLast(reader: Reader, id: BranchId): Recalled | undefined {
  const work = workOf(getBranch(reader, id))
  const tail = work && callsOf(reader, work.turn).at(-1)?.tail
  return tail ? recalledIn(contentOf(reader, tail.text)) : undefined
}
