import { getBranch } from '../../context/branch.ts'
import type { CompactionPlan } from '../../context/compaction.ts'
import { freedBy, tokensShown } from '../../context/part.ts'
import { textsOf, type PartText } from '../../context/part-text.ts'
import { listOf } from '../../context/version.ts'
import {
  dueCompaction,
  hugeMessage,
  type CompactionDue,
  type NotDue,
  type WindowQuestion,
} from '../../context/window.ts'
import type { BranchId, Position } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { ModelError } from '../../model/contract/model.ts'
import { modelFor, runAbove } from '../state/run.ts'
import type { Tail } from '../contract/effects.ts'
import { fixedTokens } from './prompt-size.ts'
import { policyIn, type AgentSettings } from '../state/settings.ts'
import { modelNamed, type World } from '../contract/world.ts'

export interface Place {
  readonly branch: BranchId
  readonly settings: AgentSettings
  /** The context size of the model that answers here. */
  readonly contextTokens: number
  /** The tail of the running turn. */
  readonly tail: Tail
}

/** Whether there are more messages than one prompt may have, and some of them can be summed up. */
export function isTooMany(reader: Reader, place: Place): boolean {
  const due = dueCompaction(reader, windowQuestion(reader, place))
  return due.kind === 'due' && due.because === 'truncation'
}

/** Whether the window would make room now, and cannot: one message takes most of it, and it is too new. */
export function isStuckOnOne(reader: Reader, place: Place): boolean {
  const question = windowQuestion(reader, place)
  const due = dueCompaction(reader, question)
  const isStuck =
    due.kind === 'nothing' && (due.because === 'frees-too-little' || due.because === 'nothing-to-cover')
  return isStuck && hugeMessage(reader, getBranch(reader, place.branch), question.rules) !== undefined
}

/** The branch as a question to the window: its rules, and how much room there is. */
function windowQuestion(reader: Reader, { branch, settings, contextTokens, tail }: Place): WindowQuestion {
  const rules = { ...settings.window, policy: policyIn(reader, branch, settings) }
  const fixed = fixedTokens(reader, { branch, answerTokens: settings.chat.tokensMax, tail })
  return { branch, rules, room: { fixedTokens: fixed, contextTokens } }
}

export interface Wanted {
  readonly branch: BranchId
  /** `by-person`: somebody asked for it. `must-fit`: otherwise the prompt does not fit. */
  readonly demand?: 'by-person' | 'must-fit'
  /** The tail of the turn that waits for room: it takes some too. */
  readonly tail?: Tail
  /** The policy's last try, if it cost money and achieved nothing. */
  readonly vain?: VainTry
}

/** The state of a branch when a try achieved nothing. */
export interface VainTry {
  readonly outcome: 'abandoned' | 'failed'
  readonly version: Position
  readonly tokens: number
}

/** Messages to sum up, and how long the summary may be. */
export interface PartToWrite {
  readonly text: PartText
  readonly tokensMax: number
}

type Due = Extract<CompactionDue, { kind: 'due' }>
export type PartsDue =
  | Exclude<CompactionDue, Due>
  | (Due & { readonly parts: readonly PartToWrite[]; readonly contextTokens: number })

/** The parts to sum up now, if any. */
export function partsDue(world: World, reader: Reader, wanted: Wanted): PartsDue {
  const settings = world.settings()
  const model = modelNamed(world, modelFor(runAbove(reader, wanted.branch) ?? null, settings))
  const contextTokens = model instanceof ModelError ? UNKNOWN_TOKENS : model.contextTokens
  const question = questionOf(reader, wanted, { settings, contextTokens })
  const due = dueCompaction(reader, question)
  if (due.kind !== 'due') return due
  if (isVain(reader, wanted, due)) return { kind: 'nothing', because: 'tried-in-vain' }
  const useless = wanted.demand === 'must-fit' ? tooLittle(reader, question, due.plan) : undefined
  if (useless !== undefined) return useless
  const parts = due.plan.parts.map((part, index) => {
    return { text: textsOf(reader, part), tokensMax: due.summaryTokens[index] as number }
  })
  return { ...due, parts, contextTokens }
}

/** Whether the person held off or forbade what the policy began, while the summary was being written. */
export function isUnwanted(reader: Reader, wanted: Wanted, limits: Limits): boolean {
  if (wanted.demand !== undefined) return false
  const due = dueCompaction(reader, questionOf(reader, wanted, limits))
  return due.kind === 'nothing' && (due.because === 'explicit' || due.because === 'held-off')
}

type Limits = Pick<Place, 'settings' | 'contextTokens'>

function questionOf(reader: Reader, { branch, demand, tail = null }: Wanted, limits: Limits): WindowQuestion {
  return { ...windowQuestion(reader, { branch, tail, ...limits }), ...(demand !== undefined && { demand }) }
}

/** Larger than any prompt: if the model cannot be opened, the call itself will say so. */
const UNKNOWN_TOKENS = Number.MAX_SAFE_INTEGER

/** A context that grew by less would be summed up, and paid for, in vain again. */
const GROWTH = 1.1

function isVain(reader: Reader, { branch, vain, demand }: Wanted, { mayExtract }: Due): boolean {
  if (vain === undefined || demand !== undefined) return false
  // After a failed model, an extract can stand in now.
  if (vain.outcome === 'failed' && mayExtract) return false
  const now = vainTry(reader, branch, vain.outcome)
  return now.version === vain.version && now.tokens < GROWTH * vain.tokens
}

/** Recorded so that a later check can see whether the context has grown. */
export function vainTry(reader: Reader, branch: BranchId, outcome: VainTry['outcome']): VainTry {
  const now = getBranch(reader, branch)
  return { outcome, version: now.version, tokens: tokensShown(reader, listOf(reader, now)) }
}

/** If it cannot fit however short the summaries are, nothing is changed: the person has to decide. */
function tooLittle(
  reader: Reader,
  { branch, room }: WindowQuestion,
  { parts }: CompactionPlan,
): NotDue | undefined {
  const list = listOf(reader, getBranch(reader, branch))
  const tokens = room.fixedTokens + tokensShown(reader, list)
  const frees = freedBy(reader, parts, 0)
  if (tokens - frees.tokens <= room.contextTokens) return undefined
  return { kind: 'nothing', because: 'frees-too-little', frees, of: { messages: frees.messages, tokens } }
}
