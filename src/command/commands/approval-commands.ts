import { done, refusal, type Said } from '../../agent/act.ts'
import {
  approvalNumbered,
  decideApproval,
  isOpenApproval,
  openApprovals,
  type Approval,
  type Decision,
} from '../../agent/approvals.ts'
import { contentOf } from '../../agent/setup.ts'
import { proposalText } from '../../agent/proposing.ts'
import { oneLine, shorten } from '../../base/width.ts'
import { getBranch } from '../../context/branch.ts'
import { branchNames } from '../../context/naming.ts'
import type { Reader } from '../../event/table.ts'
import type { Writing } from '../../log/log.ts'
import { conclude, concludeDone, type Desk, type OrderOf } from '../desk.ts'
import { carryOut, oneByOne } from '../proposal.ts'
import { takeSetup } from '../setup-change.ts'

export function runApprove(desk: Desk, order: OrderOf<'approve'>): Promise<Said | undefined> {
  return oneByOne(desk, () => approve(desk, order))
}

async function approve(desk: Desk, order: OrderOf<'approve'>): Promise<Said | undefined> {
  const { number, always, words } = order.command
  const found = await desk.log.read((reader) => openNumbered(reader, number, desk.now()))
  if (typeof found === 'string') return conclude(desk, order, () => refusal(found))
  const { asked } = found
  if (asked.wish.kind === 'call') {
    if (words !== null)
      return conclude(desk, order, () =>
        refusal(`A call is approved as it is: /approve ${asked.number} [always].`),
      )
    return decide(desk, order, { number: asked.number, verdict: always ? 'always' : 'once' })
  }
  if (always) return conclude(desk, order, () => refusal(`'always' is for calls: /approve ${asked.number}`))
  if (words !== null && asked.wish.kind === 'file')
    return conclude(desk, order, () =>
      refusal(`A change of a file is approved as it is: /approve ${asked.number}.`),
    )
  const carried = await carryOut(desk, found, words)
  if ('problem' in carried) return conclude(desk, order, () => refusal(carried.problem))
  return decide(desk, order, {
    number: asked.number,
    verdict: 'approved',
    ...(words !== null && { instead: words }),
    more: (writing, actor) => void takeSetup(writing, carried.setup, actor),
    text: carried.text,
  })
}

export function runDeny(desk: Desk, order: OrderOf<'deny'>): Promise<Said | undefined> {
  return oneByOne(desk, () => deny(desk, order))
}

async function deny(desk: Desk, order: OrderOf<'deny'>): Promise<Said | undefined> {
  const found = await desk.log.read((reader) => openNumbered(reader, order.command.number, desk.now()))
  if (typeof found === 'string') return conclude(desk, order, () => refusal(found))
  return decide(desk, order, { number: found.asked.number, verdict: 'denied' })
}

interface Deciding {
  readonly number: number
  readonly verdict: Decision
  readonly instead?: string
  readonly more?: (writing: Writing, actor: Parameters<typeof takeSetup>[2]) => void
  readonly text?: string
}

function decide(
  desk: Desk,
  order: OrderOf<'approve' | 'deny'>,
  deciding: Deciding,
): Promise<Said | undefined> {
  const { number, verdict, instead } = deciding
  return concludeDone(desk, order, (writing, actor) => {
    const approval = approvalNumbered(writing, number)
    if (approval === undefined || !isOpenApproval(writing, number, actor.at))
      return refusal(notOpen(writing, number))
    const { at, author, settings } = actor
    const edited = instead === undefined ? {} : { instead }
    decideApproval(writing, approval, { at, verdict, author, mode: settings.permissions, ...edited })
    deciding.more?.(writing, actor)
    const text = deciding.text ?? decidedText(approval, verdict)
    if (approval.asked.wish.kind === 'call') return done(text)
    tellModel(writing, approval, { at, text: `Approval ${number}: ${text}` })
    return done(text, { wake: [approval.asked.branch] })
  })
}

