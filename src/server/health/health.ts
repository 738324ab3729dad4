import { z } from 'zod'
import { LogError } from '../../log/log.ts'
import { channelsOf, channelState } from '../contract/channels.ts'
import { route, type Route, type Served } from '../contract/route.ts'
import type { Metrics } from './metrics.ts'

/** For whatever watches over the process: a container, a service, Prometheus. */
export function healthRoutes(served: Served): readonly Route[] {
  let metrics: Promise<Metrics> | undefined
  // Metrics cost nothing until somebody asks for them.
  const loaded = async (): Promise<Metrics> => new (await import('./metrics.ts')).Metrics(served)
  return [
    route('GET /healthz', {
      summary: 'Whether the process is alive',
      answer: z.strictObject({ isAlive: z.literal(true) }),
      handle: async () => ({ isAlive: true as const }),
    }),
    route('GET /readyz', {
      summary:
        'Whether it can work: the log is open; for whoever is signed in, also the states of the channels',
      answer: z.strictObject({
        position: z.int(),
        channels: z.array(channelState),
      }),
      handle: async ({ caller }) => {
        const position = await served.life.log.read(({ end }) => end).catch(orClosed)
        // What watches over a process has no token. It learns this much, and no word more.
        if (caller.kind === 'stranger')
          return new Response(null, { status: position instanceof LogError ? 503 : 200 })
        if (position instanceof LogError) throw position
        return { position, channels: channelsOf(served) }
      },
    }),
    route('GET /metrics', {
      summary: 'Turns, latencies, tokens, cost, outbox, channels and event-loop lag, for Prometheus',
      handle: async () => (await (metrics ??= loaded())).answer(),
    }),
  ]
}

function orClosed(error: unknown): LogError {
  if (error instanceof LogError) return error
  throw error
}
