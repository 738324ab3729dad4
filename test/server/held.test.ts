import { once } from 'node:events'
import { request, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serving } from './stage.ts'

/** A stream that stays open, once it has begun. */
async function openStream(port: number, headers: OutgoingHttpHeaders): Promise<IncomingMessage> {
  const all = { host: `localhost:${port}`, ...headers }
  const sent = request({ host: '127.0.0.1', port, path: '/api/stream', headers: all, agent: false }).end()
  sent.on('error', () => undefined)
  onTestFinished(() => void sent.destroy())
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.on('error', () => undefined).resume()
  return response
}

/** However it is closed. */
function closing(response: IncomingMessage): Promise<void> {
  return new Promise((resolve) => response.once('close', resolve))
}

describe('[DOOR4] a browser', () => {
  test('has 32 streams and requests at once, and another one when one has ended', async () => {
    const { signIn, ask, port, bearer } = await serving()
    const { cookie } = await signIn()
    const streams = await Promise.all(Array.from({ length: 32 }, () => openStream(port, { cookie })))
    expect(streams.map(({ statusCode }) => statusCode)).toEqual(Array.from({ length: 32 }, () => 200))
    const more = await ask('/api/hello', { headers: { cookie } })
    expect(more).toMatchObject({ status: 429, headers: { 'retry-after': '1' } })
    expect(more.problem).toBe('Too many requests and streams at once. Close some, and try again.')
    expect((await openStream(port, { cookie })).statusCode).toBe(429)
    expect((await ask('/api/hello', { headers: bearer })).status).toBe(200)
    streams[0]?.destroy()
    await expect.poll(async () => (await ask('/api/hello', { headers: { cookie } })).status).toBe(200)
  })

  test('[DOOR2] that is signed out loses its streams at once', async () => {
    const { signIn, client, port } = await serving()
    const { cookie } = await signIn()
    const other = await signIn()
    const [stream, others] = await Promise.all([
      openStream(port, { cookie }),
      openStream(port, { cookie: other.cookie }),
    ])
    const ended = closing(stream)
    const { sessions } = await client.call<{ sessions: { id: string }[] }>('GET', '/api/sessions')
    await client.call('DELETE', `/api/sessions/${sessions[0]?.id}`)
    await ended
    expect(others.closed).toBe(false)
  })

  test.each(['token', 'socket'])('[DOOR2] signs out no program: DELETE of %j is refused', async (name) => {
    const { signIn, ask, bearer, client, port } = await serving()
    const { cookie } = await signIn()
    const stream = await openStream(port, bearer)
    const local = client.call('GET', '/api/hello')
    const refused = await ask(`/api/sessions/${name}`, { method: 'DELETE', headers: { cookie } })
    expect(refused.status).toBe(404)
    await local
    // What was cut would have reached us before the answer of a later request.
    expect((await ask('/api/hello', { headers: bearer })).status).toBe(200)
    expect(stream.closed).toBe(false)
    const more = await openStream(port, bearer)
    expect(more.statusCode).toBe(200)
  })

  test('[DOOR6] that signs out loses its streams and what it kept, and gets its answer', async () => {
    const { signIn, ask, port } = await serving()
    const { cookie } = await signIn()
    const ended = closing(await openStream(port, { cookie }))
    const answer = await ask('/api/sign-out', { method: 'POST', headers: { cookie } })
    expect(answer.status).toBe(200)
    await ended
    // Not the cookies: those of other ports of this machine would go too.
    expect(answer.headers['clear-site-data']).toBe('"cache", "storage"')
  })
})
