import { getBranch } from '../../context/branch.ts'
import { messagesBack } from '../../context/message-index.ts'
import { tokensShown } from '../../context/part.ts'
import { listAtVersion, listOf } from '../../context/version.ts'
import type { EventOf } from '../../event/event.ts'
import type { TurnId } from '../../event/id.ts'
import type { Items } from '../../event/item.ts'
import type { Settings } from '../../event/prompt.ts'
import type { Reader, Writing } from '../../event/table.ts'
import { whoAsked } from '../state/asker.ts'
import type { RunningTurn } from './begin.ts'
import type { Place } from '../compaction/compaction-due.ts'
import { modelFor } from '../state/run.ts'
import { fixedTokens } from '../compaction/prompt-size.ts'
import { say } from '../state/outbox.ts'
import { policyIn } from '../state/policy.ts'
import { contentOf } from '../state/setup.ts'
import { modelCallTable } from '../state/tables.ts'

export interface Filling extends Place {
  readonly running: RunningTurn
  readonly call: number
  readonly at: number
}

/** A context is nearly full from this share of the model's context on. */
const NEAR_SHARE = 0.9

/** Where nothing leaves by itself, tells whoever talks what to do before nothing fits; once, until that changes. */
export function tellNearLimit(writing: Writing, filling: Filling): void {
  const { branch, running, at, settings, contextTokens } = filling
  if (policyIn(writing, branch, settings) !== 'explicit') return
  const now = getBranch(writing, branch)
  const tokens = tokensWith(writing, filling, listOf(writing, now))
  if (tokens < NEAR_SHARE * contextTokens) return
  const to = whoAsked(writing, now)
  if (to === undefined || wasNear(writing, filling)) return
  const full = `${Math.floor((tokens / contextTokens) * 100)} %`
  const text =
    `The context is ${full} full: about ${tokens} of the ${contextTokens} tokens that ${modelFor(running.job, settings)} takes. ` +
    'Older messages are not summarized automatically here. /compact sums up the older part, /rewind MARK or /clear takes it out, ' +
    'and /undo brings it back. /context shows what is in it.'
  say(writing, { branch, at, to, form: 'notice', text, turn: running.turn, cause: null })
}

/** Whether the previous prompt had the same list and model and was nearly full too: then it was already said. */
function wasNear(reader: Reader, filling: Filling): boolean {
  const { branch, settings, contextTokens } = filling
  const before = callBefore(reader, filling)
  if (before === undefined || before.version !== getBranch(reader, branch).version) return false
  const { model } = JSON.parse(contentOf(reader, before.settings)) as Settings
  if (model !== modelFor(filling.running.job, settings)) return false
  const list = listAtVersion(reader, before.version, before.head)
  const tail = before.tail && { text: contentOf(reader, before.tail.text) }
  return tokensWith(reader, { branch, settings, tail }, list) >= NEAR_SHARE * contextTokens
}

/** Roughly the tokens of a prompt with this list, its answer included. */
function tokensWith(
  reader: Reader,
  { branch, settings, tail }: Pick<Filling, 'branch' | 'settings' | 'tail'>,
  list: Items,
): number {
  return (
    fixedTokens(reader, { branch, answerTokens: settings.chat.tokensMax, tail }) + tokensShown(reader, list)
  )
}

function callBefore(reader: Reader, { running, call }: Filling): EventOf<'model-called'> | undefined {
  if (call > 1) return callAt(reader, running.turn, call - 1)
  const isEarlier = (turn: TurnId | null): boolean => turn !== null && turn !== running.turn
  const turn = messagesBack(reader, running.branch).find((one) => isEarlier(one.turn))?.turn ?? null
  return turn === null ? undefined : callAt(reader, turn, Number.MAX_SAFE_INTEGER)
}

/** The call with this number, or the last one before it. */
function callAt(reader: Reader, turn: TurnId, call: number): EventOf<'model-called'> | undefined {
  const stretch = { prefix: [turn], to: call, order: 'down', limit: 1 } as const
  const [row] = reader.rows(modelCallTable, stretch)
  const event = row && reader.event(row.position)
  return event?.kind === 'model-called' ? event : undefined
}
