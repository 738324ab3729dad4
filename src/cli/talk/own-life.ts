import { systemClock } from '../../base/clock.ts'
import { keepAlive } from '../../owner/alive.ts'
import { makeSocketPath } from '../../owner/owner-file.ts'
import { openLife, type Life, type LifeOptions } from '../../runtime/life/life.ts'
import { terminalAddress } from '../../runtime/terminal/place.ts'
import { Seats } from '../../runtime/terminal/seats.ts'
import type { Served } from '../../server/contract/route.ts'
import type { Listening, ListenPlaces } from '../../server/listen.ts'

/** A life in this process, with its seats. */
export interface OwnLife {
  readonly life: Life
  readonly seats: Seats
  /** Resolves when a process that outranks this one wants the log: close this life then. */
  readonly isWanted: Promise<void>
  /** Lets other processes attach. Called once, after whatever must be quick: the server takes a moment to load. */
  listen(how: Pick<Served, 'rank' | 'log'> & Pick<ListenPlaces, 'network'>): Promise<Listening>
  close(): Promise<void>
}

export type OwnLifeOptions = Omit<LifeOptions, 'conversation' | keyof Seats['company']> & {
  /** Besides the screens. */
  readonly warn?: LifeOptions['warn']
  readonly channels?: LifeOptions['channels']
}

export async function openOwnLife({ warn, channels = [], ...options }: OwnLifeOptions): Promise<OwnLife> {
  const { home, command, environment, fail } = options
  const since = systemClock()
  const seats = new Seats(fail)
  const { company } = seats
  const warnAll = (text: string): void => {
    company.warn(text)
    warn?.(text)
  }
  const life = await openLife({
    conversation: terminalAddress,
    ...company,
    ...options,
    channels: [...company.channels, ...channels],
    warn: warnAll,
  })
  seats.open(life)
  const wanted = Promise.withResolvers<void>()
  const handOver = (): void => {
    seats.handOver()
    wanted.resolve()
  }
  let listening: Promise<Listening> | undefined
  let endAlive: (() => void) | undefined
  return {
    life,
    seats,
    isWanted: wanted.promise,
    listen: ({ network, ...how }) => {
      const about = { home, life, seats, command, since, fail, handOver }
      const served = { ...about, warn: warn ?? company.warn, ...how }
      const socket = makeSocketPath(home, environment)
      endAlive = keepAlive(home)
      listening = import('../../server/listen.ts').then(({ listen }) =>
        listen(served, { socket, ...(network && { network }) }),
      )
      return listening
    },
    close: async () => {
      // First, so that attached processes look for the next owner.
      await listening?.then((server) => server.close()).catch(() => undefined)
      seats.close()
      endAlive?.()
      await life.close()
    },
  }
}
