import { lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { Fragment, memo, useMemo, type ReactNode } from 'react'
import ui from '../ui/ui.module.css'
import { Code } from './Code.tsx'
import { decoded, imageAt, isAddressOf, linkTo } from './safe.ts'
import style from './text.module.css'

/**
 * Text that a model or a person wrote, as elements. Nothing in it becomes HTML: tags are shown as they were typed, links
 * lead only to web pages, and pictures come only from this server.
 */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => lexer(text), [text])
  return (
    <div className={style.markdown}>
      {blocks.map((token, index) => (
        <Block key={index} token={token} />
      ))}
    </div>
  )
})

/** While an answer grows, only its last block is drawn again. */
const Block = memo(
  ({ token }: { token: Token }) => <>{blockOf(token as MarkedToken)}</>,
  (before, after) => before.token.raw === after.token.raw && before.token.type === after.token.type,
)

function blockOf(token: MarkedToken): ReactNode {
  switch (token.type) {
    case 'heading':
      return <Heading depth={token.depth}>{inline(token.tokens)}</Heading>
    case 'paragraph':
      return <p>{inline(token.tokens)}</p>
    case 'code':
      return <Code text={token.text} language={token.lang} />
    case 'list':
      return <List list={token} />
    case 'table':
      return <Table table={token} />
    case 'blockquote':
      return <blockquote>{token.tokens.map(blockAt)}</blockquote>
    case 'hr':
      return <hr />
    case 'html':
      return <p className={style.raw}>{token.raw.trimEnd()}</p>
    case 'space':
    case 'def':
      return null
    default:
      return inlineOf(token)
  }
}

function blockAt(token: Token, index: number): ReactNode {
  return <Fragment key={index}>{blockOf(token as MarkedToken)}</Fragment>
}

/** The page has the first level, and a view the second. */
function Heading({ depth, children }: { depth: number; children: ReactNode }) {
  const Name = depth === 1 ? 'h3' : depth === 2 ? 'h4' : 'h5'
  return <Name>{children}</Name>
}

function List({ list: { ordered, start, items } }: { list: Tokens.List }) {
  const rows = items.map((item, index) => (
    <li key={index} data-task={item.task || undefined}>
      {item.tokens.map(blockAt)}
    </li>
  ))
  return ordered ? <ol start={start === '' ? 1 : start}>{rows}</ol> : <ul>{rows}</ul>
}

function Table({ table: { header, rows } }: { table: Tokens.Table }) {
  return (
    <div className={style.wide} tabIndex={0} role="region" aria-label="Table">
      <table className={ui.table}>
        <thead>
          <tr>{header.map((cell, index) => cellAt('th', cell, index))}</tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>{row.map((cell, at) => cellAt('td', cell, at))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function cellAt(Name: 'th' | 'td', { tokens, align }: Tokens.TableCell, index: number): ReactNode {
  return (
    <Name key={index} data-align={align ?? undefined}>
      {inline(tokens)}
    </Name>
  )
}

function inline(tokens: readonly Token[]): ReactNode {
  return tokens.map((token, index) => <Fragment key={index}>{inlineOf(token as MarkedToken)}</Fragment>)
}

function inlineOf(token: MarkedToken): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong>{inline(token.tokens)}</strong>
    case 'em':
      return <em>{inline(token.tokens)}</em>
    case 'del':
      return <del>{inline(token.tokens)}</del>
    case 'codespan':
      return <code>{token.text}</code>
    case 'br':
      return <br />
    case 'link':
      return (
        <Anchor href={token.href} text={textIn(token.tokens)}>
          {inline(token.tokens)}
        </Anchor>
      )
    case 'image':
      return <Image href={token.href} alt={token.text} />
    case 'checkbox':
      return <input type="checkbox" checked={token.checked} disabled aria-label="To do" />
    case 'text':
      return 'tokens' in token && token.tokens ? inline(token.tokens) : decoded(token.text)
    default:
      return decoded('text' in token ? token.text : token.raw)
  }
}

/** What is read of it. A picture may show anything, whatever its words are. */
function textIn(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'image') return ''
      if ('tokens' in token && token.tokens) return textIn(token.tokens)
      return decoded('text' in token && typeof token.text === 'string' ? token.text : token.raw)
    })
    .join('')
}

/** Shows the host it leads to, unless its text is that address (LINK1). */
function Anchor({ href, text = '', children }: { href: string; text?: string; children: ReactNode }) {
  const link = linkTo(href)
  if (link === undefined) return <span title={href}>{children}</span>
  const host = isAddressOf(text, link.href) ? undefined : link.host
  return (
    <a href={link.href} target="_blank" rel="noopener noreferrer" title={link.href} data-host={host}>
      {children}
    </a>
  )
}

function Image({ href, alt }: { href: string; alt: string }) {
  const own = imageAt(href)
  if (own !== undefined) return <img src={own} alt={alt} loading="lazy" />
  return <Anchor href={href}>picture{alt === '' ? '' : `: ${alt}`}</Anchor>
}
