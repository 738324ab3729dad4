import { timeText } from '../../base/time-text.ts'
import { oneLine, shorten } from '../../base/width.ts'
import { counted } from '../../base/words.ts'
import type { EventOf } from '../../event/event.ts'
import type { BranchId, Position } from '../../event/id.ts'
import type { Reader, Writing } from '../../event/table.ts'
import { DEFINITION, FAILURE, knownProblem, noticesOf } from '../state/jobs.ts'
import { soonest, type Chore, type KeepLook } from './chore.ts'
import { openList } from '../state/ledger.ts'
import { pingAddress } from './ping-place.ts'
import { freeAt } from './ping-obstacle.ts'
import { sayUnasked, type Saying } from '../state/outbox.ts'
import { OWNER } from '../../event/speaker.ts'
import { mainOf } from '../state/person.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS
/** How long after the first, second and later times a failure is told again. */
const FAILURE_GAPS_MS = [HOUR_MS, 4 * HOUR_MS, DAY_MS]
/** Newest notices in full; earlier ones are shortened. */
const LINES_MAX = 20
const LISTED_MAX = 100
const SHORT_COLUMNS = 80

/** Sends the host's own notices: all that are due in one message, and each cause only now and then. */
export const noticesChore: Chore = { dueAt, keep }

function dueAt(reader: Reader, look: KeepLook): number | undefined {
  if (look.passingSince !== null) return undefined
  const heard = openList(reader, 'notices').filter(([person]) => hearerOf(reader, person, look) !== undefined)
  return soonest(heard.map(([person, cause]) => toldFrom(reader, noticesNamed(reader, person, cause), look)))
}

function keep(writing: Writing, look: KeepLook): readonly BranchId[] {
  const open = openList(writing, 'notices')
  for (const person of new Set(open.map(([who]) => who))) {
    const hearer = hearerOf(writing, person, look)
    if (hearer === undefined) continue
    const due = open
      .filter(([who]) => who === person)
      .map(([, cause]) => noticesNamed(writing, person, cause))
      .filter((notices) => (toldFrom(writing, notices, look) ?? Infinity) <= look.now)
    if (due.length > 0) tell(writing, { ...hearer, due }, look)
  }
  return []
}

type Named = ReturnType<typeof noticesNamed>

function noticesNamed(reader: Reader, person: string, cause: string) {
  return { ...noticesOf(reader, person, cause), cause }
}

/** When a cause may be told next. */
function toldFrom(reader: Reader, notices: Named, { now, settings }: KeepLook): number | undefined {
  return freeAt(reader, Math.max(now, againAt(notices, now)), settings)
}

function againAt({ cause, toldAt, told }: Named, now: number): number {
  // After the clock was set back by days, people would otherwise wait that long.
  if (toldAt === null || toldAt > now + DAY_MS) return now
  const last = FAILURE_GAPS_MS.length - 1
  const gapMs = cause.startsWith(FAILURE) ? FAILURE_GAPS_MS[Math.min(Math.max(told - 1, 0), last)] : HOUR_MS
  return toldAt + (gapMs ?? HOUR_MS)
}

export type Hearer = NonNullable<ReturnType<typeof hearerOf>>

/** Where a person is reached unasked. Undefined: nobody of that name ever wrote here. */
export function hearerOf(
  reader: Reader,
  person: string,
  { settings: { pings }, channels }: Pick<KeepLook, 'settings'> & Partial<KeepLook>,
) {
  const main = mainOf(reader, person)
  const to = main && pingAddress(reader, { main, person }, { pings, channels })
  return main === undefined || to === undefined ? undefined : { person, main, to }
}

function tell(writing: Writing, told: Hearer & { readonly due: readonly Named[] }, look: KeepLook): void {
  const { person, main, to, due } = told
  const { now: at } = look
  const said = due
    .map((notices) => ({ ...notices, raised: raisedAt(writing, notices.newest) }))
    .toSorted((one, other) => one.raised.position - other.raised.position)
  const lines = said.map((one) => lineOf(writing, one, look))
  const branches = new Set(said.map(({ raised }) => raised.branch))
  const [only] = branches.size === 1 ? branches : []
  // From the run's branch, so that a reply knows what the run did.
  const branch = only ?? main
  const areFiles = said.every((one) => wrongFile(writing, one) !== undefined)
  const text = textOf(lines, areFiles ? `${counted(lines.length, 'file')} cannot be used:` : undefined)
  const cause = said.at(-1)?.newest ?? null
  const delivery = sayUnasked(writing, { branch, at, to, notice: 'raised', text, cause })
  const causes = said.map(({ cause }) => cause)
  writing.append({ kind: 'notices-told', branch: main, at, person, causes, delivery })
}

/** Tells the owner something now, with answers to pick; in quiet hours it is told later, without them. */
export function tellOwner(
  writing: Writing,
  { text, choices, cause, topic }: Pick<Saying, 'text' | 'choices' | 'cause'> & { readonly topic: string },
  look: Pick<KeepLook, 'now' | 'settings'>,
): void {
  const { now: at, settings } = look
  const hearer = hearerOf(writing, OWNER, look)
  if (hearer === undefined) return
  const { main: branch, to, person } = hearer
  if (freeAt(writing, at, settings) === at)
    sayUnasked(writing, { branch, at, to, notice: 'raised', text, choices: choices ?? [], cause })
  else writing.append({ kind: 'notice-raised', branch, at, person, cause: topic, text })
}

function raisedAt(reader: Reader, position: Position | null): EventOf<'notice-raised'> {
  const event = position === null ? undefined : reader.event(position)
  if (event?.kind !== 'notice-raised') throw new TypeError(`no notice was raised at ${position}`)
  return event
}

function lineOf(
  reader: Reader,
  { cause, raised, count, first }: Named & { readonly raised: EventOf<'notice-raised'> },
  { now, settings: { zone } }: KeepLook,
): string {
  if (cause.startsWith(DEFINITION) && wrongFile(reader, { cause }) === undefined)
    return `${cause.slice(DEFINITION.length)} has no mistakes any more.`
  if (count <= 1 || first === null) return raised.text
  return `${raised.text} (${count} times since ${timeText(reader.event(first).at, { now, zone })})`
}

/** The file that a notice is about, if it is still wrong. It may have been fixed since. */
function wrongFile(reader: Reader, { cause }: Pick<Named, 'cause'>): string | undefined {
  if (!cause.startsWith(DEFINITION)) return undefined
  const file = cause.slice(DEFINITION.length)
  return knownProblem(reader, file) === null ? undefined : file
}

function textOf(lines: readonly string[], heading?: string): string {
  const [only = ''] = lines
  if (lines.length === 1) return only
  // Every notice that counts as told is named, at least in short.
  const shown = lines.slice(-LISTED_MAX).map((line, at, { length }) => {
    const isNew = length <= LINES_MAX || at >= length - LINES_MAX
    return isNew ? oneLine(line) : shorten(oneLine(line), SHORT_COLUMNS)
  })
  const omitted = lines.length - shown.length
  const more =
    omitted === 0
      ? []
      : [`${counted(omitted, 'earlier message')} left out: /routines and /reminders show more.`]
  const above = heading === undefined ? more : [heading, ...more]
  return [...above, ...shown.map((line) => `- ${line}`)].join('\n')
}
