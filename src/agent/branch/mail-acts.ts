import { getBranch } from '../../context/branch.ts'
import { branchNames } from '../../context/naming.ts'
import { fence } from '../../event/fence.ts'
import type { EventOf } from '../../event/event.ts'
import type { BranchId } from '../../event/id.ts'
import type { Reader, Writing } from '../../event/table.ts'
import { type Actor, type Said, ok, refusal } from '../contract/act.ts'
import { mailAt, unreadMail } from '../state/inbox.ts'
import { runAbove } from '../state/run.ts'
import { add } from '../step/take-inbox.ts'
import { branchMeant, isSaid } from './named.ts'

const MAIL_BYTES_MAX = 64 * 1024

export function actSend(writing: Writing, actor: Actor, { to, text }: { to: string; text: string }): Said {
  const target = branchMeant(writing, to, actor)
  if (isSaid(target)) return target
  if (text.trim() === '') return refusal('The message is empty. Usage: send ID MESSAGE')
  const bytes = Buffer.byteLength(text)
  if (bytes > MAIL_BYTES_MAX)
    return refusal(`The message is too long: ${bytes} bytes, and the limit is ${MAIL_BYTES_MAX}.`)
  const { state } = getBranch(writing, target)
  const name = branchNames(writing)(target)
  const outside = outsideOfRun(writing, actor, target)
  if (outside !== undefined) return refusal(outside)
  if (state.kind === 'ended') return refusal(`${name} has ended (${state.reason}) and reads no mail.`)
  writing.append({ kind: 'mail-sent', branch: target, at: actor.at, from: actor.branch, text })
  return ok(`Sent to ${name}.`, { wake: [target] })
}

/**
 * Why a model may not write there. A branch acts on its mail with its own rights, so a branch of a run may only write
 * to branches of the same run. Otherwise a run could have others do what it may not do itself (RUN3).
 */
function outsideOfRun(reader: Reader, { author, branch }: Actor, target: BranchId): string | undefined {
  const run = author.by === 'model' ? runAbove(reader, branch) : undefined
  if (run === undefined || runAbove(reader, target)?.branch === run.branch) return undefined
  const name = branchNames(reader)(target)
  const where = `Not sent: ${name} is not part of this run, and mail of a run stays within it.`
  if (run.branch !== branch) return `${where} Your answer goes to your parent.`
  return run.reporting === 'blocked'
    ? where
    : `${where} What the main session should know goes by report_updates.`
}

/** Reads all unread mail at once. A model gets it as the result; a person is shown it, and the branch gets notes. */
export function actCheckMail(writing: Writing, actor: Actor): Said {
  const unread = unreadMail(writing, actor.branch)
  const last = unread.at(-1)
  if (last === undefined) return ok('No messages')
  const mails = unread.map((position) => mailAt(writing, position))
  writing.append({ kind: 'mail-read', branch: actor.branch, at: actor.at, upTo: last })
  const fenced = (mail: EventOf<'mail-sent'>) => mailText(writing, mail, 'fenced')
  if (actor.author.by === 'model') return ok(mails.map(fenced).join('\n\n'))
  for (const mail of mails) {
    const author = { by: 'policy', name: 'check-mail' } as const
    const message = { role: 'note', author, text: fenced(mail) } as const
    add(writing, { branch: actor.branch, at: actor.at, message, elsewhere: true })
  }
  return ok(mails.map((mail) => mailText(writing, mail, 'plain')).join('\n\n'))
}

/** The same words for everybody; a model gets what was written as data. */
function mailText(reader: Reader, { from, text }: EventOf<'mail-sent'>, show: 'plain' | 'fenced'): string {
  const name = branchNames(reader)(from)
  return `From ${name}:\n${show === 'fenced' ? fence(`mail:${name}`, text) : text}`
}
