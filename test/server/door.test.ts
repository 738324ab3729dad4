import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../cli/run.ts'
import { serving } from './stage.ts'

describe('the token', () => {
  test('[DOOR1] is made at the first start, for its user alone, and is the same at the next', async () => {
    const { home, token, close } = await serving()
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(statSync(join(home, 'token')).mode & 0o777).toBe(0o600)
    await close()
    expect((await serving({ home })).token).toBe(token)
  })

  test('[DOOR1] opens what a stranger is refused, and a wrong one opens nothing', async () => {
    const { ask, bearer, token } = await serving()
    const stranger = await ask('/api/hello')
    expect(stranger).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } })
    expect(stranger.problem).toMatch(/^Not signed in\. /)
    expect((await ask('/api/hello', { headers: bearer })).status).toBe(200)
    for (const authorization of [
      `Bearer ${token}x`,
      `Bearer ${token.slice(1)}`,
      'Bearer',
      `Basic ${token}`,
      token,
    ]) {
      const wrong = await ask('/api/hello', { headers: { authorization } })
      expect(wrong).toMatchObject({ status: 401 })
      expect(wrong.text).not.toContain(token.slice(0, 8))
    }
  })

  test('[DOOR1] is not taken from an address, a cookie or a body', async () => {
    const { ask, token, port } = await serving()
    expect((await ask(`/api/hello?token=${token}&access_token=${token}`)).status).toBe(401)
    expect((await ask('/api/hello', { headers: { cookie: `mainstem-${port}=${token}` } })).status).toBe(401)
    const body = { code: token }
    expect((await ask('/api/sign-in', { method: 'POST', body })).status).toBe(401)
  })

  test('TOKEN overrides the file', async () => {
    const settings = { TOKEN: 'a-token-of-my-own-that-is-long-enough' }
    const { ask } = await serving({ settings })
    const headers = { authorization: 'bearer a-token-of-my-own-that-is-long-enough' }
    expect((await ask('/api/hello', { headers })).status).toBe(200)
  })

  test.each(['a link', 'a folder', 'a short token'])(
    '[SAFE7] %s in its place ends the start',
    async (what) => {
      const home = tempFolder()
      chmodSync(home, 0o700)
      const file = join(home, 'token')
      writeFileSync(join(home, 'elsewhere'), 'x'.repeat(43), { mode: 0o600 })
      if (what === 'a link') symlinkSync(join(home, 'elsewhere'), file)
      else if (what === 'a folder') mkdirSync(file)
      else writeFileSync(file, 'short\n')
      await expect(serving({ home })).rejects.toThrow(`${file} is `)
    },
  )

  test('a token file that others could read is closed to them', async () => {
    const { home, close } = await serving()
    await close()
    chmodSync(join(home, 'token'), 0o644)
    await serving({ home })
    expect(statSync(join(home, 'token')).mode & 0o777).toBe(0o600)
  })
})

describe('a link', () => {
  test('[DOOR2] signs in a browser, with a cookie that no script and no other site can use', async () => {
    const { ask, signIn, port } = await serving()
    const { cookie, setCookie } = await signIn()
    expect(setCookie.replace(/=[\w-]{43};/, '=SECRET;')).toBe(
      `mainstem-${port}=SECRET; Max-Age=2592000; Path=/; HttpOnly; SameSite=Strict`,
    )
    expect((await ask('/api/hello', { headers: { cookie } })).status).toBe(200)
  })

  test('[DOOR2] works once', async () => {
    const { ask, server } = await serving()
    const [, code] = server.newLink().url.split('/#code=')
    const body = { code }
    expect((await ask('/api/sign-in', { method: 'POST', body })).status).toBe(200)
    const again = await ask('/api/sign-in', { method: 'POST', body })
    expect(again.status).toBe(401)
    expect(again.headers['set-cookie']).toBeUndefined()
    expect(again.problem).toBe(
      "This link was used already, or is older than 10 minutes. 'mainstem open' prints a new one.",
    )
  })

  test('[DOOR2] is made by commands on this machine only', async () => {
    const { ask, bearer, signIn, client, port } = await serving()
    const { cookie } = await signIn()
    for (const headers of [bearer, { cookie }, {}])
      expect((await ask('/api/links', { method: 'POST', headers })).status).toBe(403)
    const link = await client.call<{ url: string }>('POST', '/api/links')
    expect(link.url).toMatch(new RegExp(`^http://localhost:${port}/#code=[\\w-]{43}$`))
  })
})

