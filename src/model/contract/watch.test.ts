import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { answerLimits, startWatch, type Watch } from './watch.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const scene = { model: 'p/m', url: 'http://127.0.0.1:1', settings: { key: '`keys.p`' }, now: () => 0 }

function watching(signal = new AbortController().signal): Watch {
  return startWatch(scene, { signal, limits: { ...answerLimits, idleMs: 1000 } })
}

const never = new Promise<never>(() => undefined)

test('silence ends the call, a byte puts that off', async () => {
  const watch = watching()
  const call = watch.until(never)
  vi.advanceTimersByTime(999)
  await (await watch.fetch('data:text/plain,hello')).text()
  vi.advanceTimersByTime(999)
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(1)
  await expect(call).rejects.toMatchObject({ reason: 'timeout' })
})

test('an abort ends the call, whatever its work does', async () => {
  const controller = new AbortController()
  const watch = watching(controller.signal)
  const call = watch.until(never)
  controller.abort()
  await expect(call).rejects.toMatchObject({ reason: 'aborted' })
  await expect(watch.fetch('data:text/plain,late')).rejects.toMatchObject({ reason: 'aborted' })
})

test('a call that is over stays over: no timer is left, late bytes start none, an abort finds nothing', async () => {
  const controller = new AbortController()
  const watch = watching(controller.signal)
  expect(await watch.until(Promise.resolve(7))).toBe(7)
  watch.stop()
  await (await watch.fetch('data:text/plain,late')).text()
  expect(vi.getTimerCount()).toBe(0)
  controller.abort()
  await (await watch.fetch('data:text/plain,later')).text()
})
