import { messageOf } from '../../base/message-of.ts'
import { canonicalJson } from '../../base/canonical.ts'
import { cutText } from '../../base/words.ts'
import { getBranch } from '../../context/branch.ts'
import type { Call } from '../../event/event.ts'
import type { Address } from '../../event/work.ts'
import type { Reader, Writing } from '../../event/table.ts'
import { judge, type RefusedBecause, type Verdict } from '../../permission/judge.ts'
import type { Tool, ToolNature } from '../../tool/tool.ts'
import type { ActTool } from '../contract/act.ts'
import { askApproval, grantsIn } from '../state/approvals.ts'
import { say } from '../state/outbox.ts'
import { isForPeople, whoAsked } from '../state/asker.ts'
import { ceilingWords } from '../state/cause.ts'
import type { RunningTurn } from './begin.ts'
import { composedFrom, giverOf, readElsewhere } from './leaving.ts'
import {
  choicesFor,
  questionText,
  refusalNotice,
  refusalText,
  SHOWN_CHARS_MAX,
} from '../right/call-wording.ts'
import { isNamedBy, listWords, notHere, offeredIn, type Caller } from '../right/gating.ts'
import type { AgentSettings } from '../state/settings.ts'
import { OWNER } from '../../event/speaker.ts'
import { addressNear, addressOf, guestName } from '../state/person.ts'

/** A call as logged, and why it cannot run, if so. */
export interface CallToRun extends Call {
  readonly bad?: string
  /** The number of the approval, if a person is asked whether it may run. */
  readonly approval?: number
  /** Fingerprint of the tool that was allowed or asked about. */
  readonly fingerprint?: string
  /** The address that it asks, if a model made it up while text from elsewhere stood in the prompt. */
  readonly madeUp?: string
}

export interface Judging {
  readonly running: RunningTurn
  readonly at: number
  readonly tools: readonly (Tool | ActTool)[]
  /** The names of the tools in the prompt, in its order. */
  readonly inPrompt: readonly string[]
  /** The mode that is configured; for guests it is at most `default`. */
  readonly permissions: AgentSettings['permissions']
  readonly causedMax: AgentSettings['causedMax']
  readonly web: AgentSettings['web']
  readonly approvalTimeoutMs: AgentSettings['approvalTimeoutMs']
  /** Channels on which a person can be asked. */
  readonly askable: ReadonlySet<string>
  readonly calls: readonly LookedCall[]
}

export interface LookedCall {
  readonly call: CallToRun
  /** Null: its arguments are invalid, or there is no such tool. */
  readonly looked: Looked | null
}

/** Looks at each call outside the work that judges: tools may read files for that (LOG7). */
export function lookAtCalls(
  calls: readonly CallToRun[],
  { tools, permissions, ...by }: Pick<Judging, 'tools' | 'inPrompt' | 'permissions' | 'running'>,
): LookedCall[] {
  const caller = callerIn({ tools, ...by })
  const offered = new Set(offeredIn({ ...caller, tools: namesOf(tools) }))
  return calls.map((call) => {
    const tool = tools.find(({ spec }) => spec.name === call.tool)
    if (call.bad !== undefined) return { call, looked: null }
    if (tool === undefined) {
      const bad = `There is no tool '${call.tool}'. ${listWords(caller)}`
      return { call: { ...call, bad }, looked: null }
    }
    const looked = lookAt(tool, call)
    if ('bad' in looked) {
      // Better arguments would not help with a tool that is not for this branch.
      const refused = offered.has(call.tool) ? undefined : notHere(call.tool, '', caller)
      return { call: { ...call, bad: refused ?? looked.bad }, looked: null }
    }
    const { fingerprint } = permissions === 'bypassPermissions' ? {} : tool.nature
    return { call: fingerprint === undefined ? call : { ...call, fingerprint }, looked }
  })
}

/**
 * Decides for each call whether it may run, and records that. A refused call gets the reason as its problem; a call
 * that a person is asked about gets the number of the approval, and the question is queued.
 */
