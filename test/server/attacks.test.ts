import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { raw, serving } from './stage.ts'

const PUBLIC = { PUBLIC_URL: 'https://mainstem.example' }

describe('[DOOR3] a page of somebody else', () => {
  test.each([
    'evil.example:PORT',
    'evil.example',
    'localhost',
    'localhost:1',
    '127.0.0.1',
    'localhost.:PORT',
    '127.1:PORT',
    'localhost:PORT.evil.example',
  ])('that calls us %j (DNS rebinding) is refused, with the token and with a cookie', async (name) => {
    const { ask, bearer, signIn, port } = await serving()
    const { cookie } = await signIn()
    const host = name.replace('PORT', String(port))
    for (const headers of [bearer, { cookie }, {}]) {
      const answer = await ask('/api/hello', { headers: { ...headers, host } })
      expect(answer.status).toBe(403)
      expect(answer.problem).toMatch(
        /^This server does not answer to that name, only to http:\/\/localhost:\d+\./,
      )
    }
    expect((await ask('/', { headers: { host } })).status).toBe(403)
  })

  test.each(['localhost:PORT', '127.0.0.1:PORT', '[::1]:PORT', 'LOCALHOST:PORT'])(
    'is not at %s',
    async (name) => {
      const { ask, bearer, port } = await serving()
      const host = name.replace('PORT', String(port))
      const origin = `http://${host.toLowerCase()}`
      expect((await ask('/api/hello', { headers: { ...bearer, host, origin } })).status).toBe(200)
    },
  )

  test.each([
    'https://evil.example',
    'http://localhost:3000',
    'null',
    'https://localhost:PORT',
    'http://127.0.0.1:PORT',
    '',
  ])('at %j may neither post nor read nor open a stream', async (from) => {
    const { ask, signIn, server, port } = await serving()
    const { cookie } = await signIn()
    const headers = { cookie, origin: from.replace('PORT', String(port)) }
    expect((await ask('/api/hello', { headers })).status).toBe(403)
    expect((await ask('/api/stream', { headers })).status).toBe(403)
    const code = server.newLink().url.split('#code=')[1]
    const post = await ask('/api/sign-in', { method: 'POST', headers, body: { code } })
    expect(post.status).toBe(403)
    expect(post.headers['access-control-allow-origin']).toBeUndefined()
    expect((await ask('/api/sign-in', { method: 'POST', body: { code } })).status).toBe(200)
    expect((await ask('/api/hello', { method: 'OPTIONS', headers })).status).toBe(403)
  })

  test.each(['cross-site', 'same-site'])(
    'that the browser calls %s is refused without an Origin too',
    async (site) => {
      const { ask, signIn } = await serving()
      const { cookie } = await signIn()
      const headers = { cookie, 'sec-fetch-site': site }
      expect((await ask('/api/hello', { headers })).status).toBe(403)
      expect((await ask('/api/stream', { headers })).status).toBe(403)
      // A link to our page is no call: what it shows is the same for everybody.
      const visit = { ...headers, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
      expect((await ask('/', { headers: visit })).status).toBe(200)
      expect((await ask('/api/hello', { headers: visit })).status).toBe(403)
      expect((await ask('/', { headers: { ...visit, 'sec-fetch-dest': 'iframe' } })).status).toBe(403)
    },
  )

  test.each([
    '/chat/../api/hello',
    '/chat/%2e%2e/api/hello',
    '/chat/..%2fapi/hello',
    '/chat//api/hello',
    '//api/hello',
    '/%61pi/hello',
    '/%2561pi/hello',
    '/api%2fhello',
    '/chat/./../api/hello',
    '/chat/%5c..%5capi/hello',
    String.raw`/chat\..\api/hello`,
    '/chat#/../api/hello',
    '/API/hello',
    '/api/hello/',
    '/api/hello/.',
    '/api/hello#chat',
    '/api/hello%',
  ])('[DOOR6] has one address for each thing: %s is not another one of /api/hello', async (path) => {
    const { port, token } = await serving()
    const lines = [`host: localhost:${port}`, `authorization: Bearer ${token}`, 'connection: close']
    const visit = ['sec-fetch-site: cross-site', 'sec-fetch-mode: navigate', 'sec-fetch-dest: document']
    for (const more of [[], visit]) {
      const head = [`GET ${path} HTTP/1.1`, ...lines, ...more].join('\r\n')
      const answer = await raw(port, `${head}\r\n\r\n`)
      expect(answer).toMatch(/^HTTP\/1\.1 40[034] /)
      expect(answer).not.toContain('"pid"')
    }
  })

  test('cannot send a form or plain text in place of JSON', async () => {
    const { ask, server } = await serving()
    const body = JSON.stringify({ code: server.newLink().url.split('#code=')[1] })
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      const headers = { 'content-type': type }
      expect((await ask('/api/sign-in', { method: 'POST', headers, body })).status).toBe(415)
    }
  })

  test('may not show our page in a frame, and our page runs no script but our own', async () => {
    const { ask } = await serving()
    for (const path of ['/', '/chat', '/icon.svg', '/api/hello', '/nowhere']) {
      const { headers } = await ask(path)
      expect(headers).toMatchObject({
        'content-security-policy': expect.stringMatching(/^default-src 'self';.* frame-ancestors 'none'$/),
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      })
    }
    const { text } = await ask('/')
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|style=|javascript:/i)
  })
})

