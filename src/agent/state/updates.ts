import { limits } from '../../base/limits.ts'
import { oneLine } from '../../base/width.ts'
import { ageText, cutText } from '../../base/words.ts'
import { getBranch, type Branch } from '../../context/branch.ts'
import { fence, plainName } from '../../event/fence.ts'
import type { EventOf } from '../../event/event.ts'
import type { BranchId, Position } from '../../event/id.ts'
import { fromJson, type Reader, type RowOf } from '../../event/table.ts'
import { runIn } from './run.ts'
import { peekTable, updatesShownTable, updateTable } from './tables.ts'
import { mainAbove } from './person.ts'

/** Told before an answer that reads updates first. */
export const CATCHING_UP = 'catching up on background activity...'

export type Update = EventOf<'update-reported'>

/** Positions of the updates that a main session was not told yet, oldest first. Told ones are not searched. */
export function pendingUpdates(reader: Reader, main: BranchId, after = 0): Position[] {
  const { shownTo, again } = toldOf(reader, main)
  const from = Math.max(shownTo, after) + 1
  const rows = reader.rows(updateTable, { prefix: [main], from, order: 'up', limit: limits.updatesMax })
  const all = [...again.filter((one) => one > after), ...rows.map(({ position }) => position)]
  return all.slice(0, limits.updatesMax)
}

/** After `shownTo` everything is pending; before it only what came back, in `again`. */
export function toldOf(reader: Reader, main: BranchId) {
  const row = reader.row(updatesShownTable, [main])
  if (row === undefined) return { shownTo: 0, again: [] }
  return { shownTo: row.shown_to, again: fromJson(row.again) }
}

/** The updates that a message shows: it settles them, or only peeks. */
export interface ShownUpdates {
  readonly text: string
  readonly facts: NonNullable<EventOf<'message-added'>['updates']>
}

const LINES_MAX = 10
/** As long as our own reports may be. */
const LINE_CHARS_MAX = 4_000
const HEADINGS = {
  pop: 'RECENT BACKGROUND UPDATES (mention key findings in your response)',
  peek: 'RECENT BACKGROUND UPDATES (read-only — main session will also see these)',
} as const

/** The updates that the branch's next message shows; undefined if there are none, or none for it. */
export function updatesFor(reader: Reader, branch: Branch, now: number): ShownUpdates | undefined {
  const of = seesUpdates(reader, branch) ? mainAbove(reader, branch.id) : undefined
  if (of === undefined) return undefined
  const isOwn = of === branch.id
  const shown = pendingUpdates(reader, of, isOwn ? 0 : lookedTo(reader, branch))
  if (shown.length === 0) return undefined
  const omitted = omittedOf(shown.length)
  const lines = shown.slice(omitted).map((position) => {
    const update = updateAt(reader, position)
    return updateLine({ ...update, isByHost: isByHost(update) }, now)
  })
  // The host's own line needs no fence, but stands with the updates that it counts.
  const counted = omitted === 0 ? [] : [`(${omitted} earlier update(s) omitted — cap reached)`]
  const text = `${HEADINGS[isOwn ? 'pop' : 'peek']}\n${fence('updates', [...counted, ...lines].join('\n'))}`
  return { text, facts: { of, shown } }
}

/** Whether this part of a message shows updates. */
export function isUpdatesText(text: string): boolean {
  return Object.values(HEADINGS).some((heading) => text.startsWith(heading))
}

/** How many of these updates are only counted; the line that says so takes the place of one. */
export function omittedOf(count: number): number {
  return count <= LINES_MAX ? 0 : count - (LINES_MAX - 1)
}

/** Children see only their task; so do runs that begin empty. */
export function seesUpdates(reader: Reader, { id, mode }: Branch): boolean {
  if (mode === 'background') return runIn(reader, id)?.isolated === false
  return mode === 'main' || mode === 'fork'
}

/** How far a branch has seen updates, as of `until`. A copy has seen what its original had, and nothing later. */
function lookedTo(reader: Reader, { id, parent, forkedAt }: Branch, until = Number.MAX_SAFE_INTEGER): number {
  const [last] = reader.rows(peekTable, { prefix: [id], to: until, order: 'down', limit: 1 })
  if (last !== undefined) return newestShown(reader, last.position)
  const above = parent === null ? undefined : getBranch(reader, parent)
  return above === undefined || above.mode === 'main' ? 0 : lookedTo(reader, above, Math.min(until, forkedAt))
}

function newestShown(reader: Reader, message: Position): number {
  const { updates } = reader.event(message) as EventOf<'message-added'>
  return (updates?.shown ?? []).reduce((newest, one) => Math.max(newest, one), 0)
}

export function updateLine(
  update: Pick<Update, 'at' | 'text' | 'source'> & { readonly isByHost: boolean },
  now: number,
  charsMax = LINE_CHARS_MAX,
): string {
  const { at, text } = update
  const by = update.isByHost ? `${BY_HOST}, ` : ''
  return `- (${by}${ageText(now - at)} ago, ${reporterName(update)}) ${oneLine(cutText(text, charsMax))}`
}

export const BY_HOST = 'written by the host'

/** Without brackets and commas of its own, which could end the field and pose as the host. */
export function reporterName({ source }: Pick<Update, 'source'>): string {
  const [, name = source, title] = /^([^(]*?)\s*\((.*)\)$/su.exec(source.trim()) ?? []
  return title === undefined ? plain(name) : `${plain(name)} (${plain(title)})`
}

function plain(words: string): string {
  const bare = plainName(words.replaceAll(/[(),]/g, ' '))
  return bare.replaceAll(/written by the host/giu, 'written by "the host"')
}

type UpdateState = Pick<RowOf<typeof updateTable>, 'position' | 'settled'>

/** What told an update: a message of main that shows or only counts it, or a save of a message that shows it. */
export function shownBy(reader: Reader, { position, settled }: UpdateState) {
  if (settled === null) return null
  const event = reader.event(settled)
  const place = { at: event.at, position: settled }
  if (event.kind === 'context-saved') return { by: 'save' as const, ...place, saved: event.source }
  const shown = event.kind === 'message-added' ? (event.updates?.shown ?? []) : []
  const isCounted = shown.indexOf(position) < omittedOf(shown.length)
  return { by: isCounted ? ('count' as const) : ('message' as const), ...place, saved: null }
}

/** The same for an update found elsewhere. */
export function shownByAt(reader: Reader, { branch, position }: Pick<Update, 'branch' | 'position'>) {
  const settled = reader.row(updateTable, [branch, position])?.settled ?? null
  return shownBy(reader, { position, settled })
}

/** Whether the host reported for a run or fork that failed to report itself. */
export function isByHost({ author, from }: Update): boolean {
  return from !== null && author.by === 'policy'
}

export function updateAt(reader: Reader, position: Position): Update {
  return reader.event(position) as Update
}