/** What became of a proposal, as a note: it opens no turn. */
function tellModel(
  writing: Writing,
  { asked: { branch } }: Approval,
  { at, text }: { at: number; text: string },
): void {
  if (getBranch(writing, branch).state.kind === 'ended') return
  const source = { from: 'host', tag: 'system' } as const
  writing.append({ kind: 'inbound-admitted', branch, at, v: 1, source, form: 'note', text })
}

function decidedText({ asked: { wish } }: Approval, verdict: Decision): string {
  switch (wish.kind) {
    case 'call':
      if (verdict === 'denied') return `Denied: ${wish.tool} is not run.`
      return verdict === 'always'
        ? `Allowed: ${wish.pattern} from now on. /disallow ${wish.pattern} takes it back.`
        : `Allowed this once: ${wish.tool}.`
    case 'file':
      return `Denied: ${wish.path} stays as it is.`
    case 'memory':
      return 'Denied: it is not remembered.'
  }
}

/** The one of this number, or the newest; or why it cannot be answered. */
function openNumbered(reader: Reader, number: number | null, now: number): Approval | string {
  if (number !== null && !isOpenApproval(reader, number, now)) return notOpen(reader, number)
  const open = openApprovals(reader, now)
  const found = number === null ? open.at(-1) : open.find(({ asked }) => asked.number === number)
  return found ?? 'Nothing waits for your approval.'
}

function notOpen(reader: Reader, number: number): string {
  const approval = approvalNumbered(reader, number)
  if (approval === undefined) return `There is no approval ${number}. /approvals lists what waits.`
  const verdict = approval.decided?.verdict
  if (verdict === 'expired') return `Approval ${number} is over: nobody answered in time.`
  if (verdict === undefined) return `Approval ${number} is over: what asked for it has ended.`
  return `Approval ${number} was answered before: ${verdict === 'denied' ? 'denied' : 'approved'}.`
}

export function runApprovals(desk: Desk, order: OrderOf<'approvals'>): Promise<Said | undefined> {
  const { number } = order.command
  return conclude(desk, order, (writing, { at }) => {
    if (number !== null) {
      const approval = approvalNumbered(writing, number)
      return approval === undefined ? refusal(notOpen(writing, number)) : done(wholeText(writing, approval))
    }
    const open = openApprovals(writing, at)
    if (open.length === 0) return done('Nothing waits for your approval.')
    const nameOf = branchNames(writing)
    const lines = open.map(
      ({ asked }) =>
        `  ${String(asked.number).padStart(3)}  ${wishLine(asked.wish)}  (${nameOf(asked.branch)})`,
    )
    return done(
      ['Waits for you:', ...lines, '/approvals N shows one, /approve N and /deny N answer it.'].join('\n'),
    )
  })
}

const LINE_WIDTH = 60

function wishLine(wish: Approval['asked']['wish']): string {
  switch (wish.kind) {
    case 'call':
      return shorten(oneLine(`run ${wish.tool}: ${wish.subject}`), LINE_WIDTH)
    case 'file':
      return shorten(oneLine(`change ${wish.path}`), LINE_WIDTH)
    case 'memory':
      return shorten(oneLine(`remember: ${wish.line}`), LINE_WIDTH)
  }
}

function wholeText(reader: Reader, { asked, decided }: Approval): string {
  const { number, wish } = asked
  const state = decided === null ? [] : [`(answered: ${decided.verdict})`]
  if (wish.kind === 'call')
    return [`Approval ${number}: may ${wish.tool} run?`, `  ${wish.subject}`, ...state].join('\n')
  if (wish.kind === 'memory') return [proposalText(wish, number), ...state].join('\n')
  const before = wish.before === null ? undefined : contentOf(reader, wish.before)
  const after = contentOf(reader, wish.after)
  return [proposalText({ kind: 'file', path: wish.path, before, after }, number), ...state].join('\n')
}
