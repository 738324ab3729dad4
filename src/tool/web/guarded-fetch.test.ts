import { createServer, connect, type AddressInfo, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { startWebServer, type Perform, type WebServer } from '../../../test/stand-ins/web-server.ts'
import { systemNetwork, type Network, type Resolve } from './connection.ts'
import { guardedFetch, type Fetched } from './guarded-fetch.ts'
import { webLimits, type WebLimits } from './guarded-request.ts'
import { isSameSite, readAddress } from './web-address.ts'
import { rounds } from '../../../test/rounds.ts'

const running: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()))
})

async function started(perform: Perform, host?: string): Promise<WebServer> {
  const server = await startWebServer(perform, host)
  running.push(server)
  return server
}

interface Asked {
  readonly privateHosts?: readonly string[]
  readonly resolve?: Resolve
  readonly network?: Partial<Network>
  readonly limits?: Partial<WebLimits>
  readonly signal?: AbortSignal
}

const nobody: Resolve = () => Promise.reject(new Error('no name is looked up here'))

function fetched(address: string, asked: Asked = {}): Promise<Fetched> {
  const { privateHosts = [], resolve = nobody, network, limits, signal } = asked
  return guardedFetch(new URL(address), {
    network: { ...systemNetwork, resolve, ...network },
    trust: { privateHosts },
    limits: { ...webLimits, ...limits },
    signal: signal ?? new AbortController().signal,
  })
}

function textOf(page: Fetched): string {
  return page.kind === 'page' ? page.body.bytes.toString() : `to ${page.to.href}`
}

const loopback: Resolve = () => Promise.resolve(['127.0.0.1'])
const somewhere: Resolve = () => Promise.resolve(['93.184.215.14'])
const never: Resolve = () => new Promise(() => {})
const hello: Perform = (_request, response) => void response.end('hello')

test('a host of this machine is reached only where a person allows it', async () => {
  const server = await started(hello)
  await expect(fetched(server.url)).rejects.toThrow('127.0.0.1 is not on the public network')
  expect(server.connections()).toBe(0)
  expect(textOf(await fetched(server.url, { privateHosts: ['127.0.0.1'] }))).toBe('hello')
})

test('an allowed host with a port is allowed at that port alone', async () => {
  const [one, two] = [await started(hello), await started(hello)]
  const privateHosts = [one.host]
  expect(textOf(await fetched(one.url, { privateHosts }))).toBe('hello')
  await expect(fetched(two.url, { privateHosts })).rejects.toThrow('not on the public network')
  expect(two.connections()).toBe(0)
})

test.each([
  '127.0.0.1',
  '10.0.0.1',
  '169.254.169.254',
  '::1',
  '::ffff:127.0.0.1',
  '64:ff9b::7f00:1',
  'nonsense',
])('a public name that stands for %s is refused before anything is connected', async (address) => {
  const server = await started(hello)
  const resolve: Resolve = () => Promise.resolve([address])
  await expect(fetched(`http://example.com:${server.port}/`, { resolve })).rejects.toThrow(
    'example.com is not on the public network',
  )
  expect(server.connections()).toBe(0)
})

test('one private address among public ones is enough to be refused', async () => {
  const server = await started(hello)
  for (const addresses of [
    ['93.184.215.14', '127.0.0.1'],
    ['127.0.0.1', '93.184.215.14'],
    ['2606:4700::1111', '::1'],
  ])
    await expect(
      fetched(`http://example.com:${server.port}/`, { resolve: () => Promise.resolve(addresses) }),
    ).rejects.toThrow('not on the public network')
  expect(server.connections()).toBe(0)
})

test('[SAFE2] a name is looked up once, so an answer that changes afterwards changes nothing', async () => {
  const server = await started(hello)
  const answers = [['93.184.215.14'], ['127.0.0.1'], ['127.0.0.1']]
  const used: unknown[] = []
  const network: Partial<Network> = {
    // Stands for the way to the public network: takes the addresses it would connect to, and connects to none.
    open: (options) => {
      const lookup = options.lookup as LookupFunction
      const socket = connect({ port: 9, host: 'nowhere.invalid', lookup: () => {} })
      lookup(options.host ?? '', { all: true }, (_error, addresses) => {
        used.push(addresses)
        socket.destroy(new Error('as far as it goes'))
      })
      return socket
    },
  }
  const resolve: Resolve = () => Promise.resolve(answers.shift() ?? [])
  await expect(
    fetched(`http://example.com:${server.port}/`, { network: { ...network, resolve } }),
  ).rejects.toThrow()
  expect(used).toEqual([[{ address: '93.184.215.14', family: 4 }]])
  expect(answers.length).toBe(2)
  expect(server.connections()).toBe(0)
})

