import { ServerResponse, type IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../test/cli/run.ts'
import { seededRandom } from '../../base/random.ts'
import { Refusal } from '../contract/route.ts'
import { Door } from './door.ts'

function doorAt(home: string) {
  const clock = { now: 1_000_000 }
  const door = new Door({
    home,
    token: 't',
    publicUrl: null,
    trustedProxies: [],
    now: () => clock.now,
    random: seededRandom(1),
    onHold: () => undefined,
  })
  door.listensOn(7420)
  const cookies = { host: 'localhost:7420' } as Record<string, string>
  const request = { url: '/', rawHeaders: [], headers: cookies, socket: {} } as unknown as IncomingMessage
  const signIn = (): string =>
    (cookies['cookie'] = door.signIn(request, door.newLink().url.split('#code=')[1] ?? ''))
  return { clock, door, request, signIn }
}

const DAY_MS = 86_400_000

test('[DOOR2] a link works for ten minutes', () => {
  const { clock, door, request } = doorAt(tempFolder())
  const [early, late] = [door.newLink(), door.newLink()].map(({ url }) => url.split('#code=')[1] ?? '')
  clock.now += 599_999
  expect(door.signIn(request, early ?? '')).toContain('Max-Age=2592000')
  clock.now += 1
  expect(() => door.signIn(request, late ?? '')).toThrow(Refusal)
})

test('[DOOR2] a session ends after 30 days, and is seen to the hour', () => {
  const { clock, door, request, signIn } = doorAt(tempFolder())
  signIn()
  clock.now += 3_599_999
  expect(door.callerOf(request)).toMatchObject({ kind: 'session' })
  expect(door.sessions.list()).toMatchObject([{ seenAt: 1_000_000 }])
  clock.now += 1
  door.callerOf(request)
  expect(door.sessions.list()).toMatchObject([{ signedInAt: 1_000_000, seenAt: 4_600_000 }])
  clock.now = 1_000_000 + 30 * DAY_MS - 1
  expect(door.callerOf(request)).toMatchObject({ kind: 'session' })
  clock.now += 1
  expect(door.callerOf(request)).toEqual({ kind: 'stranger', reach: 'local' })
})

test('of many browsers the oldest is signed out, and of many links the oldest ends', () => {
  const { door, request, signIn } = doorAt(tempFolder())
  const [oldest = ''] = Array.from({ length: 21 }, () => door.newLink().url.split('#code=')[1])
  expect(() => door.signIn(request, oldest)).toThrow(Refusal)
  for (let count = 0; count < 101; count++) {
    signIn()
    // Otherwise each sign-in ends the one before.
    if (count < 100) delete request.headers.cookie
  }
  expect(door.sessions.list()).toHaveLength(100)
})

function signInElsewhere({ request, signIn }: ReturnType<typeof doorAt>): void {
  for (let count = 0; count < 100; count++) {
    delete request.headers.cookie
    signIn()
  }
}

test.each([
  ['gives way to the hundredth after it', signInElsewhere],
  ['has expired, once anybody asks for anything', ({ clock }) => (clock.now += 31 * DAY_MS)],
] as [string, (at: ReturnType<typeof doorAt>) => unknown][])(
  '[DOOR1] a stream is cut when its session %s',
  (_, ends) => {
    const at = doorAt(tempFolder())
    const { door, request, signIn } = at
    const responses = [0, 1].map(() => new ServerResponse({ method: 'GET' } as IncomingMessage))
    signIn()
    door.hold(door.callerOf(request), responses[0] as ServerResponse, '/api/stream')
    ends(at)
    door.hold({ kind: 'socket', origin: 'program' }, responses[1] as ServerResponse, '/api/hello')
    expect(responses.map(({ destroyed }) => destroyed)).toEqual([true, false])
  },
)

test('the answer that tells of a session that has ended is not cut', () => {
  const { door, request, signIn } = doorAt(tempFolder())
  signIn()
  const caller = door.callerOf(request)
  const answer = new ServerResponse(request)
  door.hold(caller, answer, '/api/sign-out')
  door.signOut(request, caller)
  door.hold({ kind: 'socket', origin: 'program' }, new ServerResponse(request), '/api/hello')
  expect(answer.destroyed).toBe(false)
})
