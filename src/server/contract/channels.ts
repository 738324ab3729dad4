import { z } from 'zod'
import type { Served } from './route.ts'

export const channelState = z.strictObject({
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

export function channelsOf({ life }: Served): ChannelAnswer[] {
  return life.channels.map(({ name, canAsk }) => {
    const { kind, ...about } = life.stateOf(name)
    return { name, isUp: kind === 'up', isAttended: canAsk, ...about }
  })
}
