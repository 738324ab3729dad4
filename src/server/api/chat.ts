import { z } from 'zod'
import { ChatSeat } from '../../runtime/terminal/chat-seat.ts'
import { Refusal, route, type Route } from '../contract/route.ts'
import { StreamReader } from '../stream/stream-reader.ts'

/** A slower screen is cut off, and takes a seat again from where it was. */
const BOUNDS = { behindBytesMax: 4 * 1024 * 1024, patienceMs: 30_000 }

/** A screen that is stopped must not keep others from their answers. */
const SHOWN_WITHIN_MS = 10_000

const position = z.coerce.number().int().min(0)

/** The past that a screen with an earlier seat has seen. */
const seen = z.strictObject({
  folder: z.string().min(1).max(4_096).optional().describe('where the person stands'),
  said: position.optional(),
  shown: position.optional(),
  asked: z
    .string()
    .regex(/^(?:\d+(?:,\d+)*)?$/)
    .default(''),
})

/** Seats for screens elsewhere. */
export function chatRoutes(): readonly Route[] {
  /** By the ids that the screens chose. */
  const open = new Map<string, ChatSeat>()
  const screenOf = (id: string): ChatSeat => {
    const seat = open.get(id)
    if (seat === undefined) throw new Refusal(404, 'There is no such seat. Open its stream first.')
    return seat
  }
  return [
    route('GET /api/chat/:id/stream', {
      summary:
        'A seat for a screen, as long as the stream is read: all that happens in the conversation of the terminal',
      query: seen,
      handle: async ({ served, query, params: { id = '' }, incoming }) => {
        const { life, seats, fail } = served
        if (open.has(id)) throw new Refusal(409, 'This seat is taken.')
        const { said, shown, folder } = query
        const asked = query.asked.split(',').filter(Boolean).map(Number)
        const before = said === undefined || shown === undefined ? undefined : { said, shown, asked }
        const reader = new StreamReader({
          ...BOUNDS,
          position: 0,
          drop: () => incoming.socket.destroy(),
          left: () => {
            open.get(id)?.close()
            open.delete(id)
          },
        })
        const tell = (happening: object): void =>
          reader.send(Buffer.from(`data: ${JSON.stringify(happening)}\n\n`))
        const patience = { ms: SHOWN_WITHIN_MS, over: () => reader.cut() }
        open.set(id, new ChatSeat({ life, seats, seen: before, tell, fail, patience, folder }))
        return reader.response()
      },
    }),

    route('POST /api/typed', {
      summary: 'A message or commands, as typed at a seat; the same key again does nothing more',
      body: z.strictObject({ seat: z.string(), key: z.string().min(1).max(100), text: z.string() }),
      bodyBytesMax: 32 * 1024 * 1024,
      answer: z.strictObject({}),
      handle: async ({ body: { seat, key, text } }) => {
        await screenOf(seat).typed(key, text)
        return {}
      },
    }),

    route('POST /api/chat/:id/shown', {
      summary: 'Says that a delivery is on the screen',
      body: z.strictObject({ id: z.int().min(1) }),
      answer: z.strictObject({}),
      handle: async ({ params: { id = '' }, body }) => {
        screenOf(id).shown(body.id)
        return {}
      },
    }),
  ]
}
