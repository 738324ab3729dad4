/**
 * The clock and the random numbers of the story: loaded before Mainstem, so that half a year passes in seconds and every
 * telling gives the same log. Sleeps of the program wait for the story's clock; timers that only guard it stay real.
 */
import timers from 'node:timers/promises'
import { seededRandom } from '../../src/base/random.ts'

const realNow = Date.now
const realSleep = timers.setTimeout
const random = seededRandom(14_112_026)

let now: () => number = realNow
globalThis.Date = new Proxy(Date, {
  construct: (target, args) => Reflect.construct(target, args.length === 0 ? [now()] : args) as Date,
  get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
})

interface Sleeper {
  readonly until: number
  readonly wake: () => void
}

const sleepers = new Set<Sleeper>()

function sleepInStory<T>(ms = 0, value?: T, { signal }: { signal?: AbortSignal } = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      sleepers.delete(sleeper)
      reject(new DOMException('The sleep was aborted', 'AbortError'))
    }
    const sleeper: Sleeper = {
      until: now() + ms,
      wake: () => {
        sleepers.delete(sleeper)
        signal?.removeEventListener('abort', abort)
        resolve(value as T)
      },
    }
    if (signal?.aborted === true) return abort()
    sleepers.add(sleeper)
    signal?.addEventListener('abort', abort, { once: true })
  })
}

/** From now on only `advanceTo` moves time. */
export function stopTime(at: number): void {
  now = () => at
  timers.setTimeout = sleepInStory as typeof timers.setTimeout
  const getRandomValues = crypto.getRandomValues.bind(crypto)
  Object.assign(crypto, {
    getRandomValues: (array: Uint8Array | Uint32Array) =>
      array instanceof Uint32Array ? array.map(random) : getRandomValues(array as Uint8Array<ArrayBuffer>),
  })
}

/** Moves the clock and wakes whoever slept until then, the earliest first. */
export function advanceTo(at: number): void {
  now = () => at
  for (const sleeper of [...sleepers].toSorted((a, b) => a.until - b.until))
    if (sleeper.until <= at) sleeper.wake()
}

/** When the next sleeper wakes. */
export function nextWake(): number {
  return Math.min(...[...sleepers].map(({ until }) => until))
}

/** Time goes on from here, as fast as everywhere. */
export function letTimeRun(): void {
  const aheadMs = now() - realNow()
  now = () => realNow() + aheadMs
  timers.setTimeout = realSleep
  for (const { wake } of sleepers) wake()
}

export function realTime(ms: number): Promise<void> {
  return realSleep(ms)
}
