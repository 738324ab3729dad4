import { oneLine, shorten } from '../base/width.ts'
import { getBranch } from '../context/branch.ts'
import type { EventOf } from '../event/event.ts'
import type { BranchId, Position, TurnId } from '../event/id.ts'
import type { Reporting } from '../event/run.ts'
import type { Reader } from '../event/table.ts'
import type { Address, Choice, Embed } from '../event/work.ts'
import type { Writing } from '../log/log.ts'
import { done, refusal, type Actor, type Planned, type PlannedCall } from './act.ts'
import { askedIn, isForPeople, whoAsked } from './asker.ts'
import { runAbove, type Run } from './run.ts'
import { newestTable } from './tables.ts'
import { intendUnasked, personOf, type Unasked } from './unasked.ts'

type PingDecided = EventOf<'ping-decided'>

/** What a model wants to say to the person at once. */
export interface Ping {
  readonly what: PingDecided['what']
  readonly isCritical: boolean
  readonly text: string
  readonly embed?: Embed
  readonly choices?: Choice[]
}

/** A call, and what is meant by it or how it is used. */
interface Wanted {
  readonly call: PlannedCall
  readonly ping: Ping | string
}

/** Where a step of a model wants to write to a person. */
interface Setting {
  readonly to: Address | undefined
  readonly isAsked: boolean
  /** Writes what is critical, all of this step in one message: whoever is woken by it reads it once. */
  readonly sendCritical: (to: Address, turn: TurnId) => Position
}

/** Decides the calls of a step. Every ping has a line in the ledger, also those that share a message (PING4). */
export function planPings(writing: Writing, actor: Actor, wanted: readonly Wanted[]): Planned[] {
  const critical = wanted.flatMap(({ call, ping }) =>
    typeof ping !== 'string' && ping.isCritical && call.bad === undefined ? [ping] : [],
  )
  let shared: Position | undefined
  const sendCritical = (to: Address, turn: TurnId): Position => {
    shared ??= intendUnasked(writing, messageOf(actor, { ping: inOne(critical), to, turn }))
    return shared
  }
  const setting = { to: addressFor(writing, actor), isAsked: isAsked(writing, actor), sendCritical }
  return wanted.map(({ call, ping }) =>
    typeof ping === 'string'
      ? { said: refusal(call.bad ?? ping) }
      : planPing(writing, actor, { call, ping, setting }),
  )
}

type Content = Pick<Ping, 'text' | 'embed' | 'choices'>

/** Nothing is left out: several are their texts, which name the answers of a card as well. */
function inOne(pings: readonly Ping[]): Content {
  const [first, ...others] = pings
  return first !== undefined && others.length === 0
    ? first
    : { text: pings.map(({ text }) => text).join('\n\n') }
}

function planPing(
  writing: Writing,
  actor: Actor,
  { call, ping, setting }: { call: PlannedCall; ping: Ping; setting: Setting },
): Planned {
  const { bad, step } = call
  const { branch, at } = actor
  const run = runAbove(writing, branch)
  // A refusal of the host stands in the ledger as well, with what it is for.
  const because = bad === undefined ? decide(writing, actor, { run, ping, setting }) : 'not-allowed'
  const delivery = send(writing, actor, { ping, turn: step.turn, because, setting })
  writing.append({
    kind: 'ping-decided',
    branch,
    at,
    v: 1,
    turn: step.turn,
    run: run?.branch ?? null,
    what: ping.what,
    isCritical: ping.isCritical,
    verdict: delivery === null ? 'refused' : 'sent',
    because,
    text: shorten(oneLine(ping.text), LEDGER_CHARS),
    before: run?.pinged ?? null,
    delivery,
  })
  // What works for a run does not report; the run does.
  const reporting = run?.branch === branch ? run.reporting : null
  return {
    said:
      delivery === null ? refusal(bad ?? whyNot(because, reporting)) : done(`Sent.${afterwards(reporting)}`),
  }
}

const LEDGER_CHARS = 200
const SENT: ReadonlySet<PingDecided['because']> = new Set(['allowed', 'critical', 'asked'])

function isAsked(writing: Writing, { branch }: Actor): boolean {
  const here = getBranch(writing, branch)
  return isForPeople(here) && askedIn(writing, here) !== undefined
}

function addressFor(writing: Writing, { branch }: Actor): Address | undefined {
  const here = getBranch(writing, branch)
  return (isForPeople(here) ? whoAsked(writing, here) : undefined) ?? personOf(writing, branch)
}

/** In the order in which reasons count. */
function decide(
  reader: Reader,
  { branch }: Actor,
  { run, ping, setting }: { run: Run | undefined; ping: Ping; setting: Setting },
): PingDecided['because'] {
  if (run?.allowPing === false) return 'not-allowed'
  if (setting.to === undefined) return 'nobody'
  if (setting.isAsked) return 'asked'
  if (ping.isCritical) return 'critical'
  if (run !== undefined) return run.pings > 0 ? 'one-per-run' : 'allowed'
  return hasPinged(reader, branch) ? 'one-per-work' : 'allowed'
}

/** Whether the work that runs here has written to the person. */
function hasPinged(reader: Reader, branch: BranchId): boolean {
  const { state } = getBranch(reader, branch)
  const last = reader.row(newestTable, [`pinged ${branch}`])?.['position'] as Position | undefined
  return state.kind === 'running' && last !== undefined && last > state.since
}

interface Sending {
  readonly ping: Ping
  readonly turn: TurnId
  readonly because: PingDecided['because']
  readonly setting: Setting
}

/** Its delivery; null: it is not sent. */
function send(writing: Writing, actor: Actor, { ping, turn, because, setting }: Sending): Position | null {
  const { to } = setting
  if (to === undefined || !SENT.has(because)) return null
  if (because === 'critical') return setting.sendCritical(to, turn)
  const message = messageOf(actor, { ping, to, turn })
  if (because === 'asked') return writing.append({ kind: 'delivery-intended', v: 1, ...message })
  return intendUnasked(writing, message)
}

function messageOf(
  { branch, at }: Actor,
  { ping, to, turn }: { ping: Content; to: Address; turn: TurnId },
): Unasked {
  const { text, embed, choices = [] } = ping
  const card = { ...(embed !== undefined && { embed }), ...(choices.length > 0 && { choices }) }
  return { branch, at, to, form: 'ping', text, turn, ...card }
}

function afterwards(reporting: Reporting | null): string {
  return reporting === 'on_ping' || reporting === 'always'
    ? ' Report it with report_updates before you end.'
    : ''
}

function whyNot(because: PingDecided['because'], reporting: Reporting | null): string {
  const report = reporting === null || reporting === 'blocked' ? '' : ' Use report_updates for it instead.'
  switch (because) {
    case 'one-per-run':
      return `Not sent: this run has written to the person already, and one message in a run is the most.${report} critical: true is for what they would be devastated to miss.`
    case 'one-per-work':
      return 'Not sent: you have written to the person in this work already, and one message is the most. What else there is belongs into your answer. critical: true is for what they would be devastated to miss.'
    case 'nobody':
      return `Not sent: no person has ever written here, so there is nobody to write to.${report}`
    default:
      return `Not sent: this run may not write to the person.${report}`
  }
}
