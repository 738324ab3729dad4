import { oneLine, shorten } from '../../base/width.ts'
import { messagesBack } from '../../context/message-index.ts'
import type { EndReason, EventOf, Placed } from '../../event/event.ts'
import type { BranchId } from '../../event/id.ts'
import { allRows, type Reader, type Writing } from '../../event/table.ts'
import { pingRow } from '../state/ledger.ts'
import { composedTable, type PingState } from '../state/tables.ts'
import { owedReport, runIn, runName, type Run } from '../state/run.ts'
import { mainAbove } from '../state/person.ts'

const UNREPORTED: Readonly<Partial<Record<EndReason, string>>> = {
  failed: 'It failed before it reported',
  'timed-out': 'Its time was over before it reported',
  killed: 'It was killed before it reported',
}

/** The report that a run owes at its end: its messages to the person since the last report, or its last words. */
export function reportOwed(writing: Writing, { branch, at }: Placed, reason: EndReason): void {
  const run = runIn(writing, branch)
  const to = mainAbove(writing, branch)
  if (run === undefined || to === undefined || owedReport(run) === undefined) return
  const pings = pingsSince(writing, run)
  const known = pings.length > 0 ? pingsText(pings) : lastWords(lastSaid(writing, branch))
  const unreported = run.reported === null ? 'It ended without reporting' : 'It ended without reporting this'
  const text = withRefused(writing, run, `${UNREPORTED[reason] ?? unreported}; ${known}`)
  const author = { by: 'policy', name: 'host' } as const
  const facts = { source: runName(run), text, from: branch, author, key: null }
  writing.append({ kind: 'update-reported', branch: to, at, ...facts })
}

const REFUSED_MAX = 5
const ADDRESS_MAX = 200

/** A report with what the run could not read because nobody gave the address: its model may not say so (LEAVE1). */
export function withRefused(reader: Reader, { branch, reported }: Run, text: string): string {
  const refused = [...allRows(reader, composedTable, { prefix: [branch], from: (reported ?? 0) + 1 })]
  if (refused.length === 0) return text
  // The newest first: harmless ones before it must not push out the one that matters.
  const newest = refused.toReversed().slice(0, REFUSED_MAX)
  const asked = newest.map(({ subject }) => shorten(subject, ADDRESS_MAX))
  const rest = refused.length > newest.length ? `, and ${refused.length - newest.length} more` : ''
  return `Refused, since nobody gave the address: ${asked.join(', ')}${rest}. ${text}`
}

interface Told {
  readonly text: string
  readonly state: PingState
}

/** A platform may still refuse what is on its way; pings that were held or never sent must not be reported as read. */
function pingsText(pings: readonly Told[]): string {
  const quoted = (isMeant: (state: PingState) => boolean): string =>
    pings
      .filter(({ state }) => isMeant(state))
      .map(({ text }) => `"${text}"`)
      .join('; ')
  const wrote = quoted((state) => !UNSENT.has(state) && state !== 'sent')
  const leaves = quoted((state) => state === 'sent')
  const waits = quoted((state) => state === 'held')
  const lost = quoted((state) => UNSENT.has(state) && state !== 'held')
  return [
    ...(wrote === '' ? [] : [`it wrote to the person: ${wrote}`]),
    ...(leaves === '' ? [] : [`this is on its way to the person: ${leaves}`]),
    ...(waits === '' ? [] : [`this waits and was not sent to the person yet: ${waits}`]),
    ...(lost === '' ? [] : [`this did not reach the person: ${lost}`]),
  ].join('; ')
}

const UNSENT: ReadonlySet<PingState> = new Set(['held', 'refused', 'failed', 'expired'])

function pingsSince(reader: Reader, { reported, pinged, position }: Run): Told[] {
  const found: Told[] = []
  const since = Math.max(reported ?? 0, position)
  for (let at = pinged; at !== null && at > since;) {
    const event: EventOf<'ping-decided'> = reader.event(at) as EventOf<'ping-decided'>
    found.unshift({ text: event.text, state: pingRow(reader, at).state })
    at = event.before
  }
  return found
}

const WORDS_MAX = 500

function lastWords(said: string | undefined): string {
  return said === undefined ? 'it said nothing' : `it said last: ${shorten(oneLine(said), WORDS_MAX)}`
}

/** The newest words of a run's model. */
export function lastSaid(reader: Reader, branch: BranchId): string | undefined {
  const last = messagesBack(reader, branch).find(
    ({ message }) => message.role === 'assistant' && message.text.trim() !== '',
  )
  return last?.message.text.trim()
}
