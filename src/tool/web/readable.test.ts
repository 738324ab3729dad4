import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readFeed } from './feed.ts'
import { readableOf } from './readable.ts'
import { rounds } from '../../../test/rounds.ts'

const signal = new AbortController().signal

async function read(contentType: string, content: string | Uint8Array, timeoutMs = 60_000): Promise<string> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const got = await readableOf({ contentType, bytes }, { signal, timeoutMs })
  return got.text ?? `other: ${got.type}`
}

const long = 'These are words that say what the page is about. '.repeat(6).trim()

test('of a page its title and its words are left, in lines', async () => {
  const text = await read(
    'text/html; charset=utf-8',
    `<!doctype html><html><head><title>A &amp; B
      shop</title><style>p{}</style><script>evil()</script></head>
      <body><nav>Home <a href="/x">Menu</a></nav><h1>Hello</h1><p>One&nbsp;two &lt;three&gt;</p>
      <ul><li>first</li><li>second</li></ul>
      <table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
      <p hidden>nobody sees this</p><noscript>no</noscript><img alt="image" src="http://x/y.png"></body></html>`,
  )
  expect(text).toBe('A & B shop\n\nHello\n\nOne two <three>\n\n- first\n- second\n\na | b\n1 | 2')
})

function around(inner: string): string {
  return `<body><div>banner</div>${inner}<div>sidebar</div></body>`
}

test('of a page with a main part that part is left', async () => {
  expect(await read('text/html', around(`<main><p>${long}</p></main>`))).toBe(long)
  expect(await read('text/html', around(`<div role="main"><p>${long}</p></div>`))).toBe(long)
  expect(await read('text/html', around(`<article>${long}</article><article>${long}</article>`))).toBe(
    `${long}\n${long}`,
  )
  expect(await read('text/html', around('<main>short</main>'))).toBe('banner\nshort\nsidebar')
})

test('links are shown where they mean the same everywhere', async () => {
  const text = await read(
    'text/html',
    `<p><a href="https://example.com/a">one</a> <a href="/b">two</a> <a href="javascript:x()">three</a>
     <a href="mailto:a@b">four</a> <a href="#c">five</a> <a href="https://example.com/">https://example.com/</a></p>`,
  )
  expect(text).toBe('one (https://example.com/a) two three four five https://example.com/')
})

test.each([
  ['text/plain', ' as  it\r\n\tis <b> '],
  ['text/markdown', '# Title\n\n*x*'],
  ['application/json', '{"a": [1, 2]}'],
  ['application/ld+json', '{}'],
  ['application/xml', '<a>&amp;</a>'],
  ['', 'no type at all'],
])('what comes as %s is given as it is', async (type, text) => {
  expect(await read(type, text)).toBe(text.replaceAll('\r\n', '\n').trim())
})

test.each([
  ['image/png', 'image/png'],
  ['image/svg+xml', 'image/svg+xml'],
  ['application/pdf; x=y', 'application/pdf'],
  ['application/octet-stream', 'application/octet-stream'],
  ['video/mp4', 'video/mp4'],
  ['application/zip', 'application/zip'],
])('of what comes as %s only the type is told', async (type, told) => {
  expect(await read(type, 'GIF89a')).toBe(`other: ${told}`)
})

test('what has no type, or one that is none, is looked at', async () => {
  expect(await read('', Buffer.from([1, 0, 2]))).toBe('other: application/octet-stream')
  expect(await read('do as I say', '<!DOCTYPE html><p>words')).toBe('words')
  expect(await read('', '<?xml version="1.0"?><rss><channel><title>T</title></channel></rss>')).toContain(
    'no entries',
  )
})

test('signs that steer terminals are left out', async () => {
  expect(await read('text/plain', 'a\u001b[2Jb\u0000c\u009bd\te')).toBe('a[2Jbcd\te')
})

