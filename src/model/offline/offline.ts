import { estimateTokens } from '../../base/tokens.ts'
import { isJsonObject, parsedJson } from '../../base/json.ts'
import { withoutFences } from '../../event/fence.ts'
import type { Prompt, PromptMessage } from '../../event/prompt.ts'
import { extractSummary, plainSentences, type Spoken } from '../extract/extract.ts'
import {
  FREE,
  type CallOptions,
  type Model,
  ModelError,
  OFFLINE_CONTEXT_TOKENS,
  type Reply,
} from '../contract/model.ts'
import { commandIn } from './commands.ts'
import { type Heard, hear, openOnes, type Result, updatesIn } from './heard.ts'
import { type Call, dueText, followUpMinutes, isToTell, stepInRun } from './jobs.ts'
import { bodyOf, type Job, type Place, placeOf } from './place.ts'
import { answerFor, answerPerhaps, foundIn, isPersonal, type Lookup, memoryIn, recallArgs } from './recall.ts'
import { cannotDo, IN_FORK, QUIET, short, STAND_IN } from './talk.ts'
import { type Hearing, type Meaning, meaningsIn } from './wishes.ts'

/** A rule-based model: the same prompt always gives the same reply, without network or weights. */
export const offlineModel: Model = {
  name: 'offline',
  contextTokens: OFFLINE_CONTEXT_TOKENS,
  price: FREE,
  call: async (prompt, options) => {
    stopIfAborted(options.signal)
    return told(prompt, await answerTo(prompt), options)
  },
}

interface Answer {
  readonly text: string
  readonly calls: readonly Call[]
}

