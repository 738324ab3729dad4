import { ageText } from '../../base/words.ts'
import { getBranch } from '../../context/branch.ts'
import type { EventOf } from '../../event/event.ts'
import type { BranchId, Position } from '../../event/id.ts'
import { jobText } from '../../event/job.ts'
import type { Reader, Writing } from '../../event/table.ts'
import type { Address } from '../../event/work.ts'
import {
  jobOfPing,
  openList,
  personPinged,
  pingAt,
  pingRow,
  pingsIn,
  type PingDecided,
} from '../state/ledger.ts'
import { nextAddress, pingAddress, type PingPlace } from './ping-place.ts'
import type { PingAccount } from './ping-account.ts'
import { runIn } from '../state/run.ts'
import { ownChoices, sayUnasked, type Saying } from '../state/outbox.ts'
import { mainAbove, mainOrSelf, personIn } from '../state/person.ts'

/** Pings that did not arrive are moved, or become updates of main, so that nothing is lost. */

export type Intent = EventOf<'delivery-intended'>

export interface Lifetime {
  readonly now: number
  readonly ttlMs: number
}

/** When a ping expires. One with a future time was decided by a wrong clock, and expires now. */
export function expiresAt({ at }: PingDecided, { now, ttlMs }: Lifetime): number {
  return at > now + ttlMs ? now : at + ttlMs
}

export function waitingIn(reader: Reader, delivery: Position): Position[] {
  const open = new Set(openList(reader, 'pings'))
  return pingsIn(reader, delivery).filter(
    (ping) => open.has(ping) && pingRow(reader, ping).delivery === delivery,
  )
}

export function intentAt(reader: Reader, delivery: Position): Intent {
  return reader.event(delivery) as Intent
}

/** The account at the time of the decision. */
export function accountOfPing(reader: Reader, decision: PingDecided): PingAccount {
  const { branch, run } = decision
  return {
    branch,
    main: mainOrSelf(reader, branch),
    run: run === null ? undefined : runIn(reader, run),
    job: jobOfPing(reader, decision),
    person: personPinged(reader, decision),
    mayPing: true,
    isAsked: false,
  }
}

export function addressOfPing(reader: Reader, decision: PingDecided, place: PingPlace): Address | undefined {
  return pingAddress(reader, accountOfPing(reader, decision), place)
}

/** Where a delivery's pings can be sent instead. Undefined: nowhere, or they answer somebody and stay. */
export function elsewhere(
  reader: Reader,
  { branch, to, number, position }: Intent,
  channels: ReadonlySet<string>,
): Address | undefined {
  const [ping] = waitingIn(reader, position)
  const main = mainAbove(reader, branch)
  if (ping === undefined || number === undefined || main === undefined) return undefined
  const decision = pingAt(reader, ping)
  const person = personPinged(reader, decision)
  const first = decision.delivery === null ? to : intentAt(reader, decision.delivery).to
  return nextAddress(reader, { main, person }, { first, current: to, channels })
}

/** Another conversation of the person that a branch belongs to, if there is one. */
export function otherAddress(
  reader: Reader,
  { branch, to, channels }: { branch: BranchId; to: Address; channels: ReadonlySet<string> },
): Address | undefined {
  const main = mainAbove(reader, branch)
  const account = main && { main, person: personIn(reader, main) }
  return account && nextAddress(reader, account, { first: to, current: to, channels })
}

/** Sends the same message to another address, with that conversation's next number. */
export function movePings(writing: Writing, intent: Intent, { to, at }: Pick<Saying, 'to' | 'at'>): void {
  const { branch, position } = intent
  const pings = waitingIn(writing, position)
  const hasJob = pings.some((ping) => jobOfPing(writing, pingAt(writing, ping)) !== undefined)
  const delivery = repeatPing(writing, intent, { to, at, hasJob, cause: pings.at(0) ?? null })
  for (const ping of pings)
    writing.append({ kind: 'ping-settled', branch, at, ping, outcome: 'moved', delivery })
}

/** Sends the message of a ping again. */
export function repeatPing(
  writing: Writing,
  { branch, text, turn, embed, choices = [] }: Intent,
  again: Pick<Parameters<typeof sayUnasked>[1], 'to' | 'at' | 'hasJob' | 'cause'>,
): Position {
  const card = { ...(embed !== undefined && { embed }), choices: ownChoices(choices) }
  return sayUnasked(writing, { branch, form: 'ping', text, turn, ...card, ...again })
}

interface Loss {
  readonly at: number
  readonly outcome: 'failed' | 'expired'
  /** Completes the sentence "A message to the person …". */
  readonly why: string
}

export function tooLate(ttlMs: number): string {
  return `did not arrive within ${ageText(ttlMs)}`
}

/** Gives the tokens back and reports the texts to main (PING2). */
export function losePings(writing: Writing, pings: readonly Position[], loss: Loss): void {
  const { at, outcome } = loss
  const byBranch = Map.groupBy(
    pings.map((ping) => pingAt(writing, ping)),
    ({ branch }) => branch,
  )
  for (const [branch, lost] of byBranch) {
    for (const { position: ping } of lost)
      writing.append({ kind: 'ping-settled', branch, at, ping, outcome, delivery: null })
    tellMain(writing, lost, loss)
  }
}

function tellMain(writing: Writing, lost: readonly PingDecided[], { at, why }: Loss): void {
  const [first] = lost
  const main = first && mainAbove(writing, first.branch)
  if (first === undefined || main === undefined) return
  const texts = [...new Set(lost.map((decision) => wholeText(writing, decision)))]
  const text = `A message to the person ${why}: ${texts.join('\n\n')}`
  const author = { by: 'policy', name: 'pings' } as const
  // Not from the run, which may still owe its own report.
  const facts = { source: sourceOf(writing, first), text, from: main, author, key: null }
  writing.append({ kind: 'update-reported', branch: main, at, ...facts })
}

function wholeText(reader: Reader, { held, of, delivery, text }: PingDecided): string {
  const before = of === undefined ? undefined : pingAt(reader, of).held
  const sent = delivery === null ? undefined : intentAt(reader, delivery).text
  return held?.text ?? before?.text ?? sent ?? text
}

function sourceOf(reader: Reader, decision: PingDecided): string {
  const job = jobOfPing(reader, decision)
  if (job !== undefined) return jobText(job)
  return getBranch(reader, decision.branch).mode === 'main' ? 'main' : 'a branch'
}
