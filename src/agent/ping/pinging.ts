import { getBranch } from '../../context/branch.ts'
import type { BranchId, Position, TurnId } from '../../event/id.ts'
import type { PingReason } from '../../event/run.ts'
import type { Reader, Writing } from '../../event/table.ts'
import type { Address, Choice } from '../../event/work.ts'
import { type Actor, type Planned, type PlannedCall, ok, refusal } from '../contract/act.ts'
import { askedIn, causeOf } from '../state/asker.ts'
import { budgetNow } from './budget-now.ts'
import { pingAt, pingRow, type PingDecided } from '../state/ledger.ts'
import { accountOf, type PingAccount } from './ping-account.ts'
import { writePing, type PingContent } from './ping-line.ts'
import { obstacleFor, pauseNow } from './ping-obstacle.ts'
import { pingAddress } from './ping-place.ts'
import { heldWords, sentWords, whyNot } from './ping-result.ts'
import type { AgentSettings } from '../state/settings.ts'
import { newest } from '../state/newest.ts'
import { say, sayUnasked, type Saying } from '../state/outbox.ts'
import { hasToken } from '../state/ping-budget.ts'

/** A message that a model wants to send to the person now. */
export interface Ping extends PingContent {
  readonly what: PingDecided['what']
  readonly isCritical: boolean
  /** It may wait until the person is free. */
  readonly isPatient: boolean
  readonly choices?: readonly Choice[]
}

/** A call with the ping it asks for, or with what is wrong with its arguments. */
type Wanted = Pick<Planning, 'call'> & { readonly ping: Ping | string }

/** All critical pings of a step in one message, so that the person is woken once. */
interface Shared {
  readonly content: PingContent
  delivery?: Position
}

/** Decides the calls of a step. Every ping has its own ledger line, even if several share a message (PING4). */
export function planPings(writing: Writing, actor: Actor, wanted: readonly Wanted[]): Planned[] {
  const critical = wanted.flatMap(({ call, ping }) =>
    typeof ping !== 'string' && ping.isCritical && call.bad === undefined ? [ping] : [],
  )
  const shared: Shared = { content: inOne(critical) }
  return wanted.map(({ call, ping }) =>
    typeof ping === 'string'
      ? { said: refusal(call.bad ?? ping) }
      : planPing(writing, actor, { call, ping, shared }),
  )
}

/** Whether a ping would be refused for a token that comes back if a send on its way fails. */
export function awaitsToken(reader: Reader, actor: Actor, wanted: readonly Wanted[]): boolean {
  const { at: now, settings } = actor
  const account = accountOf(reader, actor.branch)
  const { available, lent } = budgetNow(reader, account.person, { now, settings })
  const most = lent.reduce((sum, { tokens }) => sum + tokens, available)
  if (lent.length === 0 || !hasToken({ available: most })) return false
  const to = addressFor(reader, account, settings)
  return wanted.some(({ call, ping }) => {
    if (typeof ping === 'string' || call.bad !== undefined) return false
    return decide(reader, account, { ping, to, now, settings, isShared: false }).because === 'budget'
  })
}

/** Several pings become one text; the text of a card includes its answers, so nothing is lost. */
export function inOne(pings: readonly PingContent[]): PingContent {
  const [first, ...others] = pings
  return first !== undefined && others.length === 0
    ? first
    : { text: pings.map(({ text }) => text).join('\n\n') }
}

interface Planning {
  readonly call: PlannedCall
  readonly ping: Ping
  readonly shared: Shared
}

function planPing(writing: Writing, actor: Actor, { call, ping, shared }: Planning): Planned {
  const { at, settings } = actor
  const { turn } = call.step
  const account = accountOf(writing, actor.branch)
  const to = addressFor(writing, account, settings)
  // A call that the host refused is in the ledger too.
  const decision: Decision =
    call.bad === undefined
      ? decide(writing, account, { ping, to, now: at, settings, isShared: shared.delivery !== undefined })
      : { verdict: 'refused', because: 'not-allowed', until: null }
  const { verdict, because } = decision
  const cause = causeOf(writing, getBranch(writing, account.branch))
  const delivery =
    verdict === 'sent' && to !== undefined
      ? send(writing, account, { call, ping, to, at, turn, because, shared, cause })
      : null
  const before = lastOf(writing, account)
  const { what, isCritical } = ping
  const line = { account, at, settings, turn, what, isCritical, verdict, because, before, delivery }
  writePing(writing, { ...line, content: ping })
  if (verdict === 'sent') return { said: ok(sentWords(account)) }
  if (verdict === 'held') return { said: ok(heldWords(account, { because, settings })) }
  return { said: refusal(call.bad ?? whyNot(writing, account, { ...decision, now: at, settings })) }
}

