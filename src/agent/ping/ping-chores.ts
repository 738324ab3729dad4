import type { EventOf } from '../../event/event.ts'
import type { Position } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Address } from '../../event/work.ts'
import type { Writing } from '../../log/log.ts'
import { isOurs, soonest, type Chore, type KeepLook } from './chore.ts'
import { openList, personPinged, pingAt, pingRow } from '../state/ledger.ts'
import { sendBundle, type Bundle } from './ping-bundle.ts'
import { writePing, type PingContent } from './ping-line.ts'
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

type PingDecided = EventOf<'ping-decided'>

/** Pings held for a busy person: sent when nothing is in the way, or reported to main when it is too late. */
export const patientPings: Chore = {
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
export const cappedPings: Chore = {
  dueAt: (reader, look) =>
    soonest(
      [...bundles(reader).values()].flatMap((bundle) => [
        bundledAt(reader, bundle, look),
        ...bundle.map((decision) => heldLateAt(decision, look)),
      ]),
    ),
  keep: (writing, look) => {
    const { now: at } = look
    for (const [person, bundle] of bundles(writing)) {
      const dueAt = bundledAt(writing, bundle, look)
      if (dueAt !== undefined && dueAt <= at) sendBundle(writing, { person, bundle }, look)
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
export const undeliveredPings: Chore = {
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
  const { turn, what, isCritical, position: of } = decision
  const account = accountOfPing(writing, decision)
  const content: PingContent = decision.held ?? { text: decision.text }
  const to = addressOfPing(writing, decision, { ...settings, channels })
  if (to === undefined) return
  const delivery = sayUnasked(writing, pingMessage(account, { content, to, at, turn, cause: of }))
  const facts = { account, at, settings, turn, what, isCritical, content, of, before: null, delivery }
  writePing(writing, { ...facts, verdict: 'sent', because: 'allowed' })
}

function bundles(reader: Reader): Map<string, Bundle> {
  return Map.groupBy(held(reader, 'critical-cap'), (decision) => personPinged(reader, decision))
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
