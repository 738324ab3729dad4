import type { JsonObject } from '../../base/json.ts'
import type { Settings } from '../../event/prompt.ts'
import type { HostedProvider } from './providers.ts'

type Effort = 'none' | 'low' | 'medium' | 'high'

export interface SentSettings {
  readonly maxOutputTokens?: number
  readonly temperature?: number
  readonly reasoning?: Effort
  readonly providerOptions?: Record<string, JsonObject>
}

/** A prompt's settings in the words of a provider. */
export function sentSettings(
  { tokensMax, temperature, thinking }: Settings,
  { provider, id }: { readonly provider: HostedProvider; readonly id: string },
): SentSettings {
  return {
    ...(tokensMax !== null && { maxOutputTokens: tokensMax }),
    ...(temperature !== null && { temperature }),
    ...sentThinking(thinking, { provider, id }),
  }
}

/**
 * Claude models since 5.1 tie a thought to all that stood before it. Here that changes all the time (a tail that is
 * gone, a cleared range, a summary), so the provider is asked to drop such a thought instead of refusing the prompt.
 */
export function bindsThoughts(id: string): boolean {
  const [, major, minor] = /claude-[a-z]+-(\d+)[.-](\d{1,2})(?!\d)/.exec(id) ?? []
  return Number(major) > 5 || (Number(major) === 5 && Number(minor) >= 1)
}

function sentThinking(
  thinking: Settings['thinking'],
  { provider, id }: { readonly provider: HostedProvider; readonly id: string },
): SentSettings {
  switch (provider) {
    case 'anthropic':
      return anthropicThinking(thinking, id)
    case 'openai': {
      // Thoughts come back encrypted and are ours to keep: nothing is stored at the provider.
      const kept = { store: false, include: ['reasoning.encrypted_content'] }
      if (thinking === 'off') return { reasoning: 'none', providerOptions: { openai: kept } }
      const effort = typeof thinking === 'number' && { reasoning: effortOf(thinking) }
      return { ...effort, providerOptions: { openai: kept } }
    }
    case 'google':
      return googleThinking(thinking, id)
    case 'openrouter': {
      const reasoning =
        thinking === 'off'
          ? { enabled: false }
          : thinking === 'adaptive'
            ? { enabled: true }
            : { max_tokens: thinking }
      return { providerOptions: { openrouter: { reasoning } } }
    }
    case 'openai-compatible':
      // Many such servers refuse fields that they do not know; only what was asked for is sent.
      return typeof thinking === 'number' ? { reasoning: effortOf(thinking) } : {}
  }
}

const THINKING_TOKENS_MIN = 1024

function anthropicThinking(thinking: Settings['thinking'], id: string): SentSettings {
  if (thinking === 'off') return { reasoning: 'none' }
  if (bindsThoughts(id)) {
    const blockBinding = { prefixMismatchBehavior: 'drop_block' }
    const bound = { type: 'adaptive', display: 'summarized', blockBinding }
    const effort = typeof thinking === 'number' && { effort: effortOf(thinking) }
    return { providerOptions: { anthropic: { thinking: bound, ...effort } } }
  }
  if (thinking === 'adaptive') return { reasoning: 'medium' }
  const budgetTokens = Math.max(THINKING_TOKENS_MIN, thinking)
  return { providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens } } } }
}

function googleThinking(thinking: Settings['thinking'], id: string): SentSettings {
  if (thinking === 'off') return { reasoning: 'none' }
  const takesBudget = id.includes('gemini-2.5')
  if (typeof thinking === 'number' && !takesBudget) return { reasoning: effortOf(thinking) }
  const thinkingBudget = typeof thinking === 'number' ? thinking : ADAPTIVE_BUDGET
  const thinkingConfig = { includeThoughts: true, ...(takesBudget && { thinkingBudget }) }
  return { providerOptions: { google: { thinkingConfig } } }
}

/** Google's way to say that the model decides. */
const ADAPTIVE_BUDGET = -1

/** Providers that know no budget are told in words. */
function effortOf(tokens: number): 'low' | 'medium' | 'high' {
  if (tokens < 4096) return 'low'
  return tokens < 16_384 ? 'medium' : 'high'
}
