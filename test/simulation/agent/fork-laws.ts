import type { Event, EventOf } from '../../../src/event/event.ts'
import type { BranchId } from '../../../src/event/id.ts'
import { hold } from '../witness.ts'
import type { PingLaws } from './ping-laws.ts'
import type { Tree } from './tree.ts'

interface ForkNow {
  readonly entered: EventOf<'fork-entered'>
  /** The conversation that it was opened for. */
  of: string | undefined
}

const LEFT: ReadonlySet<string> = new Set(['saved', 'reported', 'discarded', 'timed-out'])

/** FORK4: a conversation has one open fork and leaves it in one transaction. FORK5: a reply bypasses the run. */
export class ForkLaws {
  readonly #tree: Tree
  readonly #pings: PingLaws
  readonly #forks = new Map<BranchId, ForkNow>()
  /** Forks whose messages somebody cleared: nothing may be left to tell. */
  readonly #cleared = new Set<BranchId>()
  /** Those in which a person said anything but commands. */
  readonly #spoken = new Set<BranchId>()
  /** The branch that each conversation talks to. */
  readonly #bound = new Map<string, BranchId>()
  readonly #admitted: EventOf<'inbound-admitted'>[] = []
  /** Since the last commit. */
  #written: Event[] = []
  /** How often forks ended, by the reason. */
  readonly ends = new Map<string, number>()
  replies = 0
  quotes = 0

  constructor(tree: Tree, pings: PingLaws) {
    this.#tree = tree
    this.#pings = pings
  }

  take(event: Event): void {
    this.#written.push(event)
    if (event.kind === 'fork-entered') this.#enter(event)
    if (event.kind === 'context-cleared') this.#cleared.add(event.branch)
    if (event.kind === 'message-added' && this.#isPersons(event)) this.#spoken.add(event.branch)
    if (event.kind === 'conversation-bound') this.#bind(event)
    if (event.kind === 'inbound-admitted') this.#admit(event)
    if (event.kind === 'command-run' && event.line.startsWith('/reply')) this.#reply(event)
  }

  /** Everything written since then is one commit. */
  committed(): void {
    const written = this.#written
    this.#written = []
    for (const event of written) {
      if (event.kind === 'branch-ended') this.#ended(event, written)
      if (event.kind === 'context-saved') this.#mustEnd(event.source, event)
      if (event.kind === 'update-reported' && event.from !== null) this.#mustEnd(event.from, event)
    }
    const open = [...this.#forks].filter(([id]) => !this.#tree.branch(id).isEnded)
    for (const [id, { of }] of open) {
      hold(of !== undefined, `[FORK4] ${id} is entered, and nobody is in it`)
      const other = open.find(([another, fork]) => another !== id && fork.of === of)
      hold(other === undefined, `[FORK4] ${of} has two open forks: ${id} and ${other?.[0]}`)
    }
  }

  /** Main gets a fork's messages or report together with the fork's end. */
  #mustEnd(branch: BranchId, { position, kind }: Event): void {
    const isOpen = this.#forks.has(branch) && !this.#tree.branch(branch).isEnded
    hold(!isOpen, `[FORK4] the '${kind}' at ${position} is of ${branch}, which is still open`)
  }

  #enter(event: EventOf<'fork-entered'>): void {
    const { branch, position } = event
    const { mode } = this.#tree.branch(branch)
    hold(mode === 'fork' && !this.#forks.has(branch), `[FORK4] ${position} enters ${branch}, a ${mode}`)
    this.#forks.set(branch, { entered: event, of: undefined })
  }

  #admit(event: EventOf<'inbound-admitted'>): void {
    this.#admitted.push(event)
    const isToRun = event.source.from === 'person' && this.#tree.branch(event.branch).mode === 'background'
    hold(!isToRun, `[FORK5] what a person says at ${event.position} goes to a run`)
    if (event.before !== undefined) this.quotes++
  }

  #isPersons({ took, message }: EventOf<'message-added'>): boolean {
    if (took === undefined || message.role !== 'user') return false
    return this.#admitted.find(({ position }) => position === took)?.source.from === 'person'
  }

  #bind({ branch, conversation }: EventOf<'conversation-bound'>): void {
    this.#bound.set(conversation, branch)
    const fork = this.#forks.get(branch)
    if (fork !== undefined) fork.of ??= conversation
  }

  /** The end comes with its outcome, and moves the conversation that ended it out. */
  #ended({ branch, reason, position }: EventOf<'branch-ended'>, written: readonly Event[]): void {
    if (!this.#forks.has(branch) || !LEFT.has(reason)) return
    this.ends.set(reason, (this.ends.get(reason) ?? 0) + 1)
    const later = written.filter((event) => event.position > position)
    const by = this.#endedBy(branch, later)
    const isIn = by !== undefined && this.#bound.get(by) === branch
    hold(!isIn, `[FORK4] ${branch} ended at ${position}, and ${by} talks to it still`)
    if (reason === 'saved')
      hold(
        written.some((event) => event.kind === 'context-saved' && event.source === branch),
        `[FORK4] ${branch} is saved at ${position}, and nothing is`,
      )
    if (reason === 'timed-out' && this.#spoken.has(branch) && !this.#cleared.has(branch))
      hold(
        written.some((event) => event.kind === 'update-reported' && event.from === branch),
        `[FORK4] ${branch} is out of time at ${position}, and main does not hear of it`,
      )
  }

  /** The conversation that must have left: the one that ended the fork. Any other is told when it next speaks. */
  #endedBy(branch: BranchId, later: readonly Event[]): string | undefined {
    const run = later.find((event) => event.kind === 'command-run' && event.branch === branch)
    const took = run?.kind === 'command-run' ? run.took : null
    const source =
      run?.kind === 'command-run' && run.source !== null
        ? run.source
        : this.#admitted.find(({ position }) => position === took)?.source
    if (source?.from === 'person') return source.conversation
    // With several in it, the host moves the one that its agent answered last.
    return later.some(({ kind }) => kind === 'conversation-bound') ? undefined : this.#forks.get(branch)?.of
  }

  /** A reply never goes to the run whose message it answers. */
  #reply({ line, isError, position, source }: EventOf<'command-run'>): void {
    if (isError || source === null) return
    const [, number = '', text = ''] = /^\/reply (\d+) (.*)$/s.exec(line) ?? []
    const to = this.#pings.numbered(source.conversation, Number(number))
    hold(to !== undefined, `${position} replies to #${number}, which never was`)
    const entry = this.#admitted.at(-1)
    hold(entry?.text === text, `[FORK5] what ${position} replies is nowhere`)
    const run = this.#pings.runOf(to.branch)
    hold(
      run === undefined || run.branch !== entry.branch,
      `[FORK5] ${position} goes to the run ${run?.branch}`,
    )
    hold(entry.before?.length === 1, `[FORK5] ${entry.position} does not quote what it replies to`)
    this.replies++
  }
}
