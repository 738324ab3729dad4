import { describe, expect, test } from 'vitest'
import { addressesOf, isHostIn, grantFor, readAddress, refusalOf } from './web-address.ts'

test.each([
  ['', 'is not an address'],
  ['example.com', 'is not an address'],
  ['/path', 'is not an address'],
  ['http://', 'is not an address'],
  ['http://256.0.0.1/', 'is not an address'],
  ['http://a b/', 'is not an address'],
  ['file:///etc/passwd', 'does not begin with http'],
  ['ftp://example.com/', 'does not begin with http'],
  ['data:text/html,x', 'does not begin with http'],
  ['javascript:alert(1)', 'does not begin with http'],
  ['https://me:secret@example.com/', 'name or password'],
  ['https://me@example.com/', 'name or password'],
  ['https://*/', 'is not a host name'],
  ['https://*.com/', 'is not a host name'],
  ['https://./', 'is not a host name'],
  ['https://a..b/', 'is not a host name'],
  [`https://example.com/${'a'.repeat(4_000)}`, 'longer than'],
])('%s is refused: %s', (text, why) => {
  const read = readAddress(text)
  expect('refused' in read && read.refused).toContain(why)
})

test('a password is not repeated in what is said about it', () => {
  expect(JSON.stringify(readAddress('https://me:secret@example.com/'))).not.toContain('secret')
})

test('an address is made plain', () => {
  const read = readAddress('  HTTPS://Example.COM:443/a/../b?q=<x>#part ')
  expect('url' in read && read.url.href).toBe('https://example.com/b?q=%3Cx%3E')
})

test.each([
  ['http://nas.local/', ['nas.local'], 'host'],
  ['http://nas.local:8080/', ['nas.local'], 'host'],
  ['http://NAS.local./', ['nas.LOCAL'], 'host'],
  ['http://nas.local:8080/', ['nas.local:8080'], 'port'],
  ['http://nas.local/', ['nas.local:80'], 'port'],
  ['https://nas.local/', ['nas.local:80'], 'none'],
  ['https://nas.local/', ['nas.local:443'], 'port'],
  ['http://nas.local:8081/', ['nas.local:8080'], 'none'],
  ['http://nas.local:8080/', ['nas.local', 'nas.local:8080'], 'port'],
  ['http://evil-nas.local/', ['nas.local'], 'none'],
  ['http://nas.local.evil.example/', ['nas.local'], 'none'],
  ['http://127.0.0.1:1234/', ['127.0.0.1:1234'], 'port'],
  ['http://2130706433:1234/', ['127.0.0.1:1234'], 'port'],
  ['http://[::1]/', ['::1'], 'host'],
  ['http://[::1]:81/', ['[::1]:81'], 'port'],
  ['http://[::1]:82/', ['[::1]:81'], 'none'],
  ['http://example.com/', ['*', '', ':', ':80', '[', 'http://example.com', 'example.com/x'], 'none'],
] as const)('%s with %j is granted: %s', (text, privateHosts, grant) => {
  expect(grantFor(new URL(text), privateHosts)).toBe(grant)
})

test('ports of other services are asked only where a person named that very port', () => {
  for (const port of [0, 22, 25, 6379, 11_211]) {
    const url = new URL(`http://example.com:${port}/`)
    expect(refusalOf(url, 'none')).toContain(`port ${port}`)
    expect(refusalOf(url, 'host')).toContain(`port ${port}`)
    expect(refusalOf(url, 'port')).toBeUndefined()
  }
  expect(refusalOf(new URL('http://example.com:8080/'), 'none')).toBeUndefined()
})

describe('the addresses in a text', () => {
  test.each([
    ['see https://a.example/x?y=1.', ['https://a.example/x?y=1.', 'https://a.example/x?y=1']],
    ['[a page](https://a.example/x)', ['https://a.example/x)', 'https://a.example/x']],
    ['HTTPS://A.example:443/../b#part', ['https://a.example/b']],
    [
      'notes.txt and a.example/news',
      ['https://notes.txt/', 'http://notes.txt/', 'https://a.example/news', 'http://a.example/news'],
    ],
    ['ana@a.example and file:///x and https://', []],
  ])('[LEAVE1] of %j are %j', (text, found) => expect(addressesOf(text, 'bare')).toEqual(found))

  test('are found in time, and few enough to keep', () => {
    expect(addressesOf('a.'.repeat(100_000), 'bare')).toEqual([])
    const many = Array.from({ length: 2_000 }, (_, at) => `https://a.example/${at}`).join(' ')
    expect(addressesOf(many, 'whole')).toHaveLength(300)
  })

  test.each([
    ['https://en.wikipedia.org/wiki/Porto', true],
    ['https://wikipedia.org/', true],
    ['https://notwikipedia.org/', false],
    ['https://wikipedia.org.evil.example/', false],
    ['https://wikipedia.org:8443/', false],
  ])('[LEAVE1] %s is of an open host: %j', (href, isOpen) =>
    expect(isHostIn(href, ['wikipedia.org'])).toBe(isOpen),
  )
})
