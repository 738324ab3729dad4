import { done, refusal, type Actor, type Said } from '../../agent/act.ts'
import { sayRefusal } from '../../agent/acts/refusals.ts'
import type { Compacted } from '../../agent/compactor.ts'
import { unreachable } from '../../base/unreachable.ts'
import { expand } from '../../context/compaction.ts'
import { isRefusal } from '../../context/decision.ts'
import type { NotDue } from '../../context/window.ts'
import type { Writing } from '../../log/log.ts'
import { conclude, type Desk, type OrderOf } from '../desk.ts'
import { tokenWords } from '../words.ts'

/** Waits for the summary: what follows in the same text is meant for the shorter context. */
export async function runCompact(desk: Desk, order: OrderOf<'compact'>): Promise<Said | undefined> {
  const { branch, command } = order
  const wish = { branch, asked: 'by-person', focus: command.text, author: { by: 'person' } } as const
  const compacted = await desk.agent().compact(wish, new AbortController().signal)
  return conclude(desk, order, () => sayCompacted(compacted))
}

export function sayCompacted(compacted: Compacted): Said {
  switch (compacted.kind) {
    case 'done':
      return done(`Compacted: ${compacted.text}`)
    case 'not-due':
      return refusal(`Not compacted: ${whyNot(compacted.why)}`)
    case 'refused':
      return sayRefusal(compacted.refusal)
    case 'abandoned':
      return refusal('Not compacted: the context was changed meanwhile. Try again.')
    case 'failed':
      return refusal(`Not compacted, and nothing was changed: ${compacted.error.message}`)
    default:
      return unreachable(compacted)
  }
}

function whyNot(why: NotDue): string {
  if (why.because === 'frees-too-little')
    return `it would free about ${tokenWords(Math.max(0, why.frees.tokens))} of ${tokenWords(why.of.tokens)} tokens.`
  return 'there is nothing older than the newest messages.'
}

export function runExpand(desk: Desk, order: OrderOf<'expand'>): Promise<Said | undefined> {
  return conclude(desk, order, actExpand)
}

function actExpand(writing: Writing, actor: Actor): Said {
  const decided = expand(writing, actor)
  if (isRefusal(decided)) return sayRefusal(decided)
  writing.append(decided.draft)
  return done('The newest summary is open again: what it stood for is shown word for word. /undo closes it.')
}