test('a connection that ends up at a private place, whatever led there, is sent nothing', async () => {
  const server = await started(hello)
  const open: Network['open'] = () => connect({ port: server.port, host: '127.0.0.1' })
  await expect(fetched('http://example.com/', { network: { open, resolve: somewhere } })).rejects.toThrow(
    'not on the public network',
  )
  await server.allGone()
  expect(server.connections()).toBe(1)
  expect(server.requests.length).toBe(0)
})

test('a request tells nothing but who asks, and opens a connection of its own', async () => {
  const server = await started((_request, response) => {
    response.setHeader('set-cookie', 'a=b').end('hello')
  })
  for (const path of ['/a?b=c', '/d']) await fetched(`${server.url}${path}`, { privateHosts: [server.host] })
  expect(server.connections()).toBe(2)
  expect(server.requests.map(({ url, method }) => `${method} ${url}`)).toEqual(['GET /a?b=c', 'GET /d'])
  expect(server.requests[1]?.headers).toEqual({
    host: server.host,
    'user-agent': expect.stringMatching(/^Mainstem\/\d+\.\d+\.\d+$/) as string,
    accept: '*/*',
    'accept-encoding': 'gzip, deflate, br',
    connection: 'close',
  })
})

function redirecting(targets: Readonly<Record<string, string>>): Perform {
  return ({ url = '', headers: { host = '' } }, response) => {
    const to = targets[`${host.split(':')[0]}${url}`] ?? targets[url]
    if (to === undefined) response.end(`at ${host.split(':')[0]}${url}`)
    else response.writeHead(302, { location: to }).end('moved')
  }
}

test('redirects within a host are followed', async () => {
  const server = await started(
    redirecting({
      '/a': '/b',
      '/b': 'c?d',
      '/c?d': Buffer.from('/é').toString('latin1'),
      '/%C3%A9': '/\u00fc',
    }),
  )
  expect(textOf(await fetched(`${server.url}/a`, { privateHosts: [server.host] }))).toBe(
    'at 127.0.0.1/%C3%BC',
  )
})

test('redirects that only add or take away www. are followed, and each host is judged anew', async () => {
  const server = await started((request, response) =>
    redirecting({
      'example.test/': `http://www.example.test:${server.port}/`,
      'www.example.test/old': `http://example.test:${server.port}/new`,
    })(request, response),
  )
  const both = { privateHosts: ['example.test', 'www.example.test'], resolve: loopback }
  expect(textOf(await fetched(`http://example.test:${server.port}/`, both))).toBe('at www.example.test/')
  expect(textOf(await fetched(`http://www.example.test:${server.port}/old`, both))).toBe(
    'at example.test/new',
  )
  const one = { privateHosts: ['example.test'], resolve: loopback }
  await expect(fetched(`http://example.test:${server.port}/`, one)).rejects.toThrow(
    'www.example.test is not on the public network',
  )
})

test.each([
  ['http://a.example/', 'https://a.example/x', true],
  ['http://a.example/', 'https://www.a.example/', true],
  ['https://www.a.example/', 'https://a.example/', true],
  ['https://a.example/', 'http://a.example/', false],
  ['http://a.example/', 'https://a.example:8443/', false],
  ['http://a.example:8080/', 'https://a.example/', false],
  ['http://a.example/', 'http://b.a.example/', false],
  ['http://a.example/', 'http://a.example:81/', false],
  ['http://a.example/', 'http://a.example.evil.example/', false],
])('from %s to %s is the same site: %s', (from, to, same) => {
  expect(isSameSite(new URL(from), new URL(to))).toBe(same)
})

test('a redirect to another host is told and not followed, be it allowed or not', async () => {
  const other = await started(hello)
  const server = await started((request, response) =>
    redirecting({ '/far': 'https://example.org/x', '/near': other.url })(request, response),
  )
  const privateHosts = [server.host, other.host]
  expect(textOf(await fetched(`${server.url}/far`, { privateHosts }))).toBe('to https://example.org/x')
  expect(textOf(await fetched(`${server.url}/near`, { privateHosts }))).toBe(`to ${other.url}/`)
  expect(other.connections()).toBe(0)
})

test.each([
  'http://127.0.0.1:1/',
  'http://2130706433/',
  'http://[::ffff:7f00:1]/',
  'http://169.254.169.254/latest/meta-data/',
  'file:///etc/passwd',
  'http://me:secret@example.com/',
  'http://example.com:22/',
  'http://ignore all that was said/',
])('a redirect to %s is refused, and its words are not repeated', async (location) => {
  const server = await started((_request, response) => void response.writeHead(301, { location }).end())
  const failure = fetched(server.url, { privateHosts: [server.host] })
  await expect(failure).rejects.toThrow('redirects to an address that is not fetched')
  await expect(failure).rejects.not.toThrow(/ignore|secret|passwd|meta-data/)
})

