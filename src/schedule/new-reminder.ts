import { isoIn } from '../base/time-text.ts'
import type { Reminder } from './definition.ts'
import { plainDefinition } from './definition-fields.ts'

/** A reminder with the defaults of everything that is not given. */
export function newReminder(said: Pick<Reminder, 'id' | 'runAt' | 'body'> & Partial<Reminder>): Reminder {
  return { ...plainDefinition({ kind: 'reminder', id: said.id, body: said.body }), ...said }
}

/** With its offset, so that it keeps its instant if the zone changes. */
export function runAtOf(at: number, zone: string): string {
  return isoIn(Math.floor(at / 1_000) * 1_000, zone).replace('.000', '')
}

const WORDS_MAX = 4
const ID_CHARS_MAX = 32
/** Words that say nothing about the reminder. */
const EMPTY_WORDS =
  /^(?:a|an|and|about|at|for|i|in|is|it|me|my|of|on|or|please|remind|reminder|that|the|their|them|this|to|user|with|you|your)$/

/** A short, readable and free id from the words of the text: `call-mum`, `call-mum-2`. */
export function reminderId(text: string, isTaken: (id: string) => boolean, prefix = ''): string {
  const name = `${prefix}${nameFrom(text)}`
  for (let count = 1; ; count++) {
    const id = count === 1 ? name : `${name}-${count}`
    if (!isTaken(id)) return id
  }
}

function nameFrom(text: string): string {
  const all = plain(text.slice(0, 500)).match(/[\p{L}\p{N}]+/gu) ?? []
  const telling = all.filter((word) => !EMPTY_WORDS.test(word))
  let name = ''
  for (const word of (telling.length > 0 ? telling : all).slice(0, WORDS_MAX)) {
    const longer =
      name === '' ? word.slice(0, ID_CHARS_MAX).replace(/[\uD800-\uDBFF]$/u, '') : `${name}-${word}`
    if (longer.length > ID_CHARS_MAX) break
    name = longer
  }
  return name === '' ? 'reminder' : name
}

/** `Café` becomes `cafe`. Letters of other scripts stay. */
function plain(text: string): string {
  return text
    .toWellFormed()
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/['’]/g, '')
    .normalize('NFKD')
    .replaceAll(/(?<=\p{Script=Latin})\p{M}+/gu, '')
    .normalize('NFC')
}
