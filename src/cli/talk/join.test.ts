import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { join as pathOf } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../../test/cli/run.ts'
import { systemEnvironment } from '../../config/table/source.ts'
import { PROGRAM_VERSION } from '../../event/format.ts'
import { writeOwner, type Rank } from '../../owner/owner-file.ts'
import { join, type Joining } from './join.ts'
import { openOwnLife, type OwnLife } from './own-life.ts'

function fail(error: unknown): never {
  throw error
}

async function opened(home: string, command = 'mainstem test'): Promise<OwnLife> {
  const own = await openOwnLife({ home, command, environment: systemEnvironment(), fail })
  let isOpen = true
  const close = async (): Promise<void> => {
    if (isOpen) await own.close()
    isOpen = false
  }
  onTestFinished(close)
  return { ...own, close }
}

/** A home with an owner that others can attach to. */
async function owned(rank: Rank): Promise<{ home: string; own: OwnLife }> {
  const home = tempFolder()
  const own = await opened(home, `mainstem ${rank}`)
  await own.listen({ rank })
  return { home, own }
}

function joining(home: string, more: Partial<Joining<OwnLife>> = {}): Joining<OwnLife> {
  const { signal } = new AbortController()
  return { home, open: () => opened(home), beside: 'attach', signal, ...more }
}

test('[OWNER1] whoever comes second attaches to the owner', async () => {
  const { home } = await owned('chat')
  const joined = await join(joining(home))
  expect(joined).toMatchObject({ kind: 'attached', owner: { command: 'mainstem chat', pid: process.pid } })
  if (joined.kind === 'attached') joined.client.close()
})

test('[OWNER1] without an owner, or with one that died, the log is opened', async () => {
  const home = tempFolder()
  mkdirSync(pathOf(home, 'run'))
  const socket = pathOf(home, 'run', 'nobody.sock')
  const dead = {
    pid: 1,
    command: 'mainstem serve',
    rank: 'serve',
    version: PROGRAM_VERSION,
    socket,
    since: 0,
  } as const
  writeOwner(home, dead)
  expect(await join(joining(home))).toMatchObject({ kind: 'opened' })
})

test('[OWNER1] a process that has the log for a moment is waited for', async () => {
  const home = tempFolder()
  const oneShot = await opened(home)
  const told: string[] = []
  const waiting = join(
    joining(home, {
      onWait: (why) => {
        told.push(why)
        void oneShot.close()
      },
    }),
  )
  expect(await waiting).toMatchObject({ kind: 'opened' })
  expect(told).toEqual([expect.stringContaining("in use by 'mainstem test'")])
})

test('[OWNER1] who waits too long is told who has the log', async () => {
  const home = tempFolder()
  await opened(home)
  await expect(join(joining(home, { timeoutMs: 0 }))).rejects.toMatchObject({
    code: 'in-use',
    message: expect.stringContaining("in use by 'mainstem test'") as string,
  })
})

test('[OWNER1] serve asks a chat to hand over, and not another serve', async () => {
  const { home, own } = await owned('chat')
  void own.isWanted.then(() => own.close())
  const joined = await join(joining(home, { beside: 'take-over' }))
  if (joined.kind !== 'opened') throw new Error('a serve never attaches')
  await joined.opened.listen({ rank: 'serve' })
  await expect(join(joining(home, { beside: 'take-over' }))).rejects.toMatchObject({
    code: 'in-use',
    message: expect.stringMatching(
      /^'mainstem test' \(process \d+, since .*\) serves this home already\./,
    ) as string,
  })
})

test('[OWNER1] after a hand-over the next owner is waited for', async () => {
  const home = tempFolder()
  const waiting = join(joining(home, { attachFirstMs: 60_000 }))
  const next = await opened(home)
  await next.listen({ rank: 'serve' })
  const joined = await waiting
  expect(joined).toMatchObject({ kind: 'attached', owner: { rank: 'serve' } })
  if (joined.kind === 'attached') joined.client.close()
})

test('an owner of another version is not attached to, and says which of the two to restart', async () => {
  const home = tempFolder()
  const socket = pathOf(home, 'owner.sock')
  const server = createServer((_, response) => {
    response.writeHead(409).end(JSON.stringify({ error: { message: 'Restart the one that runs.' } }))
  }).listen(socket)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  mkdirSync(pathOf(home, 'run'))
  const owner = {
    pid: 1,
    command: 'mainstem serve',
    rank: 'serve',
    version: '9.9.9',
    socket,
    since: 0,
  } as const
  writeOwner(home, owner)
  await expect(join(joining(home))).rejects.toMatchObject({
    code: 'in-use',
    message: 'Restart the one that runs.',
  })
})

test('an option that needs the log for itself is refused beside an owner', async () => {
  const { home } = await owned('serve')
  await expect(join(joining(home, { beside: '--model' }))).rejects.toMatchObject({
    code: 'in-use',
    message: expect.stringMatching(
      /^--model needs the log for itself, and 'mainstem serve' \(process /,
    ) as string,
  })
})