export function judgeCalls(writing: Writing, judging: Judging): readonly CallToRun[] {
  const { branch, person } = judging.running
  const asker = whoAsked(writing, getBranch(writing, branch))
  const asked = person === OWNER ? asker : asker && addressOf(writing, OWNER)
  const told = new Set<string>()
  const caller = callerIn(judging)
  const read = readElsewhere(writing, judging.running.turn)
  return judging.calls.map(({ call, looked }) => {
    if (looked === null) return call
    const ceiling = ceilingWords(writing, { branch }, judging.causedMax)
    if (ceiling !== undefined) return { ...call, bad: `Not run: this work reached ${ceiling}.` }
    return judgeCall(writing, { ...judging, asker, asked, told, looked, caller, read }, call)
  })
}

/** Refusals name tools of the prompt only, and none that is gone meanwhile. */
function callerIn({ tools, inPrompt, running }: Pick<Judging, 'tools' | 'inPrompt' | 'running'>): Caller {
  const names = new Set(namesOf(tools))
  return { mode: running.mode, run: running.job, tools: inPrompt.filter((name) => names.has(name)) }
}

function namesOf(tools: Judging['tools']): string[] {
  return tools.map(({ spec }) => spec.name)
}

interface Looked {
  readonly nature: ToolNature
  readonly subject: string
  readonly pattern: string
  /** The address that it asks, if a model chose one. */
  readonly href: string | undefined
  /** The call as a person would see it. */
  readonly shown: string
}

/** Other people's tools look at the arguments here; whatever they do, it must not end the process. */
function lookAt(tool: Tool | ActTool, { tool: name, args }: CallToRun): Looked | { readonly bad: string } {
  const { nature } = tool
  try {
    const bad = 'check' in tool ? tool.check?.(args) : undefined
    if (bad !== undefined) return { bad }
    const subject = nature.subjectOf?.(args) ?? canonicalJson(args)
    return {
      nature: { ...nature, effect: nature.effectOf?.(args) ?? nature.effect },
      subject,
      pattern: nature.patternFor?.(args) ?? name,
      href: nature.addressOf?.(args),
      shown: nature.shownAs?.(args) ?? subject,
    }
  } catch (error) {
    return { bad: `'${name}' could not look at these arguments: ${messageOf(error)}` }
  }
}

interface JudgingOne extends Judging {
  readonly asker: Address | undefined
  /** Where somebody can say yes: the asker, or the owner for a guest. */
  readonly asked: Address | undefined
  /** Tools whose refusal the person was already told of in this step. */
  readonly told: Set<string>
  readonly looked: Looked
  readonly caller: Caller
  /** Text from elsewhere stood in the prompt that the calls came from. */
  readonly read: boolean
}

function judgeCall(writing: Writing, judging: JudgingOne, asking: CallToRun): CallToRun {
  const { asked, looked } = judging
  const { href } = looked
  const giver =
    href === undefined ? undefined : giverOf(writing, judging.running.branch, { href, web: judging.web })
  const isMadeUp = giver === 'made-up page' || (giver === undefined && judging.read)
  const call = href === undefined || !isMadeUp ? asking : { ...asking, madeUp: href }
  const bad = notHere(call.tool, looked.subject, judging.caller)
  if (bad !== undefined) {
    note(writing, judging, { call, decided: { kind: 'refused', because: 'not-offered' } })
    return { ...call, bad }
  }
  const from = giver === undefined ? composedIn(writing, judging, call) : undefined
  const verdict = verdictOn(writing, judging, { call, isComposed: from !== undefined })
  if (verdict.kind === 'ask' && asked !== undefined && looked.shown.length <= SHOWN_CHARS_MAX)
    return { ...call, approval: ask(writing, judging, { call, to: asked, from }) }
  const decided: Decided =
    verdict.kind === 'ask' ? { kind: 'refused', because: asked ? 'too-long' : 'cannot-ask' } : verdict
  note(writing, judging, { call, decided })
  if (decided.kind === 'allowed') return call
  tellRefusal(writing, judging, { call, because: decided.because })
  const { nature, pattern } = looked
  const isGuests = judging.running.person !== OWNER
  const refused = { tool: call.tool, nature, pattern, because: decided.because, isGuests }
  return { ...call, bad: refusalText(refused) }
}

