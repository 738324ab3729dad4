import { singleSpaced } from './words.ts'

/** A piece of markup as one line of plain text. */
export function plainLine(markup: string): string {
  return singleSpaced(decoded(markup.replaceAll(/<\/?[a-z!?][^<>]*>/gi, ' ')))
}

const ENTITY = /&(?:#(\d{1,7}|x[\da-f]{1,6})|([a-z]{2,6}));/gi

/** The text with the entities of HTML and XML, such as `&amp;`, as the characters they stand for. */
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
