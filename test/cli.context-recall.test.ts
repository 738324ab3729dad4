import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from './cli/run.ts'

const FACT = 'The ferry to Palermo leaves Genoa at 22:30 on Saturdays.'
const QUESTION = 'Does the Palermo ferry leave Genoa late?'
const small = ['--set', 'historyWindow=4']
const LINES = [FACT, ...Array.from({ length: 12 }, (_, index) => `The weather of day ${index} was dull.`)]

const folder = mkdtempSync(join(tmpdir(), 'mainstem-test-'))
const home = join(folder, 'home')
let contextInChat: string

/** What is told in a chat about the question right before it. */
async function chat(...lines: string[]): Promise<string> {
  return (await run(small, { home, input: lines.join('\n') })).out
}

beforeAll(async () => {
  await chat(...LINES, '/compact')
  contextInChat = await chat(QUESTION, '/context')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Facts {
  parts: { part: string; tokens: number }[]
  recall: { position: number; who: string; when: string; text: string }[]
  prompt: { messages: { text: string }[] }
}

async function facts(): Promise<Facts> {
  const { code, out } = await run(['context', '--turn', 'last', '--json'], { home })
  expect(code).toBe(0)
  return JSON.parse(out) as Facts
}

describe('what recall brought into a prompt', () => {
  test('is a part of it with its tokens and a bar, and each piece says where it stands, who said it and when', async () => {
    const { out } = await run(['context', '--turn', 'last'], { home })
    expect(out).toMatch(/^ {2}messages +\d+ {2}▓+$/m)
    expect(out).toMatch(/^ {2}recall +\d+ {2}▓+ {2}\d+ things? said earlier$/m)
    expect(out).toMatch(
      /^\d+ recall {2}\d+ tokens\n {4}log \d+, the person, \d{4}-\d\d-\d\d \w{3} \d\d:\d\d$/m,
    )
    expect(out).toContain(`      ${FACT}\n`)
  })

  test('is told to programs, with the very text that was shown', async () => {
    const { parts, recall, prompt } = await facts()
    expect(parts.map(({ part }) => part)).toEqual(['system', 'tools', 'summary', 'messages', 'recall'])
    expect(recall[0]).toMatchObject({ who: 'the person', text: expect.stringContaining(FACT) })
    const block = prompt.messages.find(({ text }) =>
      text.includes(`[log ${recall[0]?.position}, the person, `),
    )
    expect(block?.text).toContain(recall[0]?.text)
  })

  test('names positions at which that was said', async () => {
    const [first] = (await facts()).recall
    const { out } = await run(['log', '--grep', 'ferry', '--kind', 'message-added'], { home })
    expect(out).toMatch(new RegExp(`^ *${first?.position} .*ferry to Palermo`, 'm'))
  })

  test('is told by /context of the question before, and of the next one how much may come', () => {
    expect(contextInChat).toMatch(/^ {2}recall +adds up to 5 things said earlier to a question$/m)
    expect(contextInChat).toMatch(
      /^Recalled with the last question: \d+ things? said earlier, \d+ tokens:\n {2}log \d+, the person, /m,
    )
  })

  test('is nothing where nobody wants any, and where all that counts is shown', async () => {
    const none = await run(['--set', 'recallLimit=0', '-p', QUESTION], { home })
    expect(none.code).toBe(0)
    const { parts, recall } = await facts()
    expect({ parts: parts.map(({ part }) => part), recall }).toEqual({
      parts: ['system', 'tools', 'summary', 'messages'],
      recall: [],
    })
    expect(await chat('/clear', '/context')).not.toContain('join a question')
    expect(await chat('/undo', '/context policy explicit', '/context')).not.toContain('said earlier')
  })
})