/** Where the part begins that somebody has to say yes to; undefined: nowhere. */
function composedIn(reader: Reader, { running, looked, web }: JudgingOne, { tool, madeUp: href }: CallToRun) {
  if (href === undefined || isNamedBy(running.job, { tool, subject: looked.subject })) return undefined
  return composedFrom(reader, running.branch, { href, web })
}

function verdictOn(
  writing: Writing,
  judging: JudgingOne,
  { call: { tool }, isComposed }: { readonly call: CallToRun; readonly isComposed: boolean },
): Verdict {
  const { running, asked, permissions: mode, looked } = judging
  const canAsk = asked !== undefined && isForPeople(running) && judging.askable.has(asked.channel)
  const { nature, subject, pattern } = looked
  const grants = grantsIn(writing, running.person)
  return judge({ mode, tool, nature, subject, pattern, grants, isComposed, canAsk })
}

function note(
  writing: Writing,
  { running: { branch, turn }, at, permissions: mode, looked }: JudgingOne,
  { call: { id: call, tool }, decided }: { call: CallToRun; decided: Decided },
): void {
  const { kind: verdict, because } = decided
  const subject = cutText(looked.subject, SUBJECT_CHARS_MAX)
  const pattern = decided.kind === 'allowed' ? decided.pattern : null
  const facts = { turn, call, tool, subject, mode, verdict, because, pattern }
  writing.append({ kind: 'call-decided', branch, at, ...facts })
}

type Decided = Exclude<Verdict, { kind: 'ask' }>

/** Truncated: the log keeps the whole call in its message, readers only need to recognise it. */
const SUBJECT_CHARS_MAX = 1_000

function ask(
  writing: Writing,
  { running: { branch, turn }, at, looked, asker, approvalTimeoutMs: waitMs }: JudgingOne,
  { call: { id: call, tool }, to, from }: { call: CallToRun; to: Address; from: number | undefined },
): number {
  const guest = guestName(writing, branch)
  const { nature, pattern, shown } = looked
  const subject = cutText(looked.subject, SUBJECT_CHARS_MAX)
  const fingerprint = nature.fingerprint ?? null
  const until = waitMs === 0 ? null : at + waitMs
  const composed = from === undefined ? {} : { composedFrom: from }
  const wish = { kind: 'call', turn, call, tool, subject, shown, pattern, fingerprint, ...composed } as const
  const { number, position: cause } = askApproval(writing, { branch, at, wish, until })
  const about = nature.subjectOf === undefined ? '' : subject
  const text = questionText({ number, tool, nature, pattern, subject: about, shown, waitMs, guest, from })
  const choices = choicesFor(number, pattern)
  say(writing, { branch, at, to, form: 'question', text, turn, choices, cause })
  if (guest !== undefined && asker !== undefined) {
    const waits = `I asked the owner whether I may use ${tool}. I'll go on when they answer.`
    say(writing, { branch, at, to: asker, notice: 'owner-asked', text: waits, turn, cause: null })
  }
  return number
}

/**
 * Tells about a refusal, once for each tool and step: whoever waits, and for a child the people who talk to the
 * branches above it. Background jobs and their branches tell nobody; the log has it.
 */
function tellRefusal(
  writing: Writing,
  { running, at, asker, told, looked }: JudgingOne,
  { call, because }: { call: CallToRun; because: RefusedBecause },
): void {
  const { branch, turn, mode, job } = running
  const to = asker ?? (mode === 'child' && job === null ? addressNear(writing, branch) : undefined)
  if (to === undefined || told.has(call.tool)) return
  told.add(call.tool)
  const { nature, pattern } = looked
  const who = asker === undefined ? branch : null
  const isGuests = running.person !== OWNER
  const text = refusalNotice({ tool: call.tool, nature, pattern, because, who, isGuests })
  say(writing, { branch, at, to, notice: 'refused', text, turn, cause: null })
}
