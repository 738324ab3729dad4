import { clockIn } from '../base/time-text.ts'
import { sayTrouble, summaryTroubles } from '../agent/compaction/compaction-notice.ts'
import { promptTokens } from '../agent/compaction/prompt-size.ts'
import { policyIn } from '../agent/state/policy.ts'
import { changeName } from '../agent/branch/context-acts.ts'
import { unreadMail } from '../agent/state/mail.ts'
import { memoryIn } from '../agent/state/memory.ts'
import type { AgentSettings } from '../agent/state/settings.ts'
import { modelFor, runAbove } from '../agent/state/run.ts'
import { contentOf, setupOf } from '../agent/state/setup.ts'
import { estimateTokens } from '../base/tokens.ts'
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
import { fact, modeLines, type ModeLook } from './mode-text.ts'
import { pieceWords, recalledLast, thingsWords } from './recalled.ts'
import { tokenWords } from './words.ts'

const BAR_WIDTH = 40

export interface ContextLook {
  readonly branch: BranchId
  readonly settings: AgentSettings
  /** What the model can take. */
  readonly tokensMax: number
}

/** What the model would see now: how large each part is, which ranges, which marks, what is summarised. */
export function contextText(reader: Reader, look: ContextLook): string {
  const branch = getBranch(reader, look.branch)
  const { zone } = look.settings
  const items = listOf(reader, branch)
  const total = promptTokens(reader, branch.id)
  const marks = marksOf(reader, branch)
  const undoable = changeToUndo(reader, branch)
  return [
    `What ${modelIn(reader, look)} would see now in ${branchNames(reader)(branch.id)}:`,
    '',
    `${bar(total, look.tokensMax)} ${tokenWords(total)} of ${tokenWords(look.tokensMax)} tokens`,
    '',
    ...setupLines(reader, branch.id),
    ...(items.length === 0
      ? [line('messages', 'none', 0)]
      : items.map((item) => itemLine(reader, item, zone))),
    ...mailLines(reader, branch.id),
    '',
    ...modeLines(reader, modeLook(reader, look)),
    ...lastRecallLines(reader, branch.id),
    '',
    marks.length === 0 ? 'No marks.' : `Marks: ${marks.map(({ name }) => name).join(', ')}`,
    undoable === undefined ? 'Nothing to undo.' : `/undo would take back: ${changeName(reader, undoable)}.`,
    ...(policyIn(reader, look) === 'explicit' ? ['Policy: explicit. Nothing leaves but by command.'] : []),
    ...troubleLines(reader, look),
  ].join('\n')
}

function troubleLines(reader: Reader, { branch, settings }: ContextLook): string[] {
  const failedAt = summaryTroubles(reader, settings.compactionModel).get(branch)
  if (failedAt === undefined) return []
  const { date, time } = clockIn(failedAt, settings.zone)
  return [sayTrouble({ what: 'older messages', time: `${date} ${time}` })]
}

function bar(tokens: number, max: number): string {
  const full = Math.min(BAR_WIDTH, Math.ceil((tokens / Math.max(1, max)) * BAR_WIDTH))
  return `${'▓'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)}`
}

/** The model that a branch asks. */
export function modelIn(
  reader: Reader,
  { branch, settings }: { readonly branch: BranchId; readonly settings: AgentSettings },
): string {
  return modelFor(runAbove(reader, branch) ?? null, settings)
}

function setupLines(reader: Reader, branch: BranchId): string[] {
  const setup = setupOf(reader, branch)
  if (setup === undefined) return []
  const system = contentOf(reader, setup.system)
  const tools = contentOf(reader, setup.tools)
  const what = system === '' ? 'empty' : `${systemWords(reader, branch, system)}, ${system.length} characters`
  return [
    line('system', what, estimateTokens(system)),
    line('tools', toolNames(reader, branch).join(', ') || 'none', estimateTokens(tools)),
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

function modeLook(reader: Reader, look: ContextLook): ModeLook {
  const { branch, settings } = look
  const tools = toolNames(reader, branch)
  return { branch: getBranch(reader, branch), settings, tools, recallMax: recallMax(reader, look) }
}

function itemLine(reader: Reader, item: Item, zone: string): string {
  if (!isSummary(item)) {
    const of = `${messageWords(countMessages(reader, item))} of ${branchNames(reader)(item.src)}, log ${item.from}–${item.to}`
    return line('messages', of, countTokens(reader, item))
  }
  return line('summary', summaryWords(reader, item, zone), summaryAt(reader, item).tokens)
}

/** `of 62 messages (4.1k tokens), by extract, 2026-03-01 09:30` */
function summaryWords(reader: Reader, item: SummaryRef, zone: string): string {
  const ranges = flatten(reader, item)
  const messages = ranges.reduce((sum, range) => sum + countMessages(reader, range), 0)
  const tokens = ranges.reduce((sum, range) => sum + countTokens(reader, range), 0)
  const event = reader.event(item.summary)
  const writer = event.kind === 'context-compacted' ? event.writer : ''
  const { date, time } = clockIn(event.at, zone)
  const words = `${messageWords(messages)} (${tokenWords(tokens)} tokens)`
  return `of ${words}, by ${writer}, ${date} ${time}`
}

function messageWords(count: number): string {
  return count === 1 ? '1 message' : `${count} messages`
}

/** How many things may join the branch's next question by themselves; none where all that counts is shown. */
export function recallMax(reader: Reader, { branch, settings }: ContextLook): number {
  const { limit, acrossClear } = settings.recall
  if (limit === 0) return 0
  const policy = policyIn(reader, { branch, settings })
  return automaticWithin(reader, branch, { policy, acrossClear }) === undefined ? 0 : limit
}

function lastRecallLines(reader: Reader, branch: BranchId): string[] {
  const recalled = recalledLast(reader, branch)
  if (recalled === undefined) return []
  const { text, pieces } = recalled
  const size = `${thingsWords(pieces.length)}, ${tokenWords(estimateTokens(text))} tokens`
  return ['', `With the last question came ${size}:`, ...pieces.map((piece) => `  ${pieceWords(piece)}`)]
}

/** Said at the end of the next prompt. */
function mailLines(reader: Reader, branch: BranchId): string[] {
  const unread = unreadMail(reader, branch).length
  return unread === 0 ? [] : [fact('mail', `${unread} unread; /check-mail shows it`)]
}

function line(part: string, what: string, tokens: number): string {
  return `  ${part.padEnd(12)} ${tokenWords(tokens).padStart(6)}  ${what}`
}
