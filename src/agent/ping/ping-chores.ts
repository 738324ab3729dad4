import { clockIn } from '../../base/time-text.ts'
import { oneLine } from '../../base/width.ts'
import { counted } from '../../base/words.ts'
import type { Position } from '../../event/id.ts'
import { jobText } from '../../event/job.ts'
import { OWNER } from '../../event/speaker.ts'
import { mainOf, nameOfPerson, personIn } from '../state/person.ts'
import type { Reader, Writing } from '../../event/table.ts'
import type { Address } from '../../event/work.ts'
import { isOurs, soonest, type Chore, type KeepLook } from './chore.ts'
import {
  jobOfPing,
  ledgerOf,
  openList,
  personPinged,
  pingAt,
  pingRow,
  type PingDecided,
} from '../state/ledger.ts'
import { writePing, type PingContent, type PingLine } from './ping-line.ts'
import { obstacleFor, pauseNow } from './ping-obstacle.ts'
import {
  accountOfPing,
  addressOfPing,
  elsewhere,
  expiresAt,
  intentAt,
  losePings,
  movePings,
  tooLate,
  waitingIn,
} from './ping-settling.ts'
import { pingMessage } from './pinging.ts'
import { sayUnasked } from '../state/outbox.ts'

/** Pings held for a busy person: sent when nothing is in the way, or reported to main when it is too late. */
const patientPings: Chore = {
  dueAt: (reader, look) =>
    soonest(
      held(reader, 'busy').flatMap((decision) => [lateAt(decision, look), freeAt(reader, decision, look)]),
    ),
  keep: (writing, look) => {
    for (const decision of held(writing, 'busy'))
      if (lateAt(decision, look) <= look.now) {
        const why = 'was held, since they were busy, until it was too late'
        losePings(writing, [decision.position], { at: look.now, outcome: 'expired', why })
      } else if (freeAt(writing, decision, look) === look.now) release(writing, decision, look)
    return []
  },
}

/** Critical pings beyond the daily cap: sent to each person as one message, a minute after the first. */
const cappedPings: Chore = {
  dueAt: (reader, look) =>
    soonest(
      bundles(reader).flatMap((bundle) => [
        bundledAt(reader, bundle, look),
        ...bundle.map((decision) => heldLateAt(decision, look)),
      ]),
    ),
  keep: (writing, look) => {
    const { now: at } = look
    for (const bundle of bundles(writing)) {
      const dueAt = bundledAt(writing, bundle, look)
      if (dueAt !== undefined && dueAt <= at) sendBundle(writing, bundle, look)
      else {
        const late = bundle.flatMap((one) => (heldLateAt(one, look) <= at ? one.position : []))
        const why = 'was held for a pause until it was too late'
        losePings(writing, late, { at, outcome: 'expired', why })
      }
    }
    return []
  },
}

/** Pings that did not arrive: moved if this process lacks their channel, or reported to main when it is too late. */
const undeliveredPings: Chore = {
  dueAt: (reader, look) =>
    soonest(
      undelivered(reader, look).map((delivery) =>
        strandedTo(reader, delivery, look) === undefined ? deliveryLateAt(reader, delivery, look) : look.now,
      ),
    ),
  keep: (writing, look) => {
    const { now: at, settings } = look
    for (const delivery of undelivered(writing, look)) {
      const to = strandedTo(writing, delivery, look)
      if ((deliveryLateAt(writing, delivery, look) ?? Infinity) <= at) {
        const why = tooLate(settings.pings.ttlMs)
        losePings(writing, waitingIn(writing, delivery), { at, outcome: 'expired', why })
      } else if (to !== undefined) movePings(writing, intentAt(writing, delivery), { to, at })
    }
    return []
  },
}

export const pingChores: readonly Chore[] = [patientPings, cappedPings, undeliveredPings]

function held(reader: Reader, because: PingDecided['because']): PingDecided[] {
  return openList(reader, 'pings')
    .map((ping) => pingAt(reader, ping))
    .filter((decision) => decision.verdict === 'held' && decision.because === because)
}

function lateAt(decision: PingDecided, { now, settings }: KeepLook): number {
  return expiresAt(decision, { now, ttlMs: settings.pings.ttlMs })
}

/** Now if nothing is in the way. Undefined: not known; the end of the obstacle wakes the chore. */
function freeAt(reader: Reader, decision: PingDecided, look: KeepLook): number | undefined {
  const { now, settings, channels } = look
  if (!isOurs(look, decision.position)) return undefined
  if (addressOfPing(reader, decision, { ...settings, channels }) === undefined) return undefined
  const account = accountOfPing(reader, decision)
  const obstacle = pauseNow(reader, now) ?? obstacleFor(reader, account, { now, settings })
  if (obstacle === undefined) return now
  // Never now, or the chore would run in a loop.
  return obstacle.until === null ? undefined : Math.max(obstacle.until, now + 1)
}

function release(writing: Writing, decision: PingDecided, { now: at, settings, channels }: KeepLook): void {
  const { turn, position: cause } = decision
  const account = accountOfPing(writing, decision)
  const to = addressOfPing(writing, decision, { ...settings, channels })
  if (to === undefined) return
  const message = pingMessage(account, { content: contentOf(decision), to, at, turn, cause })
  const delivery = sayUnasked(writing, message)
  noteSent(writing, decision, { at, settings, delivery, because: 'allowed' })
}

