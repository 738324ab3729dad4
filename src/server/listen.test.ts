import { statSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../test/cli/run.ts'
import { OwnerClient, OwnerGone, OwnerRefusal } from '../client/socket.ts'
import { systemEnvironment } from '../config/table/source.ts'
import { PROGRAM_VERSION } from '../event/format.ts'
import { makeSocketPath, readOwner } from '../owner/owner-file.ts'
import { openLife } from '../runtime/life/life.ts'
import { terminalAddress } from '../runtime/terminal/place.ts'
import { listen } from './listen.ts'

function fail(error: unknown): never {
  throw error
}

async function serving() {
  const home = tempFolder()
  const life = await openLife({
    home,
    command: 'test',
    environment: systemEnvironment(),
    channels: [],
    conversation: terminalAddress,
    warn: () => undefined,
    fail,
  })
  const socket = makeSocketPath(home, {})
  const served = { home, life, command: 'test', rank: 'chat', since: 1 } as const
  const server = await listen(served, { socket, network: { host: '127.0.0.1', port: 0 } }, fail)
  const client = new OwnerClient(socket)
  onTestFinished(async () => {
    client.close()
    await server.close()
    await life.close()
  })
  return { home, socket, server, client }
}

test('the owner answers on its socket, which only its user can open, and the home names it', async () => {
  const { home, socket, client } = await serving()
  expect(await client.call('GET', '/api/hello')).toEqual({
    version: PROGRAM_VERSION,
    command: 'test',
    rank: 'chat',
    pid: process.pid,
    since: 1,
  })
  expect(readOwner(home)).toMatchObject({ pid: process.pid, socket })
  expect(statSync(socket).mode & 0o777).toBe(0o600)
})

test('what is not there, and a version that is not ours, get a sentence', async () => {
  const { client, server } = await serving()
  await expect(client.call('GET', '/nowhere')).rejects.toEqual(
    new OwnerRefusal(404, 'There is nothing at this address.'),
  )
  const headers = { 'mainstem-version': '9.9.9' }
  const response = await fetch(`http://127.0.0.1:${server.port}/api/hello`, { headers })
  expect(response.status).toBe(409)
  expect(await response.text()).toContain(`This command is mainstem 9.9.9`)
})

test('an owner that has closed is gone, and the home names nobody', async () => {
  const { home, client, server } = await serving()
  await server.close()
  await expect(client.call('GET', '/api/hello')).rejects.toBeInstanceOf(OwnerGone)
  expect(readOwner(home)).toBeUndefined()
})
