import { estimateTokens } from '../../base/tokens.ts'
import type { Prompt, PromptCall } from '../../event/prompt.ts'
import { type CallOptions, type Model, ModelError, type Reply, type ReplyCall } from '../model.ts'
import { lookupsIn, notCalled, notEntered, notProposed, recalled, remarks, told } from './answers.ts'
import { forkCall, isTimedOut, wrapUp } from './in-fork.ts'
import { dueHere } from './due-here.ts'
import { errandCalls, errandLines, errandNotDone, type ErrandWork } from './errand-steps.ts'
import { hear, type Heard } from './heard.ts'
import { stepInRun } from './in-run.ts'
import type { Lookup } from './lookup.ts'
import { placeOf, type Place } from './place.ts'
import { updatesIn } from './told-updates.ts'
import { type Asked, type Meaning, understand, type Wish } from './understand.ts'

/** Rules behind the contract of a model: the same prompt always gives the same reply, without network or weights. */
export const offlineModel: Model = { name: 'offline', contextTokens: 32_000, call }

const SLASH = 'slash'
const RECALL = 'recall'
const REMEMBER = 'remember'
/** More questions about the past in one message are a text to read. */
const LOOKUPS_MAX = 3

async function call(prompt: Prompt, { signal, onText }: CallOptions): Promise<Reply> {
  stopIfAborted(signal)
  const { text, calls } = replyTo(prompt)
  const { shown, isCut } = withinLimit(text, prompt.settings.tokensMax)
  for (const piece of shown.match(/\s*\S+/g) ?? []) {
    onText?.(piece)
    stopIfAborted(signal)
  }
  return {
    text: shown,
    reasoning: [],
    calls,
    finish: calls.length > 0 ? 'calls' : isCut ? 'length' : 'stop',
    usage: {
      tokensIn: estimateTokens(JSON.stringify(prompt)),
      tokensOut: estimateTokens(shown + JSON.stringify(calls)),
      tokensCached: 0,
      tokensCacheWritten: 0,
    },
  }
}

function stopIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new ModelError('aborted', 'offline: the call was stopped')
}

interface Answer {
  readonly text: string
  readonly calls: readonly Omit<PromptCall, 'id'>[]
}

function replyTo(prompt: Prompt): { text: string; calls: ReplyCall[] } {
  const { text, calls } = answerTo(prompt)
  const id = `offline-${prompt.messages.length}-${fingerprint(JSON.stringify(prompt.messages))}`
  return { text, calls: calls.map((one, index) => ({ id: `${id}-${index}`, ...one })) }
}

function answerTo(prompt: Prompt): Answer {
  const place = placeOf(prompt.messages)
  if (place.kind === 'run') {
    const step = stepInRun(place, (tool) => mayCall(prompt, tool))
    return 'text' in step ? { text: step.text, calls: [] } : { text: '', calls: [step.call] }
  }
  return isTimedOut(prompt.messages) ? wrappedUp(prompt, place) : answered(prompt, place)
}

const ASIDE = 'Go on. In plain words, "save this", "report back" and "leave this fork" end this fork.'

/** What opens a fork is often no more than its topic. */
function isJustEntered(place: Place): boolean {
  return place.kind === 'fork' && place.said.filter(({ role }) => role === 'user').length === 1
}

const QUIET = 'Nobody has said anything here for a while. `/save`, `/report` or `/exit` ends this fork.'

function wrappedUp(prompt: Prompt, place: Place): Answer {
  const { isNew, results } = hear(prompt)
  const call = wrapUp(place)
  if (isNew && mayCall(prompt, call.tool)) return { text: '', calls: [call] }
  const { lines } = told([], { results })
  return { text: lines.length === 0 ? QUIET : lines.join('\n'), calls: [] }
}

function answered(prompt: Prompt, place: Place): Answer {
  const due = dueHere(hear(prompt), (tool) => mayCall(prompt, tool))
  const { heard } = due
  const { known: names, today, asked } = heard
  const { lines: known, open: meanings } = recalled(
    understand(heard.said, names, { today, place: place.kind, asked }),
    heard,
  )
  const { wanted, notDone } = wishesOf(prompt, { meanings, heard, place })
  const calls = [...due.calls, ...wanted]
  if (calls.length > 0) return { text: notDone.join('\n'), calls }
  const { lines, open } = told(meanings, heard)
  if (isJustEntered(place) && open.every(({ kind }) => kind === 'unclear')) return { text: ASIDE, calls: [] }
  const text = [
    ...updatesIn(prompt.messages),
    ...new Set([
      ...due.lines,
      ...known,
      ...lines,
      ...errandLines(workOf(meanings, heard)),
      ...notDone,
      ...(open.length === 0 && known.length > 0 ? [] : remarks(open, { ...heard, system: prompt.system })),
    ]),
  ]
    .join('\n')
    .trim()
  return { text: text || 'Nothing new was said, so there is nothing to answer.', calls: [] }
}

