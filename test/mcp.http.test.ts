import { createServer } from 'node:http'
import { once } from 'node:events'
import { type AddressInfo, createServer as createPlainServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fence } from '../src/event/fence.ts'
import { systemSleep } from '../src/model/contract/sleep.ts'
import { called, opened, specsOf, TOOLS } from './mcp/opened.ts'
import { startHttpStandIn } from './stand-ins/mcp-http.ts'

/** Something else that answers over HTTP. */
async function startOther(status: number, body: string, type = 'text/plain'): Promise<string> {
  const http = createServer(
    (_, response) => void response.writeHead(status, { 'content-type': type }).end(body),
  )
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  onTestFinished(() => void http.close())
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp?token=hidden`
}

/** Something that says a line to whoever comes, and hangs up. */
async function startPlain(line: string): Promise<string> {
  const plain = createPlainServer((socket) => {
    socket.on('error', () => undefined)
    socket.end(line)
  })
  plain.listen(0, '127.0.0.1')
  await once(plain, 'listening')
  onTestFinished(() => void plain.close())
  return `http://127.0.0.1:${(plain.address() as AddressInfo).port}/mcp`
}

const echo = { args: { text: 'x' } }

describe('a server over HTTP', () => {
  test('is listed page by page and called, with the headers that were given', async () => {
    const standIn = await startHttpStandIn({ page: 3 })
    const { mcp } = opened({ web: { url: standIn.url, headers: { Authorization: 'Bearer secret-word' } } })
    const { tools, notes } = await mcp.refresh([])
    expect(notes).toEqual([])
    expect(tools.map(({ spec }) => spec.name)).toEqual(TOOLS.map((name) => `web__${name}`))
    expect(await called(tools, 'web__echo', echo)).toEqual({ text: fence('mcp web', 'x') })
    expect(await called(tools, 'web__fail')).toEqual({ error: fence('mcp web', 'it went wrong') })
    expect(standIn.headers.every(({ authorization }) => authorization === 'Bearer secret-word')).toBe(true)
    await mcp.close()
    expect(standIn.requests.at(-1)).toBe('DELETE')
  })

  test('that redirects is not followed, so that no other address gets the headers', async () => {
    const other = await startHttpStandIn({})
    const http = createServer((_, response) => void response.writeHead(307, { location: other.url }).end())
    http.listen(0, '127.0.0.1')
    await once(http, 'listening')
    onTestFinished(() => void http.close())
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
    const { mcp } = opened({ web: { url, headers: { 'x-key': 'secret-word' } } })
    const { tools, notes } = await mcp.refresh([])
    expect(tools).toEqual([])
    expect(notes.join()).toContain('307')
    expect(other.requests).toEqual([])
  })

  test('is told when a call is stopped', async () => {
    const seen: string[] = []
    const { promise: waiting, resolve: onWaiting } = Promise.withResolvers<void>()
    const standIn = await startHttpStandIn({
      note: (word) => {
        seen.push(word)
        onWaiting()
      },
    })
    const { mcp } = opened({ web: { url: standIn.url } })
    const { tools } = await mcp.refresh([])
    const stop = new AbortController()
    const call = called(tools, 'web__wait', { signal: stop.signal })
    await waiting
    stop.abort()
    expect(await call).toEqual({ error: 'The call was stopped.' })
    await expect.poll(() => seen).toEqual(['waiting', 'cancelled: the call was stopped'])
  })

  test('that is cut off during a call says so at once, and the next call connects again', async () => {
    const standIn = await startHttpStandIn({ die: () => setImmediate(() => standIn.cut()) })
    const { mcp, clock } = opened({ web: { url: standIn.url } })
    const { tools } = await mcp.refresh([])
    clock.ahead += 5_000
    const { error } = await called(tools, 'web__die')
    expect(error).toContain('The MCP server web went away during the call')
    expect(await called(tools, 'web__echo', echo)).toEqual({ text: fence('mcp web', 'x') })
  })

  test('that forgot us is greeted again, and the call is made all the same', async () => {
    const standIn = await startHttpStandIn()
    const { mcp, clock } = opened({ web: { url: standIn.url } })
    const { tools } = await mcp.refresh([])
    clock.ahead += 5_000
    standIn.forget()
    expect(await called(tools, 'web__echo', echo)).toEqual({ text: fence('mcp web', 'x') })
    expect(standIn.requests.filter((request) => request === 'POST initialize')).toHaveLength(2)
  })

  test('that stopped is down, and its tools stay listed', async () => {
    const standIn = await startHttpStandIn()
    const { mcp } = opened({ web: { url: standIn.url } })
    const { tools } = await mcp.refresh([])
    await standIn.close()
    const after = await mcp.refresh(specsOf(tools))
    expect(specsOf(after.tools)).toEqual(specsOf(tools))
    expect(after.notes[0]).toMatch(
      /^The MCP server web is not available: nothing answers at http:\/\/127\.0\.0\.1:\d+\/mcp \(connection refused\)\. Start it, or correct mcp\.servers\.web\.url\. Its tools stay listed/,
    )
    expect((await called(after.tools, 'web__echo', echo)).error).toContain('connection refused')
    expect(mcp.states()).toMatchObject([{ server: 'web', state: 'down', tools: 10 }])
  })
})

