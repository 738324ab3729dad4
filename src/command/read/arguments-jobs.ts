import type { JobKind } from '../../event/job.ts'
import { firstWord, type Reading } from './arguments.ts'

/** A job as somebody names it: two kinds may have the same id. */
export interface JobAsked {
  readonly what: JobKind | null
  readonly id: string
}

export interface PauseArguments {
  /** `all`, one job, or nothing: then it is asked what is paused. */
  readonly target: 'all' | JobAsked | null
  /** As typed, without 'for' and 'until'; null: until somebody says so. */
  readonly time: string | null
}

const KINDS: ReadonlyMap<string, JobKind> = new Map([
  ['routine', 'routine'],
  ['reminder', 'reminder'],
  ['webhook', 'webhook'],
])

/** `all`, `all 2h`, `2h`, `brief`, `routine brief 1d`, `all until tomorrow 9:00`. */
export function pauseArguments(text: string): Reading<PauseArguments> {
  if (text === '') return { fits: { target: null, time: null } }
  if (/^(?:for|until|till)\s/i.test(text) || DURATION.test(text))
    return { fits: { target: 'all', time: timeIn(text) } }
  const read = targetIn(text)
  if ('misfit' in read) return read
  const { target, rest } = read.fits
  return { fits: { target, time: rest === '' ? null : timeIn(rest) } }
}

/** Nothing, `all`, `brief`, `routine brief`. */
export function resumeArguments(text: string): Reading<{ readonly target: 'all' | JobAsked }> {
  if (text === '') return { fits: { target: 'all' } }
  const read = targetIn(text)
  if ('misfit' in read) return read
  const { target, rest } = read.fits
  return rest === '' ? { fits: { target } } : { misfit: 'takes all, the id of one job, or nothing.' }
}

/** Nobody calls a job `2h`: that is how long. */
const DURATION = /^\d+(?:\.\d+)?\s*(?:s|m|h|d|w|sec|min|hr|hour|day|week)s?(?:\s.*)?$/i

function targetIn(text: string): Reading<{ readonly target: 'all' | JobAsked; readonly rest: string }> {
  const [first, behind] = firstWord(text)
  const word = first.toLowerCase()
  if (word === 'all' || word === 'everything') return { fits: { target: 'all', rest: behind } }
  const what = KINDS.get(word)
  if (what === undefined) return { fits: { target: { what: null, id: first }, rest: behind } }
  const [id, rest] = firstWord(behind)
  if (id === '') return { misfit: `takes the id of a ${what} after '${word}'.` }
  return { fits: { target: { what, id }, rest } }
}

function timeIn(text: string): string {
  return text.replace(/^(?:for|until|till)\s+/i, '').trim()
}
