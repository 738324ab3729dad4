import {
  mainAbove,
  omittedOf,
  pendingUpdates,
  tellingOf,
  updateAt,
  updateLine,
  updatesOf,
  type UpdateState,
} from '../agent/state/updates.ts'
import { ageText, counted } from '../base/words.ts'
import { handleOf, type BranchId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'

export interface UpdatesLook {
  readonly branch: BranchId
  readonly now: number
  readonly which: 'pending' | 'all'
}

/** More would push what was said out of sight; so would one that is long. */
const SHOWN_MAX = 20
const CHARS_MAX = 300

/** What main will be told with its next turn, or all that it ever was told; the newest last. */
export function updatesText(reader: Reader, { branch, now, which }: UpdatesLook): string {
  const main = mainAbove(reader, branch)
  const pending = main === undefined ? [] : pendingUpdates(reader, main)
  const states = which === 'all' ? updatesOf(reader, branch) : pending.map(waiting)
  if (states.length === 0) return which === 'all' ? NEVER : NOTHING
  const shown = states.slice(-SHOWN_MAX)
  const heading = which === 'all' ? ofAll(states.length, pending.length) : ofPending(states.length)
  const isLong = shown.some(({ position }) => updateAt(reader, position).text.length > CHARS_MAX)
  const cut = [
    ...(shown.length < states.length ? [`the newest ${SHOWN_MAX}`] : []),
    ...(isLong ? ['long ones are cut'] : []),
  ]
  const whole = `mainstem updates${which === 'all' ? ' --all' : ''} shows everything`
  const left = cut.length === 0 ? [] : [`(${cut.join(', ')}; ${whole})`]
  return [heading, ...left, ...shown.map((state) => lineOf(reader, state, now))].join('\n')
}

const NEVER = 'Nothing was ever reported to main.'
const NOTHING = 'Nothing waits for main. /updates all shows what it was told before.'

function waiting(position: UpdateState['position']): UpdateState {
  return { position, settled: null }
}

function ofAll(all: number, pending: number): string {
  if (pending === all)
    return `${counted(all, 'update')}, ${all === 1 ? '' : 'all '}waiting for main's next turn:`
  const waits = pending === 0 ? 'none waits' : `${pending.toLocaleString('en')} ${waitWord(pending)}`
  return `${counted(all, 'update')}, of which ${waits} for main's next turn:`
}

function ofPending(pending: number): string {
  const omitted = omittedOf(pending)
  const waits = `${counted(pending, 'update')} ${waitWord(pending)} for main's next turn`
  if (omitted === 0) return `${waits}:`
  return `${waits}, which shows the newest ${pending - omitted} and leaves out the others:`
}

export function waitWord(count: number): 'waits' | 'wait' {
  return count === 1 ? 'waits' : 'wait'
}

function lineOf(reader: Reader, state: UpdateState, now: number): string {
  const line = updateLine(updateAt(reader, state.position), now, CHARS_MAX)
  const told = toldWords(reader, state, now)
  return told === undefined ? line : `${line} (${told})`
}

/** `told 5 min ago`; undefined while it waits. */
export function toldWords(reader: Reader, state: UpdateState, now: number): string | undefined {
  const telling = tellingOf(reader, state)
  if (telling === null) return undefined
  const { by, at, saved } = telling
  const ago = `${ageText(now - at)} ago`
  if (by === 'count') return `left out ${ago}, too many at once`
  return saved === null ? `told ${ago}` : `saved with ${handleOf(saved)} ${ago}`
}
