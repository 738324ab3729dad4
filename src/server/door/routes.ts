import { z } from 'zod'
import { Refusal, route, type Route } from '../contract/route.ts'
import type { Door } from './door.ts'

const sessionView = z.strictObject({
  id: z.string(),
  browser: z.string(),
  signedInAt: z.int(),
  seenAt: z.int(),
  /** The session that asks. */
  isThis: z.boolean(),
})

/** Signing in and out, and who is signed in. */
export function doorRoutes(door: Door): readonly Route[] {
  return [
    route('POST /api/links', {
      summary: 'Makes a link that signs in one browser, once, within ten minutes',
      answer: z.strictObject({ url: z.string(), expiresAt: z.int() }),
      handle: async () => door.newLink(),
    }),
    route('POST /api/sign-in', {
      summary: 'Opens a session with the code of a link, and sets its cookie',
      body: z.strictObject({ code: z.string().max(100) }),
      // Everybody may send it.
      bodyBytesMax: 1_024,
      handle: async ({ incoming, body: { code } }) => withCookie(door.signIn(incoming, code)),
    }),
    route('POST /api/sign-out', {
      summary: 'Ends the session that asks',
      handle: async ({ incoming, caller }) => {
        const answer = withCookie(door.signOut(incoming, caller))
        // Files that it kept, and what was typed and not sent. Not the cookies: those of other ports would go too.
        answer.headers.set('clear-site-data', '"cache", "storage"')
        return answer
      },
    }),
    route('GET /api/sessions', {
      summary: 'The browsers that are signed in',
      answer: z.strictObject({ sessions: z.array(sessionView) }),
      handle: async ({ caller }) => ({
        sessions: door.sessions.list().map(({ id, browser, signedInAt, seenAt }) => {
          const isThis = caller.kind === 'session' && caller.id === id
          return { id, browser, signedInAt, seenAt, isThis }
        }),
      }),
    }),
    route('DELETE /api/sessions', {
      summary: 'Signs out all browsers, and ends the links that were not used yet',
      answer: z.strictObject({ revoked: z.array(z.string()) }),
      handle: async ({ incoming }) => ({ revoked: [...door.revokeAll(incoming)] }),
    }),
    route('DELETE /api/sessions/:id', {
      summary: 'Signs out a browser, and ends what it has open',
      handle: async ({ incoming, params: { id = '' } }) => {
        if (door.revoke(id, incoming)) return Response.json({})
        throw new Refusal(404, `There is no session '${id}'. 'mainstem open --list' lists them.`)
      },
    }),
  ]
}

function withCookie(cookie: string): Response {
  return Response.json({}, { headers: { 'set-cookie': cookie } })
}
