import type { Event, EventOf } from '../../../src/event/event.ts'
import { hold } from '../witness.ts'
import { AnswerLaws } from './answer-laws.ts'
import { ApprovalLaws } from './approval-laws.ts'
import { CallLaws, type Ambient } from './call-laws.ts'
import { CauseLaws } from './cause-laws.ts'
import type { Diary } from './diary.ts'
import { FileLaws } from './file-laws.ts'
import { BudgetLaws } from './budget-laws.ts'
import { ForkLaws } from './fork-laws.ts'
import { InboxLaws } from './inbox-laws.ts'
import { JobLaws } from './job-laws.ts'
import { MailLaws } from './mail-laws.ts'
import { NoticeLaws } from './notice-laws.ts'
import { PauseLaws } from './pause-laws.ts'
import { PingLaws } from './ping-laws.ts'
import { PostLaws } from './post-laws.ts'
import { PromptLaws } from './prompt-laws.ts'
import { RecallLaws } from './recall-laws.ts'
import { RunLaws } from './run-laws.ts'
import { COUNTED, numberOf, type RunTool } from './sim-tools.ts'
import { Tree, type BranchNow } from './tree.ts'
import { UpdateLaws } from './update-laws.ts'

/** All laws of a working agent, told of every event as it becomes durable. */
export class Laws {
  readonly events: Event[] = []
  readonly tree = new Tree()
  readonly inbox = new InboxLaws(this.tree)
  readonly mail = new MailLaws(this.tree)
  readonly post = new PostLaws(this.tree)
  readonly prompts = new PromptLaws(this.tree)
  readonly recall = new RecallLaws()
  readonly answers: AnswerLaws
  readonly approvals = new ApprovalLaws(this.tree)
  readonly calls: CallLaws
  /** Only if file changes are observed. */
  readonly files: FileLaws
  readonly updates = new UpdateLaws(this.tree, () => this.recall.brought)
  readonly pauses = new PauseLaws()
  readonly pings = new PingLaws(this.tree, this.pauses)
  readonly budget = new BudgetLaws()
  readonly notices = new NoticeLaws(this.pauses)
  readonly jobs = new JobLaws(this.inbox, this.pauses)
  readonly runs = new RunLaws(this.tree)
  readonly causes = new CauseLaws()
  readonly forks = new ForkLaws(this.tree, this.pings)
  /** Numbers of the calls that are in the log, and whether their result is a real one. */
  readonly #numbered = new Map<string, { number: number; isReal: boolean | undefined }>()

  readonly #hasFiles: boolean

  constructor(ambient?: Ambient) {
    this.#hasFiles = ambient !== undefined
    this.answers = new AnswerLaws(this.tree, this.mail, { seesPieces: ambient !== undefined })
    this.calls = new CallLaws(this.tree, this.approvals, ambient)
    this.calls.runOf = (id) => this.pings.runOf(id)
    this.files = new FileLaws(this.approvals, this.calls)
  }

  take(event: Event): void {
    hold(event.position === this.events.length + 1, `[LOG1] ${event.position} follows ${this.events.length}`)
    this.events.push(event)
    if (event.kind === 'branch-ended' && isForNothing(event)) this.#checkIdle(event)
    for (const laws of this.#all) laws.take(event)
    if (event.kind === 'message-added') this.#number(event)
  }

  /** Everything since the last call became durable at once. */
  committed(): void {
    this.tree.commits++
    this.pings.committed()
    this.jobs.committed()
    this.post.committed()
    this.forks.committed()
    this.answers.committed()
  }

  /** The call with this number is about to be run. */
  runsCall(number: number, tool: RunTool): void {
    this.calls.runs(number, tool)
  }

  /** A process begins; the one before it, if there was one, died or was closed. */
  begins(before: 'died' | 'closed'): void {
    this.files.ended(before)
    this.approvals.life++
    this.answers.begins()
  }

  get #all(): readonly { take(event: Event): void }[] {
    const { tree, inbox, mail, post, prompts, recall, answers, approvals, calls, files } = this
    const { updates, pauses, pings, budget, notices, jobs, runs, forks, causes } = this
    const always = [
      tree,
      inbox,
      mail,
      post,
      prompts,
      recall,
      answers,
      approvals,
      calls,
      updates,
      pauses,
      jobs,
      pings,
      budget,
      notices,
      runs,
      forks,
      causes,
    ]
    return this.#hasFiles ? [...always, files] : always
  }