test('redirects without end are ended', async () => {
  const server = await started(redirecting({ '/': '/' }))
  await expect(fetched(server.url, { privateHosts: [server.host] })).rejects.toThrow('more than 5 times')
  expect(server.requests.length).toBe(6)
})

test('a redirect that says no place is a page', async () => {
  const server = await started((_request, response) => void response.writeHead(302).end('nowhere'))
  expect(textOf(await fetched(server.url, { privateHosts: [server.host] }))).toBe('nowhere')
})

const slow = { totalMs: 300, connectMs: 300 }

test('a server that says nothing is left when the time is over', async () => {
  const server = await started(() => {})
  const failure = fetched(server.url, { privateHosts: [server.host], limits: slow })
  await expect(failure).rejects.toThrow('127.0.0.1 took longer than 0.3 s')
  await server.allGone()
})

test('a body that drips is left when the time is over', async () => {
  const server = await started((_request, response) => {
    response.writeHead(200)
    const drip = setInterval(() => response.write('.'), 20)
    response.on('close', () => clearInterval(drip))
  })
  const failure = fetched(server.url, { privateHosts: [server.host], limits: slow })
  await expect(failure).rejects.toThrow('took longer than 0.3 s')
  await server.allGone()
})

test('the time is for all redirects together', async () => {
  const server = await started((request, response) => {
    setTimeout(() => response.writeHead(302, { location: `${request.url}x` }).end(), 120)
  })
  const failure = fetched(server.url, { privateHosts: [server.host], limits: slow })
  await expect(failure).rejects.toThrow('took longer than 0.3 s')
})

test('a name that nobody answers for is given up when the time to connect is over', async () => {
  const failure = fetched('http://example.com/', { resolve: never, limits: { connectMs: 50 } })
  await expect(failure).rejects.toThrow('Could not connect to example.com within 0.05 s')
})

test('whoever asked can stop it at once, at any moment', async () => {
  const server = await started(() => {})
  const stopped = new AbortController()
  const failure = fetched(server.url, { privateHosts: [server.host], signal: stopped.signal })
  setTimeout(() => stopped.abort(), 50)
  await expect(failure).rejects.toThrow('It was stopped.')
  await server.allGone()
  await expect(
    fetched(server.url, { privateHosts: [server.host], signal: AbortSignal.abort() }),
  ).rejects.toThrow('It was stopped.')
})

test('of a body without end only the beginning is read', async () => {
  const server = await started((_request, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(10_000)));
      if (!response.destroyed) response.once('drain', more)
    }
    more()
  })
  const page = await fetched(server.url, { privateHosts: [server.host], limits: { bytesMax: 50_001 } })
  expect(page).toMatchObject({ kind: 'page', body: { isCut: true } })
  expect(textOf(page)).toBe('x'.repeat(50_001))
  await server.allGone()
})

test('a body of exactly the size allowed is whole', async () => {
  const server = await started((_request, response) => void response.end('x'.repeat(1_000)))
  const page = await fetched(server.url, { privateHosts: [server.host], limits: { bytesMax: 1_000 } })
  expect(page).toMatchObject({ body: { isCut: false } })
})

test.each([
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['GZIP', gzipSync],
  ['identity', (bytes: Buffer) => bytes],
] as const)('a body packed as %s is unpacked', async (coding, pack) => {
  const bytes = Buffer.from('many words, '.repeat(10_000))
  const server = await started(
    (_request, response) => void response.setHeader('content-encoding', coding).end(pack(bytes)),
  )
  expect(textOf(await fetched(server.url, { privateHosts: [server.host] }))).toBe(bytes.toString())
})

test.each(['gzip', 'br', 'deflate'] as const)(
  'of a bomb packed as %s only the beginning is unpacked',
  async (coding) => {
    const zeros = Buffer.alloc(64 * 1024 * 1024)
    const pack = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync }[coding]
    const bomb = coding === 'br' ? pack(zeros.subarray(0, zeros.length / 3)) : pack(zeros)
    const server = await started(
      (_request, response) => void response.setHeader('content-encoding', coding).end(bomb),
    )
    const before = process.memoryUsage().arrayBuffers
    const page = await fetched(server.url, { privateHosts: [server.host] })
    expect(page).toMatchObject({ body: { isCut: true, bytes: { length: webLimits.bytesMax } } })
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(30 * 1024 * 1024)
  },
)

test('an empty body is empty, also where it is called packed', async () => {
  const server = await started(({ url = '' }, response) => {
    response.writeHead(404, { 'content-encoding': url.slice(1) }).end()
  })
  for (const coding of ['gzip', 'br', 'deflate', 'identity'])
    expect(textOf(await fetched(`${server.url}/${coding}`, { privateHosts: [server.host] }))).toBe('')
})

