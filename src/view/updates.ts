import { isByHost, omittedOf, pendingUpdates, shownBy, updateAt, updateLine } from '../agent/state/updates.ts'
import { mainAbove } from '../agent/state/person.ts'
import { updateTable } from '../agent/state/tables.ts'
import { isoIn } from '../base/time-text.ts'
import { ageText, counted } from '../base/words.ts'
import { handleOf, type BranchId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import { newestPage, type Page } from './page.ts'

/** An update as people and programs are shown it. Times are ISO in the person's zone; programs rely on the names. */
export type UpdateView = ReturnType<typeof updatesView>['updates'][number]

export type WhichUpdates = 'pending' | 'all'

export interface UpdatesLook extends Partial<Page> {
  readonly branch: BranchId
  readonly which: WhichUpdates
  readonly zone: string
}

const STATES = { message: 'told', count: 'counted', save: 'saved' } as const

/** What main gets with its next turn, or everything it ever got; the newest last. */
export function updatesView(reader: Reader, { branch, which, zone, before, limit }: UpdatesLook) {
  const main = mainAbove(reader, branch)
  const page = { before, limit: limit ?? Number.MAX_SAFE_INTEGER - 1 }
  const { rows, next } =
    main === undefined
      ? { rows: [], next: null }
      : which === 'all'
        ? newestPage(reader, updateTable, { prefix: [main], ...page })
        : pendingPage(reader, main, page)
  const updates = rows.toReversed().map((row) => {
    const update = updateAt(reader, row.position)
    const shown = shownBy(reader, row)
    return {
      ts: isoIn(update.at, zone),
      message: update.text,
      source: update.source,
      state: shown === null ? ('pending' as const) : STATES[shown.by],
      position: update.position,
      from: update.from === null ? null : handleOf(update.from),
      byHost: isByHost(update),
      /** Null: it waits. */
      told: shown && {
        ts: isoIn(shown.at, zone),
        position: shown.position,
        saved: shown.saved === null ? null : handleOf(shown.saved),
      },
    }
  })
  return { updates, next }
}

function pendingPage(reader: Reader, main: BranchId, { before = Infinity, limit }: Page) {
  const older = pendingUpdates(reader, main).filter((position) => position < before)
  const rows = older.slice(-limit).map((position) => ({ position, settled: null }))
  return { rows: rows.toReversed(), next: older.length > limit ? (rows[0]?.position ?? null) : null }
}

/** Limits, so that updates do not push the conversation out of sight. */
const SHOWN_MAX = 20
const CHARS_MAX = 300

/** For a chat: the newest ones, a line each. */
export function updatesText(updates: readonly UpdateView[], which: WhichUpdates, now: number): string {
  const shown = updates.slice(-SHOWN_MAX)
  const cut = [
    ...(shown.length < updates.length ? [`the newest ${SHOWN_MAX}`] : []),
    ...(shown.some(({ message }) => message.length > CHARS_MAX) ? ['long ones are cut'] : []),
  ]
  const whole = `mainstem updates${which === 'all' ? ' --all' : ''} shows everything`
  return [
    updatesHeading(updates, which, '/updates all'),
    ...(cut.length === 0 ? [] : [`(${cut.join(', ')}; ${whole})`]),
    ...shown.map((update) => lineOf(update, now)),
  ].join('\n')
}

function lineOf(update: UpdateView, now: number): string {
  const { ts, message: text, source, byHost } = update
  const line = updateLine({ at: Date.parse(ts), text, source, isByHost: byHost }, now, CHARS_MAX)
  const told = toldWords(update, (at) => `${ageText(now - Date.parse(at))} ago`)
  return told === undefined ? line : `${line} (${told})`
}

/** `how` shows what main got before. */
export function updatesHeading(updates: readonly UpdateView[], which: WhichUpdates, how: string): string {
  const waiting = updates.filter(({ told }) => told === null).length
  const waits = `${waiting === 1 ? 'waits' : 'wait'} for main's next turn`
  if (updates.length === 0)
    return which === 'all'
      ? 'Nothing has been reported to main yet.'
      : `Nothing waits for main. ${how} shows what it got before.`
  if (waiting < updates.length) {
    const some =
      waiting === 0 ? `none waits for main's next turn` : `${waiting.toLocaleString('en')} ${waits}`
    return `${counted(updates.length, 'update')}; ${some}:`
  }
  const omitted = omittedOf(waiting)
  const only = omitted === 0 ? '' : `, which shows the newest ${waiting - omitted} and omits the rest`
  return `${counted(waiting, 'update')} ${waits}${only}:`
}

/** `told 5 min ago`; undefined while it waits. */
export function toldWords({ told, state }: UpdateView, timeOf: (ts: string) => string): string | undefined {
  if (told === null) return undefined
  if (state === 'counted') return `omitted ${timeOf(told.ts)}, too many at once`
  return told.saved === null ? `told ${timeOf(told.ts)}` : `saved with ${told.saved} ${timeOf(told.ts)}`
}
