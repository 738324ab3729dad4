import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isPrivateHost, isPublic } from '../../base/address.ts'
import { hostOf, readAddress } from './web-address.ts'

/** Words of a table, without its remarks. */
function words(table: string): string[] {
  return table
    .replaceAll(/# .*$/gm, '')
    .split(/\s+/)
    .filter((word) => word !== '')
}

const PUBLIC = words(`
  1.1.1.1 8.8.8.8 93.184.215.14 100.63.255.255 100.128.0.0 172.15.0.1 172.32.0.1
  192.167.1.1 198.17.0.1 198.20.0.1 223.255.255.255 169.253.1.1 11.0.0.0 128.0.0.1
  2606:4700::1111 2a00:1450:4001::200e 2001:4860:4860::8888 2600:: 2001:200::1
  # These hold an IPv4 address that is public.
  ::ffff:8.8.8.8 ::ffff:808:808 2002:808:808::1 64:ff9b::808:808 64:ff9b::8.8.8.8
  2001:0:808:808:0:0:f7f7:f7f7 2606:4700::5efe:808:808 2606:4700::200:5efe:8.8.8.8
  # No tunnel: other words in the middle.
  2606:4700::5eff:7f00:1 2606:4700::1:5efe:7f00:1 2606:4700:5efe:7f00:1::
`)

const NOT_PUBLIC = words(`
  127.0.0.1 127.1.2.3 127.255.255.255 0.0.0.0 0.1.2.3 255.255.255.255
  10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1 192.168.255.255
  169.254.169.254 169.254.0.1 100.64.0.1 100.127.255.255 100.100.100.200
  192.0.0.1 192.0.2.1 198.51.100.7 203.0.113.9 198.18.0.1 198.19.255.255 192.88.99.1
  224.0.0.1 239.255.255.255 240.0.0.1 254.1.1.1
  :: ::1 0:0:0:0:0:0:0:1 fe80::1 fe80::1%lo fe80::1%eth0 febf::1 fec0::1
  fc00::1 fd00:ec2::254 fdff::1 ff02::1 ff0e::1 100::1 2001:db8::1 3fff::1
  2001:2::1 2001:10::1 2001:20::1 5f00::1 4000::1 8000::1 e000::1
  # The same as IPv6.
  ::ffff:127.0.0.1 ::ffff:7f00:1 ::FFFF:10.0.0.1 ::ffff:169.254.169.254 ::ffff:0.0.0.0
  ::127.0.0.1 ::7f00:1 ::a00:1 ::ffff:0:127.0.0.1 ::ffff:0:a00:1
  2002:7f00:1:: 2002:a00:1::1 2002:c0a8:101::1 2002:a9fe:a9fe::1
  64:ff9b::7f00:1 64:ff9b::10.0.0.1 64:ff9b::169.254.169.254 64:ff9b:1::808:808
  # Teredo: the server is private, or the client is, whose bits are turned round.
  2001:0:a00:1:0:0:f7f7:f7f7 2001:0:808:808:0:0:80ff:fffe 2001:0:808:808:0:0:f5ff:fffe
  # ISATAP: a tunnel under a public prefix that ends at a private address, or begins at one.
  2606:4700::5efe:7f00:1 2606:4700::5efe:10.0.0.1 2606:4700:1:2:200:5efe:c0a8:101 2a00::5efe:169.254.169.254
  2606:4700::100:5efe:127.0.0.1 2606:4700::300:5efe:127.0.0.1 2002:808:808::5efe:7f00:1 2002:7f00:1::5efe:808:808
  fe80::5efe:808:808 ::5efe:808:808
  # No plain spelling of an address at all.
  localhost
  2130706433
  0177.0.0.1
  0x7f.1
  127.1
  8.8.8
  8.8.8.8.
  08.8.8.8
  [2606:4700::1111] 8.8.8.8:80 8.8.8.8/8 2606:4700::1111%eth0 ::ffff:8.8.8.8%1
`).concat('', ' 8.8.8.8')

test.each(PUBLIC)('%s is public', (ip) => {
  expect(isPublic(ip)).toBe(true)
})

test.each(NOT_PUBLIC)("'%s' is not public", (ip) => {
  expect(isPublic(ip)).toBe(false)
})

const PRIVATE_HOSTS = words(`
  localhost LOCALHOST app.localhost localhost. 127.0.0.1 127.9.9.9 [::1] 0.0.0.0 10.1.2.3 172.16.0.1 172.31.255.255
  192.168.1.20 169.254.3.4 100.64.0.1 [fd12::1] [fe80::1] [::ffff:192.168.1.20] [::ffff:7f00:1]
  nas gpu-box nas.local gpu.lan host.docker.internal llm.home.arpa
`)

const HOSTS_ELSEWHERE = words(`
  api.openai.com localhost.example.com internal.example.com 8.8.8.8 172.32.0.1 [2606:4700::1111] 192.169.0.1
  mylocal.com nas.local.example.com
`)

test.each(PRIVATE_HOSTS)('%s is this machine or on a private network', (host) => {
  expect(isPrivateHost(host)).toBe(true)
})

test.each(HOSTS_ELSEWHERE)('%s may be anywhere', (host) => {
  expect(isPrivateHost(host)).toBe(false)
})

test('an IPv4 address is exactly as public in each of its IPv6 forms', () => {
  fc.assert(
    fc.property(fc.ipV4(), (ip) => {
      const [a = 0, b = 0, c = 0, d = 0] = ip.split('.').map(Number)
      const [high, low] = [((a << 8) | b).toString(16), ((c << 8) | d).toString(16)]
      const forms = [
        `::ffff:${ip}`,
        `::ffff:${high}:${low}`,
        `64:ff9b::${ip}`,
        `2002:${high}:${low}::1`,
        `2606:4700::5efe:${ip}`,
      ]
      for (const form of forms) expect(isPublic(form)).toBe(isPublic(ip))
    }),
  )
})

test('no text makes it fail', () => {
  fc.assert(fc.property(fc.string(), (text) => void isPublic(text)))
  fc.assert(fc.property(fc.ipV6(), (text) => void isPublic(text)))
})

const LOOPBACK_SPELLINGS = [
  'http://2130706433/',
  'http://0177.0.0.1/',
  'http://0x7f.1/',
  'http://0x7f000001/',
  'http://127.1/',
  'http://017700000001/',
  'http://127.0.0.1./',
  'http://127。0。0。1/',
  'http://１２７.0.0.1/',
  'http:127.0.0.1',
  'http://%31%32%37.0.0.1/',
  'http:\\\\127.0.0.1/',
  'http://①②⑦.0.0.1/',
  ' http://127.0.0.1 ',
  'HTTP://127.0.0.1:80',
]

test.each(LOOPBACK_SPELLINGS)('%s is read as 127.0.0.1', (text) => {
  const read = readAddress(text)
  expect('url' in read && hostOf(read.url)).toBe('127.0.0.1')
})

test.each([
  ['http://[::1]/', '::1'],
  ['http://[0:0:0:0:0:0:0:1]/', '::1'],
  ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
  ['http://LOCALHOST./', 'localhost'],
  ['http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/', 'localhost'],
  ['http://bücher.example/', 'xn--bcher-kva.example'],
  ['https://example.com.:444/a#b', 'example.com'],
])('the host of %s is %s', (text, host) => {
  const read = readAddress(text)
  expect('url' in read && hostOf(read.url)).toBe(host)
})
