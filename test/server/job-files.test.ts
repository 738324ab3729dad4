import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { OwnerRefusal } from '../../src/client/socket.ts'
import { serving } from './stage.ts'

const BRIEF = '---\ncron: 30 8 * * 1-5\n---\nTell me the news.\n'
const LATER = BRIEF.replace('30 8', '0 9')
const file = 'routines/brief.md'

async function staged() {
  const { client, home, life } = await serving()
  const post = (path: string, body: object) =>
    client.call<unknown>('POST', path, { body }).catch((error: unknown) => {
      if (error instanceof OwnerRefusal) return { status: error.status, told: error.message }
      throw error
    })
  const text = (): string => readFileSync(join(home, 'workspace', file), 'utf8')
  return { client, life, post, text }
}

test('a job file that is saved is a job at once, and what somebody else wrote meanwhile is never lost', async () => {
  const { client, life, post, text } = await staged()
  expect(await post('/api/job-file', { file, before: null, after: BRIEF })).toEqual({})
  expect(life.desk.shelf.jobs().map(({ definition }) => definition.id)).toEqual(['brief'])
  expect(await client.call('GET', `/api/job-file?file=${file}`)).toEqual({ text: BRIEF })
  // The answer may have been lost on its way.
  expect(await post('/api/job-file', { file, before: null, after: BRIEF })).toEqual({})
  expect(await post('/api/job-file', { file, before: null, after: LATER })).toMatchObject({ status: 409 })
  expect(text()).toBe(BRIEF)
  expect(await post('/api/job-file', { file, before: BRIEF, after: LATER })).toEqual({})
  expect(await post('/api/job-file', { file, before: BRIEF, after: null })).toMatchObject({ status: 409 })
  expect(text()).toBe(LATER)
  for (let again = 0; again < 2; again++)
    expect(await post('/api/job-file', { file, before: LATER, after: null })).toEqual({})
  expect(life.desk.shelf.jobs()).toEqual([])
})

test.each([
  ['cron that is none', { file, after: '---\ncron: 61 * * * *\n---\nGo.\n' }, 'Line 2: '],
  ['a text without a task', { file, after: '---\ncron: 0 9 * * *\n---\n' }, 'there is no task'],
  ['a file that is no job', { file: 'memory.md', after: 'x' }, "'memory.md' is not"],
  ['a file outside', { file: '../routines/x.md', after: BRIEF }, 'is not'],
])('%s is not saved', async (_, edit, told) => {
  const { post } = await staged()
  const refused = await post('/api/job-file', { before: null, ...edit })
  expect(refused).toMatchObject({ status: 400, told: expect.stringContaining(told) })
})

test('a text is checked before it is saved: next times, or the line that is wrong', async () => {
  const { post } = await staged()
  expect(await post('/api/job-file/check', { file, text: BRIEF })).toMatchObject({
    problem: null,
    times: Array.from({ length: 5 }, () => expect.stringContaining('T08:30:00')),
  })
  expect(await post('/api/job-file/check', { file, text: BRIEF.replace('30 8', '30') })).toMatchObject({
    problem: { line: 2, reason: expect.stringContaining('fields instead of 5') },
    times: [],
  })
  await post('/api/job-file', { file, before: null, after: BRIEF })
  expect(
    await post('/api/job-file/check', {
      file: 'routines/other.md',
      text: BRIEF.replace('cron', 'id: brief\ncron'),
    }),
  ).toMatchObject({ problem: { reason: expect.stringContaining('is the routine') } })
})
