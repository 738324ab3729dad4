import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../../test/cli/run.ts'
import type { Inbound } from '../../channel/channel.ts'
import { LogError } from '../../log/log.ts'
import { leaveOrder, openOrderDoor, ordersFolder } from './order-door.ts'
import { terminalAddress as conversation } from '../terminal/place.ts'

const HOUR_MS = 3_600_000

interface Stage {
  readonly home: string
  readonly received: Inbound[]
  readonly warnings: string[]
  readonly failures: unknown[]
  /** What receiving the next one fails with. */
  error: Error | undefined
  open(): Promise<{ close(): Promise<void> }>
}

function makeStage(now: () => number = () => Date.now()): Stage {
  const stage: Stage = {
    home: tempFolder(),
    received: [],
    warnings: [],
    failures: [],
    error: undefined,
    open: async () => {
      const door = await openOrderDoor({
        home: stage.home,
        now,
        conversation,
        receive: async (inbound) => {
          if (stage.error !== undefined) throw stage.error
          stage.received.push(inbound)
        },
        warn: (text) => stage.warnings.push(text),
        fail: (error) => stage.failures.push(error),
      })
      onTestFinished(() => door.close())
      return door
    },
  }
  return stage
}

function left(home: string): string[] {
  return existsSync(ordersFolder(home)) ? readdirSync(ordersFolder(home)) : []
}

function put(home: string, text: string): string {
  mkdirSync(ordersFolder(home), { recursive: true })
  const name = `${'a'.repeat(32)}.json`
  writeFileSync(join(ordersFolder(home), name), text)
  return name
}

test('[RECV1] an order is taken as typed by the owner, with the name of its file as its key, and its file goes', async () => {
  const stage = makeStage()
  const first = await leaveOrder(stage.home, '/pause routine brief 2h')
  await sleep(2)
  const second = await leaveOrder(stage.home, '/run routines/brief.md')
  await stage.open()
  expect(stage.received).toEqual([
    { ...conversation, person: 'owner', messageId: first, text: '/pause routine brief 2h', isOrder: true },
    { ...conversation, person: 'owner', messageId: second, text: '/run routines/brief.md', isOrder: true },
  ])
  expect(left(stage.home)).toEqual([])
})

test('an order that comes while the door is open is taken as it comes', async () => {
  const stage = makeStage()
  const door = await stage.open()
  await leaveOrder(stage.home, '/resume')
  while (stage.received.length === 0) await sleep(5)
  expect(stage.received).toMatchObject([{ text: '/resume' }])
  await door.close()
  await leaveOrder(stage.home, '/resume')
  await sleep(20)
  expect(stage.received).toHaveLength(1)
})

test('only the owner may look into the folder and at the orders', async () => {
  const { home } = makeStage()
  const name = await leaveOrder(home, '/resume')
  expect(statSync(ordersFolder(home)).mode & 0o777).toBe(0o700)
  expect(statSync(join(ordersFolder(home), name)).mode & 0o777).toBe(0o600)
})

describe('[SAFE4] what is not an order is set aside with a warning, and nothing of it is done', () => {
  const at = Date.now()
  test.each([
    ['another command', JSON.stringify({ line: '/permissions bypassPermissions', at })],
    ['a command that only begins like one', JSON.stringify({ line: '/running', at })],
    ['a message', JSON.stringify({ line: 'hello', at })],
    ['a second line', JSON.stringify({ line: '/resume\n/clear', at })],
    ['another line end', JSON.stringify({ line: '/resume\r/clear', at })],
    ['blanks before it', JSON.stringify({ line: '  /resume', at })],
    ['more than a line', JSON.stringify({ line: '/resume', at, person: 'anna' })],
    ['no time', JSON.stringify({ line: '/resume' })],
    ['too long a line', JSON.stringify({ line: `/run ${'x'.repeat(16_000)}`, at })],
    ['no JSON', '{'],
    ['too much', ' '.repeat(10_000)],
  ])('%s', async (_, text) => {
    const stage = makeStage()
    const name = put(stage.home, text)
    await stage.open()
    expect(stage.received).toEqual([])
    expect(left(stage.home)).toEqual([`${name}.bad`])
    expect(stage.warnings).toEqual([
      expect.stringContaining(`${name} in ${ordersFolder(stage.home)} is not an order`),
    ])
    expect(stage.failures).toEqual([])
  })

  test('a link to an order', async () => {
    const stage = makeStage()
    const elsewhere = join(tempFolder(), 'order.json')
    writeFileSync(elsewhere, JSON.stringify({ line: '/resume', at }))
    mkdirSync(ordersFolder(stage.home))
    symlinkSync(elsewhere, join(ordersFolder(stage.home), `${'b'.repeat(32)}.json`))
    await stage.open()
    expect(stage.received).toEqual([])
    expect(stage.warnings).toHaveLength(1)
  })
})

test('what cannot be ordered is not left either', async () => {
  const { home } = makeStage()
  await expect(leaveOrder(home, '/clear')).rejects.toThrow()
  expect(left(home)).toEqual([])
})

test('an order that nobody took for more than an hour is not done any more, and that is said', async () => {
  const stage = makeStage(() => Date.now() + HOUR_MS + 60_000)
  await leaveOrder(stage.home, '/pause all 2h')
  await stage.open()
  expect(stage.received).toEqual([])
  expect(stage.warnings).toEqual([
    'Skipped /pause all 2h: it was requested 1 h ago, while mainstem was not running. Request it again if you still want it.',
  ])
  expect(left(stage.home)).toEqual([])
})

test('an order waits where the log fails, and the next start does it', async () => {
  const stage = makeStage()
  await leaveOrder(stage.home, '/resume')
  stage.error = new LogError('full', 'the disk is full')
  await (await stage.open()).close()
  expect(stage.warnings).toEqual([expect.stringContaining(': the disk is full.')])
  expect(stage.failures).toEqual([])
  stage.error = undefined
  await stage.open()
  expect(stage.received).toHaveLength(1)
  expect(left(stage.home)).toEqual([])
})

test('an order that meets a bug is gone with it: the next start does not meet it again', async () => {
  const stage = makeStage()
  await leaveOrder(stage.home, '/resume')
  stage.error = new TypeError('a bug')
  await stage.open()
  expect(stage.failures).toEqual([stage.error])
  expect(left(stage.home)).toEqual([])
})
