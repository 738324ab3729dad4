/**
 * The clock and the random numbers of a recording. Loaded before Mainstem (`node --import`), so that recording a guide
 * again gives the same dates and ids. Without it every new recording would change every transcript.
 */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { seededRandom } from '../../src/base/random.ts'

const { GUIDE_SEED = '0', GUIDE_AHEAD_MS } = process.env

const random = seededRandom(Number(GUIDE_SEED))
const { randomBytes } = crypto
crypto.randomBytes = (size: number) => {
  if (size !== 4) return randomBytes(size)
  const bytes = Buffer.alloc(4)
  const bits = random()
  // The lowest five bits make the first sign of an id. A digit there tells ids from words.
  bytes.writeUInt32LE((bits & ~24) >>> 0)
  return bytes
}
syncBuiltinESMExports()

if (GUIDE_AHEAD_MS !== undefined) {
  const { now: realNow } = Date
  const now = (): number => realNow() + Number(GUIDE_AHEAD_MS)
  globalThis.Date = new Proxy(Date, {
    construct: (target, args) => Reflect.construct(target, args.length === 0 ? [now()] : args) as Date,
    get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
  })
}