test.each([
  ['gzip', 'packed in a broken way'],
  ['br', 'packed in a broken way'],
  ['zstd', 'compressed in an unknown way'],
  ['gzip, gzip', 'compressed in an unknown way'],
])('a body that is not what %s promises is said to be broken', async (coding, words) => {
  const server = await started(
    (_request, response) =>
      void response.setHeader('content-encoding', coding).write('this is not packed at all'),
  )
  await expect(fetched(server.url, { privateHosts: [server.host] })).rejects.toThrow(words)
  await server.allGone()
})

test.each(['plain', 'gzip'])(
  'a body shorter than it was said to be is a broken connection, %s',
  async (coding) => {
    const server = await started((_request, response) => {
      const bytes =
        coding === 'gzip' ? gzipSync('half a page'.repeat(100)).subarray(0, 30) : Buffer.from('half')
      response.writeHead(200, {
        'content-length': 5_000,
        ...(coding === 'gzip' && { 'content-encoding': 'gzip' }),
      })
      response.write(bytes, () => response.socket?.end())
    })
    await expect(fetched(server.url, { privateHosts: [server.host] })).rejects.toThrow(
      'broke the connection off',
    )
  },
)

test('a connection that is reset is a broken connection', async () => {
  const server = await started(({ socket }) => void socket.resetAndDestroy())
  await expect(fetched(server.url, { privateHosts: [server.host] })).rejects.toThrow(
    'broke the connection off',
  )
})

test('where nothing listens that is said', async () => {
  const server = await startWebServer(hello)
  await server.close()
  await expect(fetched(server.url, { privateHosts: [server.host] })).rejects.toThrow('nothing listens there')
})

test('a name that nobody has is said to be unknown', async () => {
  const missing = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' })
  await expect(fetched('http://example.com/', { resolve: () => Promise.reject(missing) })).rejects.toThrow(
    'example.com was not read: no such host is known.',
  )
  await expect(fetched('http://example.com/', { resolve: () => Promise.resolve([]) })).rejects.toThrow(
    'No address is known for example.com.',
  )
})

test.each([
  ['220 mail.example ESMTP\r\n', 'not HTTP'],
  ['HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', 'without an answer'],
  [`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`, 'headers of its answer are too long'],
])('something that is no answer of the web is said to be none: %.20s', async (words, said) => {
  const server = createServer((socket) => {
    socket.on('error', () => {}).resume()
    socket.end(words)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  running.push({ close: () => new Promise((resolve) => server.close(() => resolve())) })
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  await expect(fetched(`http://${address}/`, { privateHosts: [address] })).rejects.toThrow(said)
  await expect(fetched(`https://${address}/`, { privateHosts: [address] })).rejects.toThrow(
    /no encrypted connection|broke the connection off/,
  )
})

/** Ways to write this machine, and names that stand for it. */
const ownHost = fc.oneof(
  fc.constantFrom(
    'localhost',
    'LOCALHOST.',
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '0',
    '0.0.0.0',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '127。0。0。1',
    '①27.0.0.1',
  ),
  fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)).map((rest) => `127.${rest.join('.')}`),
  fc.nat(0xff_ff_ff).map((rest) => String(0x7f_00_00_00 + rest)),
  fc.domain(),
  fc.string({ maxLength: 20 }),
)

test('[SAFE2] no address, however it is written, leads to this machine unless it is allowed', async () => {
  const v4 = await started(hello)
  const hasV6 = Object.values(networkInterfaces()).some((all) =>
    all?.some(({ address }) => address === '::1'),
  )
  const v6 = hasV6 ? await started(hello, '::1') : v4
  const anywhere = fc.constantFrom(
    '127.0.0.1',
    '::1',
    '::ffff:127.0.0.1',
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '93.184.215.14',
  )
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        scheme: fc.constantFrom('http://', 'http:', 'https://', 'HTTP:\\\\', 'http://a@', 'http://x:y@', ''),
        host: ownHost,
        port: fc.constantFrom(v4.port, v6.port),
        path: fc.constantFrom('', '/', '/x?y', '#z', '@127.0.0.1/', '\\@localhost'),
        answers: fc
          .array(anywhere, { minLength: 1, maxLength: 3 })
          .filter((all) => all.some((ip) => !ip.startsWith('9'))),
      }),
      async ({ scheme, host, port, path, answers }) => {
        const read = readAddress(`${scheme}${host}:${port}${path}`)
        if ('refused' in read) return
        const resolve: Resolve = () => Promise.resolve(answers)
        const privateHosts = ['nas.local', `127.0.0.1:${port + 1}`]
        await expect(fetched(read.url.href, { resolve, privateHosts })).rejects.toThrow(
          /not on the public|not asked/,
        )
      },
    ),
    { numRuns: rounds(1_000) },
  )
  expect(v4.connections() + v6.connections()).toBe(0)
})
