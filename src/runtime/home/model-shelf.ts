import { systemClock, type Clock } from '../../base/clock.ts'
import { modelNamed } from '../../agent/contract/world.ts'
import { sentence } from '../../base/words.ts'
import { providerAccess, type ConfigSources } from '../../config/provider-access.ts'
import { sourceText } from '../../config/table/source.ts'
import type { Notes } from '../../config/listing.ts'
import { SHARE_MAX } from '../../context/window.ts'
import { promptCost, tokenWords } from '../../view/words.ts'
import { ModelError, type Model } from '../../model/contract/model.ts'
import type { ReadImage } from '../../model/contract/images.ts'
import { openModel } from '../../model/models.ts'
import { offlineModel } from '../../model/offline/offline.ts'
import { startResilience } from '../../model/resilient.ts'
import type { Sleep } from '../../model/contract/sleep.ts'

/** Models by name, each opened once and guarded by retries, circuit breaker and fallbacks. */
export function modelShelf(
  config: ConfigSources,
  world: { now: Clock; sleep: Sleep; readImage?: ReadImage },
): (name: string) => Model {
  const { maxRetries, retryBackoff, cbThreshold, cbBackoff, cbResetMs } = config.values
  const circuit = { threshold: cbThreshold, backoffMs: cbBackoff, resetMs: cbResetMs }
  const resilience = startResilience({ retriesMax: maxRetries, retryBackoffMs: retryBackoff, circuit }, world)
  const opened = new Map<string, Model>()
  const open = (name: string): Model => {
    const known = opened.get(name)
    if (known !== undefined) return known
    const model = openWith(config, name, world)
    opened.set(name, model)
    return model
  }
  return (name) => {
    const others = config.values.fallbackModels.filter((other) => other !== name)
    // A fallback that cannot be opened is skipped.
    const fallbacks = others.flatMap((other) => {
      const model = modelNamed({ model: open }, other)
      return model instanceof ModelError ? [] : [model]
    })
    return resilience.guard(open(name), fallbacks)
  }
}

/** The model as it is, without retries and fallbacks. */
export function openWith(
  config: ConfigSources,
  name: string,
  world: { now: Clock; readImage?: ReadImage },
): Model {
  return openModel(name, { ...providerAccess(config), offline: () => offlineModel, ...world })
}

/** The model as it is, or why it cannot be opened. */
export function openedBy(config: ConfigSources, now: Clock): (name: string) => Model | ModelError {
  return (name) => modelNamed({ model: (one) => openWith(config, one, { now }) }, name)
}

const TEST_MS = 60_000

/** One short call of a model, without retries and fallbacks. */
export async function testModel(
  config: ConfigSources,
  model: string,
): Promise<{ readonly answer: string; readonly ms: number } | { readonly error: string }> {
  const began = systemClock()
  const settings = { model, tokensMax: 100, temperature: null, thinking: 'off', toolChoice: 'none' } as const
  const messages = [{ role: 'user', text: 'Reply with one word: hello' } as const]
  try {
    const { text } = await openWith(config, model, { now: systemClock }).call(
      { system: '', messages, tools: [], settings },
      { signal: AbortSignal.timeout(TEST_MS) },
    )
    return { answer: text.trim(), ms: systemClock() - began }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    return { error: error.message }
  }
}

/** The model that answers, and where it is set; null: none is set. */
export function modelSet({ values, sourceOf }: ConfigSources) {
  const source = values.model === null ? null : sourceText(sourceOf('model'))
  return { name: values.model ?? 'offline', source }
}

/** What a full prompt costs with the model in use, for the setting that bounds it. */
export function costNotes(config: ConfigSources, now: Clock): Notes {
  const { model: name, historyTokens } = config.values
  const model = name === null ? null : openedBy(config, now)(name)
  if (model === null || model instanceof ModelError) return {}
  const tokens = Math.min(historyTokens ?? Infinity, SHARE_MAX * model.contextTokens)
  const { priceUnknown } = config.values
  const costs = promptCost(tokens, { model: model.name, price: model.price, priceUnknown })
  return { historyTokens: `Now a full prompt has ${tokenWords(tokens)} tokens of messages: ${costs}.` }
}

/** Why the model for summaries cannot be used. The model that answers is not checked: its first answer would say so. */
export function summariserProblem(config: ConfigSources, now: Clock): string | undefined {
  const { values } = config
  const key = values.compactionModel === null ? 'summaryModel' : 'compactionModel'
  const name = values[key]
  if (name === null || name === (values.model ?? 'offline')) return undefined
  const model = modelNamed({ model: (one) => openWith(config, one, { now }) }, name)
  return model instanceof ModelError
    ? `${key} (${name}) cannot summarize older messages: ${sentence(model.message)} 'mainstem config set ${key} NAME' chooses another.`
    : undefined
}
