import { authorName } from '../../context/version.ts'
import type { Author, Event, EventOf, Kind, Message } from '../../event/event.ts'
import type { BranchId, TurnId } from '../../event/id.ts'
import type { Wish } from '../../event/right.ts'
import { oneLine } from '../../base/width.ts'
import { counted } from '../../base/words.ts'
import { jobText, type JobName } from '../../event/job.ts'

type NameOf = (branch: BranchId) => string
type NumberOf = (turn: TurnId) => number | undefined

/** What an event tells, in a few words; the caller shortens it. */
export function excerpt<K extends Kind>(event: EventOf<K>, nameOf: NameOf, numberOf: NumberOf): string {
  return tellings[event.kind](event, nameOf, numberOf)
}

const tellings: {
  readonly [K in Kind]: (event: EventOf<K>, nameOf: NameOf, numberOf: NumberOf) => string
} = {
  'branch-created': created,
  'branch-ended': (event) => `${event.reason}, ${by(event)}`,
  'message-added': (event) => messageText(event.message),
  'turn-started': ({ turn, continues }, _, numberOf) =>
    `turn ${numberOf(turn)}${continues === null ? '' : ', after an interruption'}`,
  'turn-ended': ({ turn, outcome }, _, numberOf) => `turn ${numberOf(turn)}: ${outcome}`,
  'mark-set': (event) => `'${oneLine(event.name)}'`,
  'context-cleared': (event) =>
    event.to === null
      ? cleared(event.items.length)
      : `rewound to '${oneLine(event.to.name)}', ${kept(event.items.length)}`,
  'context-compacted': (event) =>
    `${counted(event.summaries.length, 'summary', 'summaries')} by ${oneLine(event.writer)}: ${oneLine(event.summaries[0]?.text ?? '')}`,
  'compaction-abandoned': (event) => event.because.replaceAll('-', ' '),
  'context-expanded': (event) => `summary of ${event.summary} opened, ${kept(event.items.length)}`,
  'context-saved': (event, nameOf) =>
    `from ${nameOf(event.source)}, now ${counted(event.items.length, 'item')}`,
  'context-undone': (event) => `took back the change at ${event.undone}`,
  'context-redone': (event) => `made the change at ${event.version} again`,
  'content-kept': (event) => `${event.hash.slice(0, 8)}: ${oneLine(event.text)}`,
  'inbound-admitted': (event) => `${event.form} from ${sourceName(event.source)}: ${oneLine(event.text)}`,
  'inbound-moved': (event) => `${event.took} is ${event.to} now`,
  'model-called': (event) => `call ${event.call}, prompt ${event.prompt.slice(0, 8)}`,
  'model-answered': (event) =>
    `call ${event.call} by ${oneLine(event.model)}, ${event.usage.tokensIn} tokens in, ${event.usage.tokensOut} out`,
  'model-failed': (event) => `call ${event.call}, ${oneLine(event.reason)}: ${oneLine(event.message)}`,
  'process-started': (event) => `process group ${event.group} by the call ${oneLine(event.call)}`,
  'command-run': (event) => `${oneLine(event.line)} → ${oneLine(event.output)}`,
  'delivery-intended': (event) =>
    `${event.form} to ${oneLine(event.to.channel)} ${oneLine(event.to.conversation)}: ${oneLine(event.text)}`,
  'delivery-done': (event) => `of ${event.intent}`,
  'delivery-failed': (event) => `of ${event.intent}: ${oneLine(event.message)}`,
  'mail-sent': (event, nameOf) => `from ${nameOf(event.from)}: ${oneLine(event.text)}`,
  'mail-read': (event) => `up to ${event.upTo}`,
  'conversation-bound': (event, nameOf) =>
    `${oneLine(event.channel)} ${oneLine(event.conversation)} talks to ${nameOf(event.branch)}`,
  'setup-changed': (event) =>
    `system ${event.system.slice(0, 8)}, tools ${event.tools.slice(0, 8)}, ${by(event)}`,
  'model-used': (event) =>
    `for a ${event.what} by ${oneLine(event.model)}, ${event.usage.tokensIn} tokens in, ${event.usage.tokensOut} out`,
  'policy-set': (event) => `${event.policy}, ${by(event)}`,
  'spending-noted': (event) =>
    event.what === 'near' ? `the limit of ${event.day} is near` : `may be passed on ${event.day}`,
  'call-decided': (event) =>
    `${oneLine(event.tool)} ${event.verdict}: ${event.because.replaceAll('-', ' ')}, ${oneLine(event.subject)}`,
  'approval-asked': (event) => `${event.number}: ${wishText(event.wish)}`,
  'approval-decided': (event) => `${event.number}: ${event.verdict}, ${by(event)}`,
  'proposal-done': (event) => `${event.number}: ${event.problem === null ? 'done' : oneLine(event.problem)}`,
  'permission-granted': (event) => `${oneLine(event.pattern)}, ${by(event)}`,
  'permission-revoked': (event) => `${oneLine(event.pattern)}, ${by(event)}`,
  'memory-changed': (event) => `${counted(event.lines.length, 'line')}, ${by(event)}`,
  'update-reported': (event) => `from ${oneLine(event.source)}: ${oneLine(event.text)}`,
  'run-started': (event) =>
    `${event.tag}:${oneLine(event.job)}, ${event.isolated ? 'isolated' : 'forked'}, reports ${event.reporting}`,
  'run-sent-back': () => 'owes a report',
  'fork-entered': (event, nameOf) =>
    `by ${event.how}${event.replied === null ? '' : ` to ${nameOf(event.replied)}`}`,
  'ping-decided': (event) => `${event.verdict} (${event.because}): ${oneLine(event.text)}`,
  'job-scheduled': (event) => `${named(event)}: ${oneLine(event.schedule ?? 'its file is gone')}`,
  'job-fired': (event) => `${named(event)}, due ${timeOf(event.due)}${event.isLate ? ', late' : ''}`,
  'job-skipped': (event) => `${named(event)}, due ${timeOf(event.due)}: ${event.because}`,
  'run-rested': (event) => event.reason,
  'jobs-paused': (event) =>
    `${event.one === null ? 'all jobs' : named(event.one)}${event.until === null ? '' : ` until ${timeOf(event.until)}`}`,
  'jobs-resumed': (event) => (event.one === null ? 'all jobs' : named(event.one)),
  'definition-judged': (event) =>
    `${oneLine(event.file)}: ${event.problem === null ? 'mended' : oneLine(event.problem.reason)}`,
  'zone-set': (event) => oneLine(event.zone),
  'budget-set': (event) =>
    `${oneLine(event.person)}: ${event.capacity} pings, one back every ${event.refillMinutes} min`,
  'ping-settled': (event) => `the ping at ${event.ping} ${event.outcome}`,
  'ping-answered': (event) => `${event.answer} to the ping at ${event.ping}`,
  'notice-raised': (event) => `${oneLine(event.cause)}: ${oneLine(event.text)}`,
  'notices-told': (event) => oneLine(event.causes.join(', ')),
  'digest-sent': (event) => `to ${oneLine(event.person)}, up to ${event.upTo}`,
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

/** The original text of an event, for searching: JSON escapes quotes and line breaks. */
export function searchedText(event: Event): string {
  if (event.kind === 'message-added') return event.message.text
  if (event.kind === 'context-compacted') return event.summaries.map(({ text }) => text).join('\n')
  return ''
}

function created(event: EventOf<'branch-created'>, nameOf: NameOf): string {
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

function by({ author }: { readonly author: Author }): string {
  return `by ${oneLine(authorName(author))}`
}

function named(name: JobName): string {
  return oneLine(jobText(name))
}

function timeOf(at: number): string {
  return new Date(at).toISOString()
}
