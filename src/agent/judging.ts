import { canonicalJson } from '../base/canonical.ts'
import { oneLine } from '../base/width.ts'
import { getBranch } from '../context/branch.ts'
import type { Address, Choice } from '../event/work.ts'
import type { Writing } from '../log/log.ts'
import { judge, type RefusedBecause } from '../permission/judge.ts'
import type { Tool, ToolNature, ToolOrigin } from '../tool/tool.ts'
import type { ActTool } from './act.ts'
import type { CallToRun } from './call-to-run.ts'
import { askApproval, grantsIn } from './approvals.ts'
import { isForPeople, whoAsked } from './asker.ts'
import type { Begun } from './begin.ts'
import type { AgentSettings } from './settings.ts'

/** So long a call waits for a person; then it is refused. */
export const ASK_MS = 60_000

export interface Judging {
  readonly begun: Begun
  readonly at: number
  readonly tools: readonly (Tool | ActTool)[]
  readonly permissions: AgentSettings['permissions']
  /** Whether a person can be asked there. */
  readonly canAsk: (address: Address) => boolean
}

/**
 * Decides of each call whether it may run, and writes that down. What is refused gets its reason as what is the matter
 * with it; what a person is asked about gets the number of that approval, and the question is on its way.
 */
export function judgeCalls(
  writing: Writing,
  judging: Judging,
  calls: readonly CallToRun[],
): readonly CallToRun[] {
  const asker = whoAsked(writing, getBranch(writing, judging.begun.branch))
  const told = new Set<string>()
  return calls.map((call) => {
    const tool = judging.tools.find(({ spec }) => spec.name === call.tool)
    if (tool === undefined || call.bad !== undefined) return call
    const bad = 'check' in tool ? tool.check?.(call.args) : undefined
    if (bad !== undefined) return { ...call, bad }
    return judgeCall(writing, { ...judging, asker, told, tool }, call)
  })
}

interface JudgingOne extends Judging {
  readonly asker: Address | undefined
  /** Tools whose refusal the person was told of in this step. */
  readonly told: Set<string>
  readonly tool: Tool | ActTool
}

function judgeCall(writing: Writing, judging: JudgingOne, call: CallToRun): CallToRun {
  const { begun, at, asker, permissions: mode } = judging
  const nature = natureOf(judging.tool, call)
  const subject = subjectOf(nature, call)
  const canAsk = asker !== undefined && isForPeople(begun) && judging.canAsk(asker)
  const pattern = nature.patternFor?.(call.args) ?? call.tool
  const grants = grantsIn(writing)
  const verdict = judge({ mode, tool: call.tool, nature, subject, pattern, grants, canAsk })
  const short = shortened(subject)
  const { branch, turn } = begun
  if (verdict.kind === 'ask' && asker !== undefined) {
    const fingerprint = nature.fingerprint ?? null
    const wish = {
      kind: 'call',
      turn,
      call: call.id,
      tool: call.tool,
      subject: short,
      pattern,
      fingerprint,
    } as const
    return { ...call, approval: ask(writing, { branch, at, wish, to: asker, nature }) }
  }
  const about = { turn, call: call.id, tool: call.tool, subject: short, mode }
  const isAllowed = verdict.kind === 'allowed'
  writing.append({
    kind: 'call-decided',
    branch,
    at,
    v: 1,
    ...about,
    verdict: isAllowed ? 'allowed' : 'refused',
    because: verdict.kind === 'ask' ? 'cannot-ask' : verdict.because,
    pattern: isAllowed ? verdict.pattern : null,
  })
  if (verdict.kind !== 'refused') return call
  tellRefusal(writing, judging, { call, because: verdict.because, pattern })
  return { ...call, bad: refusalText({ tool: call.tool, nature, pattern, because: verdict.because }) }
}

function natureOf({ nature }: Tool | ActTool, { args }: CallToRun): ToolNature {
  const { effectOf } = nature
  return effectOf === undefined ? nature : { ...nature, effect: effectOf(args) }
}

/** More of it no reader needs to know what was decided about. */
const SUBJECT_CHARS_MAX = 1_000

function shortened(subject: string): string {
  return subject.length <= SUBJECT_CHARS_MAX
    ? subject
    : `${subject.slice(0, SUBJECT_CHARS_MAX).toWellFormed()}…`
}

export function subjectOf(nature: ToolNature, { args }: Pick<CallToRun, 'args'>): string {
  return nature.subjectOf?.(args) ?? canonicalJson(args)
}

function ask(
  writing: Writing,
  {
    branch,
    at,
    wish,
    to,
    nature,
  }: Pick<Begun, 'branch'> & {
    at: number
    wish: Extract<Parameters<typeof askApproval>[1]['wish'], { kind: 'call' }>
    to: Address
    nature: ToolNature
  },
): number {
  const number = askApproval(writing, { branch, at, wish, until: at + ASK_MS })
  const { tool, subject, pattern, turn } = wish
  const text = [
    `May ${tool} run${originWords(nature.origin)}? (approval ${number})`,
    `  ${oneLine(subject)}`,
    `/approve ${number} once, /approve ${number} always for ${pattern}, /deny ${number}; without an answer it is refused in ${ASK_MS / 1000} s.`,
  ].join('\n')
  const choices: Choice[] = [
    { label: 'Once', command: `/approve ${number}` },
    { label: `Always: ${pattern}`, command: `/approve ${number} always` },
    { label: 'Deny', command: `/deny ${number}` },
  ]
  writing.append({ kind: 'delivery-intended', branch, at, v: 1, to, form: 'question', text, turn, choices })
  return number
}

/** ` (skill git)` */
function originWords(origin: ToolOrigin): string {
  if (origin.kind === 'skill') return ` (skill ${origin.skill})`
  return origin.kind === 'mcp' ? ` (server ${origin.server})` : ''
}

/** What is refused is shown, once for each tool and step, where somebody waits. */
function tellRefusal(
  writing: Writing,
  { begun, at, asker, told, tool }: JudgingOne,
  { call, because, pattern }: { call: CallToRun; because: RefusedBecause; pattern: string },
): void {
  if (asker === undefined || told.has(call.tool)) return
  told.add(call.tool)
  const { branch, turn } = begun
  const why = because === 'changed' ? 'it does something else than when you allowed it' : REFUSED[because]
  const text = `(${call.tool}${originWords(tool.nature.origin)} was refused: ${why}. /allow ${pattern} allows it.)`
  writing.append({ kind: 'delivery-intended', branch, at, v: 1, to: asker, form: 'notice', text, turn })
}

const REFUSED: Readonly<Record<RefusedBecause, string>> = {
  'not-allowed': 'nobody allowed it yet',
  changed: 'it does something else than when it was allowed',
  'cannot-ask': 'nobody can be asked here',
  person: 'the person said no',
  'no-answer': 'nobody answered in time',
}

/** What the model is told. It cannot allow anything, so it is told who can. */
export function refusalText({
  tool,
  nature,
  pattern,
  because,
}: {
  tool: string
  nature: ToolNature
  pattern: string
  because: RefusedBecause
}): string {
  const what = `'${tool}'${originWords(nature.origin)} was not run: ${REFUSED[because]}.`
  if (because === 'person') return `${what} Do not try it again; ask what they want instead.`
  return `${what} The person can allow it by typing /allow ${pattern}. Do without it, or tell them.`
}
