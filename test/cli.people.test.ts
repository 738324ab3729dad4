import { join } from 'node:path'
import { expect, test } from 'vitest'
import { askPairing } from '../src/agent/branch/people-acts.ts'
import { openForWriting } from '../src/runtime/home/open-log.ts'
import { run, tempFolder } from './cli/run.ts'

/** A home where two strangers were shown a code. */
async function homeWithStrangers(): Promise<{ home: string; ana: string; eve: string }> {
  const home = join(tempFolder(), 'home')
  await run(['--model', 'offline', '-p', 'hello'], { home })
  const log = openForWriting({ home, command: 'a test' })
  const ask = (user: string, userName: string, seed: number): Promise<string> =>
    log.write((writing) => {
      const stranger = { channel: 'telegram', conversation: user, user, userName }
      return askPairing(writing, stranger, { at: Date.now(), seed })?.code ?? ''
    })
  const [ana, eve] = [await ask('42', 'Ana', 1), await ask('43', 'Eve', 2)]
  await log.close()
  return { home, ana, eve }
}

test('mainstem pair and people let in, refuse, list and remove', async () => {
  const { home, ana, eve } = await homeWithStrangers()
  const waiting = await run(['pair'], { home })
  expect(waiting.out).toMatch(
    new RegExp(`^${eve}  telegram:43  Eve  until .*\n${ana}  telegram:42  Ana  until `),
  )
  expect(waiting.out).toContain('\nmainstem pair approve CODE me, mainstem pair approve CODE NAME or ')
  expect(await run(['pair', 'refuse', eve], { home })).toMatchObject({
    code: 0,
    out: 'Refused Eve (telegram:43).\n',
  })
  const paired = await run(['pair', 'approve', ana.toLowerCase(), 'Ana', 'Ono'], { home })
  expect(paired).toMatchObject({
    code: 0,
    out: 'Paired: telegram:42 (Ana) is Ana Ono, a guest. mainstem people lists everybody.\n',
  })
  expect(JSON.parse((await run(['pair', '--json'], { home })).out)).toEqual([])
  const { people } = JSON.parse((await run(['people', '--json'], { home })).out) as { people: object[] }
  const unused = { calls: 0, cost: null, tokensIn: 0, tokensOut: 0 }
  expect(people).toEqual([
    {
      id: 'owner',
      name: 'owner',
      role: 'owner',
      identities: [],
      lastWroteAt: expect.any(String),
      usedToday: null,
    },
    {
      id: 'ana-ono',
      name: 'Ana Ono',
      role: 'guest',
      identities: ['telegram:42'],
      lastWroteAt: null,
      usedToday: unused,
    },
  ])
  expect((await run(['people', 'remove', 'ana', 'ono'], { home })).code).toBe(0)
  expect((await run(['people'], { home })).out).not.toContain('Ana')
  const wrong = await run(['pair', 'approve', ana, 'me'], { home })
  expect(wrong).toMatchObject({ code: 1, out: '' })
  expect(wrong.err).toContain(`No one is waiting with the code ${ana}.`)
})
