import { expect, test } from 'vitest'
import { ChannelError, type Arrival, type Channel, type Door } from '../../channel/channel.ts'
import { EventError } from '../../event/codec.ts'
import { memoryFiles } from '../../../test/stand-ins/small-files.ts'
import { Doors, type DoorParts } from './door.ts'

const ARRIVAL: Arrival = {
  channel: 'app',
  conversation: 'c1',
  user: '7',
  userName: 'Ann',
  messageId: 'm1',
  text: 'hello',
}

const nothing = async (): Promise<void> => undefined

/** A door of a channel, and what it says of the world. */
async function opened(parts: Partial<DoorParts> = {}, channel: Partial<Channel> = {}) {
  const seen: string[] = []
  const given: { door?: Door } = {}
  const app: Channel = {
    name: 'app',
    canAsk: false,
    start: async (door) => void (given.door = door),
    stop: async () => undefined,
    send: async () => null,
    typing: async () => void seen.push('typing'),
    ...channel,
  }
  const inbound = {
    channel: 'app',
    conversation: 'c1',
    origin: 'phone' as const,
    person: 'owner',
    messageId: 'm1',
    text: 'hello',
  }
  const doors = new Doors({
    channels: [app],
    gate: {
      enter: async () => ({ kind: 'in', inbound }),
      edited: nothing,
      removed: nothing,
      moved: nothing,
      close: nothing,
    },
    files: memoryFiles(),
    receive: async ({ text, button }) => {
      seen.push(button ?? text)
      return button === undefined ? { kind: 'empty' } : { kind: 'closed' }
    },
    now: () => 5,
    warn: (text) => seen.push(text),
    fail: (error) => seen.push(`fail: ${String(error)}`),
    onState: () => undefined,
    ...parts,
  })
  doors.open()
  await Promise.resolve()
  return { doors, seen, door: given.door }
}

test('an arrival reaches the reception; before its files are fetched, it shows that it was seen', async () => {
  const { door, seen } = await opened()
  expect(await door?.arrive(ARRIVAL)).toEqual({ kind: 'ignored' })
  expect(seen).toEqual(['hello'])
  const fetch = async (): Promise<never> => {
    seen.push('fetch')
    throw new ChannelError('gone', { isFinal: true })
  }
  await door?.arrive({ ...ARRIVAL, files: [{ kind: 'document', name: 'a.txt', size: 1, fetch }] })
  expect(seen).toEqual(['hello', 'typing', 'fetch', 'hello'])
})

test('[PEOPLE1] whoever stays outside the gate costs nothing', async () => {
  const gate = {
    enter: async () => ({ kind: 'out', welcome: { kind: 'ignored' } }),
    close: async () => undefined,
  }
  const { door, seen } = await opened({ gate: gate as unknown as DoorParts['gate'] })
  expect(await door?.arrive(ARRIVAL)).toEqual({ kind: 'ignored' })
  expect(seen).toEqual([])
})

test('[BUTTON1] a button whose question is closed says so', async () => {
  const { door } = await opened()
  const welcome = { kind: 'refused', say: 'This question is closed.' }
  expect(await door?.arrive({ ...ARRIVAL, button: '1.x' })).toEqual(welcome)
})

test('what the log cannot hold is refused, and ends nothing; what breaks here is not forgotten', async () => {
  const unwritable = await opened({ receive: () => Promise.reject(new EventError('text: too long')) })
  expect(await unwritable.door?.arrive(ARRIVAL)).toMatchObject({ kind: 'refused' })
  expect(unwritable.seen).toEqual([])
  const broken = await opened({ receive: () => Promise.reject(new Error('the disk is broken')) })
  await expect(broken.door?.arrive(ARRIVAL)).rejects.toThrow('the disk is broken')
  expect(broken.seen).toContain('fail: Error: the disk is broken')
})

test('a channel that cannot start is down and says why; closing still works', async () => {
  const { doors, seen } = await opened(
    {},
    {
      start: () => Promise.reject(new ChannelError('the token is wrong', { isFinal: true })),
      stop: () => Promise.reject(new Error('it never ran')),
    },
  )
  await doors.close()
  expect(doors.stateOf('app')).toEqual({ kind: 'down', why: 'the token is wrong', since: 5, retryAt: null })
  expect(seen[0]).toBe('The channel app does not work: the token is wrong')
  expect(seen.some((line) => line.startsWith('fail'))).toBe(false)
})