describe('[DOOR3] behind a proxy', () => {
  test('HOST=0.0.0.0 without PUBLIC_URL answers to the names of this machine only', async () => {
    const { ask, bearer, port } = await serving({ host: '0.0.0.0' })
    for (const host of [`192.168.1.5:${port}`, `0.0.0.0:${port}`, `mainstem.local:${port}`])
      expect((await ask('/api/hello', { headers: { ...bearer, host } })).status).toBe(403)
    expect((await ask('/api/hello', { headers: bearer })).status).toBe(200)
  })

  test('the host of PUBLIC_URL is the one other name, and only its own pages may call it', async () => {
    const { ask, bearer } = await serving({ settings: PUBLIC })
    const asked = async (host: string, origin?: string) =>
      (await ask('/api/hello', { headers: { ...bearer, host, ...(origin !== undefined && { origin }) } }))
        .status
    expect(await asked('mainstem.example')).toBe(200)
    expect(await asked('mainstem.example:443')).toBe(200)
    expect(await asked('mainstem.example', 'https://mainstem.example')).toBe(200)
    expect(await asked('mainstem.example:8443')).toBe(403)
    expect(await asked('a.mainstem.example')).toBe(403)
    expect(await asked('mainstem.example', 'http://mainstem.example')).toBe(403)
    expect(await asked('mainstem.example', 'https://evil.example')).toBe(403)
  })

  test('X-Forwarded headers say nothing about who we are or who asks', async () => {
    const { ask, bearer, signIn, port } = await serving({ settings: PUBLIC })
    const forwarded = {
      'x-forwarded-host': 'mainstem.example',
      'x-forwarded-proto': 'https',
      'x-forwarded-for': '127.0.0.1',
      forwarded: 'for=127.0.0.1;host=localhost;proto=https',
    }
    expect(
      (await ask('/api/hello', { headers: { ...bearer, ...forwarded, host: 'evil.example' } })).status,
    ).toBe(403)
    const named = { ...bearer, 'x-forwarded-host': 'evil.example' }
    expect((await ask('/api/hello', { headers: named })).status).toBe(200)
    const { setCookie } = await signIn(forwarded)
    expect(setCookie).toMatch(new RegExp(`^mainstem-${port}=`))
    expect(setCookie).not.toContain('Secure')
  })

  test('strangers get nothing but the page that signs in', async () => {
    const { ask } = await serving({ settings: PUBLIC })
    const headers = { host: 'mainstem.example' }
    expect((await ask('/', { headers })).status).toBe(200)
    for (const path of ['/api/hello', '/api/sessions'])
      expect((await ask(path, { headers })).status).toBe(401)
  })

  test('the cookie goes over https only, and a link leads to the public name', async () => {
    const { signIn, server } = await serving({ settings: PUBLIC })
    expect(server.newLink().url).toMatch(/^https:\/\/mainstem\.example\/#code=/)
    const { setCookie } = await signIn({ host: 'mainstem.example', origin: 'https://mainstem.example' })
    expect(setCookie).toMatch(/^__Host-mainstem=[\w-]{43}; .*; Path=\/; HttpOnly; SameSite=Strict; Secure$/)
  })
})

/** Takes a body, from a browser that is signed in. */
const WITH_BODY = '/api/config'

function bodyOf(length: number): string {
  return JSON.stringify({ code: 'x'.repeat(length - '{"code":""}'.length) })
}

describe('[DOOR4] bounds', () => {
  test('a body of more than 1 MiB is refused, announced or not, and just as much is read', async () => {
    const { ask, signIn, port } = await serving()
    const { cookie } = await signIn()
    const headers = { cookie, 'content-type': 'application/json' }
    const full = await ask(WITH_BODY, { method: 'POST', headers, body: bodyOf(1024 * 1024) })
    expect(full.problem).toMatch(/^The body is wrong: /)
    const over = await ask(WITH_BODY, { method: 'POST', headers, body: bodyOf(1024 * 1024 + 1) })
    expect(over).toMatchObject({ status: 413, problem: 'The body can have at most 1,048,576 bytes.' })
    const head = `POST ${WITH_BODY} HTTP/1.1\r\nhost: localhost:${port}\r\ncookie: ${cookie}\r\ncontent-type: application/json\r\n`
    const announced = await raw(port, `${head}content-length: 9999999\r\n\r\n{`)
    expect(announced).toMatch(/^HTTP\/1\.1 413 (?:(?!HTTP\/1).)*$/s)
    const chunks = `10000\r\n${'x'.repeat(0x10000)}\r\n`.repeat(17)
    const endless = await raw(port, `${head}transfer-encoding: chunked\r\n\r\n${chunks}`)
    expect(endless).toMatch(/^HTTP\/1\.1 413 .*The body can have/s)
    // What everybody may send is shorter.
    expect((await ask('/api/sign-in', { method: 'POST', headers, body: bodyOf(1025) })).status).toBe(413)
  })

  test('a body or a head that drips is cut off, and others are served meanwhile', async () => {
    const bounds = { headersTimeout: 200, requestTimeout: 200, connectionsCheckingInterval: 50 }
    const { ask, bearer, port } = await serving({ bounds })
    const head = `POST /api/sign-in HTTP/1.1\r\nhost: localhost:${port}\r\ncontent-type: application/json\r\n`
    const dripping = (bytes: string): Promise<string> =>
      raw(port, bytes, (socket) => {
        const timer = setInterval(() => socket.write('x'), 20)
        socket.once('close', () => clearInterval(timer))
      })
    // What is written after the end resets the connection, which may take the answer with it.
    const isCutOff = async (bytes: string): Promise<void> => {
      const answered = /^HTTP\/1\.1 408 .*The request took too long to arrive/s
      await expect.poll(() => dripping(bytes)).toMatch(answered)
    }
    const slow = [isCutOff(`${head}content-length: 1000\r\n\r\n{`), isCutOff(`${head}x-slow: `)]
    expect((await ask('/api/hello', { headers: bearer })).status).toBe(200)
    await Promise.all(slow)
  })

  test('connections beyond the maximum are closed at once, and the socket goes on', async () => {
    const { port, client, ask, bearer } = await serving({ bounds: { connectionsMax: 3 } })
    const open: Socket[] = []
    for (let count = 0; count < 3; count++) {
      const socket = connect(port, '127.0.0.1')
      open.push(socket)
      onTestFinished(() => void socket.destroy())
      await once(socket, 'connect')
    }
    await expect(ask('/api/hello', { headers: bearer })).rejects.toThrow(/socket hang up|ECONNRESET/)
    expect(await client.call('GET', '/api/hello')).toMatchObject({ command: 'test' })
    for (const socket of open) socket.destroy()
    await expect
      .poll(() =>
        ask('/api/hello', { headers: bearer }).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200)
  })

  test('many and large headers are refused', async () => {
    const { ask, bearer, port } = await serving()
    const many = Object.fromEntries(Array.from({ length: 64 }, (_, index) => [`x-${index}`, '1']))
    expect((await ask('/api/hello', { headers: { ...bearer, ...many } })).status).toBe(431)
    const large = `GET / HTTP/1.1\r\nhost: localhost:${port}\r\nx-large: ${'x'.repeat(17_000)}\r\n\r\n`
    expect(await raw(port, large)).toMatch(/^HTTP\/1\.1 431 .*The headers can have at most 16,384 bytes/s)
  })

  test('a header that is there twice, a split header, and an address of another server are refused', async () => {
    const { port, token } = await serving()
    const own = `host: localhost:${port}\r\nauthorization: Bearer ${token}\r\nconnection: close\r\n`
    const twice = await raw(port, `GET /api/hello HTTP/1.1\r\nhost: evil.example\r\n${own}\r\n`)
    expect(twice).toMatch(/^HTTP\/1\.1 400 .*"The header host is there twice/s)
    const elsewhere = await raw(port, `GET http://evil.example/api/hello HTTP/1.1\r\n${own}\r\n`)
    expect(elsewhere).toMatch(/^HTTP\/1\.1 400 .*not a path/s)
    const split = await raw(port, `GET /api/hello HTTP/1.1\r\n${own}x-a: 1\rx-b: 2\r\n\r\n`)
    expect(split).toMatch(/^HTTP\/1\.1 400 /)
    const nameless = await raw(port, `GET /api/hello HTTP/1.0\r\nauthorization: Bearer ${token}\r\n\r\n`)
    expect(nameless).toMatch(/^HTTP\/1\.1 403 /)
    expect(await raw(port, 'nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 .*"message"/s)
  })

  test('what is given comes back in no header', async () => {
    const { ask, port } = await serving()
    const answer = await raw(
      port,
      `GET /%0d%0aset-cookie:%20a=b HTTP/1.1\r\nhost: localhost:${port}\r\nconnection: close\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 404 /)
    expect(answer).not.toContain('set-cookie')
    const { headers } = await ask('/api/sign-in', { method: 'POST', body: { code: 'x\r\nset-cookie: a=b' } })
    expect(headers['set-cookie']).toBeUndefined()
  })

  test.each([
    ['{"code": "\\ud800"}', 'The body contains half a character (a lone surrogate).'],
    ['{"code": "a\\u0000b"}', 'The body contains a NUL character.'],
    ['{"co\\u0000de": "a"}', 'The body contains a NUL character.'],
    [`{"code": ${'['.repeat(40)}${']'.repeat(40)}}`, 'The body is nested more than 32 levels deep.'],
    ['['.repeat(500_000), 'The body is not JSON.'],
    [`${'['.repeat(500_000)}${']'.repeat(500_000)}`, 'The body is nested more than 32 levels deep.'],
    ['{"key": "x", "text": null, "more": 1}', 'The body is wrong: Unrecognized key: "more".'],
    ['\u0000', 'The body is not JSON.'],
    ['', 'The body is not JSON.'],
  ])('%.30j as a body is refused with what is wrong', async (body, problem) => {
    const { ask, signIn } = await serving()
    const { cookie } = await signIn()
    const headers = { cookie, 'content-type': 'application/json' }
    expect(await ask(WITH_BODY, { method: 'POST', headers, body })).toMatchObject({
      status: 400,
      problem,
    })
  })

  test('bytes that are no UTF-8, and an address with a NUL, are refused', async () => {
    const { ask, client, port } = await serving()
    const head = `POST /api/sign-in HTTP/1.1\r\nhost: localhost:${port}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 12\r\n\r\n`
    const answer = raw(port, head, (socket) => void socket.write(Buffer.from('{"code":"\xff"}', 'latin1')))
    expect(await answer).toMatch(/^HTTP\/1\.1 400 .*The body is not JSON/s)
    await expect(client.call('DELETE', '/api/sessions/a%00b')).rejects.toThrow(
      'The address contains a NUL character.',
    )
    expect((await ask('/%00')).status).toBe(404)
  })

  test.each([
    '/../package.json',
    '/..%2f..%2fpackage.json',
    '/page/../../token',
    '/%2e%2e/token',
    '//etc/passwd',
    '/icon.svg/../../../src/index.ts',
    '/icon.svg%00.html',
    '/build/page/index.html',
    '/token',
    '/sessions.json',
    '/.env',
    String.raw`/..\..\token`,
    '/\u00e9',
  ])('the address %s is no file', async (path) => {
    const { port, token } = await serving()
    const answer = await raw(
      port,
      `GET ${path} HTTP/1.1\r\nhost: localhost:${port}\r\nconnection: close\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 40[0-4] .*\{"error":\{"message":"/s)
    expect(answer).not.toContain(token)
  })

  test.each(['tokens', 'links'])('who guesses %s has to wait, and nobody else has', async (what) => {
    const { ask, bearer, signIn } = await serving()
    const guess = async (word: string) =>
      what === 'tokens'
        ? ask('/api/hello', { headers: { authorization: `Bearer ${word}` } })
        : ask('/api/sign-in', { method: 'POST', body: { code: word } })
    const answers = [await guess('0')]
    while (answers.length < 50 && answers.at(-1)?.status === 401)
      answers.push(await guess(`${answers.length}`))
    expect(answers.length).toBeGreaterThan(10)
    const late = answers.at(-1)
    expect(late?.status).toBe(429)
    expect(late?.problem).toBe(
      `Too many wrong tokens or links. Try again in ${late?.headers['retry-after']} s.`,
    )
    expect((await ask('/api/hello', { headers: bearer })).status).toBe(200)
    const { cookie } = await signIn()
    expect((await ask('/api/hello', { headers: { cookie } })).status).toBe(200)
  })

  test('a request that runs into a bug gets a 500, is told with its stack, and ends nothing', async () => {
    const { ask, bearer, life, warnings, port } = await serving()
    Object.defineProperty(life, 'channels', {
      get: () => {
        throw new Error('this is the bug')
      },
    })
    const answer = await ask('/readyz?token=secret', { headers: bearer })
    expect(answer).toMatchObject({ status: 500, problem: 'This is a bug in mainstem; its log says more.' })
    expect(warnings).toEqual([expect.stringMatching(/^GET \/readyz failed: Error: this is the bug\n +at /)])
    expect(
      await raw(port, `GET /readyz HTTP/1.1\r\nhost: localhost:${port}\r\n`, (socket) => socket.destroy()),
    ).toBe('')
    expect((await ask('/api/hello', { headers: bearer })).status).toBe(200)
  })
})

test('[DOOR4] whatever bytes come, the answer is no bug, and the next one is served', async () => {
  const { ask, port, token, signIn, warnings } = await serving()
  const { cookie } = await signIn()
  const own = [`host: localhost:${port}`, `authorization: Bearer ${token}`, `cookie: ${cookie}`]
  const word = fc.oneof(
    fc.constantFrom(
      'GET',
      'POST',
      'DELETE',
      'HEAD',
      'OPTIONS',
      '/',
      '/api/',
      '/v1/models',
      '/hook/x',
      '/api/log',
      '?a=b',
    ),
    fc.constantFrom(
      '/api/sessions/',
      '%00',
      '%ff',
      '..',
      '//',
      ';',
      '{',
      '"',
      '\u0000',
      '\r',
      '\n',
      'HTTP/1.1',
      'chunked',
    ),
    fc.string({ maxLength: 12 }),
  )
  const line = fc.oneof(
    fc.constantFrom(
      ...own,
      'content-type: application/json',
      'transfer-encoding: chunked',
      'expect: 100-continue',
    ),
    fc.constantFrom('upgrade: websocket', 'connection: upgrade', 'content-length: 5', 'content-length: -1'),
    fc.tuple(word, word).map(([name, value]) => `${name}: ${value}`),
  )
  const request = fc.record({
    method: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom('GET', 'POST', 'DELETE') },
      { weight: 1, arbitrary: word },
    ),
    path: fc.array(word, { maxLength: 4 }).map((words) => `/${words.join('')}`),
    lines: fc.array(line, { maxLength: 6 }),
    body: fc.oneof(fc.string(), fc.json()),
  })
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path, lines, body }) => {
      const head = [`${method} ${path} HTTP/1.1`, own[0], 'connection: close', ...lines].join('\r\n')
      const answer = await raw(port, `${head}\r\n\r\n${body}`, (socket) => void socket.end())
      expect(answer).toMatch(/^(?:$|HTTP\/1\.1 [1234])/)
    }),
    { seed: 18, numRuns: 200 },
  )
  expect(warnings).toEqual([])
  expect((await ask('/api/hello', { headers: { cookie } })).status).toBe(200)
})
