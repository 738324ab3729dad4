import { statSync } from 'node:fs'
import { ModelError, type Model } from '../model/contract/model.ts'
import { knownModel } from '../model/known-models.ts'
import { embedderChoice } from '../recall/vector/embedders.ts'
import { findMiniLm } from '../recall/vector/minilm-files.ts'
import { STATIC_NAME, STATIC_WEIGHTS_FILE } from '../recall/vector/static-encoder.ts'
import { hasTransformers, INSTALL_COMMAND, TRANSFORMERS } from '../recall/vector/transformers.ts'

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

export function embeddersView(used: string, home: string) {
  const names = [...new Set([STATIC_NAME, 'minilm', used, 'none'])]
  return names.map((name) => ({ embedder: name, used: name === used, ...look(name, home) }))
}

/** Where the model of a value for `embedder` is, and what it needs before it can be used. */
function look(embedder: string, home: string) {
  const choice = embedderChoice(embedder, home)
  if (choice.kind === 'none') return stateOf(null, 0, [])
  if (choice.kind === 'static') {
    const bytes = statSync(STATIC_WEIGHTS_FILE, { throwIfNoEntry: false })?.size ?? 0
    const needs = bytes === 0 ? ['its weights are missing: install mainstem again'] : []
    return stateOf(STATIC_WEIGHTS_FILE, bytes, needs)
  }
  const { directory } = choice
  const files = findMiniLm(directory)
  const how = embedder === 'minilm' ? ': mainstem models pull' : `, which ${directory} does not have`
  const needs = [
    ...('missing' in files ? [`${files.missing.join(', ')}${how}`] : []),
    ...(hasTransformers() ? [] : [`the package ${TRANSFORMERS}: ${INSTALL_COMMAND}`]),
  ]
  return stateOf(directory, 'missing' in files ? 0 : files.bytes, needs)
}

function stateOf(place: string | null, bytes: number, needs: readonly string[]) {
  const state = needs.length === 0 ? ('ready' as const) : ('missing' as const)
  return { state, bytes, place, needs }
}
