import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { run, tempFolder } from './cli/run.ts'
import { serving } from './server/stage.ts'

/** A machine with a screen whose browser writes down what it is told to open. */
function desktop() {
  const bin = tempFolder()
  const told = join(bin, 'told')
  writeFileSync(
    join(bin, 'xdg-open'),
    `#!/bin/sh\nprintf '%s' "$1" > ${told}.part && mv ${told}.part ${told}\n`,
    {
      mode: 0o755,
    },
  )
  const environment = { PATH: `${bin}:${process.env['PATH']}`, DISPLAY: ':0' }
  return { environment, opened: () => (existsSync(told) ? readFileSync(told, 'utf8') : undefined) }
}

describe('mainstem open', () => {
  test('prints a link that signs in a browser, once', async () => {
    const { home, ask } = await serving()
    const { code, out } = await run(['open'], { home })
    expect(code).toBe(0)
    expect(out).toMatch(
      /^http:\/\/localhost:\d+\/#code=[\w-]{43}\nIt signs in one browser, once, until .*, in 10 min\.\n$/,
    )
    const body = { code: /#code=(\S+)/.exec(out)?.[1] }
    expect((await ask('/api/sign-in', { method: 'POST', body })).status).toBe(200)
    expect((await ask('/api/sign-in', { method: 'POST', body })).status).toBe(401)
    const json = await run(['open', '--json'], { home })
    expect(JSON.parse(json.out)).toEqual({
      url: expect.stringContaining('/#code='),
      expiresAt: expect.any(Number),
    })
  })

  test('[DOOR2] opens a browser without naming the code where other users could read it', async () => {
    const { home } = await serving()
    const { environment, opened } = desktop()
    const { out } = await run(['open'], { home, isTTY: true, environment })
    expect(out).toContain('Your browser should show it now.')
    await expect.poll(opened).toMatch(/^file:\/\/.*\/run\/open\.html$/)
    const file = fileURLToPath(opened() ?? '')
    expect(readFileSync(file, 'utf8')).toContain(/http\S+/.exec(out)?.[0])
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test.each([
    ['without a screen', { isTTY: true, environment: { DISPLAY: undefined, WAYLAND_DISPLAY: undefined } }],
    ['in a pipe', { isTTY: false, environment: {} }],
  ])('opens none %s', async (_, { isTTY, environment }) => {
    const { home } = await serving()
    const machine = desktop()
    const ran = await run(['open'], { home, isTTY, environment: { ...machine.environment, ...environment } })
    expect(ran.out).not.toContain('Your browser')
    expect(existsSync(join(home, 'run', 'open.html'))).toBe(false)
  })

  test('says what to start where nobody serves, and lists and revokes all the same', async () => {
    const { home, signIn, close } = await serving()
    await signIn({ 'user-agent': 'Firefox' })
    await close()
    const ran = await run(['open'], { home })
    expect(ran).toMatchObject({ code: 1 })
    expect(ran.err).toMatch(/^mainstem: mainstem serve isn't running for this home\./)
    expect((await run(['open', '--list'], { home })).out).toMatch(/^[\w-]{8} +since .* +Firefox\n$/)
    expect((await run(['open', '--revoke', 'all'], { home })).out).toBe('Signed out 1 browser.\n')
    expect((await run(['open', '--list'], { home })).out).toBe('No browser is signed in.\n')
  })

  test('--list names the browsers, and --revoke signs one out', async () => {
    const { home, signIn, ask } = await serving()
    const { cookie } = await signIn({ 'user-agent': 'Firefox' })
    await signIn({ 'user-agent': 'Chrome' })
    const { out } = await run(['open', '--list'], { home })
    const [id = ''] = out.split(' ')
    expect(out).toMatch(/^\S{8} .*Firefox\n\S{8} .*Chrome\n$/)
    expect(await run(['open', '--revoke', id], { home })).toMatchObject({
      code: 0,
      out: 'Signed out 1 browser.\n',
    })
    expect((await ask('/api/hello', { headers: { cookie } })).status).toBe(401)
    const again = await run(['open', '--revoke', id], { home })
    expect(again).toMatchObject({ code: 1 })
    expect(again.err).toBe(`mainstem: There is no session '${id}'. 'mainstem open --list' lists them.\n`)
    expect((await run(['open', '--list', '--revoke', id], { home })).code).toBe(2)
  })

  test('a home that nothing was served from has no browsers', async () => {
    const home = tempFolder()
    mkdirSync(join(home, 'run'), { mode: 0o700 })
    expect((await run(['open', '--list', '--json'], { home })).out).toBe('[]\n')
  })
})
