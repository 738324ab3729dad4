import { expect, test } from 'vitest'
import { rounds } from '../rounds.ts'
import { fuzzReplies } from './replies.ts'

test('whatever a model provider sends, it is a reply or an error, the log stays valid and the next turn is answered', async () => {
  const { failure, replies, errors } = await fuzzReplies({ from: 1, count: rounds(1_000) })
  expect(failure).toBeUndefined()
  expect(replies).toBeGreaterThan(20)
  expect(errors).toBeGreaterThan(20)
})
