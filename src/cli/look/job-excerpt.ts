import { unreachable } from '../../base/unreachable.ts'
import { oneLine } from '../../base/width.ts'
import type { Event } from '../../event/event.ts'
import { jobSchemas, jobText, type JobEventKind, type JobName } from '../../event/job.ts'

type JobEvent = Extract<Event, { kind: JobEventKind }>

const kinds: ReadonlySet<string> = new Set(jobSchemas.map(({ shape }) => shape.kind.value))

export function isOfJobs(event: Event): event is JobEvent {
  return kinds.has(event.kind)
}

/** What an event about jobs, pings and notices tells, in a few words. */
export function jobExcerpt(event: JobEvent): string {
  switch (event.kind) {
    case 'job-scheduled':
      return `${named(event)}: ${oneLine(event.schedule ?? 'its file is gone')}`
    case 'job-fired':
      return `${named(event)}, due ${timeOf(event.due)}${event.isLate ? ', late' : ''}`
    case 'job-skipped':
      return `${named(event)}, due ${timeOf(event.due)}: ${event.because}`
    case 'run-rested':
      return event.reason
    case 'jobs-paused':
      return `${event.one === null ? 'all jobs' : named(event.one)}${event.until === null ? '' : ` until ${timeOf(event.until)}`}`
    case 'jobs-resumed':
      return event.one === null ? 'all jobs' : named(event.one)
    case 'definition-judged':
      return `${oneLine(event.file)}: ${event.problem === null ? 'mended' : oneLine(event.problem.reason)}`
    case 'zone-set':
      return oneLine(event.zone)
    case 'budget-set':
      return `${oneLine(event.person)}: ${event.capacity} pings, one back every ${event.refillMinutes} min`
    case 'ping-settled':
      return `the ping at ${event.ping} ${event.outcome}`
    case 'ping-answered':
      return `${event.answer} to the ping at ${event.ping}`
    case 'notice-raised':
      return `${oneLine(event.cause)}: ${oneLine(event.text)}`
    case 'notices-told':
      return oneLine(event.causes.join(', '))
    case 'digest-sent':
      return `to ${oneLine(event.person)}, up to ${event.upTo}`
    default:
      return unreachable(event)
  }
}

function named(name: JobName): string {
  return oneLine(jobText(name))
}

function timeOf(at: number): string {
  return new Date(at).toISOString()
}
