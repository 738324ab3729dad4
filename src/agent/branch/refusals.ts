import { unreachable } from '../../base/assert.ts'
import type { Refusal } from '../../context/decision.ts'
import type { Mark } from '../../event/item.ts'
import { type Said, ok, refusal } from '../contract/act.ts'

/** An expected "no", in the words that people and models read. */
export function sayRefusal(no: Refusal): Said {
  switch (no.refused) {
    case 'unknown-mark':
      return unknownMark(no.name, no.marks)
    case 'no-message':
      return refusal(`There is no message of this branch at ${no.place}.`)
    case 'already-there':
      return alreadyAt(no.mark.name, no.before?.name)
    case 'nothing-to-do':
      return NOTHING[no.what] ?? refusal('There is nothing to do.')
    case 'branch-ended':
      return refusal(`This branch has ended (${no.reason}). /switch main goes back to the main session.`)
    case 'turn-running':
      return refusal('A turn is running here. /stop interrupts it.')
    case 'calls-open':
      return refusal('A tool is running here. Try again in a moment.')
    case 'summarised':
      return refusal('Not possible: what was said last is summarized. /expand or /undo restores it.')
    case 'went-on':
      return refusal(
        'Not possible: something else came into this context after it. /undo or /rewind MARK removes that.',
      )
    case 'unknown-branch':
    case 'no-turn':
    case 'no-such-call':
    case 'duplicate-call':
      return refusal(`That is not possible here (${no.refused}).`)
    default:
      return unreachable(no)
  }
}

export function unknownMark(name: string, known: readonly Pick<Mark, 'name'>[]): Said {
  return refusal(`Mark not found: ${name}\n${knownMarks(known)}`)
}

export function alreadyAt(mark: string, before: string | undefined): Said {
  const next = before === undefined ? 'There is no mark before it.' : `The mark before it is '${before}'.`
  return ok(`Already at '${mark}'. ${next}`)
}

const NOTHING: Readonly<Partial<Record<string, Said>>> = {
  rewind: refusal('There is no mark to rewind to. /mark NAME sets one; /clear empties the context.'),
  clear: ok('Context cleared.'),
  undo: refusal('Nothing to undo here.'),
  redo: refusal('Nothing to redo here.'),
  expand: refusal('There is no summary here to open.'),
  fork: refusal(
    'There is nothing after that mark, so the child would have no task. Add one: fork MARK -- GOAL',
  ),
}

export function knownMarks(marks: readonly Pick<Mark, 'name'>[]): string {
  return marks.length === 0
    ? 'There are no marks here. /mark NAME sets one.'
    : `Marks here: ${marks.map(({ name }) => name).join(', ')}`
}
