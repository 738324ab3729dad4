import { cronWords } from './cron-words.ts'
import type { Job } from './data.ts'

/** `finished`; `finished, late`: without the run, to which there is a link. */
export function outcomeWords(outcome: string): string {
  const [, how = '', state = outcome] =
    /^(fired late|started by hand)?(?:fired)?(?:, as \w+)?, (.*)$/.exec(outcome) ?? []
  return [state, ...(how === '' ? [] : [how.replace('fired ', '').replace('started ', '')])].join(', ')
}

/** `weekdays at 08:30`, or what its file says. */
export function scheduleWords({ kind, schedule }: Pick<Job, 'kind' | 'schedule'>): string {
  if (schedule === null) return kind === 'webhook' ? 'when somebody calls it' : 'only by hand'
  if (kind === 'reminder') return 'once'
  const [, cron = schedule, zone] = /^((?:\S+ ){4}\S+)(?: (\S+))?$/.exec(schedule) ?? []
  return `${cronWords(cron) ?? cron}${zone === undefined ? '' : ` (${zone})`}`
}
