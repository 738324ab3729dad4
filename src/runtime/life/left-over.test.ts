import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newHome, talkIn } from '../../../test/skills/talk.ts'

/** `orders/a`: the letter is the name. */
function leave(home: string, place: string, content: object): void {
  const [folder = '', letter = ''] = place.split('/')
  mkdirSync(join(home, folder), { recursive: true })
  writeFileSync(join(home, folder, `${letter.repeat(32)}.json`), JSON.stringify(content))
}

test('what an older release left in orders/ and updates/ is taken in once, and the folders go', async () => {
  const home = newHome()
  const news = { text: 'The build is green.', source: 'mcp test', at: 7 }
  leave(home, 'updates/a', news)
  leave(home, 'orders/a', { line: '/pause', at: Date.now() })
  const first = await talkIn(home)
  const eventsOf = async (kind: string) => (await first.events()).filter((event) => event.kind === kind)
  const key = `${'a'.repeat(32)}.json`
  expect(await eventsOf('update-reported')).toMatchObject([{ ...news, key, from: null }])
  expect(await eventsOf('command-run')).toMatchObject([{ line: '/pause', source: { key, isOrder: true } }])
  expect([existsSync(join(home, 'updates')), existsSync(join(home, 'orders'))]).toEqual([false, false])
  await first.close()
  // A crash may have left the file although the log has it.
  leave(home, 'updates/a', news)
  const again = await talkIn(home)
  const kinds = (await again.events()).map(({ kind }) => kind)
  expect(kinds.filter((kind) => kind === 'update-reported')).toHaveLength(1)
  expect(existsSync(join(home, 'updates'))).toBe(false)
})

test('[SAFE7] other files, old orders and commands that nobody could order do nothing', async () => {
  const home = newHome()
  leave(home, 'orders/a', { line: '/allow bash', at: Date.now() })
  leave(home, 'orders/b', { line: '/pause', at: 5 })
  leave(home, 'updates/a', { text: 'x'.repeat(70_000), source: 'mcp test', at: 1 })
  const outside = join(home, 'outside.json')
  writeFileSync(outside, JSON.stringify({ text: 'linked', source: 'mcp test', at: 1 }))
  symlinkSync(outside, join(home, 'updates', `${'c'.repeat(32)}.json`))
  const talk = await talkIn(home)
  const kinds = (await talk.events()).map(({ kind }) => kind)
  expect(kinds).not.toContain('command-run')
  expect(kinds).not.toContain('update-reported')
  expect(talk.warnings).toEqual([expect.stringContaining('Skipped /pause: it was requested')])
  expect(readdirSync(join(home, 'orders'))).toHaveLength(1)
  expect(readdirSync(join(home, 'updates'))).toHaveLength(2)
})
