import { offeredIn } from '../agent/right/gating.ts'
import { modelFor, runAbove, runIn, thinkingFor, type Run } from '../agent/state/run.ts'
import type { AgentSettings } from '../agent/state/settings.ts'
import { pendingUpdates, seesUpdates } from '../agent/state/updates.ts'
import type { Branch } from '../context/branch.ts'
import { branchNames } from '../context/naming.ts'
import type { Settings } from '../event/prompt.ts'
import type { Reader } from '../event/table.ts'
import { thingsWords } from './recalled.ts'
import { mainAbove } from '../agent/state/person.ts'

export interface ModeLook {
  readonly branch: Branch
  readonly settings: AgentSettings
  /** Names of the tools in its prompts. */
  readonly tools: readonly string[]
  /** How many things may be recalled automatically. */
  readonly recallMax: number
}

/** What a branch of its kind sees and may do. */
export function modeFacts(reader: Reader, look: ModeLook): Readonly<Record<string, string>> {
  const { branch, settings, tools } = look
  const run = runIn(reader, branch.id) ?? null
  const job = runAbove(reader, branch.id) ?? null
  const offered = offeredIn({ mode: branch.mode, run: job, tools })
  const thinking = thinkingFor({ mode: branch.mode, run }, settings)
  return {
    mode: modeWords(reader, branch, run),
    'opens with': opening(branch, run),
    history: historyWords(reader, branch),
    updates: updatesWords(reader, branch),
    recall: recallWords(look, run),
    'may call': offeredWords(tools, offered),
    model: `${modelFor(job, settings)}, ${thinkingWords(thinking)}`,
  }
}

function modeWords(reader: Reader, { mode, parent }: Branch, run: Run | null): string {
  const above = parent === null ? 'nothing' : branchNames(reader)(parent)
  switch (mode) {
    case 'main':
      return 'the main session'
    case 'fork':
      return `interactive fork of ${above}`
    case 'child':
      return `child of ${above}`
    case 'background':
      return `background run, ${run?.isolated === true ? 'isolated' : `forked off ${above}`}`
  }
}

function opening({ mode }: Branch, run: Run | null): string {
  if (mode === 'main') return 'your messages'
  if (mode === 'fork') return '[fork-started] and your messages'
  if (mode === 'child') return '[fork-started] and its goal'
  return run === null ? 'its task' : `[${run.tag}:${run.job}], what it may do, and its task`
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