interface Understood {
  readonly meanings: readonly Meaning[]
  readonly heard: Heard
  readonly place: Place
}

/** What to call for it, and what may not be called. */
function wishesOf(
  prompt: Prompt,
  { meanings, heard, place }: Understood,
): { wanted: Omit<PromptCall, 'id'>[]; notDone: string[] } {
  // Only what was said after the last results is asked for; anything older was called already, and would be again.
  const fresh = heard.isNew ? meanings : []
  const asked = fresh.filter((meaning) => meaning.kind === 'call')
  const wishes = fresh.filter((meaning) => meaning.kind === 'remember')
  const forks = fresh.filter((meaning) => meaning.kind === 'fork')
  const [maySlash, mayRemember] = [mayCall(prompt, SLASH), mayCall(prompt, REMEMBER)]
  const mayFork = forks.every(({ tool }) => mayCall(prompt, tool))
  const lookups = mayCall(prompt, RECALL) ? lookupsIn(fresh).slice(0, LOOKUPS_MAX) : []
  const errands = fresh.filter((meaning) => meaning.kind === 'errand' || meaning.kind === 'choice')
  return {
    wanted: [
      ...(maySlash ? asked.map(slashCall) : []),
      ...(mayRemember ? wishes.map(rememberCall) : []),
      ...lookups.map(recallCall),
      ...errandCalls(workOf(meanings, heard), (tool) => mayCall(prompt, tool)),
      // Last: what is said and done before it belongs to the branch that is left.
      ...(mayFork ? forks.slice(0, 1).map((wish) => forkCall(wish, place)) : []),
    ],
    notDone: [
      ...(maySlash ? [] : asked.map(notCalled)),
      ...(mayRemember ? [] : wishes.map(notProposed)),
      ...(mayFork ? [] : forks.map(notEntered)),
      ...errands.filter(({ tool }) => !mayCall(prompt, tool)).map(errandNotDone),
    ],
  }
}

function workOf(meanings: readonly Meaning[], { results, isNew }: Heard): ErrandWork {
  return {
    errands: meanings.filter((meaning) => meaning.kind === 'errand'),
    choices: meanings.filter((meaning) => meaning.kind === 'choice'),
    results,
    isNew,
  }
}

function mayCall({ settings, tools }: Prompt, tool: string): boolean {
  return settings.toolChoice === 'auto' && tools.some(({ name }) => name === tool)
}

function slashCall({ intent, args }: Asked): Omit<PromptCall, 'id'> {
  return { tool: SLASH, args: { command: intent.command, ...(args === undefined ? {} : { args }) } }
}

function rememberCall({ line }: Wish): Omit<PromptCall, 'id'> {
  return { tool: REMEMBER, args: { line } }
}

/** Of a few that fit best, the first is hardly ever the first of all. */
const ORDERED_LIMIT = 20

function recallCall({ query, speaker, since, until, wants }: Lookup): Omit<PromptCall, 'id'> {
  return {
    tool: RECALL,
    args: {
      query,
      ...(speaker !== undefined && { speaker }),
      ...(since !== undefined && { since }),
      ...(until !== undefined && { until }),
      ...((wants === 'first' || wants === 'last') && { limit: ORDERED_LIMIT }),
    },
  }
}

/** Without chance or a clock, only what was said before tells one call from another. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(36)
}

function withinLimit(text: string, tokensMax: number | null): { shown: string; isCut: boolean } {
  if (tokensMax === null || estimateTokens(text) <= tokensMax) return { shown: text, isCut: false }
  const pieces = text.match(/\s*\S+/g) ?? []
  let tokens = 0
  const end = pieces.findIndex((piece) => (tokens += estimateTokens(piece)) > tokensMax)
  return { shown: pieces.slice(0, Math.max(0, end)).join(''), isCut: true }
}
