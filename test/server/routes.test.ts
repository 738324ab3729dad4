import { describe, expect, test } from 'vitest'
import { routesOf } from '../../src/server/app.ts'
import { serving } from './stage.ts'

const all = routesOf({} as Parameters<typeof routesOf>[0])

/** An address that fits the path. */
function addressOf(path: string): string {
  return path.replaceAll(/:\w+/g, 'x')
}

describe('[DOOR1] whatever the routes are', () => {
  test('a stranger gets nothing from any that is not open, by either name', async () => {
    const { ask } = await serving({ settings: { PUBLIC_URL: 'https://mainstem.example' } })
    for (const { method, path, access } of all.filter((one) => one.access !== 'open')) {
      const isRefused = access === 'socket' ? 403 : 401
      const outside = await ask(addressOf(path), { method, headers: { host: 'mainstem.example' } })
      expect({ path, status: outside.status }).toEqual({ path, status: isRefused })
      if (access === 'local') continue
      const inside = await ask(addressOf(path), { method })
      expect({ path, status: inside.status }).toEqual({ path, status: isRefused })
      expect(inside.problem).toMatch(/^[A-Z].*\.$/)
    }
  })

  test('the token opens none that is for a person or for the socket', async () => {
    const { ask, bearer } = await serving()
    for (const { method, path } of all.filter(({ access }) => access === 'person' || access === 'socket')) {
      const { status } = await ask(addressOf(path), { method, headers: bearer })
      expect({ path, status }).toEqual({ path, status: 403 })
    }
  })

  test('what is open asks for a secret of its own', () => {
    const open = all.filter(({ access }) => access === 'open' || access === 'local')
    expect(open.map(({ path }) => path).toSorted()).toEqual([
      '/api/sign-in',
      '/healthz',
      '/hook/:id',
      '/readyz',
    ])
  })

  test('an answer has the form that its description says', async () => {
    const { client, say } = await serving()
    await say('hello')
    const plain = all.filter(({ method, path, answer }) => method === 'GET' && answer && !path.includes(':'))
    const ready = plain.filter(({ query }) => query === undefined || query.safeParse({}).success)
    expect(ready.length).toBeGreaterThan(5)
    for (const { path, answer } of ready) {
      const problems = answer?.safeParse(await client.call('GET', path)).error?.issues
      expect({ path, problems }).toEqual({ path, problems: undefined })
    }
  })
})
