import { Tokenizer } from 'htmlparser2'

export interface Tag {
  /** In small letters, like the names of attributes. */
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly isEmpty: boolean
}

interface MarkupReader {
  readonly open: (tag: Tag) => void
  readonly close?: (name: string) => void
  readonly text?: (text: string) => void
}

/**
 * Tells the tags and texts of a page or a feed, in order. The parser of this package also keeps the tags that are open,
 * which takes a minute for megabytes of opening tags; its tokenizer looks at each character once or twice.
 */
export function readMarkup(markup: string, xmlMode: boolean, { open, close, text }: MarkupReader): void {
  const slice = (start: number, end: number): string => markup.slice(start, end)
  let [name, key, value] = ['', '', '']
  let attributes = new Map<string, string>()
  const opened = (isEmpty: boolean): void => open({ name, attributes, isEmpty })
  const tokenizer = new Tokenizer(
    { xmlMode, decodeEntities: true },
    {
      onopentagname(start, end) {
        name = slice(start, end).toLowerCase()
        attributes = new Map()
      },
      onattribname: (start, end) => void (key = slice(start, end).toLowerCase()),
      onattribdata: (start, end) => void (value += slice(start, end)),
      onattribentity: (code) => void (value += String.fromCodePoint(code)),
      onattribend() {
        if (!attributes.has(key)) attributes.set(key, value)
        value = ''
      },
      onopentagend: () => opened(false),
      onselfclosingtag: () => opened(true),
      onclosetag: (start, end) => close?.(slice(start, end).toLowerCase()),
      ontext: (start, end) => text?.(slice(start, end)),
      ontextentity: (code) => text?.(String.fromCodePoint(code)),
      oncdata: (start, end, offset) => text?.(slice(start, end - offset)),
      oncomment: () => undefined,
      ondeclaration: () => undefined,
      onprocessinginstruction: () => undefined,
      onend: () => undefined,
    },
  )
  tokenizer.write(markup)
  tokenizer.end()
}
