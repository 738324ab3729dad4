import { timeText } from '../../base/time-text.ts'
import { counted, sentence } from '../../base/words.ts'
import { getBranch, workOf } from '../../context/branch.ts'
import type { Event, Placed } from '../../event/event.ts'
import { handleOf, type BranchId, type Position } from '../../event/id.ts'
import type { Reader, Writing } from '../../event/table.ts'
import type { Notice } from '../../event/work.ts'
import type { ModelError } from '../../model/contract/model.ts'
import { say } from '../state/outbox.ts'
import type { AgentSettings } from '../state/settings.ts'
import type { Written } from './summariser.ts'
import { EXTRACT } from './summarising.ts'
import { addressNear, boundTo } from '../state/person.ts'

/** `Summarized 62 older messages (480 tokens, key sentences only).` */
export function sayCompaction(messages: number, summaries: readonly Written[]): string {
  const tokens = summaries.reduce((sum, one) => sum + one.tokens, 0)
  const why = summaries.find(({ insteadOf }) => insteadOf !== undefined)?.insteadOf
  const instead = why === undefined ? '' : `; no model could: ${why.message}`
  const writers = writersOf(summaries)
  const how = writers === EXTRACT ? 'key sentences only' : `by ${writers}`
  return `Summarized ${counted(messages, 'older message')} (${tokens} tokens, ${how}${instead}).`
}

export function writersOf(summaries: readonly Written[]): string {
  return [...new Set(summaries.map(({ writer }) => writer))].join(', ')
}

export const HOW_TO_EXPAND = '/expand or /undo brings them back.'

export function tellCompaction(writing: Writing, { text, ...notice }: Placed & { text: string }): void {
  tellTerminal(writing, notice, {
    notice: 'compacted',
    here: `${text} ${HOW_TO_EXPAND}`,
    elsewhere: (handle) => `${handle}: ${text} /switch ${handle}, and ${HOW_TO_EXPAND}`,
  })
}

/** Told once, when the trouble begins; /context and status show it while it lasts. */
export function tellTrouble(
  writing: Writing,
  { error, settings, ...notice }: Placed & { error: ModelError; settings: AgentSettings },
): void {
  const { at } = notice
  const { compactionModel, window, zone } = settings
  const { nextTryAt = 0 } = error
  // The error's own text gives the next try in a form for operators.
  const why =
    error.reason === 'circuit-open'
      ? `${compactionModel} failed too often, so it is not called for a while`
      : error.message
  const from = nextTryAt > at ? `, from ${timeText(nextTryAt, { now: at, zone })} on` : ''
  const next =
    `Nothing was changed. I'll try again after more messages${from}; ` +
    `beyond ${window.truncationMessages} messages, key sentences are used instead. /context shows whether it still fails.`
  tellTerminal(writing, notice, {
    notice: 'compaction-failed',
    here: `Could not summarize the older messages: ${sentence(why)} ${next}`,
    elsewhere: (handle) => `Could not summarize the older messages of ${handle}: ${sentence(why)} ${next}`,
  })
}

/** The terminal is always told; other channels are told with a later answer. */
function tellTerminal(
  writing: Writing,
  { branch, at }: Placed,
  text: { readonly notice: Notice; readonly here: string; elsewhere(handle: string): string },
): void {
  const to = addressNear(writing, branch)
  if (to?.channel !== 'terminal') return
  // The named commands act on the branch that the person is in.
  const words = boundTo(writing, to) === branch ? text.here : text.elsewhere(handleOf(branch))
  // Pipes print what a turn remarks to standard error, apart from the answers.
  const turn = workOf(getBranch(writing, branch))?.turn ?? null
  say(writing, { branch, at, to, notice: text.notice, text: words, turn, cause: null })
}

/** While summaries fail, every answer is followed by another failed try: the newest is near the log's end. */
const LOOK_BACK_EVENTS = 1_000

/** Branches whose newest summary could not be written, with the time of that try. */
export function summaryTroubles(reader: Reader, compactionModel: string): ReadonlyMap<BranchId, number> {
  const troubles = new Map<BranchId, number>()
  const settled = new Set<BranchId>()
  const first = Math.max(1, reader.end - LOOK_BACK_EVENTS + 1)
  for (let position = reader.end; position >= first; position--) {
    const event = reader.event(position as Position)
    const trouble = settled.has(event.branch) ? undefined : troubleIn(event, compactionModel)
    if (trouble === undefined) continue
    settled.add(event.branch)
    if (trouble === 'fails') troubles.set(event.branch, event.at)
  }
  return troubles
}

/** An event's news of the summariser. A changed context, or one no longer summed up by itself, ends the trouble. */
function troubleIn(event: Event, compactionModel: string): 'fails' | 'no-trouble' | undefined {
  switch (event.kind) {
    case 'compaction-abandoned':
      return event.because === 'writer-failed' ? 'fails' : 'no-trouble'
    case 'context-compacted':
      // An extract that stands in says nothing about the model.
      return event.writer === EXTRACT && compactionModel !== 'offline' ? undefined : 'no-trouble'
    case 'branch-ended':
    case 'context-cleared':
    case 'context-undone':
    case 'context-redone':
    case 'policy-set':
      return 'no-trouble'
    default:
      return undefined
  }
}

/** One line for the people who look. */
export function sayTrouble({ what, time }: Record<'what' | 'time', string>): string {
  return `The last try to summarize the ${what} failed (${time}). /compact tries again and shows the error.`
}
