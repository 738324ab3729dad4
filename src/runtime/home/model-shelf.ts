import type { Clock } from '../../base/clock.ts'
import { sentence } from '../../base/words.ts'
import { providerAccess } from '../../config/provider-access.ts'
import type { Config } from '../../config/table/settings.ts'
import { ModelError, type Model } from '../../model/contract/model.ts'
import { openModel } from '../../model/models.ts'
import { offlineModel } from '../../model/offline/offline.ts'
import { startResilience } from '../../model/resilient.ts'
import type { Sleep } from '../../model/contract/sleep.ts'

/** Models by name, each opened once and guarded by retries, circuit breaker and fallbacks. */
export function modelShelf(
  config: () => Config,
  world: { now: Clock; sleep: Sleep },
): (name: string) => Model {
  const { maxRetries, retryBackoff, cbThreshold, cbBackoff, cbResetMs } = config()
  const circuit = { threshold: cbThreshold, backoffMs: cbBackoff, resetMs: cbResetMs }
  const resilience = startResilience({ retriesMax: maxRetries, retryBackoffMs: retryBackoff, circuit }, world)
  const opened = new Map<string, Model>()
  const open = (name: string): Model => {
    const known = opened.get(name)
    if (known !== undefined) return known
    const model = openWith(config(), name, world.now)
    opened.set(name, model)
    return model
  }
  return (name) => {
    const fallbacks = config().fallbackModels.filter((other) => other !== name)
    return resilience.guard(
      open(name),
      fallbacks.flatMap((other) => openIfPossible(open, other)),
    )
  }
}

function openWith(config: Config, name: string, now: Clock): Model {
  return openModel(name, { ...providerAccess(config), offline: () => offlineModel, now })
}

/** Why the model for summaries cannot be used. The model that answers is not checked: its first answer would say so. */
export function summariserProblem(config: Config, now: Clock): string | undefined {
  const key = config.compactionModel === null ? 'summaryModel' : 'compactionModel'
  const name = config[key]
  if (name === null || name === (config.model ?? 'offline')) return undefined
  try {
    openWith(config, name, now)
    return undefined
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    return `${key} (${name}) cannot summarize older messages: ${sentence(error.message)} 'mainstem config set ${key} NAME' chooses another.`
  }
}

/** Empty if the fallback cannot be opened: it is skipped. */
function openIfPossible(open: (name: string) => Model, name: string): Model[] {
  try {
    return [open(name)]
  } catch (error) {
    if (error instanceof ModelError) return []
    throw error
  }
}
