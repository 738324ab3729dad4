import type { z } from 'zod'
import { eventSchema, kinds, type Checked, type Draft, type Event, type Kind } from './event.ts'
import { positionSchema, type Position } from './id.ts'
import { pack, unpack, type Fields } from './packing.ts'

/** An event that cannot be read or must not be written. The message says what, where and what was expected. */
export class EventError extends Error {
  override readonly name = 'EventError'
}

/** An event as a log stores it: the columns it is searched by, and the rest as JSON with packed lists. */
export interface StoredEvent {
  readonly position: number
  readonly at: number
  readonly branch: string
  readonly kind: string
  readonly body: string
}

/** Turns the fields of one version into those of the next. It invents no facts: a missing field keeps its old meaning. */
export type Upcast = (fields: Fields) => Fields
/** `upcasts['mark-set'][1]` turns version 1 of a `mark-set` into version 2. */
export type Upcasts = Partial<Record<Kind, Readonly<Record<number, Upcast>>>>

const upcasts: Upcasts = {}

/** Checks an event before it is written. */
export function checkDraft(draft: Draft): Checked {
  const checked = eventSchema.safeParse(draft)
  if (!checked.success)
    throw new EventError(`refused to write a '${draft.kind}' event: ${explain(checked.error)}`)
  return checked.data
}

export function toStored(event: Event): StoredEvent {
  const { position, at, branch, kind, ...rest } = event
  return { position, at, branch, kind, body: JSON.stringify(pack(rest)) }
}

export function fromStored(stored: StoredEvent): Event {
  const { position, at, branch, kind, body } = stored
  return readEvent({ ...unpack(parseObject(body, `event ${position}`)), at, branch, kind }, position)
}

/** One line of an export: the same event always gives the same bytes. */
export function toLine(event: Event): string {
  return JSON.stringify(exported(event))
}

/** An event as an export has it. */
export function exported({ position, at, branch, kind, ...rest }: Event) {
  return { position, at: new Date(at).toISOString(), branch, kind, ...rest }
}

export function fromLine(line: string): Event {
  const { position, at, ...rest } = parseObject(line, 'the line')
  if (!positionSchema.safeParse(position).success)
    throw new EventError(
      `an event needs a position, a whole number from 1; found ${JSON.stringify(position)}`,
    )
  const time = typeof at === 'string' ? Date.parse(at) : Number.NaN
  if (Number.isNaN(time) || new Date(time).toISOString() !== at)
    throw new EventError(`'at' must be a time such as 2026-03-01T08:30:00.000Z; found ${JSON.stringify(at)}`)
  return readEvent({ ...rest, at: time }, position as Position)
}

export function readEvent(fields: Fields, position: number, known: Upcasts = upcasts): Event {
  const { kind } = fields
  if (!kinds.includes(kind as Kind))
    throw new EventError(
      `event ${position} is of kind ${JSON.stringify(kind)}, which this program does not know; a newer mainstem may`,
    )
  const { v = null } = fields
  const checked = eventSchema.safeParse(upcast({ ...fields, v }, known[kind as Kind]))
  if (!checked.success) {
    const why = isNewer(kind as Kind, fields['v']) ? NEWER_VERSION : explain(checked.error)
    throw new EventError(`event ${position} (${String(kind)}) is invalid: ${why}`)
  }
  return Object.assign(checked.data, { position: position as Position })
}

const NEWER_VERSION = 'it is of a version that this program does not know; a newer mainstem may'

function isNewer(kind: Kind, version: unknown): boolean {
  const known = eventSchema.options.find(({ shape }) => shape.kind.value === kind)
  return typeof version === 'number' && version > (known?.shape.v.unwrap().value ?? 0)
}

function upcast(fields: Fields, steps: Readonly<Record<number, Upcast>> = {}): Fields {
  let now = fields
  for (let step = steps[now['v'] as number]; step !== undefined; step = steps[now['v'] as number]) {
    const next = step(now)
    now = { ...next, v: (now['v'] as number) + 1 }
  }
  return now
}

function parseObject(text: string, where: string): Fields {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new EventError(`${where} is not JSON: ${(cause as Error).message}`, { cause })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new EventError(`${where} is not a JSON object`)
  return value as Fields
}

function explain(error: z.ZodError): string {
  const [issue] = error.issues
  if (issue === undefined) return 'unknown reason'
  const more = error.issues.length > 1 ? ` (and ${error.issues.length - 1} more)` : ''
  return `${issue.path.join('.') || 'the event'}: ${issue.message}${more}`
}
