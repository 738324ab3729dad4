import { expect, test } from 'vitest'
import { decoded, imageAt, isAddressOf, linkTo } from './safe.ts'

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

test.each([
  ['https://a.example/b?c=d', 'https://a.example/b?c=d', true],
  ['a.example/b', 'https://a.example/b', true],
  ['www.a.example', 'http://www.a.example/', true],
  ['HTTPS://A.example', 'https://a.example/', true],
  ['https://a.example/ü', 'https://a.example/%C3%BC', true],
  ['ada@a.example', 'mailto:ada@a.example', true],
  ['here', 'https://a.example/', false],
  ['bank.com', 'https://k.co/', false],
  ['https://bank.example', 'https://evil.example/', false],
  ['https://bank.example@evil.example/', 'https://bank.example@evil.example/', false],
  ['evil.example.bank.example', 'https://evil.example/', false],
  ['see evil.example', 'https://evil.example/', false],
  ['https://evil.example/x', 'https://evil.example/', false],
  ['https://\u0430pple.com/', 'https://xn--pple-43d.com/', false],
  ['https://evil.example/\u202Emoc.knab', 'https://evil.example/%E2%80%AEmoc.knab', false],
  ['bank@bank.example', 'mailto:evil@evil.example', false],
  ['bank@bank.example', 'mailto:bank@bank.example?bcc=evil@evil.example', false],
])('[LINK1] %j as the text of a link to %s tells its host: %j', (text, href, is) =>
  expect(isAddressOf(text, href)).toBe(is),
)
