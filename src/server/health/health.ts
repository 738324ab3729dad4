import { z } from 'zod'
import { route, type Route, type Served } from '../contract/route.ts'
import type { Metrics } from './metrics.ts'

const channelState = z.strictObject({
  name: z.string(),
  isUp: z.boolean(),
  isAttended: z.boolean(),
  /** Who we are there, such as a bot's name. */
  as: z.string().exactOptional(),
  /** Why it does not work, since when, and when it is tried again. */
  why: z.string().exactOptional(),
  since: z.number().exactOptional(),
  retryAt: z.number().nullable().exactOptional(),
})
export type ChannelAnswer = z.infer<typeof channelState>

/** For whatever watches over the process: a container, a service, Prometheus. */
export function healthRoutes(served: Served): readonly Route[] {
  let metrics: Promise<Metrics> | undefined
  // Metrics cost nothing until somebody asks for them.
  const loaded = async (): Promise<Metrics> => new (await import('./metrics.ts')).Metrics(served)
  return [
    route('GET /healthz', {
      summary: 'Whether the process is alive',
      access: 'local',
      answer: z.strictObject({ isAlive: z.literal(true) }),
      handle: async () => ({ isAlive: true as const }),
    }),
    route('GET /readyz', {
      summary: 'Whether it can work: the log is open; and the states of the channels',
      access: 'owner',
      answer: z.strictObject({
        position: z.int(),
        channels: z.array(channelState),
      }),
      handle: async () => {
        const channels = served.life.channels.map(({ name, canAsk }): ChannelAnswer => {
          const { kind, ...about } = served.life.stateOf(name)
          return { name, isUp: kind === 'up', isAttended: canAsk, ...about }
        })
        return { position: await served.life.log.read(({ end }) => end), channels }
      },
    }),
    route('GET /metrics', {
      summary: 'Turns, latencies, tokens, cost, outbox, channels and event-loop lag, for Prometheus',
      access: 'owner',
      handle: async () => (await (metrics ??= loaded())).answer(),
    }),
  ]
}
