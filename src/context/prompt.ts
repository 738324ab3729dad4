import { wellFormed } from '../base/canonical.ts'
import type { Json } from '../base/json.ts'
import type { EventOf, Message } from '../event/event.ts'
import { fileText, imageTokens, type KeptFile } from '../event/file.ts'
import type { Position } from '../event/id.ts'
import { isSummary, type Items, type Summary, type SummaryRef } from '../event/item.ts'
import type { Prompt, PromptImage, PromptMessage, Settings, ToolSpec } from '../event/prompt.ts'
import type { Reader } from '../event/table.ts'
import { summaryAt } from './list.ts'
import { messagesAdded } from './message-index.ts'
import { noteLabel } from './wording.ts'

/** The visible entries of a list, in order: messages as written, summaries in their place. */
export type Shown =
  | { readonly kind: 'message'; readonly event: EventOf<'message-added'> }
  | { readonly kind: 'summary'; readonly ref: SummaryRef; readonly summary: Summary }

export function show(reader: Reader, items: Items): Shown[] {
  return items.flatMap((item): Shown[] => {
    if (isSummary(item)) return [{ kind: 'summary', ref: item, summary: summaryAt(reader, item) }]
    return messagesAdded(reader, item).map((event): Shown => ({ kind: 'message', event }))
  })
}

/** The parts of a prompt besides the messages of its list. */
export interface PromptParts {
  readonly system: string
  readonly tools: readonly ToolSpec[]
  readonly settings: Settings
  /** A block that only this turn shows, after the message at `after`. */
  readonly tail: { readonly text: string; readonly after: Position } | null
}

export const HISTORY_HEADING = '## Conversation History 🧠'
const OPENING = '(The conversation goes on from here; what came before is not shown.)'

/** Where each message of a prompt comes from: the list, the tail, or the host's opening line. */
export type PromptSource = Shown | { readonly kind: 'tail' | 'opening' }

/** The input of a model. The same list and the same parts give the same bytes, for ever. */
export function buildPrompt(reader: Reader, items: Items, parts: PromptParts): Prompt {
  return promptWithSources(reader, items, parts).prompt
}

/** The same, with the source of each of its messages. */
export function promptWithSources(reader: Reader, items: Items, parts: PromptParts) {
  const { system, tools, settings, tail } = parts
  const entries = promptEntries(show(reader, items), settings, tail)
  const prompt: Prompt = { system, messages: entries.map(({ message }) => message), tools, settings }
  return {
    // A single character cut in half would make a provider refuse the conversation from then on.
    prompt: wellFormed(prompt as unknown as Json) as unknown as Prompt,
    sources: entries.map(({ source }) => source),
  }
}

interface Entry {
  readonly source: PromptSource
  readonly message: PromptMessage
}

function promptEntries(
  shown: readonly Shown[],
  settings: Settings,
  tail: PromptParts['tail'],
): readonly Entry[] {
  const said = shown.map((source) => ({
    source,
    message:
      source.kind === 'summary'
        ? hostMessage(`${HISTORY_HEADING}\n\n${source.summary.text}`)
        : promptMessage(source.event, settings),
  }))
  // No provider accepts a conversation that begins with the model's words. The tail does not count.
  const startsWith = said.find(({ message }) => message !== undefined)
  const isOpen = startsWith?.message?.role !== 'assistant'
  const opening = isOpen ? [] : [{ source: { kind: 'opening' } as const, message: hostMessage(OPENING) }]
  const all: readonly { readonly source: PromptSource; readonly message: PromptMessage | undefined }[] =
    tail === null
      ? said
      : (said as typeof all).toSpliced(placeBehind(shown, tail.after), 0, {
          source: { kind: 'tail' },
          message: hostMessage(tail.text),
        })
  return [...opening, ...all.filter((entry): entry is Entry => entry.message !== undefined)]
}

/**
 * The tail's place. If its message was cleared or summed up, it goes before the later ones: at the end it would move
 * with every step, and the prompts of a turn would share no prefix.
 */
function placeBehind(shown: readonly Shown[], after: Position): number {
  const at = shown.findIndex((one) => one.kind === 'message' && one.event.position === after)
  const later = shown.findIndex((one) => one.kind === 'message' && one.event.position > after)
  let place = at >= 0 ? at + 1 : later >= 0 ? later : shown.length
  // Positions of other branches' messages lie on both sides, and a step must not be split (CTX3).
  while (isResult(shown[place])) place++
  return place
}

function isResult(shown: Shown | undefined): boolean {
  return shown?.kind === 'message' && shown.event.message.role === 'tool'
}

function hostMessage(text: string): PromptMessage {
  return { role: 'user', text }
}

function promptMessage({ message }: EventOf<'message-added'>, settings: Settings): PromptMessage | undefined {
  if (message.role === 'tool')
    return { role: 'tool', call: message.call, tool: message.tool, text: message.text }
  if (message.role !== 'assistant')
    return {
      role: 'user',
      text: hostText(message),
      ...(message.role === 'user' && imagesOf(message.files)),
    }
  const { text, calls, model } = message
  if (text === '' && calls.length === 0) return undefined
  // Thoughts belong to the model that had them: another model cannot read them, or refuses their signature.
  const reasoning = model === settings.model ? (message.reasoning ?? []) : []
  return { role: 'assistant', text, reasoning, calls }
}

/** The text of a message that models get in the user's role. */
export function hostText(message: Extract<Message, { role: 'user' | 'note' }>): string {
  return message.role === 'user' ? userText(message) : `${noteLabel(message.author)}\n${message.text}`
}

/** What the images of a message add to the tokens of its text. */
export function imageTokensOf({ images = [] }: { images?: readonly PromptImage[] }): number {
  return images.reduce((sum, image) => sum + imageTokens(image), 0)
}

export function imagesOf(files: readonly KeptFile[] = []): { images?: PromptImage[] } {
  const images = files.flatMap(({ kind, hash, name, mime, bytes, width, height }): PromptImage[] => {
    if (kind !== 'image' || hash === null) return []
    return [{ hash, name, mime, bytes, ...(width && height && { width, height }) }]
  })
  return images.length === 0 ? {} : { images }
}

/** Its non-empty parts, separated by one empty line. */
export function userText({
  head = '',
  before = [],
  files = [],
  text,
}: Extract<Message, { role: 'user' }>): string {
  return [head, ...before, ...files.map(fileText), text].filter((part) => part !== '').join('\n\n')
}
