import { ok, refusal } from '../../agent/contract/act.ts'
import {
  approvalNumbered,
  decideApproval,
  deciderOf,
  isOpenApproval,
  openApprovals,
  type Approval,
} from '../../agent/state/approvals.ts'
import { guestName, personIn } from '../../agent/state/person.ts'
import { shorten } from '../../base/width.ts'
import { branchNames } from '../../context/naming.ts'
import type { Reader } from '../../event/table.ts'
import { approvalText, wishWords } from '../../view/approvals.ts'
import {
  personAt,
  type Commands,
  type Desk,
  type Order,
  type OrderOf,
  type Outcome,
  type Work,
} from '../desk/desk.ts'
import { carryOut, obstacleTo, inTurn, recordCarried, tellModel } from '../desk/proposal.ts'

export const approvalCommands: Commands<'approve' | 'deny' | 'approvals'> = {
  approve: (desk, order) => inTurn(desk, order, () => approve(desk, order)),

  deny: (desk, order) =>
    inTurn(desk, order, async () => {
      const { number, why } = order.command
      const found = await desk.log.read((reader) => openNumbered(reader, number, lookOf(desk, reader, order)))
      return typeof found === 'string' ? refusal(found) : decide(desk, found, { verdict: 'denied', why })
    }),

  approvals: (_, { command: { number } }) => ({
    look: (reader, { at, branch }) => {
      const person = personIn(reader, branch)
      if (number !== null) {
        const approval = approvalOf(reader, number, person)
        return approval === undefined
          ? refusal(notOpen(reader, number, person))
          : ok(approvalText(reader, approval))
      }
      const open = openApprovals(reader, at, person)
      if (open.length === 0) return ok('Nothing waits for your approval.')
      const nameOf = branchNames(reader, 'all')
      const lines = open.map(
        ({ request }) =>
          `  ${String(request.number).padStart(3)}  ${wishLine(request.wish)}  (${guestName(reader, request.branch) ?? nameOf(request.branch)})`,
      )
      const how = '/approvals N shows one, /approve N and /deny N answer it.'
      return ok(['Waiting for you:', ...lines, how].join('\n'))
    },
  }),
}

async function approve(desk: Desk, order: OrderOf<'approve'>): Promise<Outcome> {
  const { command } = order
  const found = await desk.log.read((reader) =>
    openNumbered(reader, command.number, lookOf(desk, reader, order)),
  )
  if (typeof found === 'string') return refusal(found)
  const misfit = misfitOf(found, command) ?? (await obstacleTo(desk, found))
  if (misfit !== undefined) return refusal(misfit)
  return found.request.wish.kind === 'call'
    ? decide(desk, found, { verdict: command.always ? 'always' : 'once' })
    : approveProposal(desk, found, command.words)
}

interface Look {
  readonly now: number
  /** Who answers. */
  readonly person: string
}

function lookOf(desk: Desk, reader: Reader, { branch }: Order): Look {
  return { now: desk.now(), person: personIn(reader, branch) }
}

/** Undefined: there is none, or somebody else decides it. */
function approvalOf(reader: Reader, number: number, person: string): Approval | undefined {
  const approval = approvalNumbered(reader, number)
  return approval !== undefined && deciderOf(reader, approval) === person ? approval : undefined
}

/** Why the words after the number do not fit this approval. */
function misfitOf(
  { request: { number, wish } }: Approval,
  { always, words }: OrderOf<'approve'>['command'],
): string | undefined {
  if (wish.kind === 'call')
    return words === null ? undefined : `A call can only be approved as it is: /approve ${number} [always].`
  if (always) return `'always' is for calls: /approve ${number}`
  if (words === null) return undefined
  if (wish.kind === 'file') return `A file change can only be approved as it is: /approve ${number}.`
  return words.length <= WORDS_MAX
    ? undefined
    : `A line can have at most ${WORDS_MAX} characters; this one has ${words.length}.`
}

const WORDS_MAX = 300

