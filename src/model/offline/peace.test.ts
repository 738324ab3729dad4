import { describe, expect, test } from 'vitest'
import type { Prompt, PromptMessage, Settings } from '../../event/prompt.ts'
import type { Reply } from '../model.ts'
import { offlineModel } from './offline.ts'

const settings: Settings = {
  model: 'offline',
  tokensMax: null,
  temperature: null,
  thinking: 'off',
  toolChoice: 'auto',
}
const names = ['add_reminder', 'list_reminders', 'cancel_reminder', 'slash', 'recall', 'remember']
const tools = names.map((name) => ({ name, description: '', parameters: {} }))

function user(text: string): PromptMessage {
  return { role: 'user', text: `[2026-03-01 Sun 09:30 Europe/Berlin]\n\n${text}` }
}

function ask(...messages: readonly PromptMessage[]): Promise<Reply> {
  const prompt: Prompt = { system: '', messages, tools, settings }
  return offlineModel.call(prompt, { signal: new AbortController().signal })
}

describe('who wants peace is told what to type, and never that it is so', () => {
  test.each([
    ['do not disturb me for 2 hours', '/pause all 2h'],
    ["don't disturb me for 2 hours", '/pause all 2h'],
    ["don't ping me until tomorrow", '/pause all until tomorrow'],
    ['please don’t bother me for an hour', '/pause all 1h'],
    ['pause everything for an hour', '/pause all 1h'],
    ['no more reminders today', '/pause all until tomorrow'],
    ['stop pinging me', '/pause all 2h'],
    ['leave me alone until 18:00', '/pause all until 18:00'],
    ['mute all pings for half an hour', '/pause all 30m'],
    ['do not disturb', '/pause all 2h'],
    ['stop reminding me for 90 minutes', '/pause all 90m'],
    ["don't ping me about the build", '/less N'],
    ['snooze', '/snooze N 1h'],
    ['snooze it for 10 minutes', '/snooze N 1h'],
  ])('%s', async (said, typed) => {
    const { text, calls } = await ask(user(said))
    expect(calls).toEqual([])
    expect(text).toContain(`\`${typed}\``)
    expect(text).toMatch(/^I cannot/)
  })

  test.each(["don't clear yet", 'stop k3f9ab', 'be quiet about the party: it is a secret'])(
    '%s is about something else',
    async (said) => {
      expect((await ask(user(said))).text).not.toContain('/pause')
    },
  )
})

describe('two times in one wish are asked about', () => {
  test.each([
    'remind me to call mum at 9 and at 10',
    'remind me to call mum at 9 and 10',
    'remind me at 9 and at 10 to call mum',
    'remind me to call mum at 9 and dad at 10',
    'remind me to call mum tomorrow or on Friday',
    'remind me to stretch in 10 minutes and in 20 minutes',
  ])('%s', async (said) => {
    const { text, calls } = await ask(user(said))
    expect(calls).toEqual([])
    expect(text).toMatch(/^That names more than one time, so nothing is set yet\./)
  })

  test.each([
    ['remind me at 9 to be at the station at 10', 'at 9'],
    ['remind me to buy milk and bread at 10', 'at 10'],
    ['remind me on Friday at 9 to call mum and dad', 'friday at 9'],
    ['remind me in 1 hour and 30 minutes to stretch', 'in 1 hour and 30 minutes'],
    ['remind me to call mum at quarter to nine', 'at quarter to 9'],
    ['remind me to call mum at quarter to nine in the evening', 'at 8:45 pm'],
  ])('%s has one', async (said, when) => {
    const { calls } = await ask(user(said))
    expect(calls).toMatchObject([{ tool: 'add_reminder', args: { when } }])
  })
})

test('which reminder was set last a list does not tell, so it is asked', async () => {
  const said = user('cancel my last reminder')
  const { calls, text } = await ask(said)
  const [list] = calls.flatMap((call) => ('args' in call ? call : []))
  const lines = 'go: today 10:00, in 30 min: go\neat: tomorrow 12:00, in 26 h: eat'
  const results = (listed: string): PromptMessage[] => [
    { role: 'assistant', text, reasoning: [], calls: list === undefined ? [] : [list] },
    { role: 'tool', call: list?.id ?? '', tool: 'list_reminders', text: JSON.stringify({ text: listed }) },
  ]
  const two = await ask(said, ...results(lines))
  expect(two.calls).toEqual([])
  expect(two.text).toContain('Which one shall I cancel?')
  const one = await ask(said, ...results('go: today 10:00, in 30 min: go'))
  expect(one.calls).toMatchObject([{ tool: 'cancel_reminder', args: { id: 'go' } }])
})

describe('what comes again and again is told as the command that sets it', () => {
  test.each([
    ['remind me every day at 8 to take pills', 'mainstem routine add "take pills" --cron "0 8 * * *"'],
    ['remind me to stretch every hour', 'mainstem routine add "stretch" --cron "0 * * * *"'],
    ['remind me every Monday at 9:30 to write', 'mainstem routine add "write" --cron "30 9 * * 1"'],
    ['remind me every evening at 8 to read', 'mainstem routine add "read" --cron "0 20 * * *"'],
    ['remind me on weekdays at 5 pm to go home', 'mainstem routine add "go home" --cron "0 17 * * 1-5"'],
    ['remind me to pay every month', 'mainstem routine add'],
    ['remind me every day at 5 to stretch', 'mainstem routine add'],
  ])('%s', async (said, typed) => {
    const { text, calls } = await ask(user(said))
    expect(calls).toEqual([])
    expect(text).toContain(`\`${typed}\``)
  })
})
