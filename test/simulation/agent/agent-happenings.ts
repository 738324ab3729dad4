import type { Event } from '../../../src/event/event.ts'
import type { Laws } from './laws.ts'

/** Events that must occur often in the simulated lives, or they prove little. */
const WANTED = [
  'lives',
  'deaths before a commit',
  'deaths after a commit',
  'deaths in a call of a model',
  'deaths in a tool',
  'deaths before a message is shown',
  'deaths between showing and the outcome',
  'deaths in between',
  'deaths between a file and the log',
  'deaths between the file of a job and the log',
  'deaths in a firing',
  'full disks',
  'deaths of a full disk',
  'closings',
  'jumps of the clock',
  'leaps of the clock',
  'clocks put back',
  'clocks put back by days',
  'times in which nobody lived',
  'the same message again',
  'messages shown again after a death',
  'messages that the platform refused for good',
  'failures of the platform for now',
  'turn-ended answered',
  'turn-ended interrupted',
  'turn-ended stopped',
  'turn-ended failed',
  'turn-ended deferred',
  'answers that were stopped',
  'answers that were broken',
  'questions that were asked again',
  'turns that go on with another',
  'messages that joined a running turn',
  'results that say that there is none',
  'calls with arguments that cannot be read',
  'calls after the last round',
  'process-started',
  'programs that were ended at the next start',
  'mail-sent',
  'mail-read',
  'turns that mail began',
  'branch-created by person',
  'branch-created by model',
  'branch-ended in a turn',
  'tasks that were taken from a running turn',
  'context-cleared by person',
  'context-cleared by model',
  'context-undone by person',
  'context-compacted by person',
  'context-compacted by policy',
  'children that ended of themselves',
  'prompts with what came back by itself',
  'searches for a word that somebody said',
  'indexes deleted',
  'indexes cut off',
  'call-decided allowed: built-in',
  'call-decided allowed: granted',
  'call-decided allowed: edits-accepted',
  'call-decided allowed: bypass',
  'call-decided allowed: person',
  'call-decided refused: not-allowed',
  'calls of a tool that changed since it was allowed',
  'call-decided refused: cannot-ask',
  'call-decided refused: composed',
  'call-decided refused: person',
  'call-decided refused: no-answer',
  'approval-asked for a call',
  'approval-asked for a file',
  'approval-asked for a memory',
  'approval-asked where nobody waits',
  'approval-decided once',
  'approval-decided always',
  'approval-decided approved',
  'approval-decided approved in other words',
  'approval-decided denied',
  'approval-decided expired',
  'permission-granted by person',
  'permission-revoked by person',
  'memory-changed by person',
  'answers to what is over',
  'questions that ended with their turn',
  'update-reported by policy',
  'update-reported by model',
  'update-reported by person',
  'updates shown',
  'updates only counted',
  'updates that others looked at',
  'updates that a save settled',
  'updates that wait again',
  'context-saved by person',
  'context-saved by model',
  'fork-entered by command',
  'fork-entered by model',
  'fork-entered by reply',
  'fork-entered by copy',
  'forks that were saved',
  'forks that were reported',
  'forks that were discarded',
  'forks that were timed-out',
  'questions whether a fork is over',
  'replies',
  'messages with a quote',
  'runs that were finished',
  'runs that were failed',
  'runs that were timed-out',
  'runs that were killed',
  'run-sent-back',
  'reports in the name of a run',
  'call-decided refused: not-offered',
  'ping-decided sent: allowed',
  'ping-decided sent: critical',
  'ping-decided sent: asked',
  'ping-decided refused: not-allowed',
  'ping-decided refused: one-per-run',
  'ping-decided refused: paused',
  'ping-decided refused: quiet-hours',
  'ping-decided refused: busy',
  'ping-decided held: busy',
  'ping-decided held: critical-cap',
  'pings that were released',
  'critical pings that were told together',
  'ping-settled expired',
  'ping-settled failed',
  'ping-answered done',
  'ping-answered snoozed',
  'ping-answered less',
  'tokens given back',
  'budget-set by person',
  'zone-set by person',
  'jobs-paused by person',
  'jobs-resumed by person',
  'jobs-resumed by policy',
  'files of jobs edited',
  'files of jobs broken',
  'files of jobs removed by hand',
  'files of reminders that were left over',
  'routines fired',
  'routines fired late',
  'reminders fired',
  'reminders fired late',
  'jobs fired in main',
  'jobs fired in the background',
  'checks of a chain behind the first',
  'pings sent again that were snoozed',
  'job-skipped running',
  'job-skipped missed',
  'firings that went on in a branch',
  'definition-judged wrong',
  'definition-judged right',
  'notices that were told',
  'notices that were told together',
  'digest-sent',
] as const

/** Rare events: often enough in a thousand lives, but not in every hundred. */
const SELDOM = [
  'ping-decided refused: budget',
  'ping-decided refused: less',
  'ping-settled moved',
  'job-skipped broken',
  'runs that were timed-out for now',
  'runs that were failed for now',
]

export type AgentHappening = (typeof WANTED)[number]

/** Counts how often each of them occurred. */
export class AgentHappenings {
  readonly #counts = new Map<string, number>()

  add(happening: AgentHappening): void {
    this.#count(happening, 1)
  }

