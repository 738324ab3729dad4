import { askPairing, mayAsk, offeredName, type Stranger } from '../../agent/branch/people-acts.ts'
import { mainFor } from '../../agent/branch/binding.ts'
import { tellOwner } from '../../agent/ping/notices.ts'
import { newest } from '../../agent/state/newest.ts'
import { identityKey, PAIRING_MS, type Pairing } from '../../agent/state/person.ts'
import { timeText } from '../../base/time-text.ts'
import { OWNER } from '../../event/speaker.ts'
import type { Writing } from '../../event/table.ts'
import { personAt, type Desk } from '../desk/desk.ts'

export interface GateParts {
  readonly desk: Pick<Desk, 'log' | 'now' | 'random' | 'settings' | 'agent'>
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  readonly fail: (error: unknown) => void
}

const SENDERS_MAX = 10
/** A first burst is noted soon; from then on there is one note an hour. */
const NOTED_AFTER_MS = 60_000
const NOTED_EVERY_MS = 60 * 60 * 1_000

interface Tally {
  count: number
  readonly senders: Set<string>
}

/** Messages of people we do not know are counted in memory, and noted in the log once an hour (SAFE1). */
export class Strangers {
  readonly #parts: GateParts
  readonly #tallies = new Map<string, Tally>()
  readonly #closing = new AbortController()
  readonly #noting = new Set<Promise<void>>()

  constructor(parts: GateParts) {
    this.#parts = parts
  }

  async meet(stranger: Stranger): Promise<void> {
    this.#count(stranger)
    const { log, now, agent } = this.#parts.desk
    if (!(await log.read((reader) => mayAsk(reader, stranger, now())))) return
    const contact = personAt(this.#parts.desk)
    await log.write((writing) => {
      const pairing = askPairing(writing, stranger, contact)
      if (pairing !== undefined)
        tellOfPairing(writing, pairing, { now: contact.at, settings: contact.settings })
    })
    agent().deliver()
  }

  #count({ channel, user, userName }: Stranger): void {
    const known = this.#tallies.get(channel)
    const tally = known ?? { count: 0, senders: new Set() }
    tally.count++
    if (tally.senders.size < SENDERS_MAX) tally.senders.add(`${user} ${userName}`.trim())
    if (known !== undefined) return
    this.#tallies.set(channel, tally)
    const noting = this.#noteLater(channel).catch(this.#parts.fail)
    this.#noting.add(noting)
    void noting.finally(() => this.#noting.delete(noting))
  }

  async #noteLater(channel: string): Promise<void> {
    const { log, now } = this.#parts.desk
    const last = (await log.read((reader) => newest(reader, 'strangers', channel)))?.at ?? 0
    const waitMs = Math.min(NOTED_EVERY_MS, Math.max(last + NOTED_EVERY_MS - now(), NOTED_AFTER_MS))
    await this.#parts.sleep(waitMs, this.#closing.signal).catch(() => undefined)
    const tally = this.#tallies.get(channel)
    this.#tallies.delete(channel)
    if (tally === undefined) return
    const { count, senders } = tally
    const contact = personAt(this.#parts.desk)
    await log.write((writing) => {
      const before = newest(writing, 'strangers', channel)?.at ?? 0
      // An earlier process may have noted some within this hour.
      if (Math.abs(contact.at - before) < NOTED_EVERY_MS) return
      const branch = mainFor(writing, OWNER, contact)
      const noted = { channel, count, senders: [...senders] }
      writing.append({ kind: 'strangers-noted', branch, at: contact.at, ...noted })
    })
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#noting)
  }
}

/** Asks the owner. A button lets somebody in as a guest; to let them in as yourself, you type the command. */
function tellOfPairing(
  writing: Writing,
  { code, name, at, position: cause, ...identity }: Pairing,
  look: Parameters<typeof tellOwner>[2],
): void {
  const guest = offeredName(writing, at)
  const until = timeText(at + PAIRING_MS, { now: at, zone: look.settings.zone })
  const text = [
    `${name === '' ? 'Somebody' : `'${name}'`} (${identityKey(identity)}) wants to talk to your assistant. Decide by ${until}:`,
    `/pair approve ${code} NAME – let them in as a guest`,
    `mainstem pair approve ${code} me, in a terminal – it is you, with another account`,
    `/pair refuse ${code}`,
  ].join('\n')
  const choices = [
    { label: `Let in as ${guest}`, command: `/pair approve ${code} ${guest}` },
    { label: 'Refuse', command: `/pair refuse ${code}` },
  ]
  tellOwner(writing, { text, choices, cause, topic: `pairing ${code}` }, look)
}
