import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Prompt, PromptMessage, Settings, ToolSpec } from '../../event/prompt.ts'
import { offlineModel } from './offline.ts'

const slash: ToolSpec = { name: 'slash', description: 'Execute a slash command', parameters: { type: 'object' } }
const settings: Settings = { model: 'offline', tokensMax: null, temperature: null, thinking: 'off', toolChoice: 'auto' }

function promptOf(said: string | readonly PromptMessage[], more: Partial<Prompt> = {}): Prompt {
  const messages = typeof said === 'string' ? [{ role: 'user' as const, text: said }] : said
  return { system: 'You are kind.', messages, tools: [slash], settings, ...more }
}

const ask = (prompt: Prompt) => offlineModel.call(prompt, { signal: new AbortController().signal })

/** What it calls, as a person would type it without the slash. */
async function callsOf(prompt: Prompt): Promise<string[]> {
  const { calls } = await ask(prompt)
  return calls.map((call) => ('args' in call ? [call.args['command'], call.args['args']].filter(Boolean).join(' ') : 'bad'))
}

interface HeldOut { say: string; calls?: string[]; answer?: string }
const answers: Record<string, RegExp> = {
  greeting: /^Hello/m, thanks: /^You are welcome/m, farewell: /^Goodbye/m, feeling: /moods/, identity: /know nothing/, help: /^- /m, explain: /`\//, nothing: /./,
}
describe('held out', () => {
  test('share', async () => {
    const list: HeldOut[] = JSON.parse(readFileSync(new URL('../../../test/fixtures/offline-held-out.json', import.meta.url), 'utf8'))
    const wrong: string[] = []
    for (const { say, calls = [], answer } of list) {
      const got = await callsOf(promptOf(say))
      const text = (await ask(promptOf(say))).text
      const ok = got.length === calls.length && calls.every((call, i) => new RegExp(`^${call}$`, 's').test(got[i] ?? '')) && (!answer || answers[answer]!.test(text))
      if (!ok) wrong.push(`${say} => ${got.join(' | ') || text.slice(0, 60)}`)
    }
    console.log(`${list.length - wrong.length} of ${list.length}`)
    if (process.env['SHOW']) console.log(wrong.join('\n'))
    expect(wrong.length).toBeLessThan(50)
  })
})
