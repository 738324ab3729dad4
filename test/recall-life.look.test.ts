import { existsSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openOtherWriter, run, tempFolder } from './cli/run.ts'
import { oldHome, uniqueWord } from './recall-life/talk.ts'

async function homeWith(messages: number): Promise<string> {
  const home = join(tempFolder(), 'home')
  await oldHome(home, messages)
  return home
}

async function lineOf(home: string, command: 'status' | 'doctor'): Promise<string> {
  const { code, out } = await run([command], { home })
  expect(code).toBe(0)
  return out.split('\n').find((line) => /^(?:Recall|ok {7}recall)/.test(line)) ?? ''
}

test('status and doctor say how far the index is, and make nothing', async () => {
  const home = await homeWith(20)
  const before = readdirSync(home)
  expect(await lineOf(home, 'status')).toBe('Recall not indexed yet; the next search or chat does it')
  expect(await lineOf(home, 'doctor')).toBe(
    'ok       recall    not indexed yet; the next search or chat does it',
  )
  expect(readdirSync(home)).toEqual(before)
  await run(['recall', 'lamp'], { home })
  const files = readdirSync(home)
  expect(await lineOf(home, 'status')).toMatch(/^Recall all indexed, vectors by static-en-128, \d+ kB$/)
  expect(await lineOf(home, 'doctor')).toMatch(
    /^ok {7}recall {4}all is indexed, \d+ kB; recall\.db can be deleted at any time$/,
  )
  const other = await openOtherWriter(home)
  await other.say('and one more')
  expect(await lineOf(home, 'status')).toMatch(/^Recall all but the newest 2 events indexed, vectors by /)
  await other.close()
  expect(readdirSync(home).filter((name) => name.startsWith('recall'))).toEqual(
    files.filter((name) => name.startsWith('recall')),
  )
})

test('a damaged index is no problem: doctor says so, and the next search makes it anew', async () => {
  const home = await homeWith(20)
  await run(['recall', 'lamp'], { home })
  truncateSync(join(home, 'recall.db'), 1_000)
  expect(await lineOf(home, 'status')).toMatch(/^Recall the next search or chat rebuilds its index: /)
  expect(await lineOf(home, 'doctor')).toMatch(/ the index cannot be used \(.+\); the next search or chat /)
  expect((await run(['recall', uniqueWord(3)], { home })).out).toContain(uniqueWord(3))
  expect(await lineOf(home, 'status')).toContain('all indexed')
})

test('doctor --rebuild takes the index away, and keeps what is none', async () => {
  const home = await homeWith(20)
  await run(['recall', 'lamp'], { home })
  const { code, out } = await run(['doctor', '--rebuild'], { home })
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringContaining('the index was deleted; the next search or chat rebuilds it'),
  })
  expect(readdirSync(home).filter((name) => name.startsWith('recall'))).toEqual([])
  expect((await run(['recall', uniqueWord(3)], { home })).out).toContain(uniqueWord(3))
  writeFileSync(join(home, 'recall.db'), 'notes of somebody else '.repeat(100))
  await run(['doctor', '--rebuild'], { home })
  expect(existsSync(join(home, 'recall.db.set-aside'))).toBe(true)
})
