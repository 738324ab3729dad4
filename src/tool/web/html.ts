import { cutText, singleSpaced } from '../../base/words.ts'
import type { HtmlToTextOptions, SelectorDefinition } from 'html-to-text'
import { plainLine } from '../../base/entities.ts'
import { readMarkup } from './markup.ts'

const TITLE_MAX = 300
/** A main part with less in it than this is not what the page is about. */
const MAIN_CHARS_MIN = 200

export function titleOf(html: string): string {
  // Bounded, so that a page of nothing but openings of titles does not take for ever.
  const found = /<title\b[^<>]{0,300}>([^<]{0,2000})/i.exec(html)
  return cutText(plainLine(found?.[1] ?? ''), TITLE_MAX)
}

const LINKS_LOOKED_AT = 500_000
const LINKS_MAX = 300

/** Where the links of a page lead, as it writes them. */
export function linksIn(html: string): string[] {
  const links: string[] = []
  readMarkup(html.slice(0, LINKS_LOOKED_AT), false, {
    open({ name, attributes }) {
      const href = name === 'a' || name === 'area' ? attributes.get('href') : undefined
      if (href !== undefined && links.length < LINKS_MAX) links.push(href)
    },
  })
  return links
}

const WORDLESS: ReadonlySet<string> = new Set(['script', 'style', 'noscript', 'title', 'nav', 'template'])
const BREAKS = /^(?:p|div|br|li|tr|h[1-6]|section|article|table|ul|ol|pre|blockquote)$/

/** All words of a page, without looking at its structure. */
export function roughText(html: string): string {
  const lines: string[] = []
  let line: string[] = []
  let unread: string | undefined
  readMarkup(html, false, {
    text(words) {
      if (unread === undefined) line.push(words)
    },
    close(name) {
      if (name === unread) unread = undefined
    },
    open({ name, isEmpty }) {
      if (WORDLESS.has(name) && !isEmpty) unread ??= name
      else if (BREAKS.test(name) && line.length > 0) {
        lines.push(singleSpaced(line.join('')))
        line = []
      }
    },
  })
  return [...lines, singleSpaced(line.join(''))].filter((text) => text !== '').join('\n')
}

/** The words of a page, of its main part alone where it has one. Some pages are made so that this takes hours. */
export async function textOfHtml(html: string): Promise<string> {
  const { convert } = await import('html-to-text')
  for (const { selectors, trace } of MAIN_PARTS) {
    if (!trace.test(html)) continue
    const text = tidied(convert(html, { ...options, baseElements: { selectors, returnDomByDefault: false } }))
    if (text.length >= MAIN_CHARS_MIN) return text
  }
  return tidied(convert(html, options))
}

/** A page is converted once for each of these whose trace is found in it. */
const MAIN_PARTS: readonly { readonly selectors: string[]; readonly trace: RegExp }[] = [
  { selectors: ['main', '[role=main]'], trace: /<main[\s>]|\brole=["']?main\b/i },
  { selectors: ['article'], trace: /<article[\s>]/i },
]

const WITHOUT_WORDS =
  'nav head title noscript template svg canvas iframe object button select img picture video audio *[hidden] *[role=navigation]'
const skipped = WITHOUT_WORDS.split(' ').map((selector): SelectorDefinition => ({ selector, format: 'skip' }))

const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector): SelectorDefinition => ({
  selector,
  options: { uppercase: false },
}))

const row = { leadingLineBreaks: 1, trailingLineBreaks: 1 }
const cells = ['td', 'th'].map((selector): SelectorDefinition => ({
  selector,
  format: 'inlineSurround',
  options: { suffix: ' | ' },
}))

const options: HtmlToTextOptions = {
  wordwrap: false,
  // The converter calls itself for each level.
  limits: { maxDepth: 200, ellipsis: '' },
  selectors: [
    ...headings,
    { selector: 'tr', format: 'block', options: row },
    ...cells,
    { selector: 'ul', options: { itemPrefix: '- ' } },
    {
      selector: 'a',
      options: { linkBrackets: ['(', ')'], hideLinkHrefIfSameAsText: true, pathRewrite: wholeWebAddress },
    },
    ...skipped,
  ],
}

/** Only links that mean the same wherever they are read. */
function wholeWebAddress(path: string): string {
  return /^https?:\/\//i.test(path) ? singleSpaced(path) : ''
}

function tidied(text: string): string {
  return text
    .replaceAll('\u{a0}', ' ')
    .replaceAll(/(?<![ \t])[ \t]+(?:\|[ \t]*)?$/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}
