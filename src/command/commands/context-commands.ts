import { done, refusal, type Said } from '../../agent/act.ts'
import { actClear, actMark, actRedo, actRewind, actUndo } from '../../agent/acts/context-acts.ts'
import { knownMarks } from '../../agent/acts/refusals.ts'
import { add } from '../../agent/taking.ts'
import { getBranch } from '../../context/branch.ts'
import { marksOf } from '../../context/version.ts'
import { escapeTyped } from '../../context/wording.ts'
import { conclude, type Desk, type OrderOf } from '../desk.ts'

export function runMark(desk: Desk, order: OrderOf<'mark'>): Promise<Said | undefined> {
  const { mark } = order.command
  return conclude(desk, order, (writing, actor) => {
    if (mark !== null) return actMark(writing, actor, mark)
    const marks = marksOf(writing, getBranch(writing, actor.branch))
    return refusal(`Usage: /mark NAME\n${knownMarks(marks)}`)
  })
}

export function runClear(desk: Desk, order: OrderOf<'clear'>): Promise<Said | undefined> {
  const { mark } = order.command
  return conclude(desk, order, (writing, actor) =>
    mark === null ? actClear(writing, actor) : actRewind(writing, actor, mark),
  )
}

export function runRewind(desk: Desk, order: OrderOf<'rewind'>): Promise<Said | undefined> {
  const { mark } = order.command
  return conclude(desk, order, (writing, actor) => actRewind(writing, actor, mark ?? undefined))
}

export function runNew(desk: Desk, order: OrderOf<'new'>): Promise<Said | undefined> {
  return conclude(desk, order, (writing, actor) => {
    const said = actClear(writing, actor)
    return said.isError ? said : done('Session restarted. Next message starts with a clean history.')
  })
}

export function runUndo(desk: Desk, order: OrderOf<'undo'>): Promise<Said | undefined> {
  return conclude(desk, order, actUndo)
}

export function runRedo(desk: Desk, order: OrderOf<'redo'>): Promise<Said | undefined> {
  return conclude(desk, order, actRedo)
}

export function runNote(desk: Desk, order: OrderOf<'note'>): Promise<Said | undefined> {
  const text = escapeTyped(order.command.text)
  return conclude(desk, order, (writing, { branch, at, author }) => {
    add(writing, { branch, at, message: { role: 'note', author, text } })
    return done('Noted.')
  })
}
