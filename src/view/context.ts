import { turnsIn } from '../agent/state/turn-number.ts'
import { minuteText } from '../base/time-text.ts'
import { summaryTroubles } from '../agent/compaction/compaction-notice.ts'
import { promptTokens } from '../agent/compaction/prompt-size.ts'
import { policyIn } from '../agent/state/policy.ts'
import { changeName } from '../agent/branch/context-acts.ts'
import { unreadMail } from '../agent/state/mail.ts'
import { memoryIn } from '../agent/state/memory.ts'
import type { AgentSettings } from '../agent/state/settings.ts'
import { modelFor, runAbove } from '../agent/state/run.ts'
import { contentOf, setupOf } from '../agent/state/setup.ts'
import { estimateTokens } from '../base/tokens.ts'
import { counted } from '../base/words.ts'
import { getBranch } from '../context/branch.ts'
import { flatten, summaryAt } from '../context/list.ts'
import { countMessages, countTokens } from '../context/message-index.ts'
import { branchNames } from '../context/naming.ts'
import { changeToUndo, listOf, marksOf } from '../context/version.ts'
import type { BranchId } from '../event/id.ts'
import { isSummary, type Item, type SummaryRef } from '../event/item.ts'
import type { ToolSpec } from '../event/prompt.ts'
import type { Reader } from '../event/table.ts'
import { automaticWithin } from '../recall/scope/scope.ts'
import { tellsOfSkills } from '../skill/context-text.ts'
import { modeFacts } from './mode-facts.ts'
import { recalledLast } from './recalled.ts'
import { tokenWords } from './words.ts'

export interface ContextLook {
  readonly branch: BranchId
  readonly settings: AgentSettings
  /** The model's context window. */
  readonly tokensMax: number
}

/** What a branch would show a model now. Programs rely on the names. */
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
    items,
    marks: marksOf(reader, branch),
    recallMax: recalled,
    parts: [
      ...setupParts(reader, branch.id),
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

/** The model that a branch asks. */
export function modelIn(reader: Reader, branch: BranchId, settings: AgentSettings): string {
  return modelFor(runAbove(reader, branch) ?? null, settings)
}

function setupParts(reader: Reader, branch: BranchId) {
  const setup = setupOf(reader, branch)
  if (setup === undefined) return []
  const system = contentOf(reader, setup.system)
  const tools = contentOf(reader, setup.tools)
  const what = system === '' ? 'empty' : `${systemWords(reader, branch, system)}, ${system.length} characters`
  return [
    { part: 'system', what, tokens: estimateTokens(system) },
    { part: 'tools', what: toolNames(reader, branch).join(', ') || 'none', tokens: estimateTokens(tools) },
  ]
}

/** `AGENTS.md, memory and skills`: which of these this text has. */
function systemWords(reader: Reader, branch: BranchId, system: string): string {
  const plain = system.replaceAll(/\s+/g, ' ')
  const hasMemory = memoryIn(reader).some(({ text }) => plain.includes(text))
  const skills = runAbove(reader, branch)?.isolated === true ? "the job's skills" : 'skills'
  const parts = ['AGENTS.md', ...(hasMemory ? ['memory'] : []), ...(tellsOfSkills(system) ? [skills] : [])]
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
  const ranges = flatten(reader, item)
  const messages = ranges.reduce((sum, range) => sum + countMessages(reader, range), 0)
  const tokens = ranges.reduce((sum, range) => sum + countTokens(reader, range), 0)
  const event = reader.event(item.summary)
  const writer = event.kind === 'context-compacted' ? event.writer : ''
  const words = `${counted(messages, 'message')} (${tokenWords(tokens)} tokens)`
  return `of ${words}, by ${writer}, ${minuteText(event.at, zone)}`
}

/** How many things recall may add to the next question. None if everything is shown already. */
function recallMax(reader: Reader, { branch, settings }: ContextLook): number {
  const { limit, acrossClear } = settings.recall
  if (limit === 0) return 0
  const policy = policyIn(reader, branch, settings)
  return automaticWithin(reader, branch, { policy, acrossClear }) === undefined ? 0 : limit
}
