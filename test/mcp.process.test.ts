import { once } from 'node:events'
import { join } from 'node:path'
import type { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { expect, onTestFinished, test } from 'vitest'
import { fence } from '../src/event/fence.ts'
import { openForReading, openForWriting } from '../src/runtime/home/open-log.ts'
import { collect, openOtherWriter, start, tempFolder } from './cli/run.ts'
import { Scene } from './model/scene.ts'

const BIN = fileURLToPath(new URL('../bin/mainstem.js', import.meta.url))

async function homeWith(acts: (scene: Scene) => void): Promise<string> {
  const home = join(tempFolder(), 'home')
  const log = openForWriting({ home, command: 'test' })
  await log.write((writing) => {
    const scene = new Scene(writing)
    scene.at = Date.UTC(2026, 2, 1, 8, 30)
    acts(scene)
  })
  await log.close()
  return home
}

const holidays = (on: Scene): void => {
  on.root('main')
  on.turn('main', 'We fly to Sicily in May')
  on.mark('main', 'dentist')
  on.turn('main', 'The dentist is called Meyer')
}

/** The public package's own client, with the real program as its server. */
async function clientOn(home: string) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, 'mcp', '--home', home],
    stderr: 'pipe',
  })
  const stderr = collect(transport.stderr as PassThrough)
  const client = new Client({ name: 'my client', version: '1' })
  const errors: string[] = []
  Object.assign(client, { onerror: ({ message }: Error) => errors.push(message) })
  await client.connect(transport)
  onTestFinished(() => client.close())
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: args })
    const [{ text }] = content as [{ text: string }]
    return { isError, said: JSON.parse(text) as Record<string, unknown> }
  }
  return { client, call, errors, stderr }
}

test('other agents find, read and list what was said, and nothing but the protocol is on the way', async () => {
  const home = await homeWith(holidays)
  const { client, call, errors, stderr } = await clientOn(home)
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['recall', 'read_log', 'marks', 'report_updates'])
  const { said } = await call('recall', { query: 'Sicily', limit: 1 })
  expect(said).toMatchObject({
    hits: [{ position: 3, who: 'user', text: fence('log:main', 'We fly to Sicily in May') }],
  })
  expect((await call('read_log', { around: 3, limit: 1 })).said).toMatchObject({
    messages: [{ position: 3, text: fence('log:main', 'We fly to Sicily in May') }],
  })
  expect((await call('marks')).said).toMatchObject({
    marks: [{ name: 'dentist', next: fence('log:main', 'The dentist is called Meyer') }],
  })
  expect(await call('read_log', { limit: 0 })).toMatchObject({ isError: true })
  await expect(client.callTool({ name: 'slash', arguments: {} })).rejects.toThrow('There is no tool "slash"')
  expect([errors, stderr()]).toEqual([[], ''])
})

test('what another process writes meanwhile is found by the next call', async () => {
  const home = await homeWith(holidays)
  const writer = await openOtherWriter(home)
  const { call } = await clientOn(home)
  expect(JSON.stringify((await call('recall', { query: 'zebra' })).said)).not.toContain('zebra today')
  const position = await writer.say('I saw a zebra today')
  const { said } = await call('recall', { query: 'zebra' })
  expect(said).toMatchObject({ hits: [{ position }] })
  await writer.say('and a lion')
  expect(JSON.stringify((await call('read_log', { around: position })).said)).toContain('and a lion')
})

test('what is reported waits for main, with who reported it', async () => {
  const home = await homeWith(holidays)
  const { call } = await clientOn(home)
  expect((await call('report_updates', { message: 'The build is green.' })).isError).toBe(false)
  expect((await call('report_updates', { message: '' })).isError).toBe(true)
  expect(await reported(home)).toMatchObject([{ text: 'The build is green.', source: 'mcp my-client' }])
})

async function reported(home: string): Promise<readonly object[]> {
  const log = openForReading(home)
  const events = await Array.fromAsync(log.events({ kind: 'update-reported' }))
  await log.close()
  return events
}

test('a client that closes its end ends the process, with its questions answered', async () => {
  const home = await homeWith(holidays)
  const child = start(['mcp', '--home', home])
  const [out, ended] = [collect(child.stdout), once(child, 'close')]
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
  const asked = [
    { jsonrpc: '2.0', id: 1, method: 'initialize', params },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    {
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'recall', arguments: { query: 'Meyer' } },
    },
  ]
  child.stdin?.end(asked.map((message) => `${JSON.stringify(message)}\n`).join(''))
  expect(await ended).toEqual([0, null])
  const answers = out()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number; result: object })
  expect(answers.map(({ id }) => id)).toEqual([1, 2])
  expect(JSON.stringify(answers[1]?.result)).toContain('The dentist is called Meyer')
})

test('where a log has no branch yet, calls say so', async () => {
  const home = await homeWith(() => undefined)
  const { call } = await clientOn(home)
  const { isError, said } = await call('recall', { query: 'x' })
  expect([isError, said['error']]).toEqual([true, `Nothing was said in ${home} yet. Talk to mainstem first.`])
})

test('a client may come before anybody said a word, and what it reports waits for the first', async () => {
  const home = join(tempFolder(), 'home')
  const { call } = await clientOn(home)
  expect(await call('recall', { query: 'Sicily' })).toMatchObject({ said: { hits: [] } })
  expect((await call('report_updates', { message: 'The build is green.' })).isError).not.toBe(true)
  expect(await reported(home)).toMatchObject([{ text: 'The build is green.' }])
})
