import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seededRandom, systemRandom } from '../../base/random.ts'
import { isSameSecret, newSecret } from './secrets.ts'

test('[DOOR1] two secrets are the same if they are equal, whatever they hold and however long they are', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
      expect(isSameSecret(one, other)).toBe(one === other)
      expect(isSameSecret(one, one)).toBe(true)
      expect(isSameSecret(one, `${one}x`)).toBe(false)
    }),
    { seed: 18 },
  )
})

test('[DOOR1] a secret has 256 bits, and each is another', () => {
  const random = seededRandom(1)
  const secrets = Array.from({ length: 100 }, () => newSecret(random))
  expect(new Set([...secrets, newSecret(systemRandom)]).size).toBe(101)
  for (const secret of secrets) expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
})
