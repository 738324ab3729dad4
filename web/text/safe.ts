const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u{A0}',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  euro: '€',
}

/** Text as a browser would show it. */
export function decoded(text: string): string {
  return text.replaceAll(/&(#x?[\da-f]{1,6}|[a-z]{2,6});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    return code > 31 && code < 0x11_00_00 ? String.fromCodePoint(code) : whole
  })
}

/** Only web pages and mail: anything else could run something. */
export function linkTo(href: string): { readonly href: string; readonly host: string } | undefined {
  const url = URL.parse(href)
  if (url === null || !['http:', 'https:', 'mailto:'].includes(url.protocol)) return undefined
  return { href: url.href, host: url.protocol === 'mailto:' ? url.pathname : url.host }
}

/** Only files that this server keeps: any other picture would tell somebody that it is looked at. */
export function imageAt(href: string): string | undefined {
  return /^\/api\/files\/[\da-f]{64}(?:\?[^#]*)?$/.test(href) ? href : undefined
}
