import type { Clock } from '../base/clock.ts'
import { lineDifference } from '../base/line-difference.ts'
import { getBranch } from '../context/branch.ts'
import type { Choice } from '../event/work.ts'
import type { Log, Writing } from '../log/log.ts'
import type { CallContext } from '../tool/tool.ts'
import { askApproval } from './approvals.ts'
import { isForPeople, whoAsked } from './asker.ts'
import { isRunning } from './ending.ts'
import { keep } from './setup.ts'

/** What an agent wants changed of what it is, knows or may do. It is done when a person approves it (SAFE4). */
export type Proposal =
  | {
      readonly kind: 'file'
      /** From the workspace. */
      readonly path: string
      /** Undefined: there is no such file. */
      readonly before: string | undefined
      readonly after: string
    }
  | { readonly kind: 'memory'; readonly line: string; readonly replaces: string | null }

/** Asks for it, now and for as long as it takes; the number under which it waits. */
export type Propose = (call: CallContext, proposal: Proposal) => Promise<number>

export function proposing({ log, now, deliver }: { log: Log; now: Clock; deliver: () => void }): Propose {
  return async (call, proposal) => {
    const at = now()
    const number = await log.write((writing) => {
      // A turn that was stopped, or a branch that was killed meanwhile, wants nothing any more (KILL1).
      if (!isRunning(writing, call)) throw new Error('the turn that wanted it has ended')
      return propose(writing, { call, at, proposal })
    })
    deliver()
    return number
  }
}

const DIFFERENCE_LINES_MAX = 60

function propose(
  writing: Writing,
  { call: { branch, turn }, at, proposal }: { call: CallContext; at: number; proposal: Proposal },
): number {
  const keeping = { branch, at }
  const wish =
    proposal.kind === 'memory'
      ? ({ ...proposal, turn } as const)
      : ({
          kind: 'file',
          turn,
          path: proposal.path,
          before: proposal.before === undefined ? null : keep(writing, keeping, proposal.before),
          after: keep(writing, keeping, proposal.after),
        } as const)
  const number = askApproval(writing, { branch, at, wish, until: null })
  const asker = getBranch(writing, branch)
  const to = isForPeople(asker) ? whoAsked(writing, asker) : undefined
  // Where nobody waits it is no reason to disturb anybody: /approvals has it, and the status line counts it.
  if (to === undefined) return number
  const text = proposalText(proposal, number)
  const intent = { to, form: 'question', text, turn, choices: choicesOf(number) } as const
  writing.append({ kind: 'delivery-intended', branch, at, v: 1, ...intent, choices: [...intent.choices] })
  return number
}

function choicesOf(number: number): readonly Choice[] {
  return [
    { label: 'Approve', command: `/approve ${number}` },
    { label: 'Deny', command: `/deny ${number}` },
  ]
}

/** What a person is shown, with the difference that it makes. */
export function proposalText(proposal: Proposal, number: number): string {
  if (proposal.kind === 'memory') {
    const { line, replaces } = proposal
    return [
      `May this be remembered? (approval ${number})`,
      ...(replaces === null ? [] : [`- ${replaces}`]),
      `+ ${line}`,
      `/approve ${number} remembers it, /approve ${number} YOUR WORDS remembers those, /deny ${number} does not.`,
    ].join('\n')
  }
  const { path, before, after } = proposal
  return [
    `May ${path} be ${before === undefined ? 'made' : 'changed'}? (approval ${number})`,
    ...lineDifference(before ?? '', after, DIFFERENCE_LINES_MAX),
    `/approve ${number} writes it, /deny ${number} does not.`,
  ].join('\n')
}