test('[DOOR2] a link that was not used yet ends when all browsers are signed out', async () => {
  const { ask, client, signIn } = await serving()
  const { cookie } = await signIn()
  const { url } = await client.call<{ url: string }>('POST', '/api/links')
  const { revoked } = await client.call<{ revoked: string[] }>('DELETE', '/api/sessions')
  expect(revoked).toHaveLength(1)
  expect((await ask('/api/hello', { headers: { cookie } })).status).toBe(401)
  const [, code] = url.split('#code=')
  expect((await ask('/api/sign-in', { method: 'POST', body: { code } })).status).toBe(401)
})

describe('a session', () => {
  test('[DOOR2] has a new secret at every sign-in, and the one before ends', async () => {
    const { ask, signIn } = await serving()
    const first = await signIn()
    const second = await signIn({ cookie: first.cookie })
    expect(second.cookie).not.toBe(first.cookie)
    expect((await ask('/api/hello', { headers: { cookie: first.cookie } })).status).toBe(401)
    expect((await ask('/api/hello', { headers: { cookie: second.cookie } })).status).toBe(200)
  })

  test('[DOOR2] is never one that the browser brought along', async () => {
    const { ask, signIn, port } = await serving()
    const planted = `mainstem-${port}=${'A'.repeat(43)}`
    const { cookie } = await signIn({ cookie: planted })
    expect(cookie).not.toBe(planted)
    expect((await ask('/api/hello', { headers: { cookie: planted } })).status).toBe(401)
  })

  test('outlives a restart; its file has no secret and is for its user alone', async () => {
    const { home, signIn, close, port } = await serving()
    const { cookie } = await signIn({ 'user-agent': 'Firefox' })
    const secret = cookie.split('=')[1] ?? ''
    await close()
    const file = join(home, 'sessions.json')
    expect(readFileSync(file, 'utf8')).not.toContain(secret)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const next = await serving({ home })
    const renamed = cookie.replace(`mainstem-${port}`, `mainstem-${next.port}`)
    expect((await next.ask('/api/hello', { headers: { cookie: renamed } })).status).toBe(200)
  })

  test('is listed with its browser, and ends when it is revoked', async () => {
    const { ask, signIn, client } = await serving()
    const { cookie } = await signIn({ 'user-agent': 'Firefox\u00e9 <b>' })
    const other = await signIn()
    const { json } = await ask('/api/sessions', { headers: { cookie } })
    const sessions = json['sessions'] as { id: string }[]
    expect(sessions).toEqual([
      expect.objectContaining({ browser: 'Firefox <b>', isThis: true }),
      expect.objectContaining({ browser: '', isThis: false }),
    ])
    expect(Object.keys(sessions[0] ?? {})).not.toContain('digest')
    await client.call('DELETE', `/api/sessions/${sessions[1]?.id}`)
    expect((await ask('/api/hello', { headers: { cookie: other.cookie } })).status).toBe(401)
    expect((await ask('/api/hello', { headers: { cookie } })).status).toBe(200)
    await expect(client.call('DELETE', '/api/sessions/nobody')).rejects.toThrow(
      "There is no session 'nobody'.",
    )
  })

  test('ends with its sign-out, which removes its cookie', async () => {
    const { ask, signIn } = await serving()
    const { cookie } = await signIn()
    const out = await ask('/api/sign-out', { method: 'POST', headers: { cookie } })
    expect(out.status).toBe(200)
    expect(out.headers['set-cookie']?.[0]).toMatch(/^mainstem-\d+=; Max-Age=0; /)
    expect((await ask('/api/hello', { headers: { cookie } })).status).toBe(401)
  })

  test('[SAFE4] is what a person has: a token may not do what only a person may', async () => {
    const { ask, signIn, bearer } = await serving()
    const { cookie } = await signIn()
    expect((await ask('/api/sessions', { headers: { cookie } })).status).toBe(200)
    const refused = await ask('/api/sessions', { headers: bearer })
    expect(refused).toMatchObject({
      status: 403,
      problem: "A token may not do this: sign in with a browser ('mainstem open').",
    })
  })
})