  /** The remaining work, or undefined if everything is done that does not wait for a day to pass. */
  unrest(): string | undefined {
    const [unsent] = this.post.unsettled
    if (unsent !== undefined) return `the delivery at ${unsent.intended.position} is not settled`
    for (const branch of this.tree.living) {
      const why = this.#unrestIn(branch)
      if (why !== undefined) return why
    }
    return undefined
  }

  /** What only time can bring, or undefined if nobody waits for anything. */
  later(now: number): { readonly what: string; readonly at?: number } | undefined {
    const held = this.pings.waiting ?? this.notices.waiting()
    return held === undefined ? this.jobs.nextAt(now) : { what: held }
  }

  /** Everything that could be done is done. */
  settled(diary: Diary): void {
    hold(this.unrest() === undefined, `it rests, but ${this.unrest()}`)
    this.post.settled()
    this.jobs.settled()
    diary.compare(this.inbox)
    for (const { work, branch } of this.tree.turns.values()) {
      const { id, outcome } = work.turns.at(-1) ?? {}
      const isCovered =
        this.tree.branch(branch).isEnded ||
        this.runs.hasRested(branch) ||
        (outcome !== undefined && outcome !== 'interrupted')
      hold(isCovered, `[TURN4] ${id} is ${outcome ?? 'unended'}, and nothing goes on with it`)
    }
    const { handedOver } = this.answers
    const stopped = this.answers.stopped.filter(
      ({ branch }) => !this.runs.isOutOfTime(branch) && !this.runs.hasRested(branch),
    )
    hold(
      stopped.length <= diary.stops + handedOver,
      `[TURN4] ${stopped.length} turns were stopped, and ${diary.stops} times somebody asked for it`,
    )
    for (const { number, isReal } of this.#numbered.values())
      if (isReal === true)
        hold(diary.hasRun(number), `[TURN3] the call with number ${number} has a result, and never ran`)
  }

  /** The host ends no branch that has something left to do. */
  #checkIdle({ branch, position, reason }: EventOf<'branch-ended'>): void {
    const now = this.tree.branch(branch)
    // A person's own /report ended it, and leaves the inbox behind the end, in the same transaction.
    const [first] = this.inbox.waiting(branch)
    const isOwn = first?.admitted.text === '/report' && first.admitted.source.from === 'person'
    if (reason === 'reported' && isOwn) return
    const { outcome, work } = now.last ?? {}
    // An agent that was asked to wrap up its fork, and cannot be reached, keeps nobody waiting.
    const isGivenUp = now.mode === 'fork' && outcome === 'deferred' && work?.asked === undefined
    const left = isGivenUp ? undefined : this.#unrestIn(now)
    hold(left === undefined, `${branch} is ended at ${position}, and ${left}`)
  }

  #unrestIn(branch: BranchNow): string | undefined {
    const { id, running, last, mode, turnAt } = branch
    if (this.runs.isResting(id)) return undefined
    if (running !== undefined) return `${running.id} runs in ${id}`
    const [first] = this.inbox.waiting(id)
    if (first !== undefined) return `'${first.admitted.text}' waits in ${id}`
    if (last?.outcome === 'interrupted' || last?.outcome === 'deferred')
      return `${last.id} is ${last.outcome}`
    if (mode === 'background') return this.runs.idle(id)
    const news = this.mail.unread(id).find(({ position }) => position > turnAt)
    return mode === 'child' && news !== undefined ? `mail at ${news.position} did not wake ${id}` : undefined
  }

  #number({ message }: EventOf<'message-added'>): void {
    if (message.role === 'tool') {
      const call = this.#numbered.get(message.call)
      if (call !== undefined) call.isReal = message.synthetic === undefined && !NOT_RUN.test(message.text)
    }
    if (message.role !== 'assistant') return
    for (const { id, tool, args } of message.calls) {
      const number = numberOf(args)
      if (number === undefined || !COUNTED.includes(tool)) continue
      this.#numbered.set(id, { number, isReal: undefined })
    }
  }
}

/** Ended by the host because nobody needs it, not because of its parent or its time. */
function isForNothing({ author, reason }: EventOf<'branch-ended'>): boolean {
  return author.by === 'policy' && author.name !== 'run' && reason !== 'killed'
}

/** The host's words for a call that never reached its tool. */
const NOT_RUN = /not a JSON object|was not run|Not run: |offered to this run|is disabled for this run/