  addAll(other: AgentHappenings): void {
    for (const [happening, times] of other.#counts) this.#count(happening, times)
  }

  /** Counts the events in the log of a life. */
  addLog(laws: Laws): void {
    const running = new Map<string, string>()
    for (const event of laws.events)
      for (const happening of happeningsIn(event, running)) this.#count(happening, 1)
    this.#count('prompts with what came back by itself', laws.recall.tails)
    this.#count('updates shown', laws.updates.shown)
    this.#count('calls of a tool that changed since it was allowed', laws.calls.outdated)
    this.#count('updates only counted', laws.updates.counted)
    this.#count('updates that others looked at', laws.updates.peeked)
    this.#count('updates that a save settled', laws.updates.settledBySaves)
    this.#count('updates that wait again', laws.updates.unsettled)
    this.#count('replies', laws.forks.replies)
    this.#count('messages with a quote', laws.forks.quotes)
    this.#count('reports in the name of a run', laws.runs.reportedByHost)
    this.#count('tokens given back', laws.budget.returned)
    this.#count('files of reminders that were left over', laws.jobs.leftOver)
    this.#count('firings that went on in a branch', laws.runs.takenUp)
    this.#count('notices that were told', laws.notices.told)
    this.#count('notices that were told together', laws.notices.together)
    for (const [reason, times] of laws.runs.ends) this.#count(`runs that were ${reason}`, times)
    for (const [reason, times] of laws.forks.ends) this.#count(`forks that were ${reason}`, times)
    const unanswered = laws.approvals.all.filter(
      ({ asked, decided }) => asked.wish.kind === 'call' && decided === undefined,
    )
    this.#count('questions that ended with their turn', unanswered.length)
    const alone = laws.approvals.all.filter(({ asked }) => laws.tree.branch(asked.branch).mode === 'child')
    this.#count('approval-asked where nobody waits', alone.length)
    for (let times = laws.answers.handedOver; times > 0; times--)
      this.add('tasks that were taken from a running turn')
  }

  rarerThan(times: number): readonly string[] {
    return WANTED.filter((happening) => (this.#counts.get(happening) ?? 0) < times)
  }

  toString(): string {
    const all = new Set([...WANTED, ...SELDOM, ...this.#counts.keys()])
    return [...all]
      .map((happening) => `${String(this.#counts.get(happening) ?? 0).padStart(8)} ${happening}`)
      .join('\n')
  }

  #count(happening: string, times: number): void {
    this.#counts.set(happening, (this.#counts.get(happening) ?? 0) + times)
  }
}

/** `running`: which turn runs in a branch, and whether it has called its model. */
function happeningsIn(event: Event, running: Map<string, string>): string[] {
  const said = [`${event.kind}${detailOf(event)}`]
  switch (event.kind) {
    case 'turn-started':
      running.set(event.branch, 'begun')
      if (event.continues !== null) said.push('turns that go on with another')
      break
    case 'turn-ended':
      running.delete(event.branch)
      break
    case 'approval-decided':
      if (event.instead !== undefined) said.push('approval-decided approved in other words')
      break
    case 'command-run':
      if (/^Approval \d+ (?:has expired|is no longer needed|was already answered)/.test(event.output))
        said.push('answers to what is over')
      break
    case 'branch-ended':
      if (running.has(event.branch)) said.push('branch-ended in a turn')
      if (event.reason === 'finished') said.push('children that ended of themselves')
      break
    case 'model-called':
      running.set(event.branch, 'called')
      break
    case 'message-added':
      said.push(...messageHappenings(event, running.get(event.branch)))
      break
    case 'inbound-admitted':
      if (event.source.from === 'host' && event.source.tag === 'fork-timeout')
        said.push('questions whether a fork is over')
      break
    case 'context-cleared':
      if (event.drops !== undefined) said.push(`questions that were asked again`)
      break
    case 'job-fired':
      said.push(`${event.what}s fired${event.isLate ? ' late' : ''}`)
      said.push(`jobs fired in ${event.run === null ? 'main' : 'the background'}`)
      if (/-check-\d/.test(event.job)) said.push('checks of a chain behind the first')
      if (event.job.startsWith('snooze-')) said.push('pings sent again that were snoozed')
      break
    case 'ping-decided':
      if (event.of !== undefined)
        said.push(
          event.because === 'allowed' ? 'pings that were released' : 'critical pings that were told together',
        )
      break
    case 'delivery-failed':
      said.push('messages that the platform refused for good')
      break
    case 'delivery-intended':
      if (event.text.includes('limit of tool rounds')) said.push('calls after the last round')
      break
    default:
  }
  return said
}

function detailOf(event: Event): string {
  switch (event.kind) {
    case 'turn-ended':
      return ` ${event.outcome}`
    case 'call-decided':
      return ` ${event.verdict}: ${event.because}`
    case 'ping-decided':
      return ` ${event.verdict}: ${event.because}`
    case 'ping-settled':
      return ` ${event.outcome}`
    case 'ping-answered':
      return ` ${event.answer}`
    case 'job-skipped':
      return ` ${event.because}`
    case 'definition-judged':
      return event.problem === null ? ' right' : ' wrong'
    case 'fork-entered':
      return ` by ${event.how}`
    case 'approval-asked':
      return ` for a ${event.wish.kind}`
    case 'approval-decided':
      return ` ${event.verdict}`
    default:
      return 'author' in event ? ` by ${event.author.by}` : ''
  }
}

function messageHappenings(
  event: Extract<Event, { kind: 'message-added' }>,
  turn: string | undefined,
): string[] {
  const { message, took } = event
  if (message.role === 'tool' && message.synthetic !== undefined) {
    const isEnded = message.text.includes('was still running and was ended')
    return [
      'results that say that there is none',
      ...(isEnded ? ['programs that were ended at the next start'] : []),
    ]
  }
  if (message.role === 'assistant' && message.cut !== undefined) return [`answers that were ${message.cut}`]
  if (message.role === 'tool' && message.text.includes('not a JSON object'))
    return ['calls with arguments that cannot be read']
  if (message.role !== 'user') return []
  if (message.head?.includes('mail woke you') === true) return ['turns that mail began']
  return took !== undefined && turn === 'called' ? ['messages that joined a running turn'] : []
}
