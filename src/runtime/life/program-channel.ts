import { createHash } from 'node:crypto'
import { admittedBefore, isWaiting } from '../../agent/state/inbox.ts'
import { turnNumberTable, turnTable } from '../../agent/state/tables.ts'
import { ChannelError, type Channel, type Outgoing } from '../../channel/channel.ts'
import { messagesAdded } from '../../context/message-index.ts'
import type { EventOf, Outcome } from '../../event/event.ts'
import type { BranchId, Position, TurnId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Address } from '../../event/work.ts'
import type { Log } from '../../log/log.ts'

/** The one conversation of programs that ask over HTTP. Each request is a thread of its own. */
export const programAddress: Address = { channel: 'v1', conversation: 'programs' }

/** More than can wait at once. Those that were answered are remembered until their answer is settled in the outbox. */
const REMEMBERED_MAX = 2_000

interface ProgramRequest {
  /** Whether the client got its answer, or went away. */
  readonly isServed: PromiseWithResolvers<boolean>
  clients: number
}

/**
 * Requests of programs. They take their answers from the log, so nothing is sent here: a delivery is done when its client
 * has the answer, and set aside if the client went away.
 */
export class ProgramChannel {
  readonly #log: Pick<Log, 'read'>
  readonly #requests = new Map<string, ProgramRequest>()
  readonly #keys = new Map<string, { readonly at: number; readonly key: string }>()

  constructor(log: Pick<Log, 'read'>) {
    this.#log = log
  }

  readonly channel: Channel = {
    name: programAddress.channel,
    canAsk: false,
    can: { follow: true },
    start: async () => undefined,
    stop: async () => undefined,
    send: async ({ id }) => {
      const key = await this.#log.read((reader) => keyOf(reader, id))
      const request = key === undefined ? undefined : this.#requests.get(key)
      if (request === undefined || !(await request.isServed.promise))
        throw new ChannelError('no program waits for it', { isFinal: true })
      return null
    },
  }

  /** A client waits for the answer to this key. Either of the two ends that. */
  wait(key: string): { served(): void; leave(): void } {
    const request = this.#requests.get(key) ?? this.#remember(key)
    request.clients++
    return {
      served: () => request.isServed.resolve(true),
      leave: () => {
        if (--request.clients > 0) return
        request.isServed.resolve(false)
        this.#requests.delete(key)
      },
    }
  }

  #remember(key: string): ProgramRequest {
    const [oldest] = this.#requests.size < REMEMBERED_MAX ? [] : this.#requests.keys()
    if (oldest !== undefined) this.#requests.delete(oldest)
    const request = { isServed: Promise.withResolvers<boolean>(), clients: 0 }
    this.#requests.set(key, request)
    return request
  }

  /**
   * The key of a request: the same for the same words as long as they wait for their answer, and for `ttlMs`, also after
   * a restart. Words that failed are new words when they come again.
   */
  async keyFor(words: string, moment: Moment): Promise<string> {
    const hash = createHash('sha256').update(words).digest('base64url')
    const known = [...this.#keys]
    const [key, past] = await this.#log.read((reader) => {
      const over = known.filter(
        ([, one]) => isPast(one.at, moment) && (moment.ttlMs === 0 || stateOf(reader, one.key) !== 'waiting'),
      )
      const own = known.find((one) => one[0] === hash && !over.includes(one))?.[1].key
      const isKept = own !== undefined && stateOf(reader, own) !== 'failed'
      return [isKept ? own : newestKey(reader, hash, moment), over] as const
    })
    for (const [other] of past) this.#keys.delete(other)
    if (this.#keys.get(hash)?.key !== key) this.#keys.set(hash, { at: moment.now, key })
    return key
  }
}

interface Moment {
  readonly now: number
  readonly ttlMs: number
}

function isPast(at: number, { now, ttlMs }: Moment): boolean {
  return Math.abs(now - at) >= ttlMs
}

/** A key names the stretch of time it was made in, so it is found again in this one or the one before. */
function newestKey(reader: Reader, hash: string, moment: Moment): string {
  const stretch = Math.floor(moment.now / Math.max(1, moment.ttlMs))
  const before = nextTry(reader, `${hash}-${stretch - 1}`)
  const first = admittedBefore(reader, programAddress, before)
  const isRecent = first !== undefined && !isPast(reader.event(first).at, moment)
  return isRecent ? before : nextTry(reader, `${hash}-${stretch}`)
}

/** The key of the first try that has not failed. */
function nextTry(reader: Reader, base: string): string {
  let key = base
  for (let failed = 1; stateOf(reader, key) === 'failed'; failed++) key = `${base}-${failed}`
  return key
}

/** The outcome of a request. `failed`: nobody answers it any more, unless the person asks for that. */
function stateOf(reader: Reader, key: string): 'unknown' | 'waiting' | 'failed' | 'answered' {
  const asked = admittedBefore(reader, programAddress, key)
  if (asked === undefined) return 'unknown'
  if (isWaiting(reader, reader.event(asked).branch, asked)) return 'waiting'
  const taken = takenIn(reader, key)
  const outcome = taken === undefined ? 'failed' : lastOutcome(reader, taken)
  return outcome === 'answered' ? 'answered' : GIVEN_UP.has(outcome ?? '') ? 'failed' : 'waiting'
}

const GIVEN_UP = new Set(['failed', 'stopped'])

/** How the turn ended, or the one that continued it; null while one runs. */
function lastOutcome(reader: Reader, { branch, turn }: Taken): Outcome | null {
  const first = reader.row(turnTable, [turn])
  let outcome = first?.outcome ?? null
  for (let number = (first?.number ?? 0) + 1; outcome !== 'answered'; number++) {
    const next = reader.row(turnNumberTable, [branch, number])
    const row = next && reader.row(turnTable, [next.turn])
    if (row === undefined) return outcome
    if (row.since === first?.since) ({ outcome } = row)
  }
  return outcome
}

function keyOf(reader: Reader, id: Outgoing['id']): string | undefined {
  const { cause } = reader.event(id) as EventOf<'delivery-intended'>
  const asked = cause === undefined ? undefined : reader.event(cause)
  const source = asked?.kind === 'inbound-admitted' ? asked.source : undefined
  return source?.from === 'person' ? (source.key ?? undefined) : undefined
}

/** The turn that took a request. */
export interface Taken {
  readonly branch: BranchId
  readonly turn: TurnId
  /** Where its words were added. */
  readonly position: Position
}

/** Undefined while it waits in the inbox. */
export function takenIn(reader: Reader, key: string): Taken | undefined {
  const asked = admittedBefore(reader, programAddress, key)
  if (asked === undefined) return undefined
  const { branch } = reader.event(asked)
  if (isWaiting(reader, branch, asked)) return undefined
  const added = messagesAdded(reader, { src: branch, from: asked }).find(({ took }) => took === asked)
  if (added === undefined || added.turn === null) return undefined
  return { branch, turn: added.turn, position: added.position }
}