const bytes = (...list: number[]) => Buffer.from(list)
test.each([
  ['text/plain; charset=iso-8859-1', bytes(0x63, 0x61, 0x66, 0xe9), 'café'],
  ['text/plain; charset="Windows-1252"', bytes(0x80), '€'],
  ['text/plain; charset=shift_jis', bytes(0x93, 0xfa, 0x96, 0x7b), '日本'],
  ['text/plain; charset=utf-16le', bytes(0x68, 0, 0x69, 0), 'hi'],
  ['text/plain', bytes(0xff, 0xfe, 0x68, 0, 0x69, 0), 'hi'],
  ['text/plain; charset=iso-8859-1', bytes(0xef, 0xbb, 0xbf, 0xc3, 0xa9), 'é'],
  ['text/plain; charset=klingon', bytes(0xc3, 0xa9), 'é'],
  ['text/plain', bytes(0xc3, 0xa9, 0xff), 'é\u{fffd}'],
  ['text/html', Buffer.concat([Buffer.from('<meta charset=latin1><p>'), bytes(0xe9)]), 'é'],
  [
    'text/html',
    Buffer.concat([Buffer.from('<meta content="text/html; charset=koi8-r"><p>'), bytes(0xc1)]),
    'а',
  ],
  [
    'text/html; charset=utf-8',
    Buffer.concat([Buffer.from('<meta charset=latin1><p>'), bytes(0xc3, 0xa9)]),
    'é',
  ],
  ['text/html', Buffer.from('<meta charset=utf-16><p>é'), 'é'],
  ['text/xml', Buffer.concat([Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?>'), bytes(0xe9)]), 'é'],
])('the charset of %s %s gives %s', async (type, content, text) => {
  expect((await read(type, content)).endsWith(text)).toBe(true)
})

const RSS = `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY x "y">]>
<rss xmlns:content="c"><channel><title>News &amp; more</title><link>https://example.com/</link>
<image><title>Logo</title><url>https://example.com/logo</url></image>
<item><title><![CDATA[First <b>one</b> </item>]]></title><link> https://example.com/1 </link>
<pubDate>Mon, 02 Mar 2026 10:00:00 GMT</pubDate>
<description>&lt;p&gt;Some &amp;amp; &lt;em&gt;text&lt;/em&gt;&lt;/p&gt;</description><media:title>x</media:title></item>
<!-- <item><title>not there</title></item> -->
<ITEM><guid>https://example.com/2</guid><content:encoded><![CDATA[<p>Body &amp;lt;</p><p>two</p>]]></content:encoded></ITEM>
<item><title>Third</title><link>javascript:x</link>
</channel></rss>`

test('of a feed its entries are listed, RSS', async () => {
  expect(await read('application/rss+xml', RSS)).toBe(
    `News & more

- First one
  Mon, 02 Mar 2026 10:00:00 GMT
  https://example.com/1
  Some & text

- (no title)
  https://example.com/2
  Body &lt; two

- Third`,
  )
})

const ATOM = `<feed xmlns="http://www.w3.org/2005/Atom"><title type="text">Blog</title>
<link rel="self" href="https://example.com/feed"/><id>urn:x</id>
<entry><link rel="self" href="https://example.com/self"></link><title>A &lt; B</title>
<link href='https://example.com/a?b=1&amp;c=2'/><id>urn:1</id><updated>2026-03-02T10:00:00Z</updated>
<source><title>Elsewhere</title></source><author><name>Ann</name></author>
<content type="xhtml"><div><p>Hello</p><p>there</p></div></content></entry>
<atom:entry><atom:title>Second</atom:title><published>2026-03-01</published><summary/></atom:entry></feed>`

test.each(['application/atom+xml', 'text/xml', 'text/html'])(
  'of a feed its entries are listed, Atom called %s',
  async (type) => {
    expect(await read(type, ATOM)).toBe(
      `Blog

- A < B
  2026-03-02T10:00:00Z
  https://example.com/a?b=1&c=2
  Hello there

- Second
  2026-03-01`,
    )
  },
)

const scrap = fc.constantFrom(
  '<',
  '>',
  '<item>',
  '</item>',
  '<entry',
  '<title>',
  '</title>',
  '<![CDATA[',
  ']]>',
  '<!--',
  '-->',
  '&lt;',
  '&',
  '&#x110000;',
  '&#55555;',
  '&#0;',
  '<link href="',
  "<a b='",
  '"',
  "'",
  '/>',
  ' ',
  'words',
  '\u{d83d}',
  '<rss>',
)

test('no text makes the reader of feeds fail, and it loses no entry that is whole', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(scrap, fc.string()), { maxLength: 60 }), (scraps) => {
      const text = scraps.join('')
      expect(readFeed(text).entries.every(({ summary }) => summary.length <= 501)).toBe(true)
      const closed = '-->]]>"\'></title></item></entry>'
      const { entries } = readFeed(`${text}${closed}<item><title>whole</title></item>`)
      expect(entries.at(-1)?.title).toBe('whole')
    }),
    { numRuns: rounds(2_000) },
  )
})

test('no page makes the reader of pages fail', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(scrap, fc.string()), { maxLength: 60 }), async (scraps) => {
      expect(typeof (await read('text/html', scraps.join('')))).toBe('string')
    }),
    { numRuns: rounds(20) },
  )
})

test('[READ1] a page made to take for ever is read roughly, and meanwhile others go on', async () => {
  const page = `<title>T</title><script>x()</script><p>Hello &amp; ${'<div>'.repeat(300_000)} bye`
  let ticks = 0
  const ticking = setInterval(() => ticks++, 20)
  const text = await read('text/html', page, 1_000)
  clearInterval(ticking)
  expect(text).toBe('T\n\nHello &\nbye')
  expect(ticks).toBeGreaterThan(10)
})

const TABLES = '<table><tr><td>'.repeat(300_000)

test.each([
  ['nested tables', 'text/html', TABLES],
  ['a feed', 'application/rss+xml', `<rss>${'<a>x</a>'.repeat(560_000)}`],
  ['plain text', 'text/plain', 'a\r\n'.repeat(1_500_000)],
])('[READ1] 4.5 MB of %s take next to nothing of the thread that serves others', async (_, type, content) => {
  const bytes = Buffer.from(content)
  const [here, all] = [process.threadCpuUsage(), process.cpuUsage()]
  const got = await readableOf({ contentType: type, bytes }, { signal, timeoutMs: 500 })
  const mine = process.threadCpuUsage(here)
  const total = process.cpuUsage(all)
  expect(got.text ?? got.problem).toBeDefined()
  expect(mine.user).toBeLessThan(total.user / 2)
})

test('[READ1] what cannot be read within its time is given up with a sentence', async () => {
  const page = { contentType: 'text/html', bytes: Buffer.from(TABLES) }
  expect(await readableOf(page, { signal, timeoutMs: 1 })).toEqual({
    type: 'text/html',
    problem: 'reading it took too long or too much memory',
  })
})

test('[READ1] a page that becomes far longer than it is is cut, and ends nothing', async () => {
  const lines = `<li>${'x'.repeat(20)}`.repeat(25_000)
  const { text, problem } = await readableOf(
    { contentType: 'text/html', bytes: Buffer.from(`${'<ul><li>'.repeat(80)}${lines}`) },
    { signal, timeoutMs: 60_000 },
  )
  expect(text?.length ?? problem).toBe(4_000_000)
})
