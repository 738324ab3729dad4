import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { knownSecrets, openServerLog, withoutSecrets } from '../../src/server/log.ts'
import { serving } from './stage.ts'

describe('[DOOR1] the lines of the server', () => {
  test('hold no secret, whatever is asked and however it is refused', async () => {
    const lines: string[] = []
    const environment = { MAINSTEM_HOOK_CI: 'a-secret-of-a-hook', MAINSTEM_KEYS_OPENAI: 'sk-of-openai' }
    const write = (line: string): void => void lines.push(line)
    const log = await openServerLog({
      level: 'debug',
      write,
      secrets: ['a-secret-of-a-hook', 'sk-of-openai'],
    })
    const { ask, bearer, token, signIn, server, client } = await serving({ log })
    const { cookie } = await signIn()
    const code = server.newLink().url.split('#code=')[1] ?? ''
    const hook = environment.MAINSTEM_HOOK_CI
    await ask(`/api/hello?token=${token}&key=${hook}`)
    await ask(`/api/hello?code=${code}`, { headers: bearer })
    await ask('/api/hello', { headers: { cookie } })
    await ask('/api/hello', { headers: { authorization: 'Bearer a-wrong-token-of-somebody' } })
    await ask(`/hook/ci?secret=${hook}`, { method: 'POST', headers: { authorization: `Bearer ${hook}` } })
    await ask('/api/sign-in', { method: 'POST', body: { code } })
    await client.call('GET', '/api/hello')
    const session = cookie.split('=')[1] ?? ''
    log.warn(`a proxy said: Authorization: Bearer ${token}`, {
      headers: { ...bearer, cookie, 'set-cookie': cookie },
    })
    log.error(`could not fetch https://user.example/?key=sk-of-openai`, { link: server.newLink().url })
    await expect.poll(() => lines.filter((line) => line.includes('"msg":"request"')).length).toBe(8)
    const all = lines.join('')
    for (const secret of [token, code, session, hook, 'sk-of-openai', 'a-wrong-token-of-somebody'])
      expect(all).not.toContain(secret)
    expect(all).not.toMatch(/[?#][a-z]+=(?!\[hidden\])/)
  })

  test('hold no token of their own, however it looks', async () => {
    const lines: string[] = []
    const log = await openServerLog({ level: 'info', write: (line) => void lines.push(line), secrets: [] })
    const token = 'a token/of $ my own = that "looks" like nothing else'.replaceAll(' ', '_')
    await serving({ log, settings: { TOKEN: token } })
    log.info(`somebody said ${token}`)
    expect(lines.join('')).toContain('somebody said [hidden]')
  })

  test('tell who asked for what, and what came of it', async () => {
    const lines: string[] = []
    const log = await openServerLog({ level: 'info', write: (line) => void lines.push(line), secrets: [] })
    const { ask, bearer, client } = await serving({ log })
    await ask('/api/hello', { headers: bearer })
    await ask('/api/hello?x=1', { headers: { host: 'evil.example' } })
    await client.call('GET', '/api/hello')
    await expect.poll(() => lines.length).toBe(2)
    const asked = {
      pid: process.pid,
      msg: 'request',
      via: 'port',
      address: '127.0.0.1',
      method: 'GET',
      path: '/api/hello',
    }
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ ...asked, level: 'info', status: 200, ms: expect.any(Number) }),
      expect.objectContaining({ ...asked, level: 'warn', status: 403 }),
    ])
  })

  test.each([
    ['debug', 4],
    ['info', 3],
    ['warn', 2],
    ['error', 1],
    ['silent', 0],
  ] as const)('LOG_LEVEL %s writes %i of four', async (level, count) => {
    const lines: string[] = []
    const log = await openServerLog({ level, write: (line) => void lines.push(line), secrets: [] })
    for (const name of ['debug', 'info', 'warn', 'error'] as const) log[name]('text')
    expect(lines).toHaveLength(count)
  })

  test('stay JSON, and hide a known secret wherever it stands', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6 }), fc.string(), fc.string(), (secret, before, after) => {
        const line = JSON.stringify({ text: `${before}${secret}${after}`, [secret]: 1 })
        const shown = withoutSecrets(line, [secret])
        expect(shown).not.toContain(JSON.stringify(secret).slice(1, -1))
        expect(typeof JSON.parse(shown)).toBe('object')
      }),
      { seed: 18, numRuns: 300 },
    )
  })

  test('know every secret of the settings and of the hooks', async () => {
    const settings = { KEYS_OPENAI: 'sk-of-openai', TOKEN: 'a-token-of-my-own-that-is-long-enough' }
    const { life, home } = await serving({ settings })
    const environment = { MAINSTEM_HOOK_CI: 'a-secret-of-a-hook', PATH: '/bin' }
    writeFileSync(join(home, '.env'), 'export MAINSTEM_HOOK_MAIL="another secret"\nOTHER=x\n')
    expect(knownSecrets(life.config.values, { home, environment }).toSorted()).toEqual([
      'a-secret-of-a-hook',
      'a-token-of-my-own-that-is-long-enough',
      'another secret',
      'sk-of-openai',
    ])
  })
})
