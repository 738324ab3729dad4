import { authorName } from '../context/version.ts'
import type { Author, Event, EventOf, Kind, Message } from '../event/event.ts'
import { foundBy, shownWith } from '../event/file.ts'
import type { BranchId, TurnId } from '../event/id.ts'
import type { Wish } from '../event/right.ts'
import { isoAt } from '../base/time-text.ts'
import { oneLine } from '../base/width.ts'
import { counted } from '../base/words.ts'
import { jobText } from '../event/job.ts'

type NameOf = (branch: BranchId) => string
type NumberOf = (turn: TurnId) => number | undefined

/** What an event tells, in a few words on one line; the caller shortens it. */
export function excerpt<K extends Kind>(event: EventOf<K>, nameOf: NameOf, numberOf: NumberOf): string {
  return oneLine(tellings[event.kind](event, nameOf, numberOf))
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
  'mark-set': (event) => `'${event.name}'`,
  'context-cleared': ({ to, items }) => {
    if (to === null && items.length === 0) return 'everything cleared'
    return `${to === null ? 'cleared' : `rewound to '${to.name}'`}, ${kept(items.length)}`
  },
  'context-compacted': (event) =>
    `${counted(event.summaries.length, 'summary', 'summaries')} by ${event.writer}: ${event.summaries[0]?.text ?? ''}`,
  'compaction-abandoned': (event) => event.because.replaceAll('-', ' '),
  'context-expanded': (event) => `summary of ${event.summary} opened, ${kept(event.items.length)}`,
  'context-saved': (event, nameOf) =>
    `from ${nameOf(event.source)}, now ${counted(event.items.length, 'item')}`,
  'context-undone': (event) => `took back the change at ${event.undone}`,
  'context-redone': (event) => `made the change at ${event.version} again`,
  'content-kept': (event) => `${event.hash.slice(0, 8)}: ${event.text}`,
  'inbound-admitted': ({ form, source, ...said }) =>
    `${form} from ${source.from === 'host' ? `the host [${source.tag}]` : source.channel}: ${shownWith(said)}`,
  'inbound-moved': (event) => `${event.took} is ${event.to} now`,
  'model-called': (event) => `call ${event.call}, prompt ${event.prompt.slice(0, 8)}`,
  'model-answered': (event) =>
    `call ${event.call} by ${event.model}, ${event.usage.tokensIn} tokens in, ${event.usage.tokensOut} out`,
  'model-failed': (event) => `call ${event.call}, ${event.reason}: ${event.message}`,
  'process-started': (event) => `process group ${event.group} by the call ${event.call}`,
  'import-closed': () => 'nothing before it waits, runs or is allowed any more',
  'command-run': (event) => `${event.line} → ${event.output}`,
  'delivery-intended': (event) =>
    `${event.form} to ${event.to.channel} ${event.to.conversation}: ${shownWith(event)}`,
  'delivery-done': (event) => `of ${event.intent}`,
  'delivery-failed': (event) => `of ${event.intent}: ${event.message}`,
  'delivery-part': (event) => `of ${event.intent}`,
  'buttons-made': (event) => `for ${counted(event.keys.length, 'choice')} of ${event.intent}`,
  'preview-begun': (event) => `to ${event.to.channel} ${event.to.conversation}: ${event.text}`,
  'preview-shown': (event) => `of ${event.intent}`,
  'preview-removed': (event) => `of ${event.intent}`,
  'mail-sent': (event, nameOf) => `from ${nameOf(event.from)}: ${event.text}`,
  'mail-read': (event) => `up to ${event.upTo}`,
  'conversation-bound': (event, nameOf) =>
    `${event.channel} ${event.conversation}${event.before === undefined ? '' : `, which was ${event.before},`} talks to ${nameOf(event.branch)}`,
  'setup-changed': (event) =>
    `system ${event.system.slice(0, 8)}, tools ${event.tools.slice(0, 8)}, ${by(event)}`,
  'model-used': (event) =>
    `for a ${event.what} by ${event.model}, ${event.usage.tokensIn} tokens in, ${event.usage.tokensOut} out`,
  'policy-set': (event) => `${event.policy}, ${by(event)}`,
  'spending-noted': (event) =>
    event.what === 'near' ? `the limit of ${event.day} is near` : `may be passed on ${event.day}`,
  'call-decided': (event) =>
    `${event.tool} ${event.verdict}: ${event.because.replaceAll('-', ' ')}, ${event.subject}`,
  'approval-asked': (event) => `${event.number}: ${wishText(event.wish)}`,
  'approval-decided': (event) => `${event.number}: ${event.verdict}, ${by(event)}`,
  'proposal-done': (event) => `${event.number}: ${event.problem === null ? 'done' : event.problem}`,
  'permission-granted': (event) => `${event.pattern}, ${by(event)}`,
  'permission-revoked': (event) => `${event.pattern}, ${by(event)}`,
  'memory-changed': (event) => `${counted(event.lines.length, 'line')}, ${by(event)}`,
  'update-reported': (event) => `from ${event.source}: ${event.text}`,
  'run-started': (event) =>
    `${event.tag}:${event.job}, ${event.isolated ? 'isolated' : 'forked'}, reports ${event.reporting}`,
  'run-sent-back': () => 'owes a report',
  'fork-entered': (event, nameOf) =>
    `by ${event.how}${event.replied === null ? '' : ` to ${nameOf(event.replied)}`}`,
  'ping-decided': (event) => `${event.verdict} (${event.because}): ${event.text}`,
  'job-scheduled': (event) => `${jobText(event)}: ${event.schedule ?? 'its file is gone'}`,
  'job-fired': (event) => `${jobText(event)}, due ${isoAt(event.due)}${event.isLate ? ', late' : ''}`,
  'job-skipped': (event) => `${jobText(event)}, due ${isoAt(event.due)}: ${event.because}`,
  'webhook-received': (event) => `webhook ${event.job}: ${event.data}`,
  'run-rested': (event) => event.reason,
  'jobs-paused': (event) =>
    `${event.one === null ? 'all jobs' : jobText(event.one)}${event.until === null ? '' : ` until ${isoAt(event.until)}`}`,
  'jobs-resumed': (event) => (event.one === null ? 'all jobs' : jobText(event.one)),
  'definition-judged': (event) =>
    `${event.file}: ${event.problem === null ? 'mended' : event.problem.reason}`,
  'zone-set': (event) => event.zone,
  'budget-set': (event) =>
    `${event.person}: ${event.capacity} pings, one back every ${event.refillMinutes} min`,
  'ping-settled': (event) => `the ping at ${event.ping} ${event.outcome}`,
  'ping-answered': (event) => `${event.answer} to the ping at ${event.ping}`,
  'notice-raised': (event) => `${event.cause}: ${event.text}`,
  'notices-told': (event) => event.causes.join(', '),
  'digest-sent': (event) => `to ${event.person}, up to ${event.upTo}`,
  'person-added': (event) => `${event.person}, a ${event.role}: ${event.name}`,
  'identity-linked': (event) => `${event.channel}:${event.user} is ${event.person}`,
  'identity-unlinked': (event) => `${event.channel}:${event.user} is a stranger, ${by(event)}`,
  'pairing-asked': (event) => `${event.code} for ${event.channel}:${event.user}, ${event.name}`,
  'pairing-decided': (event) => `${event.code}: ${event.person ?? event.decision}, ${by(event)}`,
  'person-removed': (event) => `${event.person}, ${by(event)}`,
  'strangers-noted': (event) => `${counted(event.count, 'message')} on ${event.channel}`,
  'inbound-edited': (event) => `${event.entry} is now: ${event.text}`,
  'inbound-dropped': (event) => `${event.entry} was deleted`,
}

