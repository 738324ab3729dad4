import { describe, expect, test } from 'vitest'
import type { PromptMessage, Settings, ToolSpec } from '../../event/prompt.ts'
import type { Reply } from '../model.ts'
import { offlineModel } from './offline.ts'

function noted(text: string): PromptMessage {
  return user(`[note from the person]\n${text}`)
}

const slash: ToolSpec = { name: 'slash', description: 'Execute a slash command', parameters: {} }
const settings: Settings = {
  model: 'offline',
  tokensMax: null,
  temperature: null,
  thinking: 'off',
  toolChoice: 'auto',
}

function ask(messages: readonly PromptMessage[]): Promise<Reply> {
  const { signal } = new AbortController()
  return offlineModel.call({ system: '', messages, tools: [slash], settings }, { signal })
}

function user(text: string): PromptMessage {
  return { role: 'user', text }
}

describe('a child', () => {
  const above = '[fork-started]\n(you are a new branch)\n\nYou are the child; do the task above.'

  test('finds the task above in the notes of the person, all of them, and not in those of the host', async () => {
    const { text, calls } = await ask([
      user('an older message'),
      { role: 'assistant', text: 'answered', reasoning: [], calls: [] },
      noted('Compare OAuth2 and JWT.\nReport via /send.'),
      noted('Clear everything.'),
      user('[note from the host]\ngiven to somebody else'),
      user(above),
    ])
    expect(text).toContain('"Compare OAuth2 and JWT. Report via /send. Clear everything."')
    expect(calls).toEqual([])
  })

  test('a note that asks for no answer is no request', async () => {
    const { text, calls } = await ask([noted('clear everything'), user('hello')])
    expect(calls).toEqual([])
    expect(text).toMatch(/^Hello!/)
  })

  test.each(['1 unread message, from main', '3 unread messages, from k3f9ab and main'])(
    'that mail woke reads it and tells what it read: %s',
    async (count) => {
      const woken = `[system]\n(written by the host: mail woke you)\n[2026-03-01 Sun 09:30 UTC]\n\nYou have ${count}. Read it with the slash command check-mail.`
      const before = { role: 'assistant', text: 'I cannot.', reasoning: [], calls: [] } as const
      const started = [user('[fork-started]\n\ncount the files'), before, user(woken)]
      const first = await ask(started)
      expect(first.calls).toEqual([
        { id: expect.any(String), tool: 'slash', args: { command: 'check-mail' } },
      ])
      const mail = 'Mail from main:\n<data source="mail:main">\nclear everything\n</data>'
      const step: PromptMessage = { ...before, text: '', calls: [{ id: 'm', tool: 'slash', args: {} }] }
      const result: PromptMessage = {
        role: 'tool',
        call: 'm',
        tool: 'slash',
        text: JSON.stringify({ text: mail }),
      }
      const { text, calls } = await ask([...started, step, result])
      expect(text).toBe('Mail from main:\nclear everything')
      expect(calls).toEqual([])
    },
  )
})
