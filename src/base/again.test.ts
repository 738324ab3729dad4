import { expect, test } from 'vitest'
import { Again } from './again.ts'

/** Work whose rounds end when the test says so. */
function gated(): { readonly work: () => Promise<void>; readonly rounds: PromiseWithResolvers<void>[] } {
  const rounds: PromiseWithResolvers<void>[] = []
  const work = (): Promise<void> => {
    const round = Promise.withResolvers<void>()
    rounds.push(round)
    return round.promise
  }
  return { work, rounds }
}

test('however many ask while it runs, it runs once more', async () => {
  const { work, rounds } = gated()
  const again = new Again(work)
  const first = again.ask()
  expect(rounds).toHaveLength(1)
  const others = [again.ask(), again.ask(), again.ask()]
  expect(rounds).toHaveLength(1)
  rounds[0]?.resolve()
  await first
  await expect.poll(() => rounds.length).toBe(2)
  rounds[1]?.resolve()
  await Promise.all(others)
  await again.settled()
  expect(rounds).toHaveLength(2)
  expect(again.isRunning).toBe(false)
})

test('it never runs twice at once, whenever somebody asks', async () => {
  let [running, most, rounds] = [0, 0, 0]
  const again: Again = new Again(async () => {
    most = Math.max(most, ++running)
    rounds += 1
    await Promise.resolve()
    if (rounds % 3 === 0) void again.ask()
    running -= 1
  })
  for (let turn = 0; turn < 50; turn++) {
    void again.ask()
    for (let step = 0; step < turn % 7; step++) await Promise.resolve()
  }
  await again.settled()
  expect(most).toBe(1)
})

test('an error reaches `fail` once and everybody who waits, and the next round runs', async () => {
  const { work, rounds } = gated()
  const errors: unknown[] = []
  const again = new Again(work, { fail: (error) => errors.push(error) })
  const [first, second] = [again.ask(), again.ask()]
  rounds[0]?.reject(new Error('the disk is full'))
  await expect(first).rejects.toThrow('the disk is full')
  await expect.poll(() => rounds.length).toBe(2)
  rounds[1]?.resolve()
  await second
  expect(errors).toHaveLength(1)
})

test('`idle` is called only when nothing more was asked for', async () => {
  let [idle, rounds] = [0, 0]
  const again: Again = new Again(
    async () => {
      if (++rounds < 3) void again.ask()
    },
    { idle: () => void (idle += 1) },
  )
  await again.ask()
  await again.settled()
  expect({ idle, rounds }).toEqual({ idle: 1, rounds: 3 })
})

test('once closed it begins nothing more, and nobody waits for ever', async () => {
  const { work, rounds } = gated()
  const again = new Again(work)
  void again.ask()
  const waiting = again.ask()
  const closed = again.close()
  rounds[0]?.resolve()
  await closed
  await waiting
  await again.ask()
  expect(rounds).toHaveLength(1)
})
