import { type Actor, type Said, ok, refusal } from '../../agent/contract/act.ts'
import { actClear, actMark, actRedo, actRewind, actUndo } from '../../agent/branch/context-acts.ts'
import { knownMarks } from '../../agent/branch/refusals.ts'
import { admittedAt, isCommand, waiting } from '../../agent/state/inbox.ts'
import { add } from '../../agent/step/take-inbox.ts'
import { getBranch } from '../../context/branch.ts'
import { marksOf } from '../../context/version.ts'
import { escapeTyped } from '../../context/wording.ts'
import type { Writing } from '../../log/log.ts'
import { conclude, concludeWith, type Desk, type OrderOf } from '../desk/desk.ts'
import { parseInput } from '../read/parse.ts'

export function runMark(desk: Desk, order: OrderOf<'mark'>): Promise<Said | undefined> {
  const { mark } = order.command
  return concludeWith(desk, order, {
    work: (writing, actor) => {
      if (mark !== null) return actMark(writing, actor, mark)
      const marks = marksOf(writing, getBranch(writing, actor.branch))
      return refusal(`Usage: /mark NAME\n${knownMarks(marks)}`)
    },
    behind: (writing, actor) => {
      if (order.took !== null && mark !== null) takeTask(writing, actor, mark)
    },
  })
}

/**
 * What waits between this `/mark M` and a `/fork M` is for the child, in messages of their own as in one text: it
 * becomes notes, for as messages the branch would answer them first.
 */
function takeTask(writing: Writing, { branch, at }: Actor, mark: string): void {
  const entries = waiting(writing, branch)
  const end = entries.findIndex(isCommand)
  const command = entries[end] && parseInput(admittedAt(writing, entries[end].position).text)[0]
  if (command?.kind !== 'command' || command.command.name !== 'fork') return
  if (command.command.mark !== mark || command.command.goal !== null) return
  for (const { position: took } of entries.slice(0, end)) {
    const text = escapeTyped(admittedAt(writing, took).text)
    add(writing, { branch, at, message: { role: 'note', author: { by: 'person' }, text }, took })
  }
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
    return said.isError ? said : ok('Session restarted. Next message starts with a clean history.')
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
    return ok('Noted.')
  })
}
