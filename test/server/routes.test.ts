import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { systemRandom } from '../../src/base/random.ts'
import { OwnerClient } from '../../src/client/socket.ts'
import { makeBranchId } from '../../src/event/id.ts'
import { may } from '../../src/command/read/rights.ts'
import { origins, type Origin } from '../../src/event/speaker.ts'
import { routesOf } from '../../src/server/app.ts'
import { serving } from './stage.ts'

const all = routesOf({} as Parameters<typeof routesOf>[0])

/** An address that fits the path. */
function addressOf(path: string): string {
  return path.replaceAll(/:\w+/g, 'x')
}

const addressed = all.map(({ method, path }) => `${method} ${path}`)
const allowed = (seeker: Parameters<typeof may>[0]): readonly string[] =>
  addressed.filter((route) => may(seeker, { route }))

/** Seats of the terminal. */
const SEATS = ['GET /api/chat/:id/stream', 'POST /api/chat/:id/shown', 'POST /api/typed']
const SOCKET = [
  'DELETE /api/runs/:run',
  'GET /api/lines/:thread',
  'POST /api/lines',
  'POST /api/links',
  'POST /api/owner/hand-over',
  'POST /api/runs',
]
const GRANTS = 'POST /api/grants'
/** For a person in a browser, and not for the token. */
const PERSON = [
  'DELETE /api/queued/:position',
  'DELETE /api/sessions',
  'DELETE /api/sessions/:id',
  'GET /api/sessions',
  'POST /api/config',
  'POST /api/files',
  'POST /api/job-file',
  'POST /api/memory',
  'POST /api/models/test',
  'POST /api/say',
  'POST /api/sign-out',
  'POST /api/todos',
]
const OPEN = ['POST /api/sign-in', 'POST /hook/:id']
const OPEN_HERE = ['GET /healthz', 'GET /readyz']

describe('[RIGHT1] of addresses', () => {
  const without = (...some: readonly string[]) => addressed.filter((route) => !some.includes(route))
  const expected: Readonly<Record<Origin, readonly string[]>> = {
    terminal: addressed,
    operator: addressed,
    program: without(...SEATS, GRANTS),
    'program --yes': without(...SEATS),
    page: without(...SEATS, ...SOCKET, GRANTS),
    token: without(...SEATS, ...SOCKET, ...PERSON, GRANTS),
    hook: OPEN,
    phone: [],
    editor: [],
    model: [],
    import: [],
  }

  test.each(origins)('[RIGHT1] every address of the real server, from the origin %s', (origin) => {
    expect(allowed(origin).toSorted()).toEqual(expected[origin].toSorted())
  })

  test('a seat of the terminal is taken on the socket only, and there by a terminal only', async () => {
    const { ask, bearer, signIn, socket } = await serving()
    const { cookie } = await signIn()
    for (const headers of [bearer, { cookie }]) {
      const body = { seat: 'mine', key: 'k', text: '/permissions bypassPermissions' }
      expect(await ask('/api/typed', { method: 'POST', headers, body })).toMatchObject({ status: 403 })
      const stream = await ask('/api/chat/mine/stream', { headers })
      expect(stream).toMatchObject({ status: 403, problem: expect.stringContaining('on this machine') })
    }
    // What a network client says of itself counts for nothing.
    const claimed = { ...bearer, 'mainstem-origin': 'terminal' }
    expect(await ask('/api/chat/mine/stream', { headers: claimed })).toMatchObject({ status: 403 })
    const program = new OwnerClient(socket)
    await expect(program.call('GET', '/api/chat/mine/stream')).rejects.toMatchObject({ status: 403 })
    program.close()
  })

  test('a run that a program starts has no script of this machine as its model', async () => {
    const { client, home, socket } = await serving()
    const script = `${home}/script.json`
    writeFileSync(script, '[{"text":"from the script"}]')
    const wish = { file: 'a.md', text: 'Go.', model: `scripted:${script}` }
    const body = (): object => ({ ...wish, run: makeBranchId(1, systemRandom) })
    const program = new OwnerClient(socket)
    const asked = program.call('POST', '/api/runs', { body: body() })
    await expect(asked).rejects.toMatchObject({ status: 403, message: expect.stringContaining('--yes') })
    program.close()
    expect(await client.call('POST', '/api/runs', { body: body() })).toHaveProperty('run')
  })
})

describe('[DOOR1] whatever the routes are', () => {
  test('a stranger gets nothing from any that is not open, by either name', async () => {
    const { ask } = await serving({ settings: { PUBLIC_URL: 'https://mainstem.example' } })
    for (const { method, path } of all.filter((_, at) => !OPEN.includes(addressed[at] ?? ''))) {
      const route = `${method} ${path}`
      const isRefused = may('page', { route }) ? 401 : 403
      const outside = await ask(addressOf(path), { method, headers: { host: 'mainstem.example' } })
      expect({ path, status: outside.status }).toEqual({ path, status: isRefused })
      if (OPEN_HERE.includes(route)) continue
      const inside = await ask(addressOf(path), { method })
      expect({ path, status: inside.status }).toEqual({ path, status: isRefused })
      expect(inside.problem).toMatch(/^[A-Z].*\.$/)
    }
  })

  test('the token opens none that is for a person or for the socket', async () => {
    const { ask, bearer } = await serving()
    for (const route of [...SEATS, ...SOCKET, ...PERSON, GRANTS]) {
      const [method = '', path = ''] = route.split(' ')
      const { status } = await ask(addressOf(path), { method, headers: bearer })
      expect({ path, status }).toEqual({ path, status: 403 })
    }
  })

  test('what is open asks for a secret of its own', () => {
    expect(allowed('hook').toSorted()).toEqual(OPEN)
    expect(allowed('neighbour').toSorted()).toEqual(OPEN_HERE)
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