/** Notes the decision, carries it out, then notes the result: after a crash in between it is carried out again. */
async function approveProposal(desk: Desk, found: Approval, words: string | null): Promise<Outcome> {
  const { number } = found.request
  const { at, author, settings } = personAt(desk)
  const approved = await desk.log.write((writing) => {
    const approval = openAgain(writing, found, at)
    if (approval === undefined) return undefined
    decideApproval(writing, approval, {
      at,
      author,
      mode: settings.permissions,
      verdict: 'approved',
      ...(words !== null && { instead: words }),
    })
    return approvalNumbered(writing, number)
  })
  if (approved === undefined)
    return { look: (reader) => refusal(notOpen(reader, number, deciderOf(reader, found))) }
  const carried = await carryOut(desk, approved)
  const work: Work = (writing, { at, author }) => {
    recordCarried(writing, approved, { ...carried, at, author })
    const wake = [approved.request.branch]
    return carried.problem === null ? ok(carried.text, { wake }) : { ...refusal(carried.text), wake }
  }
  return { work, isDone: true }
}

/** Undefined: it was answered meanwhile. */
function openAgain(reader: Reader, found: Approval, now: number): Approval | undefined {
  const { number } = found.request
  return isOpenApproval(reader, number, now) ? approvalNumbered(reader, number) : undefined
}

type Verdict = 'once' | 'always' | 'denied'

function decide(
  desk: Desk,
  found: Approval,
  { verdict, why = null }: { verdict: Verdict; why?: string | null },
): Outcome {
  const { number } = found.request
  const work: Work = (writing, { at, author, settings }) => {
    const approval = openAgain(writing, found, at)
    if (approval === undefined || isLeft(desk, approval))
      return refusal(notOpen(writing, number, deciderOf(writing, found)))
    const reason = why === null ? {} : { instead: why }
    decideApproval(writing, approval, { at, verdict, author, mode: settings.permissions, ...reason })
    const text = decidedText(approval, verdict)
    const { branch, wish } = approval.request
    if (wish.kind === 'call') return ok(text)
    const said = why === null ? '' : ` The person says: ${why}`
    tellModel(writing, { branch, at, text: `Approval ${number}: ${text}${said}` })
    return ok(text, { wake: [branch] })
  }
  return { work, isDone: true }
}

/** A call is decided in the process that waits for it: its turn has not been brought to its end yet. */
function isLeft(desk: Desk, { request: { wish, position } }: Approval): boolean {
  return wish.kind === 'call' && position <= desk.agent().startedAt
}

function decidedText({ request: { wish } }: Approval, verdict: Verdict): string {
  switch (wish.kind) {
    case 'call':
      if (verdict === 'denied') return `Denied: ${wish.tool} does not run.`
      return verdict === 'always'
        ? `Allowed: ${wish.pattern} from now on. /disallow ${wish.pattern} undoes it.`
        : `Allowed this once: ${wish.tool}.`
    case 'file':
      return `Denied: ${wish.path} stays as it is.`
    case 'memory':
      return 'Denied: nothing is remembered.'
  }
}

/** The approval with this number, or the only one that waits; or why none can be answered. */
function openNumbered(reader: Reader, number: number | null, { now, person }: Look): Approval | string {
  const open = openApprovals(reader, now, person)
  if (number !== null)
    return open.find(({ request }) => request.number === number) ?? notOpen(reader, number, person)
  const [only, ...others] = open
  if (only === undefined) return 'Nothing waits for your approval.'
  if (others.length === 0) return only
  // Another approval may have arrived while the person typed, and their yes was not meant for it.
  const lines = open.map(({ request }) => `  ${request.number}  ${wishLine(request.wish)}`)
  return ['Several wait for you. Give a number:', ...lines].join('\n')
}

function notOpen(reader: Reader, number: number, person: string): string {
  const approval = approvalOf(reader, number, person)
  if (approval === undefined) return `There is no approval ${number}. /approvals lists what waits.`
  const verdict = approval.decided?.verdict
  if (verdict === 'expired') return `Approval ${number} has expired.`
  if (verdict === undefined) return `Approval ${number} is no longer needed: what asked for it has ended.`
  return `Approval ${number} was already answered: ${verdict === 'denied' ? 'denied' : 'approved'}.`
}

const LINE_WIDTH = 60

function wishLine(wish: Approval['request']['wish']): string {
  return shorten(wishWords(wish), LINE_WIDTH)
}
