import type { Event } from '../../src/event/event.ts'
import type { Happening as AnyHappening } from '../../src/event/happening.ts'
import { now } from './now.ts'
import { Store } from './store.ts'

export type Happening = Exclude<AnyHappening, { kind: 'changed' }>

/** As an export has it: its time is text. */
export type LogEvent = Event extends infer E
  ? E extends Event
    ? Omit<E, 'at'> & { readonly at: string }
    : never
  : never

export type StreamItem =
  | { readonly kind: 'connected'; readonly position: number }
  | { readonly kind: 'lost' }
  | { readonly kind: 'event'; readonly event: LogEvent }
  | { readonly kind: 'happening'; readonly happening: Happening }

/** A turn that runs now. */
export interface Running {
  readonly turn: string
  readonly at: number
  /** The model's text so far. */
  readonly text: string
  /** Calls that are not answered yet. */
  readonly calls: readonly { readonly tool: string; readonly args: string }[]
  /** The model failed, and is called again then. */
  readonly retry: { readonly tries: number; readonly at: number; readonly because: string } | undefined
}

/** What runs right now in each branch. The log does not keep it. */
export class Live {
  /** Until the stream is known to be lost. */
  readonly isConnected = new Store(true)
  /** By branch id. */
  readonly running = new Store<ReadonlyMap<string, Running>>(new Map())

  take(item: StreamItem): void {
    if (item.kind === 'happening') this.#hear(item.happening)
    else if (item.kind !== 'event') this.isConnected.set(item.kind === 'connected')
    // The server tells again what runs; a turn that ended meanwhile is not told of.
    if (item.kind === 'connected') this.running.set(new Map())
  }

  /** What a tab that has just opened has to hear. */
  soFar(): StreamItem[] {
    return [...this.running.get()].flatMap(([id, { turn, at, text }]) => {
      const [branch, its] = [id, turn] as [Happening['branch'], Extract<Happening, { kind: 'piece' }>['turn']]
      const piece: Happening[] = text === '' ? [] : [{ kind: 'piece', branch, turn: its, text }]
      const started: Happening = { kind: 'turn-started', branch, turn: its, at }
      return [started, ...piece].map((happening) => ({ kind: 'happening' as const, happening }))
    })
  }

  #hear(happening: Happening): void {
    const running = new Map(this.running.get())
    const { branch } = happening
    if (happening.kind === 'turn-started') {
      const { turn, at } = happening
      running.set(branch, { turn, at, text: '', calls: [], retry: undefined })
    } else if (happening.kind === 'turn-ended') running.delete(branch)
    else {
      const before = running.get(branch)
      if (before === undefined) return
      running.set(branch, { ...before, ...grown(before, happening) })
    }
    this.running.set(running)
  }
}

function grown(
  { text, calls }: Running,
  happening: Exclude<Happening, { kind: 'turn-started' | 'turn-ended' }>,
): Partial<Running> {
  switch (happening.kind) {
    case 'piece':
      return { text: text + happening.text, retry: undefined }
    case 'pieces-void':
      return { text: '' }
    case 'retry-planned': {
      const { tries, waitMs, because } = happening
      return { text: '', retry: { tries, at: now() + waitMs, because } }
    }
    case 'call-started': {
      const { tool, args } = happening
      return { text: '', calls: [...calls, { tool, args }] }
    }
    case 'call-ended': {
      const index = calls.findIndex(({ tool, args }) => tool === happening.tool && args === happening.args)
      return { calls: calls.filter((_, at) => at !== index) }
    }
  }
}
