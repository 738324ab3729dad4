import type { JsonObject } from '../../base/json.ts'
import type { Settings } from '../../event/prompt.ts'
import type { Omission } from './omission.ts'
import type { HostedProvider } from './providers.ts'

type Effort = 'none' | 'low' | 'medium' | 'high'

interface SentSettings {
  readonly maxOutputTokens?: number
  readonly temperature?: number
  readonly reasoning?: Effort
  readonly providerOptions?: Record<string, JsonObject>
}

interface Named {
  readonly provider: HostedProvider
  readonly id: string
}

/** A prompt's settings as a provider's options. */
export function sentSettings(
  { tokensMax, temperature, thinking }: Settings,
  model: Named,
  omitted: Omission,
): SentSettings {
  return {
    ...(tokensMax !== null && { maxOutputTokens: tokensMax }),
    ...(temperature !== null && !omitted.temperature && { temperature }),
    ...(omitted.thinking ? keptAtHome(model) : sentThinking(thinking, model)),
  }
}

/**
 * Claude models since 5.1 tie a thought to everything before it. Here that changes all the time (a tail that is gone, a
 * cleared range, a summary), so the provider is asked to drop such a thought instead of refusing the prompt.
 */
export function bindsThoughts(id: string): boolean {
  const [, major, minor] = /claude-[a-z]+-(\d+)(?:[.-](\d{1,2}))?(?!\d)/.exec(id) ?? []
  return Number(major) > 5 || (Number(major) === 5 && Number(minor) >= 1)
}

/**
 * The kind of markers that a model's cache needs: without them it caches nothing, or nothing that outlives a tail.
 * Other models cache every prefix of a prompt by themselves. OpenAI has markers since GPT-5.6.
 */
export function cachesAtMarkers({ provider, id }: Named): 'anthropic' | 'openrouter' | 'openai' | undefined {
  if (provider === 'anthropic') return 'anthropic'
  if (provider === 'openrouter') return id.startsWith('anthropic/') ? 'openrouter' : undefined
  if (provider !== 'openai') return undefined
  const [, major, minor = 0] = /^gpt-(\d+)(?:\.(\d+))?(?!\d)/.exec(id) ?? []
  return Number(major) > 5 || (Number(major) === 5 && Number(minor) >= 6) ? 'openai' : undefined
}

/** OpenAI's thoughts come back encrypted and we keep them: nothing is stored at the provider. */
function keptAtHome({ provider }: Named): SentSettings {
  if (provider !== 'openai') return {}
  // OpenAI refuses summaries of thoughts to organisations that it has not verified.
  const openai = { store: false, include: ['reasoning.encrypted_content'], reasoningSummary: null }
  return { providerOptions: { openai } }
}

function sentThinking(thinking: Settings['thinking'], model: Named): SentSettings {
  switch (model.provider) {
    case 'anthropic':
      return anthropicThinking(thinking, model.id)
    case 'openai':
      return { ...openaiEffort(thinking, model.id), ...keptAtHome(model) }
    case 'google':
      return googleThinking(thinking, model.id)
    case 'openrouter': {
      const named = thinking === 'off' ? { enabled: false } : { enabled: true }
      const reasoning = typeof thinking === 'number' ? { max_tokens: thinking } : named
      return { providerOptions: { openrouter: { reasoning } } }
    }
    case 'openai-compatible':
      // Many such servers refuse unknown fields; only what was asked for is sent.
      return typeof thinking === 'number' ? { reasoning: effortOf(thinking) } : {}
  }
}

function openaiEffort(thinking: Settings['thinking'], id: string): SentSettings {
  if (thinking === 'adaptive') return {}
  if (typeof thinking === 'number') return { reasoning: effortOf(thinking) }
  // The o-models always think.
  return { reasoning: /^o\d/.test(id) ? 'low' : 'none' }
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
  // Since the fourth generation, thinking cannot go below "low".
  if (thinking === 'off') return { reasoning: /gemini-[4-9]/.test(id) ? 'low' : 'none' }
  const takesBudget = id.includes('gemini-2.5')
  if (typeof thinking === 'number' && !takesBudget) return { reasoning: effortOf(thinking) }
  const thinkingBudget = typeof thinking === 'number' ? thinking : ADAPTIVE_BUDGET
  const thinkingConfig = { includeThoughts: true, ...(takesBudget && { thinkingBudget }) }
  return { providerOptions: { google: { thinkingConfig } } }
}

/** Google's value for "the model decides". */
const ADAPTIVE_BUDGET = -1

/** Providers without a token budget get a word. */
function effortOf(tokens: number): 'low' | 'medium' | 'high' {
  if (tokens < 4096) return 'low'
  return tokens < 16_384 ? 'medium' : 'high'
}
