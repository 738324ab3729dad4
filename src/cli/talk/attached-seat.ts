import { currentFolder } from '../../base/environment.ts'
import { newKey } from '../../base/random.ts'
import { OwnerGone, OwnerRefusal } from '../../client/socket.ts'
import type { TakeSeat } from '../../runtime/terminal/chat-port.ts'
import type { SeatHappening, Seen } from '../../runtime/terminal/chat-seat.ts'
import { awaitOwner, type OwnerCalled } from './join.ts'

interface SeatParts {
  readonly fail: (error: unknown) => void
  /** Told why what was typed waits. */
  readonly onWait: (why: string) => void
}

/** Takes a seat at the life of another process. */
export function attachedSeat(called: OwnerCalled, { fail, onWait }: SeatParts): TakeSeat {
  const { client } = called
  return ({ seen, tell, lose }) => {
    const seat = newKey()
    const ending = new AbortController()
    const { signal } = ending
    const opened = Promise.withResolvers<void>()
    const follow = async (): Promise<void> => {
      for await (const { event, data } of client.stream(
        `/api/chat/${seat}/stream?${queryOf(seen)}`,
        signal,
      )) {
        // Cut off for being slow: the next seat goes on from here.
        if (event === 'cut') return
        tell(data as SeatHappening)
        opened.resolve()
      }
    }
    opened.promise.catch(() => undefined)
    follow()
      .catch((error: unknown) => {
        if (!signal.aborted && !(error instanceof OwnerGone)) fail(error)
      })
      .finally(() => {
        opened.reject(new OwnerGone('the seat is gone'))
        lose()
      })
    const post = (path: string, body: object): Promise<void> => client.call('POST', path, { body, signal })
    let last = opened.promise
    return {
      typed: (key, text) => {
        // One after the other, for each request may have a connection of its own.
        const typed = () => post('/api/typed', { seat, key, text })
        const received = last.then(() => awaitOwner(called, { signal, onWait }, typed)).catch(goneOr(signal))
        last = received.catch(() => undefined)
        return received
      },
      shown: (id) => void post(`/api/chat/${seat}/shown`, { id }).catch(() => undefined),
      close: () => {
        ending.abort()
        client.close()
      },
    }
  }
}

function queryOf(seen: Seen | undefined): string {
  const folder = currentFolder()
  const query = new URLSearchParams({
    ...(folder !== undefined && { folder }),
    ...(seen && { said: `${seen.said}`, shown: `${seen.shown}`, asked: seen.asked.join(',') }),
  })
  return query.toString()
}

/** A seat that the owner does not know any more is as good as an owner that is gone. */
function goneOr(signal: AbortSignal): (error: unknown) => never {
  return (error) => {
    const isGone = signal.aborted || (error instanceof OwnerRefusal && error.status === 404)
    throw isGone ? new OwnerGone('the seat is gone', { cause: error }) : error
  }
}