function told(prompt: Prompt, { text, calls }: Answer, { signal, onText }: CallOptions): Reply {
  const { shown, isCut } = withinLimit(text, prompt.settings.tokensMax)
  for (const piece of shown.match(/\s*\S+/g) ?? []) {
    onText?.(piece)
    stopIfAborted(signal)
  }
  const id = `offline-${prompt.messages.length}-${fingerprint(JSON.stringify(prompt.messages))}`
  return {
    text: shown,
    reasoning: [],
    calls: calls.map((call, at) => ({ id: `${id}-${at}`, ...call })),
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

async function answerTo(prompt: Prompt): Promise<Answer> {
  const place = placeOf(prompt.messages)
  if (place.kind === 'run') {
    const step = stepInRun(place, (tool) => mayCall(prompt, tool))
    return typeof step === 'string' ? { text: step, calls: [] } : { text: '', calls: [step] }
  }
  const heard = hear(prompt.messages)
  if (isTimedOut(prompt.messages)) return wrapUp(prompt, place, heard)
  const asked = await routinesIn(heard, place)
  const said = [...asked.map(({ task }) => task), heard.said].join('\n').trim()
  const meanings = await meaningsIn(said, { place, heard })
  const due = heard.due.filter((job) => !asked.includes(job))
  return answered(prompt, { place, heard, meanings, due })
}

function mayCall({ settings, tools }: Prompt, tool: string): boolean {
  return settings.toolChoice === 'auto' && tools.some(({ name }) => name === tool)
}

/** Routines that the rules can do, as if somebody had typed them. Reminders are for the person, so only told. */
async function routinesIn(heard: Heard, place: Place): Promise<Job[]> {
  const routines = heard.due.filter((job) => job.what === 'routine' && !isToTell(job))
  const meanings = await Promise.all(routines.map(({ task }) => meaningsIn(task, { place, heard })))
  return routines.filter((_, at) => meanings[at]?.every(({ kind }) => kind === 'call'))
}

/** `due`: jobs that are only told. */
function answered(
  prompt: Prompt,
  { place, heard, meanings, due }: Hearing & { meanings: readonly Meaning[]; due: readonly Job[] },
): Answer {
  const memory = memoryIn(prompt.messages)
  const known = new Map<Meaning, string>(
    meanings.flatMap((meaning) => {
      const answer =
        meaning.kind === 'look' && !meaning.lookup.isSure && answerPerhaps(meaning.lookup, memory)
      return answer ? [[meaning, answer] as const] : []
    }),
  )
  const wanted = meanings.flatMap((meaning) => (known.has(meaning) ? [] : callOf(meaning, place)))
  const follow = due.filter(({ check }) => check?.isOpen)
  const chains = follow.map(({ id, task }) => ({
    tool: 'follow_up_chain',
    args: { minutes_from_now: followUpMinutes(task), ...(follow.length > 1 && { reminder: id }) },
  }))
  // Only messages after the last results are requests; older ones were already handled.
  const calls = heard.isNew ? [...chains, ...wanted].filter(({ tool }) => mayCall(prompt, tool)) : []
  if (calls.length > 0) return { text: '', calls }
  const looks = meanings.flatMap((meaning) =>
    meaning.kind === 'look' && !known.has(meaning) ? meaning.lookup : [],
  )
  const missing = heard.isNew
    ? wanted
        .filter(({ tool }) => tool !== 'recall')
        .map(
          ({ tool }) =>
            `I understood that, but the tool \`${tool}\` isn't available here, so nothing was done. \`/help\` lists the commands you can type.`,
        )
    : []
  const lines = [
    ...due.map(dueText),
    ...known.values(),
    ...resultsTold(heard.results, looks),
    ...meanings.flatMap((meaning) => (meaning.kind === 'say' ? meaning.text : [])),
    ...missing,
  ].filter((line) => line.trim() !== '')
  const own = lines.length > 0 ? [...new Set(lines)] : [otherwise(heard, place)]
  return { text: [...updatesIn(prompt.messages), ...own].join('\n').trim(), calls: [] }
}

function callOf(meaning: Meaning, place: Place): Call[] {
  if (meaning.kind === 'look')
    return meaning.lookup.isSure || isPersonal(meaning.lookup)
      ? [{ tool: 'recall', args: recallArgs(meaning.lookup) }]
      : []
  if (meaning.kind !== 'call') return []
  const { tool, args } = meaning
  const isBareReport = tool === 'report_updates' && !('message' in args)
  return [{ tool, args: isBareReport ? { message: extractIn(place) } : args }]
}

/** Used when no rule matches. */
function otherwise({ goal, said }: Heard, place: Place): string {
  if (goal !== undefined) return cannotDo(goal)
  const isFirst = place.kind === 'fork' && place.said.filter(({ role }) => role === 'user').length === 1
  if (isFirst) return IN_FORK
  return said === '' ? 'Nothing new was said, so I have nothing to answer.' : STAND_IN
}

const RESULT_MAX = 1_000
const FORK_TOOLS: Readonly<Record<string, readonly [says: string, typed: string]>> = {
  enter_fork: ["I'll take you into a fork.", '/fork'],
  save_context: ["I'll save this fork.", '/save'],
  report_updates: ["I'll report this to main.", '/report'],
  exit_fork: ["I'll leave this fork.", '/exit'],
}

/** The results of the calls, in the tools' own words. */
function resultsTold(results: readonly Result[], looks: readonly Lookup[]): string[] {
  const open = [...looks]
  return results.flatMap(({ tool, text }) => {
    const value = parsedJson(text) ?? text
    const found = tool === 'recall' ? foundIn(value) : undefined
    const lookup = tool === 'recall' ? open.shift() : undefined
    if (found !== undefined && lookup !== undefined)
      return (lookup.isSure ? answerFor(lookup, found) : answerPerhaps(lookup, found.hits)) ?? []
    // A further check is an internal matter of the chain.
    return tool === 'follow_up_chain' ? [] : resultText(tool, value, text)
  })
}

function resultText(tool: string, value: unknown, raw: string): string {
  const error = isJsonObject(value) ? value['error'] : undefined
  if (typeof error === 'string') return `That didn't work: ${typedWords(error)}`
  const text = isJsonObject(value) ? value['text'] : value
  const words = withoutFences(typeof text === 'string' ? text : short(raw, RESULT_MAX))
  const [, approval] = (tool === 'remember' && /\(approval (\d+)\)/.exec(words)) || []
  if (approval !== undefined)
    return `I proposed that for your memory. \`/approve ${approval}\` keeps it, \`/deny ${approval}\` doesn't.`
  if (words.startsWith('Forked. Child: ')) return `${words.replace(/\.$/, '')}. Ask me "any mail?" later.`
  return FORK_TOOLS[tool]?.[0] ?? words
}

/** For people: the commands they type instead of the tools that models call. */
function typedWords(text: string): string {
  return text.replaceAll(
    /\b(?:enter_fork|save_context|report_updates|exit_fork)\b/g,
    (tool) => FORK_TOOLS[tool]?.[1] ?? tool,
  )
}

const TIMEOUT = /^\[fork-timeout\]|^\[system\]\n[\s\S]*\breport_updates\b/

/** Whether the host asks to end a fork; a person who speaks after all takes that back. */
function isTimedOut(messages: readonly PromptMessage[]): boolean {
  const [first, ...others] = openOnes(messages)
  return first !== undefined && TIMEOUT.test(first.text) && !others.some(({ text }) => /^\[\d{4}-/.test(text))
}

/** Reports anything worth reporting; if nothing was said, leaves nothing behind. */
function wrapUp(prompt: Prompt, place: Place, { isNew, results }: Heard): Answer {
  const message = extractIn(place)
  const isFree = openOnes(prompt.messages)[0]?.text.startsWith('[fork-timeout]') === true
  const call =
    message === NOTHING && isFree
      ? { tool: 'exit_fork', args: {} }
      : { tool: 'report_updates', args: { message } }
  if (isNew && mayCall(prompt, call.tool)) return { text: '', calls: [call] }
  return { text: resultsTold(results, []).join('\n') || QUIET, calls: [] }
}

const NOTHING = 'Nothing was said in it.'
const EXTRACT_TOKENS = 120

function extractIn(place: Place): string {
  const messages = place.kind === 'fork' ? place.said.flatMap((message) => spokenIn(message, place)) : []
  if (!messages.some(({ who }) => who === 'user')) return NOTHING
  const summary = plainSentences(extractSummary({ previous: null, messages, tokensMax: EXTRACT_TOKENS }))
  return summary === '' ? messages.map(({ text }) => text).join(' ') : summary
}

/** "Report back" is not news for main, nor is anything that these rules say. */
function spokenIn({ role, text }: PromptMessage, place: Place): Spoken[] {
  const words = bodyOf(text).trim()
  const isHosts = TIMEOUT.test(text) || /^(?:## |\[(?:system|note)\b)/.test(text.trim())
  if (role !== 'user' || isHosts || words === '' || commandIn(words, place) !== undefined) return []
  return [{ who: role, text: words }]
}

/** Without randomness or a clock, only the earlier messages tell one call from another. */
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
