import { turnsIn } from '../agent/state/turn-number.ts'
import { minuteText } from '../base/time-text.ts'
import { summaryTroubles } from '../agent/compaction/compaction-notice.ts'
import { isStuckOnOne } from '../agent/compaction/compaction-due.ts'
import { fullPromptTokens, promptTokens } from '../agent/compaction/prompt-size.ts'
import { changeName } from '../agent/branch/context-acts.ts'
import { unreadMail } from '../agent/state/inbox.ts'
import { policyIn, type AgentSettings } from '../agent/state/settings.ts'
import { modelFor, runAbove, runIn, thinkingFor, type Run } from '../agent/state/run.ts'
import { contentOf, memoryIn, setupOf } from '../agent/state/setup.ts'
import { estimateTokens } from '../base/tokens.ts'
import { counted } from '../base/words.ts'
import { getBranch, type Branch } from '../context/branch.ts'
import { summaryAt } from '../context/list.ts'
import { countMessages, countTokens } from '../context/message-index.ts'
import { branchNames } from '../context/naming.ts'
import { changeToUndo, listOf, marksOf } from '../context/version.ts'
import type { BranchId } from '../event/id.ts'
import { isSummary, type Item, type SummaryRef } from '../event/item.ts'
import type { Settings, ToolSpec } from '../event/prompt.ts'
import type { Reader } from '../event/table.ts'
import type { Price } from '../model/contract/model.ts'
import { automaticWithin } from '../recall/scope/scope.ts'
import { skillsStart } from '../skill/context-text.ts'
import { offeredIn } from '../agent/right/gating.ts'
import { mainAbove, personIn } from '../agent/state/person.ts'
import { pendingUpdates, seesUpdates } from '../agent/state/updates.ts'
import { coverView } from './cover.ts'
import { recalledLast, thingsWords } from './recalled.ts'
import { promptCost, tokenWords } from './words.ts'

export interface ContextLook {
  readonly branch: BranchId
  readonly settings: AgentSettings
  /** The model's context window. */
  readonly tokensMax: number
  /** The model's price; undefined: nobody knows. */
  readonly price: Price | undefined
}

/** The prompt that a branch would show a model now. Programs rely on the names. */
export type ContextView = ReturnType<typeof contextView>

export function contextView(reader: Reader, look: ContextLook) {
  const branch = getBranch(reader, look.branch)
  const { zone, compactionModel } = look.settings
  const items = listOf(reader, branch)
  const recalled = recallMax(reader, look)
  const tools = toolNames(reader, branch.id)
  const undoable = changeToUndo(reader, branch)
  const failedAt = summaryTroubles(reader, compactionModel).get(branch.id)
  return {
    branch: branchNames(reader)(branch.id),
    /** The number of the turn that runs, or of the next one. */
    turn: turnsIn(reader, branch.id) + (branch.state.kind === 'running' ? 0 : 1),
    model: modelIn(reader, look.branch, look.settings),
    tokens: promptTokens(reader, branch.id),
    tokensMax: look.tokensMax,
    fullPrompt: fullPrompt(reader, look),
    /** One message takes most of it, and is too new to be summarized by itself. */
    isStuckOnOne: isStuckOnOne(reader, { ...look, contextTokens: look.tokensMax, tail: null }),
    items,
    marks: marksOf(reader, branch),
    recallMax: recalled,
    parts: [
      ...setupParts(reader, branch.id, tools),
      ...(items.length === 0
        ? [{ part: 'messages', what: 'none', tokens: 0 }]
        : items.map((item) => itemPart(reader, item, zone))),
    ],
    unread: unreadMail(reader, branch.id).length,
    mode: modeFacts(reader, { ...look, branch, tools, recallMax: recalled }),
    recalled: recalledLast(reader, branch.id) ?? null,
    undo: undoable === undefined ? null : changeName(reader, undoable),
    policy: policyIn(reader, look.branch, look.settings),
    /** Since when older messages could not be summarized. */
    summaryFailedAt: failedAt === undefined ? null : minuteText(failedAt, zone),
  }
}

export function modelIn(reader: Reader, branch: BranchId, settings: AgentSettings): string {
  return modelFor(runAbove(reader, branch) ?? null, settings)
}

/** How large a prompt gets here before older messages are summarized, and what the model costs then, without a cache. */
function fullPrompt(reader: Reader, { tokensMax: contextTokens, price, ...look }: ContextLook) {
  const tokens = fullPromptTokens(reader, { ...look, contextTokens })
  const { priceUnknown } = look.settings
  const costs = promptCost(tokens, {
    model: modelIn(reader, look.branch, look.settings),
    price,
    priceUnknown,
  })
  return { tokens, cost: price === undefined ? null : (tokens * price.perMillionIn) / 1_000_000, costs }
}

function setupParts(reader: Reader, branch: BranchId, names: readonly string[]) {
  const setup = setupOf(reader, branch)
  if (setup === undefined) return []
  const [system, tools] = [contentOf(reader, setup.system), contentOf(reader, setup.tools)]
  const what = system === '' ? 'empty' : `${systemWords(reader, branch, system)}, ${system.length} characters`
  return [
    { part: 'system', what, tokens: estimateTokens(system) },
    { part: 'tools', what: names.join(', ') || 'none', tokens: estimateTokens(tools) },
  ]
}

