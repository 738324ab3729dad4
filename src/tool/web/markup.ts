/** Small readings of HTML and XML that take the same time for hostile texts as for others. */

const TAG = /<\/?[a-z!?][^<>]*>/gi
const ENTITY = /&(?:#(\d{1,7}|x[\da-f]{1,6})|([a-z]{2,6}));/gi

/** A piece of markup as one line of plain text. */
export function plainLine(markup: string): string {
  return oneLine(decoded(markup.replaceAll(TAG, ' ')))
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

export function decoded(text: string): string {
  return text.replaceAll(ENTITY, (whole, number?: string, name?: string) =>
    number === undefined ? (NAMED[(name ?? '').toLowerCase()] ?? whole) : characterOf(number),
  )
}

function characterOf(number: string): string {
  const code = /^x/i.test(number) ? Number.parseInt(number.slice(1), 16) : Number(number)
  const isText = code > 0 && code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff)
  return isText ? String.fromCodePoint(code) : '\u{fffd}'
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  bull: '•',
  euro: '€',
  copy: '©',
}

/** The beginning of a text, never half a character. */
export function beginning(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${cutAt(text, charsMax)}…`
}

export function cutAt(text: string, chars: number): string {
  const last = text.charCodeAt(chars - 1)
  return text.slice(0, last >= 0xd8_00 && last <= 0xdb_ff ? chars - 1 : chars)
}
