import { expect, test } from 'vitest'
import { ChannelError, type Outgoing } from '../../channel/channel.ts'
import type { EventOf } from '../../event/event.ts'
import type { Position } from '../../event/id.ts'
import type { PersonSource } from '../../event/work.ts'
import type { Life } from '../life/life.ts'
import { Seats, type Seat } from './seats.ts'

const message = (id: number): Outgoing => ({
  id: id as Position,
  conversation: 'local',
  text: `message ${id}`,
  form: 'answer',
  choices: [],
  isAgain: false,
})

const send = ({ channel }: Seats, id: number): Promise<string | null> =>
  channel.send(message(id), async () => undefined)

function fail(error: unknown): never {
  throw error
}

const event = (position: number): unknown => ({ kind: 'delivery-intended', position })

/** Seats at a life whose log has any delivery, and how often that life was asked to deliver. */
function seatsOf(): { seats: Seats; delivered: () => number } {
  const seats = new Seats(fail)
  let delivered = 0
  const log = { read: async (work: (reader: unknown) => unknown) => work({ event }) }
  seats.open({ log, agent: { deliver: () => void delivered++ } } as unknown as Life)
  return { seats, delivered: () => delivered }
}

/** A screen that shows at once, unless `until` says when. */
function chat(shown: number[], until: Promise<void> = Promise.resolve()): Seat & { left: number } {
  return {
    kind: 'chat',
    left: 0,
    show: async ({ id }) => {
      await until
      shown.push(id)
    },
    notice: (text) => void shown.push(Number(text)),
    handOver: () => undefined,
    end: () => undefined,
    exit() {
      this.left++
    },
  }
}

/** A pipe, which shows all, or a single question, which shows its own only. */
function lines(shown: number[], own: readonly number[], { takesAll }: { takesAll: boolean }): Seat {
  const owns = async ({ position }: EventOf<'delivery-intended'>): Promise<boolean> => own.includes(position)
  return { kind: 'lines', takesAll, owns, show: async ({ id }) => void shown.push(id), exit: () => undefined }
}

const never = new Promise<void>(() => undefined)

test('without a seat a message stays in the outbox, and a seat that comes has the agent deliver', async () => {
  const { seats, delivered } = seatsOf()
  const refused = await send(seats, 1).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(ChannelError)
  expect(refused).toMatchObject({ isFinal: false, retryAfterMs: Number.POSITIVE_INFINITY })
  const before = delivered()
  seats.take(chat([]))
  expect(delivered()).toBe(before + 1)
})

test('every screen shows a message, and it is delivered once the first one has', async () => {
  const { seats } = seatsOf()
  const [quick, slow]: [number[], number[]] = [[], []]
  const gate = Promise.withResolvers<void>()
  seats.take(chat(quick))
  seats.take(chat(slow, gate.promise))
  await send(seats, 1)
  expect([quick, slow]).toEqual([[1], []])
  gate.resolve()
  await expect.poll(() => slow).toEqual([1])
})

test('a program that prints lines gets what it asked for, the rest only if there is no screen', async () => {
  const { seats } = seatsOf()
  const [screen, printed]: [number[], number[]] = [[], []]
  seats.take(lines(printed, [2], { takesAll: true }))
  await send(seats, 1)
  expect(printed).toEqual([1])
  seats.take(chat(screen))
  await send(seats, 2)
  await send(seats, 3)
  expect(printed).toEqual([1, 2])
  await expect.poll(() => screen).toEqual([2, 3])
})

test('a single question shows its own only: what is not waits for somebody else, and holds it up no longer', async () => {
  const { seats } = seatsOf()
  const [printed, screen]: [number[], number[]] = [[], []]
  const single = seats.take(lines(printed, [1, 3], { takesAll: false }))
  await send(seats, 1)
  const early = single.shownTo(3)
  await expect(send(seats, 2)).rejects.toBeInstanceOf(ChannelError)
  expect([await early, await single.shownTo(3)]).toEqual([false, false])
  seats.take(chat(screen))
  await send(seats, 2)
  await send(seats, 3)
  expect(printed).toEqual([1, 3])
  await expect.poll(() => screen).toEqual([2, 3])
})

test('a message that hangs at one seat is delivered by another that comes, and no seat shows it twice', async () => {
  const { seats } = seatsOf()
  const [stuck, fine]: [number[], number[]] = [[], []]
  const first = seats.take(chat(stuck, never))
  const sent = send(seats, 1)
  seats.take(chat(fine))
  await sent
  first.leave()
  await send(seats, 2)
  expect([stuck, fine]).toEqual([[], [1, 2]])
})

test('whoever leaves gives back what was not shown', async () => {
  const { seats } = seatsOf()
  const only = seats.take(chat([], never))
  const sent = send(seats, 1)
  const shown = only.shownTo(1)
  only.leave()
  await expect(sent).rejects.toBeInstanceOf(ChannelError)
  expect(await shown).toBe(false)
})

test('/exit ends the seat where it was typed', () => {
  const { seats } = seatsOf()
  const [mine, yours] = [chat([]), chat([])]
  const taken = seats.take(mine)
  seats.take(yours).typed('b')
  taken.typed('a')
  const wayOut = (key: string | null) => seats.company.wayOut({ key } as PersonSource)
  wayOut('b')?.()
  expect([mine.left, yours.left]).toEqual([0, 1])
  // What moved to another branch has lost its key.
  wayOut(null)?.()
  expect([mine.left, yours.left]).toEqual([1, 1])
  expect(wayOut('of a process that died')).toBeUndefined()
  taken.leave()
  expect(wayOut('a')).toBeUndefined()
})

test('a notice is shown on every screen, or on the first one that comes', () => {
  const { seats } = seatsOf()
  seats.notice('1')
  const [mine, yours]: [number[], number[]] = [[], []]
  seats.take(chat(mine))
  seats.take(chat(yours))
  seats.notice('2')
  expect([mine, yours]).toEqual([[1, 2], [2]])
})
