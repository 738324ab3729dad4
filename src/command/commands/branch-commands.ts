import type { Said } from '../../agent/contract/act.ts'
import { actKill } from '../../agent/branch/kill-act.ts'
import { livingAbove } from '../../agent/branch/fork-end.ts'
import { actCheckMail, actSend } from '../../agent/branch/mail-acts.ts'
import { branchNames } from '../../context/naming.ts'
import { bind, conclude, type Desk, type OrderOf } from '../desk/desk.ts'

export function runSend(desk: Desk, order: OrderOf<'send'>): Promise<Said | undefined> {
  const { id, message } = order.command
  return conclude(desk, order, (writing, actor) => actSend(writing, actor, { to: id, text: message }))
}

export function runCheckMail(desk: Desk, order: OrderOf<'check-mail'>): Promise<Said | undefined> {
  return conclude(desk, order, actCheckMail)
}

/** Whoever talks to a branch that is killed finds themselves in the one above it. */
export function runKill(desk: Desk, order: OrderOf<'kill'>): Promise<Said | undefined> {
  return conclude(desk, order, (writing, actor) => {
    const said = actKill(writing, actor, order.command.id)
    if (said.abort?.includes(actor.branch) !== true) return said
    const above = livingAbove(writing, actor.branch)
    if (above === undefined) return said
    bind(writing, order, { branch: above, at: actor.at })
    return { ...said, text: `${said.text} You are talking to ${branchNames(writing)(above)} now.` }
  })
}
