import type * as Sdk from 'ai'
import type { Prompt } from '../../event/prompt.ts'
import { fault, type Scene } from '../contract/fault.ts'
import { type ReadImage, showImages, type ShownImage, unseen } from '../contract/images.ts'
import type { CallOptions, Model, Price, Reply } from '../contract/model.ts'
import { type AnswerLimits, startWatch } from '../contract/watch.ts'
import { type Dialect, sentMessages, sentSystem, sentTools } from './messages.ts'
import { type Omission, startOmissions } from './omission.ts'
import { type HostedProvider, type Opener, loadProvider } from './providers.ts'
import { readReply } from './reply.ts'
import { bindsThoughts, cachesAtMarkers, sentSettings } from './settings.ts'

interface HostedModel {
  readonly scene: Scene
  readonly provider: HostedProvider
  /** The provider's name for it. */
  readonly id: string
  readonly contextTokens: number
  readonly price?: Price | undefined
  readonly limits: AnswerLimits
  /** Left out: the model does not see. */
  readonly readImage?: ReadImage | undefined
}

/** A model behind the AI SDK. Nothing of the SDK is loaded before the first call. */
export function hostedModel(spec: HostedModel): Model {
  const omissions = startOmissions()
  let loading: Promise<Loaded> | undefined

  return {
    name: spec.scene.model,
    contextTokens: spec.contextTokens,
    ...(spec.price && { price: spec.price }),
    async call(prompt, options) {
      loading ??= load(spec)
      const loaded = await loading
      const show = spec.readImage ? await showImages(prompt, spec.readImage) : unseen
      let omitted = omissions.known(prompt.settings)
      for (;;) {
        try {
          return await callOnce({ spec, loaded, prompt, show, options, omitted })
        } catch (error) {
          // Not a retry of the same request: the provider named one option it does not accept.
          const more = omissions.after(error, omitted, prompt)
          if (!more) throw error
          omitted = more
        }
      }
    },
  }
}

interface Loaded {
  readonly open: Opener
  readonly sdk: typeof Sdk
}

async function load({ scene, provider }: HostedModel): Promise<Loaded> {
  try {
    const [open, sdk] = await Promise.all([loadProvider(provider), import('ai')])
    // Otherwise the SDK prints warnings to the terminal about options that a provider ignores.
    globalThis.AI_SDK_LOG_WARNINGS = false
    return { open, sdk }
  } catch (cause) {
    throw fault('no-package', scene, { cause })
  }
}

interface Attempt {
  readonly spec: HostedModel
  readonly loaded: Loaded
  readonly prompt: Prompt
  readonly show: ShownImage
  readonly options: CallOptions
  readonly omitted: Omission
}

async function callOnce(attempt: Attempt): Promise<Reply> {
  const { spec, loaded, options } = attempt
  const { scene, provider } = spec
  const watch = startWatch(scene, { signal: options.signal, limits: spec.limits })
  try {
    const model = loaded.open.chat(spec.id, { url: scene.url, key: scene.key, fetch: watch.fetch })
    const { stream } = loaded.sdk.streamText({
      model,
      ...request(attempt),
      maxRetries: 0,
      include: { rawChunks: provider === 'openrouter' },
      // The stream carries the errors; the default handler would print them.
      onError: () => undefined,
    })
    const onText = watch.tell(options.onText)
    return await watch.until(readReply(stream, { scene, provider, onText, hear: watch.hear }))
  } catch (error) {
    throw watch.fault(error)
  } finally {
    watch.stop()
  }
}

function request({ spec, loaded, prompt, show, options, omitted }: Attempt) {
  const dialect = { ...dialectOf(spec, prompt, omitted), show: omitted.images ? unseen : show }
  const instructions = sentSystem(prompt, dialect)
  const tools = prompt.tools.length > 0 && {
    tools: sentTools(prompt, dialect, loaded.sdk.jsonSchema),
    toolOrder: prompt.tools.map(({ name }) => name),
    toolChoice: prompt.settings.toolChoice,
  }
  return {
    ...(instructions && { instructions }),
    messages: sentMessages(prompt, dialect, options.tailAt),
    ...tools,
    ...sentSettings(prompt.settings, spec, omitted),
  }
}

function dialectOf(
  { scene, provider, id }: HostedModel,
  { settings }: Prompt,
  omitted: Omission,
): Omit<Dialect, 'show'> {
  // With thinking off, nothing tells a model that binds its thoughts to drop those that no longer fit.
  const isBound = provider === 'anthropic' && settings.thinking === 'off' && bindsThoughts(id)
  const markers = omitted.markers ? undefined : cachesAtMarkers({ provider, id })
  return {
    thinker: omitted.thoughts || isBound ? null : scene.model,
    ...(markers && { markers }),
    ...(provider === 'openai' && { loosenTools: true }),
  }
}
