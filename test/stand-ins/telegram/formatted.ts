import { BotError } from './bot-error.ts'

/** A look of a part of a text, in UTF-16 units. */
type Entity = { readonly offset: number; readonly length: number } & (
  | { readonly type: Exclude<(typeof TYPES)[keyof typeof TYPES], 'text_link' | 'pre'> }
  | { readonly type: 'pre'; readonly language?: string }
  | { readonly type: 'text_link'; readonly url: string }
)

/** A text as Telegram shows it. */
export interface Formatted {
  readonly text: string
  readonly entities: readonly Entity[]
  /** Looks that were asked for and are silently not shown. */
  readonly dropped: readonly Entity[]
}

export const TEXT_MAX = 4_096
const SOURCE_BYTES_MAX = 32_768
const ENTITIES_MAX = 100

/** The rules by which Telegram reads `text` with `parse_mode`. Throws what the Bot API answers. */
export function formatted(source: string, parseMode?: string): Formatted {
  if (Buffer.byteLength(source) > SOURCE_BYTES_MAX) throw new BotError(400, 'Bad Request: text is too long')
  if (!source.isWellFormed()) throw new BotError(400, 'Bad Request: strings must be encoded in UTF-8')
  if (parseMode !== undefined && parseMode !== '' && parseMode.toLowerCase() !== 'html')
    throw new BotError(400, 'Bad Request: unsupported parse_mode')
  // Telegram replaces control characters, and removes those that change the writing direction.
  const cleaned = source
    .replaceAll(/[\r\u{2028}-\u{202E}]/gu, '')
    .replaceAll(/(?![\n\x7F-\x9F])\p{Cc}/gu, ' ')
  return trimmed(
    parseMode ? withoutMisfits(new HtmlReader(cleaned).read()) : { text: cleaned, entities: [], dropped: [] },
  )
}

const TYPES = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strikethrough',
  strike: 'strikethrough',
  del: 'strikethrough',
  'tg-spoiler': 'spoiler',
  span: 'spoiler',
  a: 'text_link',
  code: 'code',
  pre: 'pre',
  blockquote: 'blockquote',
} as const

interface Tag {
  readonly name: keyof typeof TYPES
  readonly value: string
  readonly offset: number
}

/** Reads HTML as tdlib's `parse_html` does, with its sentences about what is wrong. */
class HtmlReader {
  readonly #html: string
  #at = 0
  #text = ''
  readonly #open: Tag[] = []
  readonly #entities: Entity[] = []

  constructor(html: string) {
    this.#html = html
  }

