import type { Prompt, PromptMessage, Settings, ToolSpec } from '../../src/event/prompt.ts'
import type { Reply } from '../../src/model/contract/model.ts'
import { offlineModel } from '../../src/model/offline/offline.ts'

export const settings: Settings = {
  model: 'offline',
  tokensMax: null,
  temperature: null,
  thinking: 'off',
  toolChoice: 'auto',
}

export const spec = (name: string): ToolSpec => ({ name, description: '', parameters: {} })

/** All tools that the offline model knows of. */
export const tools: readonly ToolSpec[] = `slash recall remember compact_session enter_fork save_context
  exit_fork report_updates ping_user add_reminder list_reminders cancel_reminder follow_up_chain todo`
  .split(/\s+/)
  .map(spec)

export const TIME = '[2026-03-01 Sun 09:30 Europe/Berlin]'

/** What a person types, as a prompt has it. */
export function user(text: string): PromptMessage {
  return { role: 'user', text: `${TIME}\n\n${text}` }
}

/** What the host says: `[reminder:tea]`, and the text below it. */
export function host(tag: string, ...paragraphs: readonly string[]): PromptMessage {
  return { role: 'user', text: `${tag}\n(written by the host: so)\n${TIME}\n\n${paragraphs.join('\n\n')}` }
}

export function answer(text: string): PromptMessage {
  return { role: 'assistant', text, reasoning: [], calls: [] }
}

/** What a tool tells after it did something. */
export const done = (text: string): string => JSON.stringify({ text })

export function ask(...given: readonly (PromptMessage | Partial<Prompt>)[]): Promise<Reply> {
  const messages = given.filter((one): one is PromptMessage => 'role' in one)
  const more = given.filter((one): one is Partial<Prompt> => !('role' in one))
  const prompt: Prompt = Object.assign({ system: '', messages, tools, settings }, ...more)
  return offlineModel.call(prompt, { signal: new AbortController().signal })
}

/** `TOOL words` */
export function callsOf({ calls }: Reply): string[] {
  return calls.map((call) =>
    [call.tool, ...('args' in call ? Object.values(call.args).map(String) : [])].join(' '),
  )
}

/** The prompt of the next step, where each call has the result of its tool. */
export function next(
  messages: readonly PromptMessage[],
  reply: Reply,
  results: Readonly<Record<string, string>>,
): PromptMessage[] {
  const calls = reply.calls.flatMap((call) => ('args' in call ? call : []))
  const told = calls.map(({ id, tool }): PromptMessage => {
    return { role: 'tool', call: id, tool, text: results[tool] ?? done('Done.') }
  })
  return [...messages, { role: 'assistant', text: reply.text, reasoning: [], calls }, ...told]
}

/** All steps of the turn. */
export async function live(
  messages: readonly PromptMessage[],
  results: Readonly<Record<string, string>> = {},
): Promise<{ calls: string[]; text: string }> {
  const calls: string[] = []
  let now = messages
  for (let step = 0; step < 5; step++) {
    const reply = await ask(...now)
    if (reply.calls.length === 0) return { calls, text: reply.text }
    calls.push(...callsOf(reply))
    now = next(now, reply, results)
  }
  throw new Error('it did not end')
}
