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
  return { href: url.href, host: url.protocol === 'mailto:' ? url.pathname + url.search : url.host }
}

/**
 * Whether a text shows where a link leads: it is the address, with or without its scheme, and begins with its host as it
 * is. A text that only has the host in it, a name before an `@` or letters that look like others say something else.
 */
export function isAddressOf(text: string, href: string): boolean {
  const url = URL.parse(href)
  if (url === null || /[\p{C}\p{Default_Ignorable_Code_Point}]/u.test(text)) return false
  if (url.protocol === 'mailto:') return text === url.pathname + url.search
  const whole = /^https?:\/\//i.test(text) ? text : `${url.protocol}//${text}`
  const shown = whole.slice(whole.indexOf('//') + 2).toLowerCase()
  return URL.parse(whole)?.href === url.href && shown.startsWith(url.host)
}

/** Only files that this server keeps: any other picture would tell somebody that it is looked at. */
export function imageAt(href: string): string | undefined {
  return /^\/api\/files\/[\da-f]{64}(?:\?[^#]*)?$/.test(href) ? href : undefined
}
