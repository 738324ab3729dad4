import type { Settings } from '../../event/prompt.ts'
import { ModelError } from '../contract/model.ts'

/** What is left out of a request because the model said that it does not take it. */
export interface Omission {
  readonly temperature: boolean
  /** How much it is to think. */
  readonly thinking: boolean
  /** Its own earlier thoughts. */
  readonly thoughts: boolean
  /** What tells it where to cache the prompt. */
  readonly markers: boolean
}

/** What one model was found to refuse; there is no list that knows it of every model. */
interface Omissions {
  /** What to leave out of a first attempt. */
  known(settings: Settings): Omission
  /** What to leave out as well after this error, if it names something that was sent. */
  after(error: unknown, omitted: Omission, settings: Settings): Omission | undefined
}

export function startOmissions(): Omissions {
  let temperature = false
  let markers = false
  const thinking = new Set<Settings['thinking']>()
  return {
    known: (settings) => ({
      temperature,
      thinking: thinking.has(settings.thinking),
      thoughts: false,
      markers,
    }),
    after(error, omitted, settings) {
      if (!(error instanceof ModelError) || error.reason !== 'rejected') return undefined
      const said = error.message
      if (!omitted.temperature && settings.temperature !== null && refusesTemperature(said)) {
        temperature = true
        return { ...omitted, temperature }
      }
      if (!omitted.markers && refusesMarkers(said)) {
        markers = true
        return { ...omitted, markers }
      }
      // Thoughts are refused for where they stand, which is another place in the next prompt: not remembered.
      if (!omitted.thoughts && refusesThoughts(said)) return { ...omitted, thoughts: true }
      if (!omitted.thinking && refusesThinking(said)) {
        thinking.add(settings.thinking)
        return { ...omitted, thinking: true }
      }
      return undefined
    },
  }
}

const refused = /unsupported|not support|does not (?:support|allow)|deprecated|only the default|not allowed/i

function refusesTemperature(words: string): boolean {
  return /temperature/i.test(words) && refused.test(words)
}

/** OpenAI has the same name for models that take them and for some that do not; other servers know none. */
function refusesMarkers(words: string): boolean {
  return /cache_control|prompt_cache_breakpoint/i.test(words)
}

/** Their signature says another conversation, model or account. */
function refusesThoughts(words: string): boolean {
  return /bound to a different|invalid .{0,20}signature|signature .{0,40}(?:in|not )valid|invalid_encrypted_content|encrypted content .{0,60}could not be/i.test(
    words,
  )
}

function refusesThinking(words: string): boolean {
  return (
    /(?:reasoning|thinking) is mandatory/i.test(words) ||
    (/thinking|reasoning|effort/i.test(words) && (refused.test(words) || /must be verified/i.test(words)))
  )
}
