/**
 * The clock and the random numbers of a recording. Loaded before Mainstem (`node --import`), so that recording a guide
 * again gives the same dates and ids. Without it every new recording would change every transcript.
 */
import { seededRandom } from '../../src/base/random.ts'

const { GUIDE_SEED = '0', GUIDE_AHEAD_MS } = process.env

const random = seededRandom(Number(GUIDE_SEED))
/** The lowest five bits make the first sign of an id. A digit there, in what a seed gives first, tells ids from words. */
function nextBits(): number {
  for (;;) {
    const bits = random()
    if ((bits & 24) === 0 && (seededRandom(bits)() & 24) === 0) return bits
  }
}
const getRandomValues = crypto.getRandomValues.bind(crypto)
Object.assign(crypto, {
  getRandomValues: (array: Uint8Array | Uint32Array) =>
    array instanceof Uint32Array ? array.fill(nextBits()) : getRandomValues(array),
})

if (GUIDE_AHEAD_MS !== undefined) {
  const { now: realNow } = Date
  const now = (): number => realNow() + Number(GUIDE_AHEAD_MS)
  globalThis.Date = new Proxy(Date, {
    construct: (target, args) => Reflect.construct(target, args.length === 0 ? [now()] : args) as Date,
    get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
  })
}
