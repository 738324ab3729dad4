import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Markdown } from './markdown.tsx'

test.each([
  ['[bank.com](https://k.co/login)', 'k.co'],
  ['[https://bank.example](https://evil.example)', 'evil.example'],
  ['[![https://evil.example](/api/x.png)](https://evil.example)', 'evil.example'],
  ['[**https://evil.example/**](https://evil.example)', undefined],
  ['https://a.example/?a=1&b=2', undefined],
  ['![here](https://a.example/c.png)', 'a.example'],
])('[LINK1] %s shows the host %s', (markdown, host) => {
  const html = renderToStaticMarkup(createElement(Markdown, { text: markdown }))
  expect(html).toContain('<a href="https://')
  expect([...html.matchAll(/data-host="([^"]*)"/g)].at(0)?.[1]).toBe(host)
})
