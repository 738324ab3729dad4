import { unreachable } from '../../base/unreachable.ts'
import { authorName } from '../../context/version.ts'
import type { Event, EventOf, Message } from '../../event/event.ts'
import type { BranchId } from '../../event/id.ts'
import type { RightKind, Wish } from '../../event/right.ts'
import type { RunKind } from '../../event/run.ts'
import type { WorkKind } from '../../event/work.ts'
import { oneLine } from '../../base/width.ts'
import { counted } from '../../base/words.ts'
import { jobSchemas, jobText, type JobEventKind, type JobName } from '../../event/job.ts'

/** What an event tells, in a few words; the caller shortens it. */
export function excerpt(event: Event, nameOf: (branch: BranchId) => string): string {
  switch (event.kind) {
    case 'branch-created':
      return created(event, nameOf)
    case 'branch-ended':
      return `${event.reason}, by ${oneLine(authorName(event.author))}`
    case 'message-added':
      return messageText(event.message)
    case 'turn-started':
      return event.continues === null ? 'began to answer' : 'went on after an interruption'
    case 'turn-ended':
      return event.outcome
    case 'mark-set':
      return `'${oneLine(event.name)}'`
    case 'context-cleared':
      return event.to === null
        ? cleared(event.items.length)
        : `rewound to '${oneLine(event.to.name)}', ${kept(event.items.length)}`
    case 'context-compacted':
      return `${counted(event.summaries.length, 'summary', 'summaries')} by ${oneLine(event.writer)}: ${oneLine(event.summaries[0]?.text ?? '')}`
    case 'compaction-abandoned':
      return event.because.replaceAll('-', ' ')
    case 'context-expanded':
      return `summary of ${event.summary} opened, ${kept(event.items.length)}`
    case 'context-saved':
      return `from ${nameOf(event.source)}, now ${counted(event.items.length, 'item')}`
    case 'context-undone':
      return `took back the change at ${event.undone}`
    case 'context-redone':
      return `made the change at ${event.version} again`
    default:
      return isOfJobs(event) ? jobExcerpt(event) : workExcerpt(event, nameOf)
  }
}

type WorkEvent = Extract<Event, { kind: WorkKind | RightKind | RunKind }>

function workExcerpt(event: WorkEvent, nameOf: (branch: BranchId) => string): string {
  switch (event.kind) {
    case 'content-kept':
      return `${event.hash.slice(0, 8)}: ${oneLine(event.text)}`
    case 'inbound-admitted':
      return `${event.form} from ${sourceName(event.source)}: ${oneLine(event.text)}`
    case 'inbound-moved':
      return `${event.took} is ${event.to} now`
    case 'model-called':
      return `call ${event.call}, prompt ${event.prompt.slice(0, 8)}`
    case 'model-answered':
      return `call ${event.call} by ${oneLine(event.model)}, ${event.usage.tokensIn} tokens in, ${event.usage.tokensOut} out`
    case 'model-failed':
      return `call ${event.call}, ${oneLine(event.reason)}: ${oneLine(event.message)}`
    case 'command-run':
      return `${oneLine(event.line)} → ${oneLine(event.output)}`
    case 'delivery-intended':
      return `${event.form} to ${oneLine(event.to.channel)} ${oneLine(event.to.conversation)}: ${oneLine(event.text)}`
    case 'delivery-done':
      return `of ${event.intent}`
    case 'delivery-failed':
      return `of ${event.intent}: ${oneLine(event.message)}`
    case 'mail-sent':
      return `from ${nameOf(event.from)}: ${oneLine(event.text)}`
    case 'mail-read':
      return `up to ${event.upTo}`
    case 'conversation-bound':
      return `${oneLine(event.channel)} ${oneLine(event.conversation)} talks to ${nameOf(event.branch)}`
    case 'setup-changed':
      return `system ${event.system.slice(0, 8)}, tools ${event.tools.slice(0, 8)}, by ${oneLine(authorName(event.author))}`
    case 'model-used':
      return `for a ${event.what} by ${oneLine(event.model)}, ${event.usage.tokensIn} tokens in, ${event.usage.tokensOut} out`
    case 'policy-set':
      return `${event.policy}, by ${oneLine(authorName(event.author))}`
    case 'spending-noted':
      return event.what === 'near' ? `the limit of ${event.day} is near` : `may be passed on ${event.day}`
    default:
      return rightExcerpt(event, nameOf)
  }
}

