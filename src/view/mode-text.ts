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
  /** Of the tools that its prompts tell of. */
  readonly tools: readonly string[]
  /** So many things may come back by themselves. */
  readonly recallMax: number
}

/** What a branch of its kind sees and may do, one thing a line. */
export function modeLines(reader: Reader, look: ModeLook): string[] {
  const { branch, settings, tools } = look
  const run = runIn(reader, branch.id) ?? null
  const job = runAbove(reader, branch.id) ?? null
  const offered = offeredIn({ mode: branch.mode, run: job, tools })
  const thinking = thinkingFor({ mode: branch.mode, run }, settings)
  return [
    fact('mode', modeWords(reader, branch, run)),
    fact('opens with', opening(branch, run)),
    fact('history', historyWords(reader, branch)),
    fact('updates', updatesWords(reader, branch)),
    fact('recall', recallWords(look, run)),
    fact('may call', offeredWords(tools, offered)),
    fact('model', `${modelFor(job, settings)}, ${thinkingWords(thinking)}`),
  ]
}

/** In the columns of the parts above it, without a size. */
export function fact(what: string, words: string): string {
  return `  ${what.padEnd(20)} ${words}`
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
  if (mode === 'main') return 'what the person writes'
  if (mode === 'fork') return '[fork-started] and what the person writes'
  if (mode === 'child') return '[fork-started] and its goal'
  return run === null ? 'its task' : `[${run.tag}:${run.job}], what it may do, and its task`
}

function historyWords(reader: Reader, { mode, parent, forkedAt }: Branch): string {
  if (parent === null) return 'all that was said here, across restarts'
  const event = reader.event(forkedAt)
  const base = event.kind === 'branch-created' ? event.base.from : 'nothing'
  if (base === 'nothing') return mode === 'child' ? 'none but its goal' : 'none but its task'
  const name = branchNames(reader)(parent)
  return base === 'parent' ? `${name} up to the fork` : `what the fork took of ${name}`
}

function updatesWords(reader: Reader, branch: Branch): string {
  if (!seesUpdates(reader, branch)) return 'none'
  const main = mainAbove(reader, branch.id)
  if (main === undefined) return 'none'
  if (main !== branch.id) return 'looked at; the main session is told of them too'
  const { length } = pendingUpdates(reader, main)
  return `told with the next message, once${length === 0 ? '' : ` (${length} waiting)`}`
}

function recallWords({ branch, recallMax, settings }: ModeLook, run: Run | null): string {
  if (branch.mode === 'child' || run?.isolated === true) return 'none comes by itself'
  if (recallMax > 0) return `up to ${thingsWords(recallMax)} join a question`
  return settings.recall.limit === 0 ? 'switched off' : 'nothing to add: all that counts is shown'
}

/** Shorter: what it may call, or what it may not. */
function offeredWords(tools: readonly string[], offered: readonly string[]): string {
  const others = tools.filter((tool) => !offered.includes(tool))
  if (others.length === 0) return 'all of these tools'
  if (offered.length === 0) return 'none of these tools'
  return others.length < offered.length ? `all but ${others.join(', ')}` : offered.join(', ')
}

function thinkingWords(thinking: Settings['thinking']): string {
  return typeof thinking === 'number' ? `thinking up to ${thinking} tokens` : `thinking ${thinking}`
}
