import type { Received } from '../../../src/command/door/reception.ts'
import type { EventOf } from '../../../src/event/event.ts'
import type { Position } from '../../../src/event/id.ts'
import { hold } from '../witness.ts'
import { keyOf, type Entry, type InboxLaws } from './inbox-laws.ts'

type Form = EventOf<'inbound-admitted'>['form']

/** The expected outcome of a typed text. */
export type Expected =
  | { readonly kind: 'entries'; readonly parts: readonly Part[] }
  /** A command that acts at once, or a mistake. */
  | { readonly kind: 'run'; readonly line: string }
  /** In reply to a ping a command, else a message. */
  | { readonly kind: 'word'; readonly line: string }
  | { readonly kind: 'empty' }

export interface Part {
  readonly form: Form
  readonly text: string
}

export interface Typed {
  readonly conversation: string
  readonly key: string | null
  readonly text: string
  /** The platform's id of the message that it replies to. */
  readonly replyTo?: string
  readonly expected: Expected
  /** The host's answer each time the text was given to it, as far as it was heard. */
  readonly heard: Pick<Received, 'kind'>[]
}

export const CHANNEL = 'sim'

/** What people and tools saw, recorded outside of the log: the log must match it. */
export class Diary {
  readonly typed: Typed[] = []
  /** How often people asked for the running turn to be stopped. */
  stops = 0
  readonly #ran = new Map<number, number>()
  readonly #forbidden = new Set<number>()

  /** The calls of a tool are told apart by unique numbers. */
  ran(number: number): void {
    const times = (this.#ran.get(number) ?? 0) + 1
    this.#ran.set(number, times)
    hold(times === 1, `[TURN3] the call with number ${number} is run ${times} ×`)
    hold(
      !this.#forbidden.has(number),
      `[TURN3] the call with number ${number} was cut off, and yet it is run`,
    )
  }

  hasRun(number: number): boolean {
    return this.#ran.has(number)
  }

  /** A call that must not be run: the reply was cut, or no call was asked for. */
  forbid(number: number): void {
    this.#forbidden.add(number)
  }

  /** RECV1: everything the host confirmed is there, as it was typed, and nothing is there twice. */
  compare(inbox: InboxLaws): void {
    const claimed = new Set<Position>()
    for (const typed of this.typed) {
      for (const entry of this.#admitted(typed, inbox)) {
        hold(!claimed.has(entry.admitted.position), `[RECV1] ${entry.admitted.position} stands for two texts`)
        claimed.add(entry.admitted.position)
      }
    }
    for (const { entries } of inbox.admissions.values())
      for (const { admitted } of entries)
        hold(claimed.has(admitted.position), `[RECV1] nobody typed what was admitted at ${admitted.position}`)
  }

  #admitted(typed: Typed, inbox: InboxLaws): readonly Entry[] {
    const { key, text, heard, expected, conversation } = typed
    const kinds = heard.map(({ kind }) => kind)
    if (expected.kind === 'empty') {
      hold(
        kinds.every((kind) => kind === 'empty'),
        `'${text}' is not empty to the host`,
      )
      return []
    }
    if (key === null) return []
    const source = { from: 'person', channel: CHANNEL, conversation, person: 'owner', key } as const
    const admission = inbox.admissions.get(keyOf(source))
    const firsts = kinds.filter((kind) => kind !== 'duplicate')
    hold(firsts.length <= 1, `[RECV1] the host took '${text}' ${firsts.length} ×`)
    hold(admission !== undefined || kinds.length === 0, `[RECV1] '${text}' was taken, and is not there`)
    if (admission === undefined) return []
    const { entries, run } = admission
    if (run !== undefined) {
      hold(run.line === lineOf(expected), `[RECV1] '${text}' was not run as it was typed`)
      return []
    }
    const found = JSON.stringify(entries.map(({ admitted: { form, text } }) => ({ form, text })))
    const isWhole = waysIn(expected).some((parts) => JSON.stringify(parts) === found)
    hold(isWhole, `[RECV1] '${text}' is there as ${found}`)
    return entries
  }
}

/** The line of a text that may run at once: the only one, or a `/stop` with only other commands beside it. */
function lineOf(expected: Exclude<Expected, { kind: 'empty' }>): string | undefined {
  if (expected.kind === 'run' || expected.kind === 'word') return expected.line
  return expected.parts.every(isStop) ? '/stop' : undefined
}

/** The possible forms of a text in an inbox. */
function waysIn(expected: Exclude<Expected, { kind: 'empty' }>): readonly (readonly Part[])[] {
  if (expected.kind === 'word') return [[{ form: 'message', text: expected.line }]]
  // `/fork MARK` waits for the `/mark MARK` that was typed before it.
  if (expected.kind === 'run')
    return /^\/fork [A-Z]/.test(expected.line) ? [[{ form: 'step-command', text: expected.line }]] : []
  // A `/stop` among other things acts at once.
  const rest = expected.parts.filter((part) => !isStop(part))
  return rest.length === 0 ? [] : [rest]
}

function isStop({ text }: Part): boolean {
  return text === '/stop'
}

/** How many turns a text can stop at most. */
export function countStops({ expected }: Typed): number {
  if (expected.kind === 'run') return expected.line === '/stop' ? 1 : 0
  return expected.kind === 'entries' ? expected.parts.filter(isStop).length : 0
}