/** The person who asked is answered where they asked; pings nobody asked for go to the person's usual place. */
function addressFor(reader: Reader, account: PingAccount, settings: AgentSettings): Address | undefined {
  const asked = account.isAsked ? askedIn(reader, getBranch(reader, account.branch)) : undefined
  return asked ?? pingAddress(reader, account, settings)
}

interface Decision {
  readonly verdict: PingDecided['verdict']
  readonly because: PingReason
  /** Until when the obstacle lasts. Null: not known, or there is none. */
  readonly until: number | null
}

interface Question {
  readonly ping: Ping
  readonly to: Address | undefined
  readonly now: number
  readonly settings: AgentSettings
  /** The critical message of this step, which includes this ping, is sent already. */
  readonly isShared: boolean
}

/** Checks the reasons in the order in which they count. */
function decide(reader: Reader, account: PingAccount, question: Question): Decision {
  const { ping, to, now, settings } = question
  if (!account.mayPing) return refused('not-allowed')
  if (to === undefined) return refused('nobody')
  if (account.isAsked) return sent('asked')
  const pause = pauseNow(reader, now)
  if (pause !== undefined) return { verdict: 'refused', ...pause }
  if (ping.isCritical) return critical(reader, account, question)
  if (hasPinged(reader, account)) return refused(account.run === undefined ? 'one-per-work' : 'one-per-run')
  const obstacle = obstacleFor(reader, account, { now, settings, except: account.branch })
  if (obstacle === undefined) return sent('allowed')
  const isHeld = obstacle.because === 'busy' && ping.isPatient
  return { verdict: isHeld ? 'held' : 'refused', ...obstacle }
}

function sent(because: PingReason): Decision {
  return { verdict: 'sent', because, until: null }
}

function refused(because: PingReason): Decision {
  return { verdict: 'refused', because, until: null }
}

/** Beyond the daily cap, critical pings are bundled. A ping that shares a counted message is not another one. */
function critical(reader: Reader, { person }: PingAccount, { now, settings, isShared }: Question): Decision {
  const { criticalMax } = settings.pings
  const isOver = criticalMax > 0 && budgetNow(reader, person, { now, settings }).critical >= criticalMax
  return isOver && !isShared ? { verdict: 'held', because: 'critical-cap', until: null } : sent('critical')
}

/** The ping before this one, of the same run or else of the same turn. */
function lastOf(reader: Reader, { run, branch }: PingAccount): Position | null {
  return run === undefined ? lastOfWork(reader, branch) : run.pinged
}

/** The last ping of the branch's running turn. Null: none. */
export function lastOfWork(reader: Reader, branch: BranchId): Position | null {
  const { state } = getBranch(reader, branch)
  const last = newest(reader, 'pinged', branch)?.position
  return state.kind === 'running' && last !== undefined && last > state.since ? last : null
}

/** Whether this run or turn has already pinged. Pings that did not arrive don't count (PING2). */
function hasPinged(reader: Reader, account: PingAccount): boolean {
  for (let at = lastOf(reader, account); at !== null;) {
    const { because, before } = pingAt(reader, at)
    const state = pingRow(reader, at).state
    // Answers to the person are not pings of its own.
    if (because !== 'asked' && state !== 'failed' && state !== 'expired') return true
    at = before
  }
  return false
}

function send(
  writing: Writing,
  account: PingAccount,
  { ping, because, shared, ...sending }: Planning & Omit<Sent, 'content'> & Pick<Decision, 'because'>,
): Position {
  if (because === 'critical') {
    shared.delivery ??= sayUnasked(writing, pingMessage(account, { ...sending, content: shared.content }))
    return shared.delivery
  }
  const message = pingMessage(account, { ...sending, content: ping })
  return because === 'asked' ? say(writing, message) : sayUnasked(writing, message)
}

type Sent = Pick<Saying, 'to' | 'at' | 'cause'> & { readonly turn: TurnId; readonly content: PingContent }

export function pingMessage({ branch, job }: PingAccount, { content, to, at, turn, cause }: Sent) {
  const { text, embed, choices = [] } = content
  const card = { ...(embed !== undefined && { embed }), ...(choices.length > 0 && { choices }) }
  return { branch, at, to, form: 'ping' as const, text, turn, cause, hasJob: job !== undefined, ...card }
}
