import { composedLines, visible } from '../agent/right/call-wording.ts'
import { proposalIn } from '../agent/right/proposing.ts'
import { openApprovals, type Approval } from '../agent/state/approvals.ts'
import { guestName } from '../agent/state/person.ts'
import { isoAt } from '../base/time-text.ts'
import { oneLine } from '../base/width.ts'
import { branchNames } from '../context/naming.ts'
import type { Wish } from '../event/right.ts'
import type { Reader } from '../event/table.ts'

/** What waits for the person's decision, oldest first. Programs rely on the names. */
export function approvalsView(reader: Reader, now: number) {
  const nameOf = branchNames(reader, 'all')
  return openApprovals(reader, now).map((approval) => {
    const { number, at, until, wish, branch } = approval.request
    return {
      number,
      kind: wish.kind,
      branch: nameOf(branch),
      askedAt: isoAt(at),
      /** A call waits until then; null: a proposal waits as long as it takes. */
      until: until === null ? null : isoAt(until),
      what: wishWords(wish),
      /** An address of which everything behind `from` was given by nobody; null: all of it was, or there is none. */
      address:
        wish.kind === 'call' && wish.composedFrom !== undefined
          ? { text: wish.shown, from: wish.composedFrom }
          : null,
      /** All of it, with the difference for a file. */
      text: approvalText(reader, approval),
    }
  })
}

/** `run web_fetch: https://…`, on one line. */
export function wishWords(wish: Approval['request']['wish']): string {
  switch (wish.kind) {
    case 'call':
      return oneLine(visible(`run ${wish.tool}: ${wish.subject}`))
    case 'file':
      return oneLine(visible(`change ${wish.path}`))
    case 'memory':
      return oneLine(visible(`remember: ${wish.line}`))
  }
}

export function approvalText(reader: Reader, { request, decided }: Approval): string {
  const { number, wish, branch } = request
  const guest = guestName(reader, branch)
  const forWhom = guest === undefined ? '' : ` for ${oneLine(visible(guest))}`
  const state = decided === null ? [] : [`(answered: ${decided.verdict})`]
  if (wish.kind === 'call')
    return [
      `Approval ${number}: allow ${wish.tool}${forWhom}?`,
      callLines(wish).replaceAll(/^/gm, '  '),
      ...state,
    ].join('\n')
  return [proposalIn(reader, wish, request), ...state].join('\n')
}

function callLines({ shown, composedFrom: from }: Extract<Wish, { kind: 'call' }>): string {
  return from === undefined ? visible(shown) : composedLines(shown, from).join('\n')
}
