import { clockIn } from '../../base/time-text.ts'
import { oneLine } from '../../base/width.ts'
import { counted } from '../../base/words.ts'
import type { EventOf } from '../../event/event.ts'
import { jobText } from '../../event/job.ts'
import type { Reader } from '../../event/table.ts'
import type { Writing } from '../../log/log.ts'
import type { KeepLook } from './chore.ts'
import { jobOfPing, ledgerOf } from '../state/ledger.ts'
import { writePing, type PingContent } from './ping-line.ts'
import { accountOfPing, addressOfPing } from './ping-settling.ts'
import { pingMessage } from './pinging.ts'
import { sayUnasked } from '../state/outbox.ts'
import { OWNER } from '../../event/speaker.ts'

type PingDecided = EventOf<'ping-decided'>

/** Critical pings that are sent together, oldest first. */
export type Bundle = readonly PingDecided[]

/** Sends a bundle as one message that names the jobs. Each ping in it has its own ledger line. */
export function sendBundle(
  writing: Writing,
  { person, bundle }: { person: string; bundle: Bundle },
  { now: at, settings, channels }: KeepLook,
): void {
  const [first] = bundle
  if (first === undefined) return
  const to = addressOfPing(writing, first, { ...settings, channels })
  if (to === undefined) return
  const account = accountOfPing(writing, first)
  const senders = sendersToday(writing, { person, at, zone: settings.zone })
  const text = bundleText(writing, { bundle, senders })
  const hasJob = bundle.some((decision) => jobOfPing(writing, decision) !== undefined)
  const message = pingMessage(account, {
    content: { text },
    to,
    at,
    turn: first.turn,
    cause: first.position,
  })
  const delivery = sayUnasked(writing, { ...message, hasJob })
  for (const decision of bundle) {
    const { turn, what, isCritical, position: of } = decision
    const content: PingContent = decision.held ?? { text: decision.text }
    const facts = { at, settings, turn, what, isCritical, content, of, before: null, delivery }
    const own = accountOfPing(writing, decision)
    writePing(writing, { ...facts, account: own, verdict: 'sent', because: 'critical-cap' })
  }
  if (person !== OWNER) tellOwner(writing, { person, senders, first, at })
}

const TODAY_MAX = 1_000

/** `routine build-watch: 6` */
function sendersToday(
  reader: Reader,
  { person, at, zone }: { person: string; at: number; zone: string },
): string {
  const today = clockIn(at, zone).date
  const sent = ledgerOf(reader, person, TODAY_MAX).filter(({ decision }) => {
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

function bundleText(reader: Reader, { bundle, senders }: { bundle: Bundle; senders: string }): string {
  const count = counted(bundle.length, 'critical message')
  const head = `${count} in one, since there were many today (${senders}).`
  const texts = bundle.map((decision) => {
    const text = decision.held?.text ?? decision.text
    return `${nameOf(reader, decision)}: ${text}`
  })
  return [head, ...texts].join('\n\n')
}

/** Tells the owner which jobs send many critical pings to somebody else. */
function tellOwner(
  writing: Writing,
  { person, senders, first, at }: { person: string; senders: string; first: PingDecided; at: number },
): void {
  const { branch } = first
  const text = `Many critical messages to ${oneLine(person)} today (${senders}); further ones come together.`
  const cause = `critical ${person}`
  writing.append({ kind: 'notice-raised', branch, at, v: 1, person: OWNER, cause, text })
}
