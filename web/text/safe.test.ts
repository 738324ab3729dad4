import { expect, test } from 'vitest'
import { decoded, imageAt, linkTo } from './safe.ts'

test('[PAGE2] a link leads to a web page or an address of mail, or nowhere', () => {
  expect(linkTo('https://gnv.it/en?a=1')).toEqual({ href: 'https://gnv.it/en?a=1', host: 'gnv.it' })
  expect(linkTo('mailto:ada@example.org')?.host).toBe('ada@example.org')
  for (const bad of [
    'javascript:alert(1)',
    ' JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    '/chat',
    'x',
  ])
    expect(linkTo(bad)).toBeUndefined()
})

test('[PAGE2] only pictures that the server keeps are loaded', () => {
  const hash = 'a'.repeat(64)
  expect(imageAt(`/api/files/${hash}?name=x.png`)).toBe(`/api/files/${hash}?name=x.png`)
  for (const bad of [
    'https://spy.example/x.png',
    '//spy.example/x.png',
    `/api/files/${hash}/../x`,
    'data:image/png,x',
  ])
    expect(imageAt(bad)).toBeUndefined()
})

test('entities are shown as a browser shows them, control characters as they were typed', () => {
  expect(decoded('a &amp; b &lt;c&gt; &#8364; &#x20AC; &nbsp;&unknown; &#0;')).toBe(
    'a & b <c> € € \u{A0}&unknown; &#0;',
  )
})
