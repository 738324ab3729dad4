import type { Prompt } from '../../event/prompt.ts'
import type { Reply } from './model.ts'

/** The reply with an estimate of what its provider did not count: a limit of spending would else never be reached. */
export async function withUsage(prompt: Prompt, reply: Reply): Promise<Reply> {
  const { usage } = reply
  if (usage.tokensIn > 0 && usage.tokensOut > 0) return reply
  // Not before it is needed: opening a model loads no package.
  const { estimateTokens } = await import('../../base/tokens.ts')
  // No prompt has no tokens: 0 is what a server sends that does not count.
  const tokensIn = usage.tokensIn || estimateTokens(JSON.stringify(prompt))
  const tokensOut = usage.tokensOut || estimateTokens(saidIn(reply))
  return { ...reply, usage: { ...usage, tokensIn, tokensOut } }
}

function saidIn({ text, reasoning, calls }: Reply): string {
  const made = calls.map(
    ({ tool, ...call }) => `${tool} ${'args' in call ? JSON.stringify(call.args) : call.badArgs}`,
  )
  return [...reasoning.map((thought) => thought.text), text, ...made].join('\n')
}
