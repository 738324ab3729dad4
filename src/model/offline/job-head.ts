import { headOf } from './host-lines.ts'

/** Which check of a chain it is. */
export interface Check {
  readonly number: number
  /** Another one can be set. */
  readonly isOpen: boolean
}

const LATE = /^\[late: was scheduled for ([^\],\n]+), running now\]$/mu

/** As the host said it above the task, and nobody below. */
export function lateIn(text: string): string | undefined {
  return LATE.exec(headOf(text))?.[1]
}

export function checkIn(chain: string): Check | undefined {
  const [, number] = /^this is check (\d+)\/\d+/u.exec(chain) ?? []
  if (number === undefined) return undefined
  return { number: Number(number), isOpen: chain.includes('follow_up_chain(minutes_from_now) is available') }
}
