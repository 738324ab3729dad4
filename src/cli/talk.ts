import type { TalkCall } from './live.ts'

/** `mainstem` without a command: one question, the chat on a terminal, or line by line. */
export async function talk(call: TalkCall): Promise<number> {
  if (call.question !== undefined) return (await import('./ask.ts')).ask(call, call.question)
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY
  if (isTerminal && call.form === 'text') return (await import('./chat.ts')).chat(call)
  return (await import('./batch.ts')).batch(call)
}