function wishText(wish: Wish): string {
  switch (wish.kind) {
    case 'call':
      return `may ${wish.tool} run: ${wish.subject}`
    case 'file':
      return `may ${wish.path} be changed`
    case 'memory':
      return `remember: ${wish.line}`
  }
}

/** The original text of an event, for searching: JSON escapes quotes and line breaks. */
export function searchedText(event: Event): string {
  if (event.kind === 'message-added') return foundBy(event.message)
  if (event.kind === 'context-compacted') return event.summaries.map(({ text }) => text).join('\n')
  return ''
}

function created(event: EventOf<'branch-created'>, nameOf: NameOf): string {
  const origin = event.parent === null ? event.mode : `${event.mode} of ${nameOf(event.parent)}`
  const title = event.title === null ? '' : `: ${event.title}`
  return `${origin}${event.base.from === 'items' ? ', part of its list' : ''}${title}`
}

function messageText(message: Message): string {
  switch (message.role) {
    case 'user':
      return `user: ${shownWith(message)}`
    case 'assistant': {
      const calls = message.calls.map(({ tool }) => tool).join(', ')
      const words = message.text === '' ? '' : ` ${message.text}`
      return calls === ''
        ? `assistant:${words}`
        : `assistant calls ${calls}${words === '' ? '' : `:${words}`}`
    }
    case 'tool': {
      const of = `result of ${message.tool}`
      const { synthetic } = message
      return `${synthetic === undefined ? of : `no ${of} (${synthetic})`}: ${message.text}`
    }
    case 'note':
      return `note by ${authorName(message.author)}: ${message.text}`
  }
}

function kept(items: number): string {
  return `${counted(items, 'item')} kept`
}

function by({ author }: { readonly author: Author }): string {
  return `by ${authorName(author)}`
}