describe('an address where no server speaks MCP', () => {
  test.each([
    [401, 'who are you?', /http:\S+\/mcp requires a login \(HTTP 401\)\. Correct mcp/],
    [403, 'no', /http:\S+\/mcp refused the login \(HTTP 403\)\. Correct mcp/],
    [404, 'not here', /there is nothing at http:\S+\/mcp \(HTTP 404\)\. Correct mcp\.servers\.web\.url/],
    [
      405,
      'no',
      /at http:\S+\/mcp does not accept MCP messages \(HTTP 405\)\. Correct mcp\.servers\.web\.url/,
    ],
    [500, 'broken: secret-word', /answered HTTP 500: .*broken: …\. Check it/],
    [200, '<html>', /does not speak MCP: .*Unexpected content type: text\/plain/],
  ])('answers HTTP %i, and the note says what to do, without keys', async (status, body, expected) => {
    const url = await startOther(status, body)
    const { mcp } = opened({ web: { url, headers: { 'x-key': 'secret-word' } } })
    const { notes } = await mcp.refresh([])
    expect(notes).toHaveLength(1)
    expect(notes[0]).toMatch(expected)
    expect(notes[0]).not.toMatch(/secret-word|hidden/)
  })

  test('and that requires a login is told of where nothing was given, too', async () => {
    const { mcp } = opened({ web: { url: await startOther(401, '') } })
    const { notes } = await mcp.refresh([])
    expect(notes[0]).toMatch(/requires a login \(HTTP 401\)\. Add it in mcp\.servers\.web\.head/)
  })

  test('and that never answers is named with its address', async () => {
    const http = createServer(() => undefined)
    http.listen(0, '127.0.0.1')
    await once(http, 'listening')
    onTestFinished(() => {
      http.closeAllConnections()
      http.close()
    })
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
    const { mcp } = opened({ web: { url } }, { sleep: (_, signal) => systemSleep(50, signal) })
    const { notes } = await mcp.refresh([])
    expect(notes[0]).toContain(`${url} did not answer within 10 s. Check it, or correct mcp.servers.web.url.`)
  })

  test.each([
    ['http://127.0.0.1:9/mcp', 'http://127.0.0.1:9/mcp cannot be asked: its port is not a web port'],
    [
      'http://nobody.invalid/mcp',
      'nothing answers at http://nobody.invalid/mcp (there is no host of that name)',
    ],
  ])('or no host is there: %s', async (url, told) => {
    const { mcp } = opened({ web: { url } })
    const { notes } = await mcp.refresh([])
    expect(notes[0]).toContain(told)
  })

  test('because it speaks without TLS, or speaks no HTTP, or hangs up', async () => {
    const secure = (await startOther(200, '')).replace('http:', 'https:')
    const [other, silent] = [await startPlain('SSH-2.0-x\r\n'), await startPlain('')]
    const { mcp } = opened({ secure: { url: secure }, other: { url: other }, silent: { url: silent } })
    const { notes } = await mcp.refresh([])
    expect(notes[0]).toMatch(/https:\S+\/mcp does not speak TLS; with http:\/\/ in place of https/)
    expect(notes[1]).toContain(`${other} does not speak HTTP. Correct mcp.servers.other.url.`)
    expect(notes[2]).toContain(`nothing answers at ${silent} (the connection was cut off)`)
  })

  test('may send more than anybody wants to read', async () => {
    const url = await startOther(200, `"${'x'.repeat(11 * 1_024 * 1_024)}"`, 'application/json')
    const { mcp } = opened({ web: { url } })
    const { notes } = await mcp.refresh([])
    expect(notes[0]).toContain('it sent more than 10 MB at once')
  })
})
