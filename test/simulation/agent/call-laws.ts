import { canonicalJson } from '../../../src/base/canonical.ts'
import type { JsonObject } from '../../../src/base/json.ts'
import type { Event, EventOf } from '../../../src/event/event.ts'
import type { BranchId, TurnId } from '../../../src/event/id.ts'
import type { ToolNature } from '../../../src/tool/tool.ts'
import { hold } from '../witness.ts'
import type { ApprovalLaws, Places } from './approval-laws.ts'
import { isOffered } from './offered.ts'
import { isProtected, numberOf, type RunTool } from './sim-tools.ts'

type Decided = EventOf<'call-decided'>

/** The surroundings of a decision that are not in the log, as they may have been at the time. */
export interface Ambient {
  readonly modes: () => readonly Decided['mode'][]
  readonly natures: (tool: string) => readonly ToolNature[]
}

interface Called {
  readonly id: string
  readonly tool: string
  readonly args: JsonObject
  readonly branch: BranchId
  readonly turn: TurnId
  decided: Decided | undefined
  /** Fingerprints of the tool when the call was decided, or when a person was asked. */
  fingerprints: readonly (string | null)[]
  hasResult: boolean
  hasRun: boolean
}

type Expected = readonly ['allowed' | 'refused', Decided['because']] | 'ask'

/** LEAVE1: while results of tools are in view, nobody's address is read unasked. Naive: what was given stays given. */
class LeavingLaws {
  /** Branches with a result that is not the host's, until their context changes. */
  readonly #foreign = new Set<BranchId>()
  #given = ''

  take(event: Event): void {
    const { branch, kind } = event
    if (kind.startsWith('context-')) this.#foreign.delete(branch)
    if (kind === 'message-added') this.#add(event)
    if (kind !== 'call-decided' || event.tool !== 'web_fetch' || event.because !== 'built-in') return
    const address = event.subject.replace(/^https?:\/\//, '').replace(/\/$/, '')
    const isFree = !this.#foreign.has(branch) || this.#given.includes(address)
    hold(isFree, `[LEAVE1] ${event.subject} is read unasked, and nobody gave it`)
  }

  #add({ branch, message }: EventOf<'message-added'>): void {
    if (message.role === 'user') this.#given += `${message.text}\n`
    if (message.role !== 'tool') return
    this.#given += (message.links ?? []).map((link) => `${link}\n`).join('')
    if (message.origin === undefined && message.synthetic === undefined) this.#foreign.add(branch)
  }
}

/** TOOL1 and PERM1: whatever runs was allowed before, according to the log's grants and a naive judge. */
export class CallLaws {
  readonly #places: Places
  readonly #approvals: ApprovalLaws
  readonly #ambient: Ambient | undefined
  /** The run that a branch is or works for, if any. */
  runOf: (branch: BranchId) => EventOf<'run-started'> | undefined = () => undefined
  readonly #calls = new Map<string, Called>()
  readonly #leaving = new LeavingLaws()
  /** How many calls were of a tool that changed since it was allowed. */
  outdated = 0
  /** Allowed patterns, and the fingerprint of each tool. */
  readonly #grants = new Map<string, string | null>()

  constructor(places: Places, approvals: ApprovalLaws, ambient?: Ambient) {
    this.#places = places
    this.#approvals = approvals
    this.#ambient = ambient
  }