  read(): { text: string; entities: Entity[] } {
    while (this.#at < this.#html.length) {
      if (this.#html[this.#at] !== '<') this.#readText()
      else if (this.#html[this.#at + 1] === '/') this.#readEnd()
      else this.#readStart()
    }
    const left = this.#open.at(-1)
    if (left !== undefined) throw parseError(`Can't find end tag corresponding to start tag "${left.name}"`)
    return { text: this.#text, entities: this.#entities }
  }

  #readText(): void {
    const next = this.#html.indexOf('<', this.#at)
    const end = next === -1 ? this.#html.length : next
    this.#text += unescaped(this.#html.slice(this.#at, end))
    this.#at = end
  }

  #readStart(): void {
    const begin = this.#at
    const [whole, written = '', attributes = ''] = this.#match(/<([^\s>]*)((?:[^>"']|"[^"]*"|'[^']*')*)>/y)
    if (whole === undefined) throw parseError(`Unclosed start tag at byte offset ${this.#bytes(begin)}`)
    const name = written.toLowerCase()
    const place = `"${name}" at byte offset ${this.#bytes(begin)}`
    if (!isTagName(name)) throw parseError(`Unsupported start tag ${place}`)
    let value = ''
    for (const [, key, quoted, sign = ''] of attributes.matchAll(
      /([^\s=]+)(?:\s*=\s*("[^"]*"|'[^']*'|[\w.-]+))?([^\s]?)/g,
    )) {
      if (quoted === undefined && !(name === 'blockquote' && key === 'expandable'))
        throw parseError(`Expected equal sign in declaration of an attribute of the tag ${place}`)
      if (sign !== '') throw parseError(`Unexpected end of name token at byte offset ${this.#bytes(begin)}`)
      const text = unescaped((quoted ?? '').replace(/^["']|["']$/g, ''))
      if (name === 'a' && key === 'href') value = text
      if (name === 'code' && key === 'class') value = /^language-(.*)$/s.exec(text)?.[1] ?? ''
      if (name === 'span' && key === 'class') value = text
    }
    if (name === 'span' && value !== 'tg-spoiler')
      throw parseError(`Tag "span" must have class "tg-spoiler" at byte offset ${this.#bytes(begin)}`)
    this.#open.push({ name, value, offset: this.#text.length })
  }

  #readEnd(): void {
    const begin = this.#bytes(this.#at)
    const tag = this.#open.pop()
    if (tag === undefined) throw parseError(`Unexpected end tag at byte offset ${begin}`)
    const [whole, written = ''] = this.#match(/<\/([^\s>]*)\s*>/y)
    if (whole === undefined) throw parseError(`Unclosed end tag at byte offset ${begin}`)
    const name = written.toLowerCase()
    if (name !== '' && name !== tag.name)
      throw parseError(
        `Unmatched end tag at byte offset ${begin}, expected "</${tag.name}>", found "</${name}>"`,
      )
    const length = this.#text.length - tag.offset
    if (length > 0) this.#add({ ...tag, length })
  }

  #add({ name, value, offset, length }: Tag & { readonly length: number }): void {
    const last = this.#entities.at(-1)
    const isSame = last?.offset === offset && last.length === length
    if (name === 'pre' && isSame && last.type === 'code') {
      this.#entities.pop()
      const language = this.#languages.get(last)
      this.#entities.push({ type: 'pre', offset, length, ...(language ? { language } : {}) })
    } else if (name === 'a') {
      this.#entities.push({ type: 'text_link', offset, length, url: value || this.#text.slice(offset) })
    } else {
      const entity: Entity = { type: TYPES[name] as 'bold', offset, length }
      if (name === 'code') this.#languages.set(entity, value)
      this.#entities.push(entity)
    }
  }

  /** Of code that may turn out to be a block. */
  readonly #languages = new WeakMap<Entity, string>()

  #match(pattern: RegExp): readonly (string | undefined)[] {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#html) ?? []
    this.#at += found[0]?.length ?? 0
    return found
  }

  #bytes(index: number): number {
    return Buffer.byteLength(this.#html.slice(0, index))
  }
}

function isTagName(name: string): name is keyof typeof TYPES {
  return Object.hasOwn(TYPES, name)
}

function parseError(what: string): BotError {
  return new BotError(400, `Bad Request: can't parse entities: ${what}`)
}

/** Telegram knows four names; anything else after `&` is text. */
function unescaped(text: string): string {
  const names: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' }
  return text.replaceAll(
    /&(?:#(x[\da-f]{1,6}|\d{1,7})|(lt|gt|amp|quot)(?![a-z]));?/gi,
    (whole, code?: string, name = '') => {
      if (code === undefined) return names[name as string] ?? whole
      const number = Number(code.replace(/^x/i, '0x'))
      return number > 0 && number < 0x10_ff_ff ? String.fromCodePoint(number) : whole
    },
  )
}

const WHOLE = new Set(['code', 'pre', 'text_link'])
const isInside = (inner: Entity, outer: Entity): boolean =>
  inner.offset >= outer.offset && inner.offset + inner.length <= outer.offset + outer.length

/** Looks that cannot be inside each other, links that lead nowhere and more than a hundred looks are not shown. */
function withoutMisfits({ text, entities }: { text: string; entities: readonly Entity[] }): Formatted {
  // Inner ones were closed first: seen from the end, the outer ones come first.
  const kept: Entity[] = []
  const dropped: Entity[] = []
  for (const entity of entities.toReversed()) {
    const around = kept.filter((outer) => isInside(entity, outer)).map(({ type }) => type)
    const isMisfit =
      around.some((type) => type === 'code' || type === 'pre') ||
      (WHOLE.has(entity.type) && around.includes('text_link')) ||
      (entity.type === 'blockquote' && around.some((type) => type === 'blockquote' || WHOLE.has(type))) ||
      (entity.type === 'text_link' && !isLink(entity.url))
    if (isMisfit) dropped.push(entity)
    else kept.push(entity)
  }
  kept.sort((one, other) => one.offset - other.offset || other.length - one.length)
  return { text, entities: kept.slice(0, ENTITIES_MAX), dropped: [...dropped, ...kept.slice(ENTITIES_MAX)] }
}

function isLink(address: string): boolean {
  if (/^tg:/i.test(address)) return true
  const url = URL.parse(/^[a-z]+:/i.test(address) ? address : `http://${address}`)
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname.includes('.')
}

/** Spaces and line ends around a message are not part of it. */
function trimmed({ text, entities, dropped }: Formatted): Formatted {
  const start = /^[ \n]*/.exec(text)?.[0].length ?? 0
  const shown = text.slice(start).replace(/[ \n]+$/, '')
  const moved = entities.map((entity) => {
    const offset = Math.max(0, entity.offset - start)
    const end = Math.min(shown.length, entity.offset + entity.length - start)
    return { ...entity, offset, length: Math.max(0, end - offset) }
  })
  return { text: shown, entities: moved.filter(({ length }) => length > 0), dropped }
}

export function isEmpty(text: string): boolean {
  return !/[^\s\p{C}\p{Default_Ignorable_Code_Point}]/u.test(text)
}