function contentOf({ held, text }: PingDecided): PingContent {
  return held ?? { text }
}

/** The ledger line of a held ping that is sent now. */
function noteSent(
  writing: Writing,
  decision: PingDecided,
  sent: Pick<PingLine, 'at' | 'settings' | 'delivery' | 'because'>,
): void {
  const { turn, what, isCritical, position: of } = decision
  const facts = { turn, what, isCritical, of, before: null, verdict: 'sent' } as const
  const account = accountOfPing(writing, decision)
  writePing(writing, { ...facts, ...sent, account, content: contentOf(decision) })
}

/** Critical pings that are sent together, oldest first. */
type Bundle = readonly PingDecided[]

function bundles(reader: Reader): Bundle[] {
  const capped = held(reader, 'critical-cap')
  return [...Map.groupBy(capped, (decision) => personPinged(reader, decision)).values()]
}

/** How long other pings can join a bundle. */
const BUNDLE_MS = 60_000

function bundledAt(reader: Reader, [first]: Bundle, look: KeepLook): number | undefined {
  const { now, settings, channels } = look
  if (first === undefined || !isOurs(look, first.position)) return undefined
  if (addressOfPing(reader, first, { ...settings, channels }) === undefined) return undefined
  const pause = pauseNow(reader, now)
  if (pause !== undefined) return pause.until === null ? undefined : Math.max(pause.until, now + 1)
  return first.at > now ? now : first.at + BUNDLE_MS
}

/** When a bundled ping expires. Only a pause holds it that long. */
function heldLateAt(decision: PingDecided, { now, settings }: KeepLook): number {
  return expiresAt(decision, { now, ttlMs: settings.pings.ttlMs + BUNDLE_MS })
}

/** Sends a bundle as one message that names the jobs. Each ping in it has its own ledger line. */
function sendBundle(writing: Writing, bundle: Bundle, { now: at, settings, channels }: KeepLook): void {
  const [first] = bundle
  if (first === undefined) return
  const to = addressOfPing(writing, first, { ...settings, channels })
  if (to === undefined) return
  const account = accountOfPing(writing, first)
  const { person } = account
  const senders = sendersToday(writing, { person, at, zone: settings.zone })
  const text = bundleText(writing, bundle, senders)
  const hasJob = bundle.some((decision) => jobOfPing(writing, decision) !== undefined)
  const { turn, position: cause } = first
  const message = pingMessage(account, { content: { text }, to, at, turn, cause })
  const delivery = sayUnasked(writing, { ...message, hasJob })
  for (const decision of bundle)
    noteSent(writing, decision, { at, settings, delivery, because: 'critical-cap' })
  // The owner hears that so much is written to somebody else, and by which jobs if they are the owner's.
  if (person === OWNER) return
  const isTheirs = personIn(writing, first.branch) !== OWNER
  const branch = isTheirs ? mainOf(writing, OWNER) : first.branch
  if (branch === undefined) return
  const which = isTheirs ? '' : ` (${senders})`
  const owned = `Many critical messages to ${oneLine(nameOfPerson(writing, person))} today${which}; further ones come together.`
  const notice = { person: OWNER, cause: `critical ${person}`, text: owned }
  writing.append({ kind: 'notice-raised', branch, at, ...notice })
}

const TODAY_MAX = 1_000

/** `routine build-watch: 6` */
function sendersToday(
  reader: Reader,
  { person, at, zone }: { person: string; at: number; zone: string },
): string {
  const today = clockIn(at, zone).date
  const sent = ledgerOf(reader, person, { limit: TODAY_MAX }).filter(({ decision }) => {
    const { isCritical, verdict, of, budget } = decision
    return isCritical && verdict !== 'refused' && of === undefined && budget?.day === today
  })
  const byName = Map.groupBy(sent, ({ decision }) => nameOf(reader, decision))
  return [...byName].map(([name, all]) => `${name}: ${all.length}`).join(', ')
}

function nameOf(reader: Reader, decision: PingDecided): string {
  const job = jobOfPing(reader, decision)
  return job === undefined ? 'no job' : jobText(job)
}

function bundleText(reader: Reader, bundle: Bundle, senders: string): string {
  const count = counted(bundle.length, 'critical message')
  const head = `${count} in one, since there were many today (${senders}).`
  const texts = bundle.map((decision) => `${nameOf(reader, decision)}: ${contentOf(decision).text}`)
  return [head, ...texts].join('\n\n')
}

/** Open deliveries of pings that nobody asked for, without those being sent right now. */
function undelivered(reader: Reader, { sending }: KeepLook): Position[] {
  const all = openList(reader, 'pings').flatMap((ping) => pingRow(reader, ping).delivery ?? [])
  return [...new Set(all)].filter(
    (delivery) => !sending.has(delivery) && intentAt(reader, delivery).number !== undefined,
  )
}

/** Another address for a ping whose channel this process does not have. */
function strandedTo(reader: Reader, delivery: Position, look: KeepLook): Address | undefined {
  const { channels } = look
  const intent = intentAt(reader, delivery)
  if (!isOurs(look, delivery)) return undefined
  return channels.has(intent.to.channel) ? undefined : elsewhere(reader, intent, channels)
}

function deliveryLateAt(reader: Reader, delivery: Position, look: KeepLook): number | undefined {
  return soonest(waitingIn(reader, delivery).map((ping) => lateAt(pingAt(reader, ping), look)))
}