  take(event: Event): void {
    this.#leaving.take(event)
    switch (event.kind) {
      case 'message-added':
        return this.#add(event)
      case 'permission-granted':
        return void this.#grants.set(event.pattern, event.fingerprint)
      case 'permission-revoked':
        return hold(this.#grants.delete(event.pattern), `'${event.pattern}' was not allowed anyway`)
      case 'approval-asked':
        if (event.wish.kind === 'call') this.#asked(event, event.wish)
        return
      case 'call-decided':
        return this.#decide(event)
      case 'process-started':
        return this.#start(event)
      default:
    }
  }

  /** The call with this number is about to run, by the tool as it is now. */
  runs(number: number, { name, fingerprint }: RunTool): void {
    const call = [...this.#calls.values()].findLast(
      ({ tool, args }) => tool === name && numberOf(args) === number,
    )
    hold(call !== undefined, `[TURN3] call ${number} of ${name} is run before it is in the log`)
    const { id, decided, turn, fingerprints } = call
    hold(!call.hasRun, `[TURN3] ${id} is run twice`)
    call.hasRun = true
    hold(decided !== undefined, `[TOOL1] ${id} of ${name} is run before anybody decided that it may`)
    hold(decided.verdict === 'allowed', `[TOOL1] ${id} of ${name} is run, and it was refused`)
    const { outcome, endedIn = 0 } = this.#places.turn(turn)
    // Words given to a child stop the turn in the log first: a call that begins at that moment learns it too late.
    const isNew = outcome === 'stopped' && (this.#places.commits ?? 0) - endedIn <= 2
    const isOver = this.#ambient !== undefined && outcome !== undefined && !isNew
    hold(!isOver, `[PERM2] ${id} of ${name} is run, and its turn is ${outcome} already`)
    const isUnknown = this.#ambient === undefined || decided.mode === 'bypassPermissions'
    const isSame = isUnknown || fingerprints.includes(fingerprint)
    hold(isSame, `[PERM1] ${id} runs '${fingerprint}', but '${fingerprints.join()}' was allowed`)
  }

  /** Whether a call that ran was supposed to write this. A stopped one may write a moment longer. */
  mayWrite(path: string, content: string): boolean {
    return [...this.#calls.values()].some(
      ({ tool, args, hasRun }) =>
        tool === 'write' && hasRun && args['path'] === path && args['content'] === content,
    )
  }

  #add({ message, branch, turn }: EventOf<'message-added'>): void {
    if (message.role === 'tool') return this.#result(message)
    if (message.role !== 'assistant' || turn === null) return
    for (const { id, tool, args } of message.calls) {
      const fresh = { decided: undefined, fingerprints: [], hasResult: false, hasRun: false }
      this.#calls.set(id, { id, tool, args, branch, turn, ...fresh })
    }
  }

  /** A call with a real result ran; one that was refused, or cannot be decided, has an error. */
  #result({ call: id, text, synthetic }: { call: string; text: string; synthetic?: unknown }): void {
    const call = this.#calls.get(id)
    if (call === undefined) return
    call.hasResult = true
    if (synthetic !== undefined || call.decided?.verdict === 'allowed') return
    const isError = text.startsWith('{"error":')
    const isRefused =
      call.decided === undefined || call.decided.because === 'not-offered' || text.includes('was not run')
    hold(isError && isRefused, `[TOOL1] ${id} was not allowed, and yet its result is ${text}`)
  }

  #asked(event: EventOf<'approval-asked'>, { call: id, turn, tool, subject }: CallWish): void {
    const call = this.#openCall(id, { turn, tool, position: event.position })
    if (this.#ambient === undefined) return
    const natures = this.#ambient.natures(tool)
    call.fingerprints = natures.map(({ fingerprint = null }) => fingerprint)
    const isRight = this.#ambient
      .modes()
      .some((mode) => natures.some((nature) => this.#mayExpect(mode, nature, call).includes('ask')))
    hold(isRight, `a person is asked for ${id} of ${tool}, and need not be`)
    const isSubject = natures.some((nature) => subjectOf(nature, call) === subject)
    hold(isSubject, `a person is asked for ${id} of ${tool} as '${subject}'`)
  }

  #openCall(id: string, at: { turn: TurnId; tool: string; position: number }): Called {
    const call = this.#calls.get(id)
    hold(call !== undefined, `[TOOL1] ${at.position} is about ${id}, which nobody called`)
    const isIt = call.turn === at.turn && call.tool === at.tool
    hold(isIt, `[TOOL1] ${at.position} takes ${id} for another call`)
    hold(call.decided === undefined, `[TOOL1] ${id} is decided about a second time at ${at.position}`)
    hold(!call.hasResult && !call.hasRun, `[TOOL1] ${id} is decided about at ${at.position}, when it is over`)
    return call
  }

  #start({ call: id, turn, branch, position }: EventOf<'process-started'>): void {
    const call = this.#calls.get(id)
    const isIt = call?.turn === turn && call.branch === branch && call.decided?.verdict === 'allowed'
    hold(isIt && !call.hasResult, `[TOOL3] ${position} is of a program of ${id}, which does not run`)
  }

