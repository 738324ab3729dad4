import { limits } from '../../base/limits.ts'
import type { Prompt } from '../../event/prompt.ts'
import { fault, type Scene } from './fault.ts'
import type { Reply, Usage } from './model.ts'

/** For all of it, far less than the log takes: the longest event has 16 MiB. */
const REPLY_BYTES_MAX = 4 * 1024 * 1024
/** No tool has a name of this length, so a name that is cut is nobody's. */
const NAME_MAX = 128
/** A larger count is none. */
const TOKENS_MAX = 100_000_000

/**
 * A provider's reply as events can hold it. Every reply passes here once: nothing behind it checks what a provider
 * sent. Rejects a reply that is too long; estimates tokens that were not counted, or not by numbers that count.
 */
export async function boundedReply(scene: Scene, prompt: Prompt, reply: Reply): Promise<Reply> {
  const { text, reasoning } = reply
  const calls = reply.calls.map((call) => ({ ...call, tool: call.tool.slice(0, NAME_MAX).toWellFormed() }))
  const bytes = Buffer.byteLength(JSON.stringify({ text, reasoning, calls }))
  const texts = [text, ...reasoning.map((thought) => thought.text), ...calls.map(argumentsOf)]
  const isLong = texts.some(({ length }) => length > limits.textCharsMax)
  if (isLong || bytes > REPLY_BYTES_MAX)
    throw Object.assign(fault('too-long', scene), { heard: saidIn(reply) })
  return { ...reply, calls, usage: await boundedUsage(prompt, { ...reply, calls }) }
}

async function boundedUsage(prompt: Prompt, reply: Reply): Promise<Usage> {
  const { usage } = reply
  let [tokensIn, tokensOut] = [countOf(usage.tokensIn), countOf(usage.tokensOut)]
  if (tokensIn === 0 || tokensOut === 0) {
    // Not before it is needed: opening a model loads no package.
    const { estimateTokens } = await import('../../base/tokens.ts')
    // No prompt has no tokens: 0 is what a server sends that does not count, and no limit of spending is reached by it.
    tokensIn ||= estimateTokens(JSON.stringify(prompt))
    tokensOut ||= estimateTokens(saidIn(reply))
  }
  const tokensCached = Math.min(countOf(usage.tokensCached), tokensIn)
  const tokensCacheWritten = Math.min(countOf(usage.tokensCacheWritten), tokensIn - tokensCached)
  return { tokensIn, tokensOut, tokensCached, tokensCacheWritten }
}

/** 0 for what cannot be a count. */
function countOf(given: unknown): number {
  return typeof given === 'number' && given > 0 && given <= TOKENS_MAX ? Math.ceil(given) : 0
}

function saidIn({ text, reasoning, calls }: Reply): string {
  const made = calls.map((call) => `${call.tool} ${argumentsOf(call)}`)
  return [...reasoning.map((thought) => thought.text), text, ...made].join('\n')
}

function argumentsOf(call: Reply['calls'][number]): string {
  return 'args' in call ? JSON.stringify(call.args) : call.badArgs
}
