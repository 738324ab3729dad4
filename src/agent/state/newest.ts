import type { Event, EventOf } from '../../event/event.ts'
import type { Reader, Writer } from '../../event/table.ts'
import { newestTable, type Newest } from './tables.ts'

/** The newest event of this kind; `about` is a branch, a person or a day for kinds that have one each. */
export function newest<What extends keyof Newest>(
  reader: Reader,
  what: What,
  about = '',
): EventOf<Newest[What]> | undefined {
  const row = reader.row(newestTable, [what, about])
  return row && (reader.event(row.position) as EventOf<Newest[What]>)
}

export function putNewest<What extends keyof Newest>(
  writer: Writer,
  { position }: Pick<Event, 'position'> & { readonly kind: Newest[What] },
  { what, about = '' }: { readonly what: What; readonly about?: string },
): void {
  writer.put(newestTable, { what, about, position })
}
