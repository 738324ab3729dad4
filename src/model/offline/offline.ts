import { isJsonObject, parsedJson } from '../../base/json.ts'
import { estimateTokens } from '../../base/tokens.ts'
import { insideFence, withoutFences } from '../../event/fence.ts'
import type { Prompt, PromptCall, PromptMessage } from '../../event/prompt.ts'
import {
  FREE,
  type CallOptions,
  type Model,
  ModelError,
  OFFLINE_CONTEXT_TOKENS,
  type Reply,
} from '../contract/model.ts'
import { extractSummary, plainSentences } from '../extract/extract.ts'
import { bodyOf, sentencesOf } from '../extract/sentences.ts'
import { cannotDo, commandIn, FORK_TOOLS, IN_FORK, STAND_IN, type Wish } from './commands.ts'
import { answerFor, type Lookup, lookupIn, recallArgs } from './recall.ts'
import { remindingIn } from './reminders.ts'
import { dueText, isToTell, nextChecks, type Request, requestIn, runIn, stepInRun } from './request.ts'

/** A rule-based model: the same prompt always gives the same reply, without network or weights. */
export const offlineModel: Model = {
  name: 'offline',
  contextTokens: OFFLINE_CONTEXT_TOKENS,
  price: FREE,
  call: async (prompt, options) => {
    stopIfAborted(options.signal)
    const step = await stepIn(prompt)
    return typeof step === 'string' ? replied(prompt, step, [], options) : replied(prompt, '', step, options)
  },
}

type Call = Omit<PromptCall, 'id'>

function replied(
  prompt: Prompt,
  text: string,
  calls: readonly Call[],
  { signal, onText }: CallOptions,
): Reply {
  const { tokensMax } = prompt.settings
  let tokens = 0
  const pieces = text.match(/\s*\S+/g) ?? []
  const end = pieces.findIndex((piece) => (tokens += estimateTokens(piece)) > (tokensMax ?? Infinity))
  const shown = end < 0 ? pieces : pieces.slice(0, end)
  for (const piece of shown) {
    onText?.(piece)
    stopIfAborted(signal)
  }
  const id = `offline-${prompt.messages.length}-${fingerprint(JSON.stringify(prompt.messages))}`
  return {
    text: shown.join(''),
    reasoning: [],
    calls: calls.map((call, at) => ({ id: `${id}-${at}`, ...call })),
    finish: calls.length > 0 ? 'calls' : end < 0 ? 'stop' : 'length',
    usage: {
      tokensIn: estimateTokens(JSON.stringify(prompt)),
      tokensOut: estimateTokens(shown.join('') + JSON.stringify(calls)),
      tokensCached: 0,
      tokensCacheWritten: 0,
    },
  }
}

function stopIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new ModelError('aborted', 'offline: the call was stopped')
}

/** Without randomness or a clock, only the earlier messages tell one call from another. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(36)
}

/** The calls to make, or the answer. */
async function stepIn(prompt: Prompt): Promise<Call[] | string> {
  const { messages, settings, tools } = prompt
  const mayCall = ({ tool }: Call): boolean =>
    settings.toolChoice === 'auto' && tools.some(({ name }) => name === tool)
  const run = runIn(messages)
  if (run !== undefined) return stepInRun(run, mayCall)
  const request = requestIn(messages)
  const meanings = request.isTimedOut ? [wrapUp(messages)] : await meaningsIn(request)
  const calls = [
    ...request.due.flatMap(nextChecks),
    ...meanings.flatMap((meaning) => callOf(meaning, messages)),
  ]
  // Older requests were already handled; their results are told now.
  const possible = request.isNew ? calls.filter(mayCall) : []
  if (possible.length > 0) return possible
  const isMissing = request.isNew && calls.some(({ tool }) => tool !== 'recall')
  const lines = [
    ...request.due.filter((job) => isToTell(job) || meanings.length === 0).map(dueText),
    ...resultLines(request, meanings.filter(isLookup)),
    ...meanings.filter((meaning) => typeof meaning === 'string'),
    ...(isMissing
      ? ["I understood that, but the tool for it isn't available here, so nothing was done."]
      : []),
  ].filter((line) => line.trim() !== '')
  const told = lines.length > 0 ? [...new Set(lines)] : [otherwise(request)]
  return [...updatesIn(request.open), ...told].join('\n').trim()
}

/** What one sentence means: a call, a text to say, or a question to recall. */
type Meaning = Wish | Lookup

