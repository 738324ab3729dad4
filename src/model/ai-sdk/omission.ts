import type { Prompt, Settings } from '../../event/prompt.ts'
import { imagesIn } from '../contract/images.ts'
import { ModelError } from '../contract/model.ts'

/** Options left out of a request because the model refused them. */
export interface Omission {
  readonly temperature: boolean
  /** How much the model should think. */
  readonly thinking: boolean
  /** Its own earlier thoughts. */
  readonly thoughts: boolean
  /** Markers that say where to cache the prompt. */
  readonly markers: boolean
  readonly images: boolean
}

/** Options that one model refuses. Learned from its errors: no list knows them for every model. */
interface Omissions {
  /** Options to leave out of a first attempt. */
  known(settings: Settings): Omission
  /** The options to leave out after this error, if it names one that was sent. */
  after(error: unknown, omitted: Omission, prompt: Prompt): Omission | undefined
}

export function startOmissions(): Omissions {
  const remembered = new Set<string>()
  return {
    known: (settings) => ({
      temperature: remembered.has('temperature'),
      thinking: remembered.has(`thinking ${settings.thinking}`),
      thoughts: false,
      markers: remembered.has('markers'),
      images: remembered.has('images'),
    }),
    after(error, omitted, prompt) {
      const { settings } = prompt
      if (!(error instanceof ModelError) || error.reason !== 'rejected') return undefined
      const images = imagesIn(prompt).length > 0
      const isSent = { ...SENT, images, temperature: settings.temperature !== null }
      const what = ORDER.find((one) => !omitted[one] && isSent[one] && refuses[one](error.message))
      if (what === undefined) return undefined
      // Thoughts are refused because of their place in the prompt, which differs next time: not remembered.
      // So are images, unless the model takes none at all.
      const isPassing = what === 'thoughts' || (what === 'images' && !refused.test(error.message))
      if (!isPassing) remembered.add(what === 'thinking' ? `thinking ${settings.thinking}` : what)
      return { ...omitted, [what]: true }
    },
  }
}

const SENT = { thinking: true, thoughts: true, markers: true }
const ORDER = ['temperature', 'markers', 'images', 'thoughts', 'thinking'] as const
const refused = /unsupported|not support|does not (?:support|allow)|deprecated|only the default|not allowed/i

/** Whether a provider's error text refuses the option. */
const refuses: Readonly<Record<keyof Omission, (words: string) => boolean>> = {
  temperature: (words) => /temperature/i.test(words) && refused.test(words),
  // OpenAI uses this name for models that accept markers and for some that do not; other servers know none.
  markers: (words) => /cache_control|prompt_cache_breakpoint/i.test(words),
  images: (words) => /image|vision|multi-?modal/i.test(words),
  // Their signature belongs to another conversation, model or account.
  thoughts: (words) =>
    /bound to a different|invalid .{0,20}signature|signature .{0,40}(?:in|not )valid|invalid_encrypted_content|encrypted content .{0,60}could not be/i.test(
      words,
    ),
  thinking: (words) =>
    /(?:reasoning|thinking) is mandatory/i.test(words) ||
    (/thinking|reasoning|effort/i.test(words) && (refused.test(words) || /must be verified/i.test(words))),
}
