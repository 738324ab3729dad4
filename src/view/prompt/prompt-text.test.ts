import { expect, test } from 'vitest'
import type { PromptSource } from '../../context/prompt.ts'
import type { Prompt, PromptMessage } from '../../event/prompt.ts'
import type { Position } from '../../event/id.ts'
import { memoryText } from '../../recall/memory-text.ts'
import { partLines, shownTail } from './prompt-text.ts'

const memory =
  memoryText(
    [{ position: 8 as Position, part: 0, at: 0, kind: 'user', speaker: 'owner', text: 'The ferry is late.' }],
    { zone: 'UTC' },
  ) ?? ''
const user = (text: string): PromptMessage => ({ role: 'user', text })

function withTail(text: string): { prompt: Prompt; sources: PromptSource[] } {
  const settings = {
    model: 'offline',
    tokensMax: null,
    temperature: null,
    thinking: 'off',
    toolChoice: 'auto',
  } as const
  const prompt = { system: 'Be brief.', tools: [], settings, messages: [user('Hi'), user(text)] }
  return { prompt, sources: [{ kind: 'opening' }, { kind: 'tail' }] }
}

test('a tail is shown as recalled only where something was', () => {
  const mail = '(You have 1 unread message, from k3f9ab.)'
  expect(shownTail(withTail(mail), null)).toBeUndefined()
  expect(shownTail(withTail(`${memory}\n\n${mail}`), null)).toMatchObject({
    place: 1,
    recalled: { rest: mail, pieces: [{ position: 8, text: 'The ferry is late.' }] },
  })
})

test('bars are as long as the share, the smallest part still has one, and the sum is told', () => {
  const lines = partLines(
    [
      { part: 'system', tokens: 1 },
      { part: 'messages', tokens: 2_999 },
      { part: 'recall', tokens: 1_000 },
    ],
    shownTail(withTail(memory), null),
  )
  expect(lines).toEqual([
    '  system          1  ▓',
    `  messages     3.0k  ${'▓'.repeat(30)}`,
    `  recall       1.0k  ${'▓'.repeat(10)}  1 thing said earlier`,
    '  together     4.0k',
  ])
})
