import { z } from 'zod'
import { Refusal, route, type Route } from '../contract/route.ts'
import type { Broadcast } from '../stream/broadcast.ts'

/** Everything that happens, as server-sent events. */
export function streamRoute(broadcast: Broadcast): Route {
  return route('GET /api/stream', {
    summary: 'Events of the log as they come, and what happens meanwhile, as server-sent events',
    query: z.strictObject({
      after: z
        .string()
        .regex(/^(?:now|\d{1,15})$/, { error: 'it is a position, or now' })
        .default('now'),
    }),
    handle: async ({ served, query, request, incoming, caller }) => {
      const end = await served.life.log.read((reader) => reader.end)
      // A browser that reconnects sends the id of the last event it got, with the address of the first time.
      const word = request.headers.get('last-event-id') ?? query.after
      const after = word === 'now' ? end : Number(word)
      if (!Number.isInteger(after) || after < 0 || after > end)
        throw new Refusal(400, `There is no position ${word} in this log, which ends at ${end}.`)
      const reader = broadcast.open({ after, end }, () => incoming.socket.destroy())
      if (caller.kind === 'session') reader.gone.addEventListener('abort', served.life.page.open())
      return reader.response()
    },
  })
}
