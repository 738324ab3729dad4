import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { addressOf } from '../../src/server/door/arrival.ts'
import { tempFolder } from '../cli/run.ts'
import { serving } from './stage.ts'

const SECRET = 'a-secret-of-this-hook'

function homeWithHook(): string {
  const home = tempFolder()
  const folder = join(home, 'workspace', 'webhooks')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const fields = 'type: object\n  properties: {n: {type: integer}}'
  writeFileSync(join(folder, 'ci.md'), `---\nsecret-env: MAINSTEM_HOOK_CI\nfields:\n  ${fields}\n---\nLook.`)
  return home
}

async function slow(port: number, bytes: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined).resume()
  await once(socket, 'connect')
  socket.write(bytes)
  return socket
}

function crowd(port: number, count: number, bytes: string): Promise<readonly Socket[]> {
  return Promise.all(Array.from({ length: count }, () => slow(port, bytes)))
}

function head(method: string, path: string, port: number): string {
  const lines = ['host: localhost:PORT', 'content-type: application/json', 'content-length: 200', '', '{']
  return [`${method} ${path} HTTP/1.1`, ...lines].join('\r\n').replace('PORT', String(port))
}

describe('[DOOR5] slow strangers', () => {
  test('500 of them, with open sockets, dripped heads and dripped bodies, keep nobody out', async () => {
    const stage = await serving({ home: homeWithHook(), settings: { HOOK_CI: SECRET } })
    const { ask, bearer, signIn, port } = stage
    const { cookie } = await signIn()
    for (const bytes of [
      '',
      `GET / HTTP/1.1\r\nhost: localhost:${port}\r\nx-slow: `,
      head('POST', '/hook/ci', port),
      head('POST', '/api/sign-in', port),
      head('GET', '/', port),
    ]) {
      const open = await crowd(port, 500, bytes)
      const hook = { authorization: `Bearer ${SECRET}` }
      const answers = await Promise.all([
        ask('/hook/ci', { method: 'POST', headers: hook, body: { n: 1 } }),
        ask('/healthz'),
        ask('/'),
        ask('/api/hello', { headers: { cookie } }),
        ask('/api/hello', { headers: bearer }),
      ])
      expect(answers.map(({ status }) => status)).toEqual([202, 200, 200, 200, 200])
      expect((await signIn()).cookie).not.toBe(cookie)
      for (const socket of open) socket.destroy()
    }
  })

  test('who only holds a connection gives way to who comes, the longest there first', async () => {
    const { ask, bearer, port } = await serving({ bounds: { waitingMax: 3 } })
    const open: Socket[] = []
    for (let count = 0; count < 3; count++) open.push(await slow(port, ''))
    const gone = once(open[0] as Socket, 'close')
    expect((await ask('/api/hello', { headers: bearer })).status).toBe(200)
    await gone
    expect(open.map(({ closed }) => closed)).toEqual([true, false, false])
  })

  test('who sends requests on and on and fetches no answer is cut off', async () => {
    const { ask, bearer, port } = await serving({ bounds: { connectionsMax: 5 } })
    const request = `GET /api/hello HTTP/1.1\r\nhost: localhost:${port}\r\n\r\n`
    const open = await crowd(port, 4, request.repeat(600))
    let answers = 0
    for (const socket of open) {
      socket.on('data', (bytes: Buffer) => (answers += bytes.toString().split('HTTP/1.1').length - 1))
      if (!socket.closed) await once(socket, 'close')
    }
    expect(answers).toBeLessThanOrEqual(4 * 8)
    expect((await ask('/api/hello', { headers: bearer })).status).toBe(200)
    const patient = await slow(port, request.repeat(8))
    await once(patient, 'data')
    expect(patient.closed).toBe(false)
  })

  test('of one address take no places of others, and a connection with an answer waits again', async () => {
    const { ask, port } = await serving({ bounds: { waitingAddressMax: 1 } })
    const answered = await slow(port, `GET /healthz HTTP/1.1\r\nhost: localhost:${port}\r\n\r\n`)
    await once(answered, 'data')
    // The first of these may still come while the answer ends.
    await slow(port, '')
    const gone = once(await slow(port, ''), 'close')
    await slow(port, '')
    await gone
    await ask('/healthz')
    expect(answered.closed).toBe(true)
  })
})

describe('[DOOR5] the address of who asks', () => {
  const trusted = ['127.0.0.1', '10.0.0.0/8', '::1']
  test.each([
    ['203.0.113.9', undefined, '203.0.113.9'],
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['::ffff:127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['::1', ' 198.51.100.1 ', '198.51.100.1'],
    ['127.0.0.1', '6.6.6.6, 198.51.100.1', '198.51.100.1'],
    ['127.0.0.1', '6.6.6.6, 198.51.100.1, 10.1.2.3', '198.51.100.1'],
    ['127.0.0.1', '10.0.0.7, 10.1.2.3', '10.0.0.7'],
    ['127.0.0.1', '198.51.100.1, nonsense', '127.0.0.1'],
    ['127.0.0.1', '', '127.0.0.1'],
    ['2001:db8:1:2:3:4:5:6', undefined, '20010db800010002'],
    ['2001:db8:1:2:ffff::', undefined, '20010db800010002'],
  ])('%s with X-Forwarded-For %j is that of %s', (remoteAddress, forwarded, address) => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
    expect(addressOf({ socket: { remoteAddress }, headers }, trusted)).toBe(address)
  })

  test('is read from X-Forwarded-For where the proxy is trusted: who guesses slows down nobody else behind it', async () => {
    const wrong = { authorization: 'Bearer wrong' }
    for (const trustedProxies of ['127.0.0.1', 'none']) {
      const { ask } = await serving({ settings: { TRUSTED_PROXIES: trustedProxies } })
      const guess = async (from: string) =>
        (await ask('/api/hello', { headers: { ...wrong, 'x-forwarded-for': from } })).status
      for (let count = 0; count < 10; count++) expect(await guess(`6.6.6.${count}, 198.51.100.1`)).toBe(401)
      expect(await guess('6.6.6.10, 198.51.100.1')).toBe(429)
      expect(await guess('198.51.100.2')).toBe(trustedProxies === 'none' ? 429 : 401)
    }
  })
})
