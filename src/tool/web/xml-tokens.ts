import { decoded } from '../../base/entities.ts'
import { singleSpaced } from '../../base/words.ts'

export type Token =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'open'; readonly name: string; readonly attributes: string; readonly isEmpty: boolean }
  | { readonly kind: 'close'; readonly name: string }

const TAG_MAX = 4_096

/** A piece of markup as one line of plain text. */
export function plainLine(markup: string): string {
  return singleSpaced(decoded(markup.replaceAll(/<\/?[a-z!?][^<>]*>/gi, ' ')))
}

export function attributeIn(attributes: string, name: string): string | undefined {
  const found = new RegExp(String.raw`(?:^|\s)${name}\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))`, 'i').exec(
    attributes,
  )
  const value = found?.[1] ?? found?.[2] ?? found?.[3]
  return value === undefined ? undefined : decoded(value)
}

/** The parts of something like XML, names in small letters. Whatever is in it, each character is looked at only once or twice. */
export function* tokensOf(xml: string): Generator<Token> {
  let at = 0
  while (at < xml.length) {
    const start = xml.indexOf('<', at)
    const end = start < 0 ? xml.length : start
    if (end > at) yield { kind: 'text', text: decoded(xml.slice(at, end)) }
    if (start < 0) return
    const passed =
      xml.startsWith('<!', start) || xml.startsWith('<?', start) ? passedAt(xml, start) : undefined
    if (passed) {
      if (passed.text !== '') yield { kind: 'text', text: passed.text }
      at = passed.end
      continue
    }
    const tag = tagAt(xml, start)
    yield tag?.token ?? { kind: 'text', text: '<' }
    at = tag?.end ?? start + 1
  }
}

/** What is no tag: CDATA, whose text stands as it is, comments and declarations. */
function passedAt(xml: string, start: number): { text: string; end: number } {
  if (xml.startsWith('<![CDATA[', start)) {
    const end = endOf(xml, ']]>', start)
    return { text: xml.slice(start + '<![CDATA['.length, end.before), end: end.after }
  }
  return { text: '', end: endOf(xml, xml.startsWith('<!--', start) ? '-->' : '>', start).after }
}

function endOf(xml: string, mark: string, from: number): { before: number; after: number } {
  const found = xml.indexOf(mark, from)
  return found < 0 ? { before: xml.length, after: xml.length } : { before: found, after: found + mark.length }
}

const TAG = /^<(\/?)([a-z_][\w:.-]{0,100})((?:[^<>"']|"[^"<]*"|'[^'<]*')*?)(\/?)>/i

function tagAt(xml: string, start: number): { token: Token; end: number } | undefined {
  const found = TAG.exec(xml.slice(start, start + TAG_MAX))
  if (found === null) return undefined
  const [whole, slash, rawName = '', attributes = '', empty] = found
  const name = rawName.toLowerCase().replace(/^(?:atom|rss):/, '')
  const end = start + whole.length
  if (slash !== '') return { token: { kind: 'close', name }, end }
  return { token: { kind: 'open', name, attributes, isEmpty: empty !== '' }, end }
}
