import { statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { serving } from '../../test/server/stage.ts'
import { OwnerGone, OwnerRefusal } from '../client/socket.ts'
import { PROGRAM_VERSION } from '../event/format.ts'
import { readOwner } from '../owner/owner-file.ts'

test('the owner answers on its socket, which only its user can open, and the home names it', async () => {
  const { home, socket, client } = await serving()
  expect(await client.call('GET', '/api/hello')).toEqual({
    version: PROGRAM_VERSION,
    command: 'test',
    rank: 'serve',
    pid: process.pid,
    since: 1,
  })
  expect(readOwner(home)).toMatchObject({ pid: process.pid, socket })
  expect(statSync(socket).mode & 0o777).toBe(0o600)
})

test('what is not there, and a version that is not ours, get a sentence', async () => {
  const { client, ask, bearer } = await serving()
  await expect(client.call('GET', '/nowhere')).rejects.toEqual(
    new OwnerRefusal(404, 'There is nothing at this address.'),
  )
  const headers = { ...bearer, 'mainstem-version': '9.9.9' }
  const answer = await ask('/api/hello', { headers })
  expect(answer.status).toBe(409)
  expect(answer.problem).toContain(`This command is mainstem 9.9.9`)
})

test('an owner that has closed is gone, and the home names nobody', async () => {
  const { home, client, server } = await serving()
  await server.close()
  await expect(client.call('GET', '/api/hello')).rejects.toBeInstanceOf(OwnerGone)
  expect(readOwner(home)).toBeUndefined()
})
