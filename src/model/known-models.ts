import { OFFLINE_CONTEXT_TOKENS, type Price } from './contract/model.ts'

/**
 * What is known of a model by its name, `provider/model`; the first line that fits wins. Prices are dollars for a
 * million tokens in the vendors' lists of November 2026, for prompts below the long-context surcharge some of them
 * take. A name that is not here gets a size that every current hosted model has, and no price.
 */
export function knownModel(name: string): KnownModel {
  if (name === 'offline') return { contextTokens: OFFLINE_CONTEXT_TOKENS, seesImages: false }
  const provider = name.slice(0, name.indexOf('/'))
  const seesImages = SEEING.test(name) && !BLIND.test(name)
  if (provider === 'ollama') return { contextTokens: LOCAL_CONTEXT_TOKENS, seesImages }
  // OpenRouter's names carry the maker's name behind its own, with dots where the maker writes dashes.
  const direct = provider === 'openrouter' ? name.slice('openrouter/'.length) : name
  const line = table.find(([pattern]) => pattern.test(direct.replaceAll('.', '-')))
  if (line === undefined) return { contextTokens: HOSTED_CONTEXT_TOKENS, seesImages }
  const [, contextTokens, price] = line
  return { contextTokens, seesImages, ...(price && { price }) }
}

interface KnownModel {
  readonly contextTokens: number
  readonly price?: Price
  readonly seesImages: boolean
}

/** Makers all of whose current models see, and words in the names of others that do. */
const SEEING =
  /(?:anthropic|google)\/|claude|gemini|openai\/(?:gpt-[4-9]|o\d)|llava|vision|[-.\d]vl\b|gemma-?[34]|llama-?4|minicpm-v|moondream|pixtral|mistral-small-?3\.[12]/i
const BLIND = /gpt-4(?:$|-\d{4}|-32k)|o[13]-mini|gemma-?3:(?:1b|270m)|gpt-oss/i

/** The model offered for each provider, if there is a key and no model is set. */
export const defaultModels = {
  anthropic: 'anthropic/claude-sonnet-5',
  openai: 'openai/gpt-6-sol',
  google: 'google/gemini-4-argon',
  openrouter: 'openrouter/anthropic/claude-sonnet-5',
} as const

/** A local model is given the room it asks for, in memory that the person pays for: so not its maximum. */
const LOCAL_CONTEXT_TOKENS = 16_384
const HOSTED_CONTEXT_TOKENS = 128_000

type Line = readonly [pattern: RegExp, contextTokens: number, price?: Price]

const table: readonly Line[] = [
  [/^anthropic\/claude-fable-5/, 1_000_000, claude(10, 50)],
  [/^anthropic\/claude-opus-5-5/, 1_000_000, { ...claude(4, 20), perMillionCached: 0.2 }],
  [/^anthropic\/claude-opus-(?:5|4-[6-8])/, 1_000_000, claude(5, 25)],
  [/^anthropic\/claude-opus-4-5/, 200_000, claude(5, 25)],
  [/^anthropic\/claude-opus-4/, 200_000, claude(15, 75)],
  [/^anthropic\/claude-sonnet-5/, 1_000_000, claude(2, 10)],
  [/^anthropic\/claude-sonnet-4-6/, 1_000_000, claude(3, 15)],
  [/^anthropic\/claude-sonnet-4/, 200_000, claude(3, 15)],
  [/^anthropic\/claude-haiku-5/, 1_000_000, claude(0.1, 0.5)],
  [/^anthropic\/claude-haiku-4/, 200_000, claude(1, 5)],
  [/^anthropic\//, 200_000],
  [/^openai\/gpt-6-1-terra/, 1_050_000, written(price(1, 5, 0.05), 1.25)],
  [/^openai\/gpt-6-astra/, 1_050_000, price(10, 50, 1)],
  [/^openai\/gpt-6-sol/, 1_050_000, written(price(2, 10, 0.2), 2.5)],
  [/^openai\/gpt-6-luna/, 1_050_000, written(price(0.1, 0.5, 0.01), 0.125)],
  [/^openai\/gpt-5-6-terra/, 1_000_000, written(price(2, 12, 0.2), 2.5)],
  [/^openai\/gpt-5-6-luna/, 400_000, written(price(0.2, 1.2, 0.02), 0.25)],
  [/^openai\/gpt-5-6/, 1_000_000, written(price(5, 30, 0.5), 6.25)],
  [/^openai\/gpt-5-5/, 1_000_000, price(5, 30, 0.5)],
  [/^openai\/gpt-5-4-mini/, 400_000, price(0.75, 4.5, 0.075)],
  [/^openai\/gpt-5-4-nano/, 400_000, price(0.2, 1.25, 0.02)],
  [/^openai\/gpt-5-4(?!-pro)/, 1_000_000, price(2.5, 15, 0.25)],
  [/^openai\/gpt-5-[23](?!-pro)/, 400_000, price(1.75, 14, 0.175)],
  [/^openai\/gpt-5-mini/, 400_000, price(0.25, 2, 0.025)],
  [/^openai\/gpt-5-nano/, 400_000, price(0.05, 0.4, 0.005)],
  [/^openai\/gpt-5(?:-1)?(?!-pro)/, 400_000, price(1.25, 10, 0.125)],
  [/^openai\/gpt-5/, 400_000],
  [/^openai\/gpt-4-1-mini/, 1_000_000, price(0.4, 1.6, 0.1)],
  [/^openai\/gpt-4-1-nano/, 1_000_000, price(0.1, 0.4, 0.025)],
  [/^openai\/gpt-4-1/, 1_000_000, price(2, 8, 0.5)],
  [/^openai\/gpt-4o-mini/, 128_000, price(0.15, 0.6, 0.075)],
  [/^openai\/gpt-4o/, 128_000, price(2.5, 10, 1.25)],
  [/^openai\/o[34]/, 200_000],
  [/^google\/gemini-4-argon/, 1_048_576, price(4, 20, 0.2)],
  [/^google\/gemini-3-[678]-flash/, 1_000_000, price(0.75, 3.75, 0.075)],
  [/^google\/gemini-3-5-flash(?!-lite)/, 1_000_000, price(1.5, 9, 0.15)],
  [/^google\/gemini-3(?:-1)?-pro/, 1_000_000, price(2, 12, 0.2)],
  [/^google\/gemini-2-5-pro/, 1_048_576, price(1.25, 10, 0.125)],
  [/^google\/gemini-2-5-flash-lite/, 1_048_576, price(0.1, 0.4, 0.01)],
  [/^google\/gemini-2-5-flash/, 1_048_576, price(0.3, 2.5, 0.03)],
  [/^google\/gemini/, 1_000_000],
]

function price(perMillionIn: number, perMillionOut: number, perMillionCached: number): Price {
  return { perMillionIn, perMillionOut, perMillionCached }
}

function written(price: Price, perMillionCacheWritten: number): Price {
  return { ...price, perMillionCacheWritten }
}

/** Anthropic's rule: a tenth for what is read from the cache, a quarter more for what is written to it. */
function claude(perMillionIn: number, perMillionOut: number): Price {
  return written(price(perMillionIn, perMillionOut, perMillionIn / 10), perMillionIn * 1.25)
}
