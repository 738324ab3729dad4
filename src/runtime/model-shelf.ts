import type { Clock } from '../base/clock.ts'
import { providerAccess } from '../config/provider-access.ts'
import type { Config } from '../config/parameters.ts'
import { ModelError, type Model } from '../model/model.ts'
import { openModel } from '../model/models.ts'
import { offlineModel } from '../model/offline/offline.ts'
import { startResilience } from '../model/resilient.ts'
import type { Sleep } from '../model/sleep.ts'

/** Models by name, each opened once, with the failure policy of the process around it. */
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
    const model = openModel(name, {
      ...providerAccess(config()),
      offline: () => offlineModel,
      now: world.now,
    })
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

/** A fallback that is not set up is as good as none; the model itself must be. */
function openIfPossible(open: (name: string) => Model, name: string): Model[] {
  try {
    return [open(name)]
  } catch (error) {
    if (error instanceof ModelError) return []
    throw error
  }
}
