import { bodyOf } from './host-lines.ts'
import { type Check, checkIn, lateIn } from './job-head.ts'
import { pingIn, turnedRound } from './ping-wishes.ts'

/** A job that is due in a conversation: the person sees the answer. */
export interface DueJob {
  readonly what: 'routine' | 'reminder'
  readonly id: string
  /** When it was due, where that is over: `9:05`. */
  readonly late: string | undefined
  readonly check: Check | undefined
  readonly body: string
}

const TAG = /^\[(?<what>routine|reminder):(?<id>[^\]\s]+)\]/u
const BEFORE = /^(CHAIN|REQUIRED SKILLS): ([\s\S]*?)(?:\n\n|$)/u

export function dueJob(text: string): DueJob | undefined {
  const { what, id = '' } = TAG.exec(text)?.groups ?? {}
  if (what !== 'routine' && what !== 'reminder') return undefined
  let rest = bodyOf(text)
  const told = new Map<string, string>()
  for (let part = BEFORE.exec(rest); part; part = BEFORE.exec(rest)) {
    const [whole, name = '', words = ''] = part
    // The host says each once: what comes again is of the body.
    if (told.has(name)) break
    told.set(name, words)
    rest = rest.slice(whole.length)
  }
  const chain = told.get('CHAIN')
  const check = chain === undefined ? undefined : checkIn(chain)
  return { what, id, late: lateIn(text), check, body: rest.trim() }
}

/** `Reminder (was due 9:00): call mum.`, `Routine stretch: stretch now.` */
export function reminderText({
  what = 'reminder',
  id,
  body,
  late,
  check,
}: Pick<DueJob, 'body' | 'late' | 'check'> & Partial<Pick<DueJob, 'what' | 'id'>>): string {
  const name = what === 'routine' ? `Routine ${id ?? ''}`.trim() : 'Reminder'
  const head = (check?.number ?? 1) > 1 ? 'Checking in again' : name
  const due = late === undefined ? '' : ` (was due ${late})`
  return `${head}${due}: ${ended(remindedOf(body))}`
}

/** What a task says to tell the person, or else the task itself, turned round. */
export function remindedOf(body: string): string {
  return pingIn(body) || turnedRound(body)
}

function ended(words: string): string {
  return /[.!?…:;)"”'’]$/u.test(words) ? words : `${words}.`
}

const MINUTES_DEFAULT = 30
const INTERVAL = /\b(\d{1,4}|an?|half an)[- ]?(minutes?|mins?|hours?|hrs?|h|m)\b/iu

/** After how long somebody is asked again: as the task names it, or half an hour. */
export function followUpMinutes(body: string): number {
  const [, count = '', unit = ''] = INTERVAL.exec(body) ?? []
  if (unit === '') return MINUTES_DEFAULT
  const amount = /^\d/u.test(count) ? Number(count) : /half/iu.test(count) ? 0.5 : 1
  const minutes = Math.round(amount * (/^h/iu.test(unit) ? 60 : 1))
  return minutes >= 1 && minutes <= DAY_MINUTES ? minutes : MINUTES_DEFAULT
}

const DAY_MINUTES = 1_440