/** `AGENTS.md, memory and skills`: which of these this text has. */
function systemWords(reader: Reader, branch: BranchId, system: string): string {
  const plain = system.replaceAll(/\s+/g, ' ')
  const hasMemory = memoryIn(reader, personIn(reader, branch)).some(({ text }) => plain.includes(text))
  const skills = runAbove(reader, branch)?.isolated === true ? "the job's skills" : 'skills'
  const parts = [
    'AGENTS.md',
    ...(hasMemory ? ['memory'] : []),
    ...(skillsStart(system) !== undefined ? [skills] : []),
  ]
  return parts.join(', ').replace(/, (?=[^,]*$)/, ' and ')
}

function toolNames(reader: Reader, branch: BranchId): string[] {
  const setup = setupOf(reader, branch)
  if (setup === undefined) return []
  return (JSON.parse(contentOf(reader, setup.tools)) as ToolSpec[]).map(({ name }) => name)
}

function itemPart(reader: Reader, item: Item, zone: string) {
  if (!isSummary(item)) {
    const count = counted(countMessages(reader, item), 'message')
    const what = `${count} of ${branchNames(reader)(item.src)}, log ${item.from}–${item.to}`
    return { part: 'messages', what, tokens: countTokens(reader, item) }
  }
  const what = summaryWords(reader, item, zone)
  return { part: 'summary', what, tokens: summaryAt(reader, item).tokens }
}

/** `of 62 messages (4.1k tokens), by extract, 2026-03-01 09:30` */
function summaryWords(reader: Reader, item: SummaryRef, zone: string): string {
  const { messages, tokens, writer, at } = coverView(reader, item)
  const words = `${counted(messages, 'message')} (${tokenWords(tokens)} tokens)`
  return `of ${words}, by ${writer}, ${minuteText(Date.parse(at), zone)}`
}

/** How many things recall may add to the next question. None if everything is shown already. */
function recallMax(reader: Reader, { branch, settings }: ContextLook): number {
  const { limit, acrossClear } = settings.recall
  if (limit === 0) return 0
  const policy = policyIn(reader, branch, settings)
  return automaticWithin(reader, branch, { policy, acrossClear }) === undefined ? 0 : limit
}

interface ModeLook {
  readonly branch: Branch
  readonly settings: AgentSettings
  readonly tools: readonly string[]
  readonly recallMax: number
}

/** What a branch of its kind sees and may do. */
function modeFacts(reader: Reader, look: ModeLook): Readonly<Record<string, string>> {
  const { branch, settings, tools } = look
  const run = runIn(reader, branch.id) ?? null
  const job = runAbove(reader, branch.id) ?? null
  const offered = offeredIn({ mode: branch.mode, run: job, tools })
  const thinking = thinkingFor({ mode: branch.mode, run }, settings)
  return {
    ...natureOf(reader, branch, run),
    updates: updatesWords(reader, branch),
    recall: recallWords(look, run),
    'may call': offeredWords(tools, offered),
    model: `${modelFor(job, settings)}, ${thinkingWords(thinking)}`,
  }
}

/** What kind of branch it is, what its first prompt begins with, and what it sees of its parent. */
function natureOf(reader: Reader, branch: Branch, run: Run | null) {
  const { mode, parent } = branch
  const above = parent === null ? 'nothing' : branchNames(reader)(parent)
  const history = historyWords(reader, branch)
  switch (mode) {
    case 'main':
      return { mode: 'the main session', trigger: 'your messages', history }
    case 'fork':
      return {
        mode: `interactive fork of ${above}`,
        trigger: '[fork-started] and your messages',
        history,
      }
    case 'child':
      return { mode: `child of ${above}`, trigger: '[fork-started] and its goal', history }
    case 'background': {
      const kind = run?.isolated === true ? 'isolated' : `forked off ${above}`
      const opening = run === null ? 'its task' : `[${run.tag}:${run.job}], what it may do, and its task`
      return { mode: `background run, ${kind}`, trigger: opening, history }
    }
  }
}

function historyWords(reader: Reader, { mode, parent, forkedAt }: Branch): string {
  if (parent === null) return 'everything said here, across restarts'
  const event = reader.event(forkedAt)
  const base = event.kind === 'branch-created' ? event.base.from : 'nothing'
  if (base === 'nothing') return mode === 'child' ? 'only its goal' : 'only its task'
  const name = branchNames(reader)(parent)
  return base === 'parent' ? `${name} up to the fork` : `the part of ${name} that the fork took`
}

function updatesWords(reader: Reader, branch: Branch): string {
  if (!seesUpdates(reader, branch)) return 'none'
  const main = mainAbove(reader, branch.id)
  if (main === undefined) return 'none'
  if (main !== branch.id) return 'shown; the main session gets them too'
  const { length } = pendingUpdates(reader, main)
  return `with the next message, once${length === 0 ? '' : ` (${length} waiting)`}`
}

function recallWords({ branch, recallMax, settings }: ModeLook, run: Run | null): string {
  if (branch.mode === 'child' || run?.isolated === true) return 'nothing automatically'
  if (recallMax > 0) return `adds up to ${thingsWords(recallMax)} to a question`
  return settings.recall.limit === 0 ? 'off' : 'nothing to add: everything is shown already'
}

/** The shorter list: what it may call, or what it may not. */
function offeredWords(tools: readonly string[], offered: readonly string[]): string {
  const others = tools.filter((tool) => !offered.includes(tool))
  if (others.length === 0) return 'all of these tools'
  if (offered.length === 0) return 'none of these tools'
  return others.length < offered.length ? `all but ${others.join(', ')}` : offered.join(', ')
}

function thinkingWords(thinking: Settings['thinking']): string {
  return typeof thinking === 'number' ? `thinking up to ${thinking} tokens` : `thinking ${thinking}`
}
