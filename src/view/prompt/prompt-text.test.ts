import { expect, test } from 'vitest'
import { estimateTokens } from '../../base/tokens.ts'
import { HISTORY_HEADING } from '../../context/prompt.ts'
import type { Position } from '../../event/id.ts'
import type { Prompt, PromptMessage } from '../../event/prompt.ts'
import { memoryText } from '../../recall/memory-text.ts'
import { partLines, promptParts, shownTail } from './prompt-text.ts'

const memory =
  memoryText(
    [{ position: 8 as Position, part: 0, at: 0, kind: 'user', speaker: 'owner', text: 'The ferry is late.' }],
    { zone: 'UTC' },
  ) ?? ''
const after = 9 as Position
const user = (text: string): PromptMessage => ({ role: 'user', text })

function prompt(...messages: PromptMessage[]): Prompt {
  const settings = {
    model: 'offline',
    tokensMax: null,
    temperature: null,
    thinking: 'off',
    toolChoice: 'auto',
  } as const
  return { system: 'Be brief.', tools: [], settings, messages }
}

test('each message counts in one part only, and a part that is empty is left out', () => {
  const summary = `${HISTORY_HEADING}\n\nThey spoke of boats.`
  const mail = '(You have 1 unread message, from k3f9ab.)'
  const tail = `${memory}\n\n${mail}`
  const whole = prompt(user(summary), user('When does it leave?'), user(tail))
  expect(promptParts(whole, shownTail(whole, { text: tail, after }))).toEqual([
    { part: 'system', tokens: estimateTokens('Be brief.') },
    { part: 'summary', tokens: estimateTokens(summary) },
    { part: 'messages', tokens: estimateTokens('When does it leave?') },
    { part: 'recall', tokens: estimateTokens(memory) },
    { part: 'mail', tokens: estimateTokens(mail) },
  ])
})

test('a tail without anything recalled is a message like the others', () => {
  const mail = '(You have 1 unread message, from k3f9ab.)'
  const whole = prompt(user(mail))
  expect(shownTail(whole, { text: mail, after })).toBeUndefined()
  expect(shownTail(whole, null)).toBeUndefined()
  expect(promptParts(whole, undefined).map(({ part }) => part)).toEqual(['system', 'messages'])
})

test('bars are as long as the share, the smallest part still has one, and the sum is told', () => {
  const whole = prompt(user(memory))
  const lines = partLines(
    [
      { part: 'system', tokens: 1 },
      { part: 'messages', tokens: 2_999 },
      { part: 'recall', tokens: 1_000 },
    ],
    shownTail(whole, { text: memory, after }),
  )
  expect(lines).toEqual([
    '  system          1  ▓',
    `  messages     3.0k  ${'▓'.repeat(30)}`,
    `  recall       1.0k  ${'▓'.repeat(10)}  1 thing said earlier`,
    '  together     4.0k',
  ])
})
