import type { Happening as AnyHappening } from '../../src/event/happening.ts'
import type { Event } from '../../src/event/event.ts'

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
