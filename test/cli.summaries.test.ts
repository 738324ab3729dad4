import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { run, tempFolder } from './cli/run.ts'

function homeWith(config: object): string {
  const home = join(tempFolder(), 'home')
  mkdirSync(home)
  writeFileSync(join(home, 'config.json'), JSON.stringify(config))
  return home
}

const FEW = { historyWindow: 2, compactionThreshold: 4, compactionShare: 0 }

const TOLD = (key: string): string =>
  `${key} (anthropic/some) cannot summarize older messages: anthropic/some needs an API key. Set \`keys.anthropic\` or ANTHROPIC_API_KEY. 'mainstem config set ${key} NAME' chooses another.`

describe('a model that is set to sum up, and that cannot be asked', () => {
  test.each(['compactionModel', 'summaryModel'])('is told of at the start and in status: %s', async (key) => {
    const home = homeWith({ [key]: 'anthropic/some' })
    const { code, out, err } = await run(['-p', 'hello'], { home })
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('Hello!') })
    expect(err).toContain(`mainstem: Warning: ${TOLD(key)}\n`)
    expect((await run(['status'], { home })).out).toContain(`Note   ${TOLD(key)}\n`)
  })

  test('is told of until another is chosen as it was said', async () => {
    const home = homeWith({ compactionModel: 'anthropic/some' })
    await run(['config', 'set', 'compactionModel', 'offline'], { home })
    expect((await run(['-p', 'hello'], { home })).err).not.toContain('summed up')
    expect((await run(['status'], { home })).out).not.toContain('Note')
  })

  test('is told of by its first answer alone where it is the one that answers', async () => {
    const home = homeWith({ model: 'anthropic/some', compactionModel: 'anthropic/some' })
    expect((await run(['status'], { home })).out).not.toContain('Note')
  })
})

test('a summariser that failed stands in status, until a summary was written', async () => {
  const script = join(tempFolder(), 'script.json')
  writeFileSync(script, JSON.stringify([{ error: { reason: 'rejected', message: 'not today' } }]))
  const config = { ...FEW, compactionModel: `scripted:${script}` }
  const home = homeWith(config)
  const said = await run([], { home, input: 'hello\nhello again\nand again\n' })
  expect(said.err).toContain(`Could not summarize the older messages: scripted:${script}: not today.`)
  const { out } = await run(['status'], { home })
  expect(out).toMatch(/newest .*: assistant: /)
  expect(out).toMatch(
    /^Note {3}The last try to summarize the older messages of main failed \([-\d]+ [:\d]+\)\. \/compact tries again and shows the error\.$/m,
  )
  await run(['config', 'set', 'compactionModel', 'offline'], { home })
  await run([], { home, input: 'go on\n' })
  expect((await run(['status'], { home })).out).not.toContain('Note')
})

describe('a compaction is announced on standard error', () => {
  const SUMMARIZED =
    /^Summarized 4 older messages \(\d+ tokens, key sentences only\)\. \/expand or \/undo brings them back\.$/m

  test('of a pipe', async () => {
    const home = homeWith(FEW)
    const { out, err } = await run([], { home, input: 'hello\nhello again\nand again\n' })
    expect(err).toMatch(SUMMARIZED)
    expect(out).not.toContain('Summarized')
  })

  test('of a question on the command line', async () => {
    const home = homeWith({ ...FEW, compactionThreshold: 100, truncationLimit: 200 })
    await run([], { home, input: 'hello\nhello again\n' })
    writeFileSync(join(home, 'config.json'), JSON.stringify(FEW))
    const { out, err } = await run(['-p', 'and again'], { home })
    expect(err).toMatch(SUMMARIZED)
    expect(out).not.toContain('Summarized')
  })
})

test('a conversation of 43 messages that takes a small part of the context is not summarized', async () => {
  const home = homeWith({})
  const input = Array.from({ length: 22 }, (_, at) => `hello ${at}\n`).join('')
  const { err } = await run([], { home, input })
  expect(err).not.toContain('ummarize')
})