  #decide(event: Decided): void {
    const call = this.#openCall(event.call, event)
    const { running } = this.#places.branch(call.branch)
    hold(running?.id === call.turn, `[TOOL1] ${call.id} is decided about when its turn is over`)
    call.decided = event
    this.#countOutdated(call)
    const approval = this.#approvals.ofCall(call.id)
    if (approval !== undefined) return this.#byPerson(event, approval.decided)
    hold(
      event.because !== 'person' && event.because !== 'no-answer',
      `[PERM1] ${call.id} is decided by a person who was not asked`,
    )
    this.#byItself(event, call)
  }

  #countOutdated(call: Called): void {
    const [nature] = this.#ambient?.natures(call.tool) ?? []
    if (nature === undefined) return
    const given = [...this.#grants].filter(([pattern]) => isFitting(pattern, call, nature))
    if (given.length > 0 && given.every(([, print]) => print !== (nature.fingerprint ?? null)))
      this.outdated++
  }

  #byPerson({ call, verdict, because, position, mode }: Decided, said?: EventOf<'approval-decided'>): void {
    hold(
      said !== undefined && said.position >= position - 2,
      `[PERM1] ${call} is decided before a person said anything`,
    )
    const isYes = said.verdict === 'once' || said.verdict === 'always'
    hold(
      verdict === (isYes ? 'allowed' : 'refused') &&
        because === (said.verdict === 'expired' ? 'no-answer' : 'person'),
      `[PERM1] approval ${said.number} is '${said.verdict}', and ${call} is ${verdict}: ${because}`,
    )
    this.#checkMode(call, mode)
  }

  #byItself({ verdict, because, mode, pattern, subject }: Decided, call: Called): void {
    const isPattern = because === 'granted' ? pattern !== null && this.#grants.has(pattern) : pattern === null
    hold(isPattern, `[PERM1] ${call.id} is ${verdict} by the pattern ${pattern}`)
    if (this.#ambient === undefined) return this.#checkOffered(call, verdict)
    const natures = this.#ambient.natures(call.tool)
    call.fingerprints = natures.map(({ fingerprint = null }) => fingerprint)
    this.#checkMode(call.id, mode)
    const expected = natures.flatMap((nature) => this.#mayExpect(mode, nature, call))
    const { mode: place } = this.#places.branch(call.branch)
    const isAlone = place !== 'main' && place !== 'fork'
    const isRight = expected.some((one) => {
      const [what, why] = one === 'ask' ? (['refused', isAlone ? 'cannot-ask' : 'asked'] as const) : one
      return what === verdict && why === because
    })
    hold(
      isRight,
      `[PERM1] ${call.id} of ${call.tool} is ${verdict}: ${because}, not ${JSON.stringify(expected)}`,
    )
    const isSubject = natures.some((nature) => subjectOf(nature, call) === subject)
    hold(isSubject, `[TOOL1] ${call.id} is decided about as '${subject}'`)
  }

  /** By name alone, since nothing else is known of tools here. */
  #checkOffered({ id, branch, tool }: Called, verdict: Decided['verdict']): void {
    const { mode } = this.#places.branch(branch)
    const fits = (pattern: string): boolean => pattern.split('(')[0] === tool
    const isThere = isOffered(tool, { mode, run: this.runOf(branch), fits })
    hold(
      isThere || verdict === 'refused',
      `[RUN3] ${id} of ${tool} is ${verdict}, and not offered to ${branch}`,
    )
  }

  #checkMode(call: string, mode: Decided['mode']): void {
    const modes = this.#ambient?.modes() ?? [mode]
    hold(modes.includes(mode), `[TOOL1] ${call} is decided in the mode ${mode}, and it is ${modes.join()}`)
  }

  /** An address that nobody gave is asked about where others are read: LEAVE1 says when it must be. */
  #mayExpect(mode: Decided['mode'], nature: ToolNature, call: Called): readonly Expected[] {
    const one = this.#expect(mode, nature, call)
    const isFree = one === 'ask' || one[1] === 'built-in'
    return isFree && nature.addressOf !== undefined ? [one, 'ask', ['refused', 'composed']] : [one]
  }

  #expect(mode: Decided['mode'], nature: ToolNature, call: Called): Expected {
    const { origin, fingerprint = null } = nature
    const { mode: place } = this.#places.branch(call.branch)
    const fits = (pattern: string): boolean => isFitting(pattern, call, nature)
    if (!isOffered(call.tool, { mode: place, run: this.runOf(call.branch), fits }))
      return ['refused', 'not-offered']
    const effect = isProposal(call) ? 'steers' : nature.effect
    if (mode === 'bypassPermissions') return ['allowed', 'bypass']
    const fitting = [...this.#grants].filter(([pattern]) => isFitting(pattern, call, nature))
    if (fitting.some(([, given]) => given === fingerprint)) return ['allowed', 'granted']
    const isOwn = origin.kind === 'built-in'
    if (isOwn && (mode === 'dontAsk' || effect === 'looks' || effect === 'steers'))
      return ['allowed', 'built-in']
    if (isOwn && mode === 'acceptEdits' && effect === 'edits') return ['allowed', 'edits-accepted']
    if (mode !== 'dontAsk') return 'ask'
    return ['refused', fitting.length > 0 ? 'changed' : 'not-allowed']
  }
}

type CallWish = Extract<EventOf<'approval-asked'>['wish'], { kind: 'call' }>

/** A write that only proposes a change. */
function isProposal({ tool, args }: Called): boolean {
  return tool === 'write' && isProtected(args['path'])
}

function subjectOf(nature: ToolNature, { args }: Called): string {
  return nature.subjectOf?.(args) ?? canonicalJson(args)
}

function isFitting(pattern: string, call: Called, nature: ToolNature): boolean {
  const [tool = '', ...rest] = pattern.split('(')
  if (tool !== call.tool) return false
  if (rest.length === 0) return true
  const glob = rest.join('(').slice(0, -1)
  const expression = glob
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${expression}$`, 'su').test(subjectOf(nature, call))
}
