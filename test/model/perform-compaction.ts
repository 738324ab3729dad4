import { getBranch } from '../../src/context/branch.ts'
import { compact } from '../../src/context/compaction.ts'
import { isRefusal } from '../../src/context/decision.ts'
import { tokensShown } from '../../src/context/part.ts'
import { listOf } from '../../src/context/version.ts'
import {
  dueCompaction,
  hugeMessage,
  type CompactionDue,
  type WindowQuestion,
} from '../../src/context/window.ts'
import type { Writing } from '../../src/event/table.ts'
import { compact as compactNaively } from './naive-compaction.ts'
import { dueCompaction as dueNaively, type NaiveDue } from './naive-window.ts'
import type { Operation, Window } from './operations.ts'
import { agree, carryOut, Disagreement, type Trial, type Waiting } from './trial.ts'

type CompactionOperation = Extract<Operation, { do: 'compact' | 'plan' | 'commit' | 'due' }>

export function performCompaction(trial: Trial, writing: Writing, operation: CompactionOperation): void {
  if (operation.do === 'due') return performDue(trial, writing, operation)
  if (operation.do === 'commit') {
    const plan = trial.plans.at(operation.plan % Math.max(1, trial.plans.length))
    if (plan === undefined) return
    trial.plans = trial.plans.filter((other) => other !== plan)
    commit(trial, writing, plan)
    return
  }
  const plan = trial.plan(writing, trial.live(operation.branch), operation.keep)
  if (plan === undefined) return
  if (operation.do === 'plan') trial.plans = [...trial.plans, plan]
  else commit(trial, writing, plan)
}

function commit(trial: Trial, writing: Writing, { real, naive, tokens }: Waiting): void {
  const texts = tokens.map((each) => ({ text: trial.name('s'), tokens: each }))
  const act = { ...trial.acted(naive.branch), author: { by: 'policy', name: 'window' } as const }
  const decision = compact(writing, {
    ...act,
    covered: real.covered,
    isWhole: real.isWhole,
    texts,
    writer: 'extract',
  })
  const expected = compactNaively(trial.naive, naive, texts)
  const isAbandoned = !isRefusal(decision) && decision.draft.kind === 'compaction-abandoned'
  agree(carryOut(writing, decision), expected !== false, 'commit')
  if (isAbandoned) trial.note('abandoned')
  if (isAbandoned === (expected === 'abandoned')) return
  throw new Disagreement(
    `commit: the code ${isAbandoned ? 'abandoned it' : 'did it'}, the naive model did not`,
  )
}

function performDue(
  trial: Trial,
  writing: Writing,
  { branch, window, demand, later = false }: Extract<Operation, { do: 'due' }>,
): void {
  const number = trial.live(branch)
  const question = { branch: trial.id(number), ...questionOf(window), ...(demand && { demand }) }
  const real = dueCompaction(writing, question)
  const naive = dueNaively(trial.naive, number, question)
  sameDue(real, naive)
  trial.note(typeof naive === 'string' ? naive : (demand ?? naive.because))
  if (real.kind !== 'due' || typeof naive === 'string') return
  checkLengths(writing, question, { naive, lengths: real.summaryTokens })
  // Some summaries are as long as allowed, some are short.
  const tokens = real.summaryTokens.map((most) => (trial.weight() === 1 ? 1 : most))
  const waiting: Waiting = { real: real.plan, naive: naive.plan, tokens }
  if (later) {
    trial.plans = [...trial.plans, waiting]
    return
  }
  if (naive.plan.spared.length > 0) trial.note('within a turn')
  if (naive.mayExtract) trial.note('may extract')
  if (naive.isHuge) trial.note('huge')
  if (naive.plan.isWhole) trial.note('whole')
  if (!naive.plan.fits) trial.note('does not fit')
  commit(trial, writing, waiting)
  checkDone(writing, question, naive)
}

/** Summaries of full length free a tenth of what is shown; if the prompt must fit, they free something. */
function checkLengths(
  writing: Writing,
  { branch, rules, demand }: WindowQuestion,
  { naive, lengths }: { naive: NaiveDue; lengths: readonly number[] },
): void {
  const shown = tokensShown(writing, listOf(writing, getBranch(writing, branch)))
  const covered = naive.plan.parts.reduce((sum, part) => sum + part.tokens, 0)
  const freed = covered - lengths.reduce((sum, length) => sum + length, 0)
  const isRight = lengths.every((length) => length >= 1 && length <= (rules.summaryTokensMax ?? 500))
  if (isRight && freed > 0 && (demand === 'must-fit' || freed * 10 >= shown)) return
  throw new Disagreement(`summaries of ${lengths.join(' and ')} tokens for ${covered} of ${shown}`)
}

function questionOf(window: Window): Pick<WindowQuestion, 'rules' | 'room'> {
  const { policy, keep, threshold, truncation, share, history, summary, fixed, context } = window
  const rules = {
    policy,
    windowMessages: keep,
    thresholdMessages: keep + threshold,
    truncationMessages: keep + threshold + truncation,
    shareMin: share,
    historyTokensMax: history,
    summaryTokensMax: summary,
  }
  return { rules, room: { fixedTokens: fixed, contextTokens: context } }
}

function sameDue(real: CompactionDue, naive: NaiveDue | string): void {
  const said = real.kind === 'due' ? wordsOf(real, real.plan.parts.length) : nothing(real)
  const expected = typeof naive === 'string' ? naive : wordsOf(naive, naive.plan.parts.length)
  if (said !== expected) throw new Disagreement(`due: the code says ${said}, the naive model ${expected}`)
}

function wordsOf({ because, mayExtract }: Pick<NaiveDue, 'because' | 'mayExtract'>, parts: number): string {
  return `${because}, ${parts} parts${mayExtract ? ', or an extract' : ''}`
}

function nothing(real: Exclude<CompactionDue, { kind: 'due' }>): string {
  return real.kind === 'refused' ? 'refused' : real.because
}

/** After a compaction the list fits if it can, and nothing is due again until something is said. */
function checkDone(writing: Writing, question: WindowQuestion, { plan, isHuge: wasHuge }: NaiveDue): void {
  const { room, branch, demand } = question
  const tokens = room.fixedTokens + tokensShown(writing, listOf(writing, getBranch(writing, branch)))
  const tooMany = tokens > (room.contextTokens * 3) / 4
  if (plan.fits && tooMany)
    throw new Disagreement(`${tokens} tokens after a compaction, which could have fit`)
  // A prompt refused again is different: it must become shorter still.
  if (demand === 'must-fit') return
  // Of what is left, another message may take most; and a cut right behind a huge one leaves what a later cut may cover.
  const isHuge = () => hugeMessage(writing, getBranch(writing, branch), question.rules) !== undefined
  if (demand === 'by-person' && (wasHuge || isHuge())) return
  const again = dueCompaction(writing, question)
  if (again.kind === 'due') throw new Disagreement(`due again at once, because of ${again.because}`)
}
