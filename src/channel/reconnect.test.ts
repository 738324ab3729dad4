import { expect, test } from 'vitest'
import { ChannelError, type ChannelState } from './channel.ts'
import { keepConnected } from './reconnect.ts'

/** Fails in these ways, one after another; then it stops. Tells how long it waited, and its states. */
async function run(
  failures: readonly (ChannelError | 'up')[],
): Promise<{ waits: number[]; states: ChannelState[] }> {
  const left = [...failures]
  const [waits, states]: [number[], ChannelState[]] = [[], []]
  const ending = new AbortController()
  await keepConnected(
    {
      settings: { tries: 3, baseMs: 100, maxMs: 1_000, jitterMs: 10 },
      attend: async (up) => {
        let next = left.shift()
        for (; next === 'up'; next = left.shift()) up()
        if (next === undefined) ending.abort()
        else throw next
      },
      state: (state) => states.push(state),
      now: () => 7,
      random: () => 2 ** 31,
      sleep: async (ms) => void waits.push(ms),
    },
    ending.signal,
  )
  return { waits, states }
}

const broken = new ChannelError('Could not reach it.', { isFinal: false })

test('a connection that breaks is tried again ever more slowly, with jitter, and for ever', async () => {
  const { waits, states } = await run([broken, broken, broken, broken, broken, 'up', broken])
  expect(waits).toEqual([105, 205, 405, 1_005, 1_005, 105])
  expect(states.map(({ kind }) => kind)).toEqual([
    'connecting',
    'connecting',
    'connecting',
    'connecting',
    'down',
    'down',
    'up',
    'connecting',
  ])
  expect(states[4]).toEqual({ kind: 'down', why: 'Could not reach it.', since: 7, retryAt: 1_012 })
})

test('what a person has to mend is said at once, and tried again when the platform wants it', async () => {
  const later = new ChannelError('Wait.', { isFinal: false, retryAfterMs: 700 })
  const { waits, states } = await run(['up', 'up', later, new ChannelError('No.', { isFinal: true })])
  expect(waits).toEqual([705, 1_005])
  expect(states.map(({ kind }) => kind)).toEqual(['connecting', 'up', 'down', 'down'])
})

test('a bug is not taken for a broken connection', async () => {
  await expect(run([new TypeError('a bug') as ChannelError])).rejects.toThrow('a bug')
})
