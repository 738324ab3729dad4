import type { Event, EventOf } from '../../event/event.ts'
import { allRows, type Reader, type Writer } from '../../event/table.ts'
import { OWNER } from '../../event/speaker.ts'
import { newestTable, type Newest } from './tables.ts'

/** The newest event of this kind; `about` is a branch, a person or a day for kinds that have one each. */
export function newest<What extends keyof Newest>(
  reader: Reader,
  what: What,
  about = '',
): EventOf<Newest[What]> | undefined {
  const row = reader.row(newestTable, [what, about])
  const event = row && reader.event(row.position)
  return event?.kind === 'import-closed' ? undefined : (event as EventOf<Newest[What]> | undefined)
}

export function putNewest<What extends keyof Newest>(
  writer: Writer,
  { position }: Pick<Event, 'position'> & { readonly kind: Newest[What] },
  { what, about = '' }: { readonly what: What; readonly about?: string },
): void {
  writer.put(newestTable, { what, about, position })
}

/** Events about the owner's own things name nobody. */
export function aboutPerson(person = OWNER): string {
  return person === OWNER ? '' : person
}

/** Words of people, which decide where messages go and what may be spent. */
const OF_PEOPLE = ['heard', 'wrote', 'spoke', 'pinged', 'agreed', 'model'] as const

/** After an import, people have said nothing yet. */
export function forgetNewest(writer: Writer, { position }: EventOf<'import-closed'>): void {
  for (const what of OF_PEOPLE)
    for (const { about } of allRows(writer, newestTable, { prefix: [what] }))
      writer.put(newestTable, { what, about, position })
  writer.put(newestTable, { what: 'imported', about: '', position })
}

/** The end of what was imported; 0: nothing was. */
export function importedTo(reader: Reader): number {
  return reader.row(newestTable, ['imported', ''])?.position ?? 0
}
