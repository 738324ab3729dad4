/** Brackets that can be taken for `<`: its other forms, then those that only look like it. */
const OPENERS =
  '<\u{FF1C}\u{FE64}\u{226E}\u{2C2}\u{1438}\u{2039}\u{227A}\u{2329}\u{276C}\u{276E}\u{2770}\u{27E8}\u{2991}\u{29FC}\u{3008}'
const OPENER = new RegExp(`[${OPENERS}]`, 'gu')
const ESCAPED_OPENER = /&(?:lt|#x([0-9A-F]{3,4}));/g
/** Characters that a reader overlooks between the letters of a tag. */
const GAP = /[\s\p{C}\p{M}\p{Default_Ignorable_Code_Point}]/gu
const FENCED = /<data source="[^"\n]*">\n([\s\S]*?)\n<\/data>/g

/** Marks text from elsewhere as data, so that a model does not take it for instructions (SAFE2). */
export function fence(source: string, text: string): string {
  const inside = text.replaceAll(OPENER, (opener, at: number) =>
    isTagAt(text, at + opener.length) ? escaped(opener) : opener,
  )
  return `<data source="${source.replaceAll(MARKS, '-')}">\n${inside}\n</data>`
}

/** Characters that could end the attribute or the tag, in all their forms. */
const MARKS = /["<>\s\p{C}\p{Default_Ignorable_Code_Point}\u{FE64}\u{FE65}\u{FF02}\u{FF1C}\u{FF1E}]+/gu

/** Removes fences: they are for models, and people read the text as it was. */
export function withoutFences(text: string): string {
  return text.replaceAll(FENCED, (_, inside: string) => insideFence(inside))
}

/** The inside of a fence as it was typed. */
export function insideFence(inside: string): string {
  return inside.replaceAll(ESCAPED_OPENER, (reference, code: string | undefined, at: number) => {
    const opener = String.fromCodePoint(Number.parseInt(code ?? '3C', 16))
    return OPENERS.includes(opener) && isTagAt(inside, at + reference.length) ? opener : reference
  })
}

function escaped(opener: string): string {
  return opener === '<' ? '&lt;' : `&#x${opener.codePointAt(0)?.toString(16).toUpperCase()};`
}

/** Whether the name of the fence's tag follows, in any letters that look like it: `/data`, but not `/database`. */
function isTagAt(text: string, start: number): boolean {
  let name = ''
  for (let at = start; at < text.length;) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
    const letters = plain(character)
    if (isName(name)) return !/^(?!\u{1433})[\p{L}\p{N}_]/u.test(letters)
    name += letters
    if (!'/data'.startsWith(name) && !'data'.startsWith(name)) return false
    at += character.length
  }
  return isName(name)
}

function isName(name: string): boolean {
  return name === 'data' || name === '/data'
}

function plain(character: string): string {
  const letters = character.normalize('NFKD').toLowerCase().replaceAll(GAP, '')
  return LOOK_ALIKES[letters] ?? letters
}

/** Letters that normalization leaves as they are: Cyrillic, Greek, IPA, and other slashes. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  ԁ: 'd',
  а: 'a',
  ɑ: 'a',
  α: 'a',
  т: 't',
  τ: 't',
  '⁄': '/',
  '∕': '/',
  '╱': '/',
  '⧸': '/',
}
