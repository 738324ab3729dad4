import { statSync } from 'node:fs'
import { unreachable } from '../base/assert.ts'
import { providerAccess, type ConfigSources } from '../config/provider-access.ts'
import { shownUrl } from '../model/contract/fault.ts'
import { ModelError, type Model } from '../model/contract/model.ts'
import { knownModel } from '../model/known-models.ts'
import { embedderChoice } from '../recall/vector/embedders.ts'
import { STATIC_NAME, STATIC_WEIGHTS_FILE } from '../recall/vector/static-encoder.ts'

/** The models that can answer here: the one in use, those that were found, and `offline`. Programs rely on the names. */
export function modelsView(
  found: readonly { readonly model: string; readonly from: string }[],
  used: string,
  open: (name: string) => Model | ModelError,
) {
  const own = found.some(({ model }) => model === used) ? [] : [{ model: used, from: 'config' }]
  const offline = used === 'offline' ? [] : [{ model: 'offline', from: 'a few fixed rules' }]
  return [...own, ...found, ...offline].map(({ model, from }) => {
    const opened = open(model)
    const { contextTokens, price = null } = opened instanceof ModelError ? knownModel(model) : opened
    return { model, from, used: model === used, contextTokens, price }
  })
}

export type EmbedderView = ReturnType<typeof embeddersView>[number]

export function embeddersView(config: ConfigSources) {
  const used = config.values.embedder
  const names = [...new Set([STATIC_NAME, OLLAMA_NAME, used, 'none'])]
  return names.map((name) => ({ embedder: name, used: name === used, ...look(name, config) }))
}

/** The seed's embedder, on this machine. */
const OLLAMA_NAME = 'ollama/all-minilm'

/** Where the model of a value for `embedder` is, and what it needs before it can be used. */
function look(embedder: string, config: ConfigSources) {
  const choice = embedderChoice(embedder, providerAccess(config))
  switch (choice.kind) {
    case 'none':
      return stateOf(null, 0, [])
    case 'static': {
      const bytes = statSync(STATIC_WEIGHTS_FILE, { throwIfNoEntry: false })?.size ?? 0
      const needs = bytes === 0 ? ['its weights are missing: install mainstem again'] : []
      return stateOf(STATIC_WEIGHTS_FILE, bytes, needs)
    }
    case 'hosted':
      return stateOf(shownUrl(choice.url), 0, [])
    case 'unusable':
      return stateOf(null, 0, [choice.because])
    default:
      return unreachable(choice)
  }
}

function stateOf(place: string | null, bytes: number, needs: readonly string[]) {
  const state = needs.length === 0 ? ('ready' as const) : ('missing' as const)
  return { state, bytes, place, needs }
}