/** More or longer sentences are a text to read: acting on a line of it would be foolish. */
const SENTENCES_MAX = 3
const CHARACTERS_MAX = 300
const WHOLE_CHARACTERS_MAX = 4_000
/** Quoted or pasted text is nobody's wish. */
const QUOTED = /```|^\s*>/m

async function meaningsIn(request: Request): Promise<Meaning[]> {
  const routines = request.due.filter((job) => !isToTell(job)).map(({ task }) => task)
  const said = [...routines, request.said].join('\n').trim()
  if (QUOTED.test(said) || said.length > WHOLE_CHARACTERS_MAX) return []
  const whole = commandIn(said, true)
  if (whole !== undefined) return [whole].filter((one) => isAllowed(one, request))
  const sentences = sentencesOf(said)
  if (sentences.length > SENTENCES_MAX || sentences.some(({ length }) => length > CHARACTERS_MAX)) return []
  const found = await Promise.all(
    sentences.map(async (one) => commandIn(one) ?? (await remindingIn(one, request)) ?? lookupIn(one)),
  )
  return found.filter((one) => one !== undefined).filter((one) => isAllowed(one, request))
}

/** A child has a task of its own: it must not change the person's lists. */
function isAllowed(meaning: Meaning, { place }: Request): boolean {
  return place !== 'child' || !isCall(meaning) || meaning.tool === 'slash'
}

function isCall(meaning: Meaning): meaning is Call {
  return typeof meaning === 'object' && 'tool' in meaning
}

function isLookup(meaning: Meaning): meaning is Lookup {
  return typeof meaning === 'object' && 'query' in meaning
}

function callOf(meaning: Meaning, messages: readonly PromptMessage[]): Call[] {
  if (isLookup(meaning)) return [{ tool: 'recall', args: recallArgs(meaning) }]
  if (!isCall(meaning)) return []
  const isBare = meaning.tool === 'report_updates' && !('message' in meaning.args)
  return [isBare ? { ...meaning, args: { message: keySentences(messages) } } : meaning]
}

/** The host wants a report, or the end of a fork where nobody speaks. */
function wrapUp(messages: readonly PromptMessage[]): Call {
  const isFree = messages.findLast(({ role }) => role === 'user')?.text.startsWith('[fork-timeout]') === true
  const message = keySentences(messages)
  return isFree && message === NOTHING
    ? { tool: 'exit_fork', args: {} }
    : { tool: 'report_updates', args: { message } }
}

const NOTHING = 'Nothing was said in it.'
const REPORT_TOKENS_MAX = 120

/** What the person told in a fork: "report back" is not news for main. */
function keySentences(messages: readonly PromptMessage[]): string {
  const start = messages.findLastIndex(({ text }) => text.startsWith('[fork-started]'))
  const said = messages
    .slice(Math.max(0, start))
    .filter(({ role, text }) => role === 'user' && !/^(?:## |\[(?:fork-timeout|system|note)\b)/.test(text))
    .filter(({ text }) => commandIn(bodyOf(text)) === undefined)
    .map(({ text }) => ({ who: 'user', text }) as const)
  const told = extractSummary({ previous: null, messages: said, tokensMax: REPORT_TOKENS_MAX })
  return plainSentences(told) || NOTHING
}

/** The answer if no rule fits. */
function otherwise({ place, isOpening, said }: Request): string {
  if (isOpening && place !== 'main') return place === 'child' ? cannotDo(said) : IN_FORK
  return said === '' ? 'Nothing new was said, so I have nothing to answer.' : STAND_IN
}

/** The results of the calls, in the tools' own words. */
function resultLines({ results }: Request, lookups: readonly Lookup[]): string[] {
  const open = [...lookups]
  return results.flatMap(({ tool, text }) => {
    const value = parsedJson(text) ?? text
    const lookup = tool === 'recall' ? open.shift() : undefined
    const found = lookup && answerFor(lookup, value)
    if (found !== undefined) return found
    const error = isJsonObject(value) ? value['error'] : undefined
    if (typeof error === 'string')
      return [`That didn't work: ${error.replaceAll(/\b[a-z]+_[a-z]+\b/g, typedFor)}`]
    const told = isJsonObject(value) ? value['text'] : value
    const words = withoutFences(typeof told === 'string' ? told : text)
    // The next check is an internal matter of its chain.
    return tool === 'follow_up_chain' ? [] : [FORK_TOOLS[tool]?.[0] ?? words]
  })
}

function typedFor(tool: string): string {
  return FORK_TOOLS[tool]?.[1] ?? tool
}

/** The heading asks to pass them on; a fork only sees them in advance. */
const UPDATES =
  /^RECENT BACKGROUND UPDATES \(mention key findings[^\n]*\n<data source="updates">\n([\s\S]*?)\n<\/data>/m

/** Updates that main was told of since the last answer, word for word. */
function updatesIn(messages: readonly PromptMessage[]): string[] {
  const told = messages.findLast(({ role, text }) => role === 'user' && UPDATES.test(text))?.text ?? ''
  const lines = (UPDATES.exec(told)?.[1] ?? '').split('\n').filter((line) => line.startsWith('- '))
  if (lines.length === 0) return []
  return ['From the background:', ...lines.map(insideFence), '']
}