function rightExcerpt(
  event: Exclude<WorkEvent, { kind: WorkKind }>,
  nameOf: (branch: BranchId) => string,
): string {
  switch (event.kind) {
    case 'call-decided':
      return `${oneLine(event.tool)} ${event.verdict}: ${event.because.replaceAll('-', ' ')}, ${oneLine(event.subject)}`
    case 'approval-asked':
      return `${event.number}: ${wishText(event.wish)}`
    case 'approval-decided':
      return `${event.number}: ${event.verdict}, by ${oneLine(authorName(event.author))}`
    case 'proposal-done':
      return `${event.number}: ${event.problem === null ? 'done' : oneLine(event.problem)}`
    case 'permission-granted':
    case 'permission-revoked':
      return `${oneLine(event.pattern)}, by ${oneLine(authorName(event.author))}`
    case 'memory-changed':
      return `${counted(event.lines.length, 'line')}, by ${oneLine(authorName(event.author))}`
    case 'update-reported':
      return `from ${oneLine(event.source)}: ${oneLine(event.text)}`
    case 'run-started':
      return `${event.tag}:${oneLine(event.job)}, ${event.isolated ? 'isolated' : 'forked'}, reports ${event.reporting}`
    case 'run-sent-back':
      return 'owes a report'
    case 'fork-entered':
      return `by ${event.how}${event.replied === null ? '' : ` to ${nameOf(event.replied)}`}`
    case 'ping-decided':
      return `${event.verdict} (${event.because}): ${oneLine(event.text)}`
    default:
      return unreachable(event)
  }
}

function wishText(wish: Wish): string {
  switch (wish.kind) {
    case 'call':
      return `may ${oneLine(wish.tool)} run: ${oneLine(wish.subject)}`
    case 'file':
      return `may ${oneLine(wish.path)} be changed`
    case 'memory':
      return `remember: ${oneLine(wish.line)}`
  }
}

function sourceName(source: EventOf<'inbound-admitted'>['source']): string {
  return source.from === 'host' ? `the host [${source.tag}]` : oneLine(source.channel)
}

/** The texts of an event as people wrote them, for searching: in JSON a quote or a line's end looks different. */
export function searchedText(event: Event): string {
  if (event.kind === 'message-added') return event.message.text
  if (event.kind === 'context-compacted') return event.summaries.map(({ text }) => text).join('\n')
  return ''
}

function created(
  event: Extract<Event, { kind: 'branch-created' }>,
  nameOf: (branch: BranchId) => string,
): string {
  const origin = event.parent === null ? event.mode : `${event.mode} of ${nameOf(event.parent)}`
  const title = event.title === null ? '' : `: ${oneLine(event.title)}`
  return `${origin}${event.base.from === 'items' ? ', part of its list' : ''}${title}`
}

function messageText(message: Message): string {
  switch (message.role) {
    case 'user':
      return `user: ${oneLine(message.text)}`
    case 'assistant': {
      const calls = message.calls.map(({ tool }) => oneLine(tool)).join(', ')
      const words = message.text === '' ? '' : ` ${oneLine(message.text)}`
      return calls === ''
        ? `assistant:${words}`
        : `assistant calls ${calls}${words === '' ? '' : `:${words}`}`
    }
    case 'tool': {
      const of = `result of ${oneLine(message.tool)}`
      const { synthetic } = message
      return `${synthetic === undefined ? of : `no ${of} (${oneLine(synthetic)})`}: ${oneLine(message.text)}`
    }
    case 'note':
      return `note by ${oneLine(authorName(message.author))}: ${oneLine(message.text)}`
  }
}

function cleared(items: number): string {
  return items === 0 ? 'everything cleared' : `cleared, ${kept(items)}`
}

function kept(items: number): string {
  return `${counted(items, 'item')} kept`
}

type JobEvent = Extract<Event, { kind: JobEventKind }>

const kinds: ReadonlySet<string> = new Set(jobSchemas.map(({ shape }) => shape.kind.value))

function isOfJobs(event: Event): event is JobEvent {
  return kinds.has(event.kind)
}

/** What an event about jobs, pings and notices tells, in a few words. */
function jobExcerpt(event: JobEvent): string {
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
