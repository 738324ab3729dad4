import { sentence } from '../../base/words.ts'
import { type Actor, type Said, ok, refusal } from '../../agent/contract/act.ts'
import { sayRefusal } from '../../agent/branch/refusals.ts'
import { HOW_TO_EXPAND } from '../../agent/compaction/compaction-notice.ts'
import type { Compacted } from '../../agent/compaction/compactor.ts'
import { unreachable } from '../../base/unreachable.ts'
import { expand } from '../../context/compaction.ts'
import { isRefusal } from '../../context/decision.ts'
import { summaryAt } from '../../context/list.ts'
import { messagesShown } from '../../context/part.ts'
import { isSummary } from '../../event/item.ts'
import type { NotDue } from '../../context/window.ts'
import type { Writing } from '../../log/log.ts'
import { conclude, concluding, follow, type Desk, type OrderOf } from '../desk/desk.ts'
import { tokenWords } from '../../view/words.ts'

/** Waits for the summary: what follows in the same text is meant for the shorter context. */
export async function runCompact(desk: Desk, order: OrderOf<'compact'>): Promise<Said | undefined> {
  const { branch, command } = order
  const agent = desk.agent()
  const compacted = await agent.compact(
    {
      branch,
      asked: 'by-person',
      focus: command.text,
      author: { by: 'person' },
      // In one transaction: a death in between would have the command run a second time, and find nothing to do.
      within: () => {
        const conclusion = concluding(desk, order)
        return (writing, text) => conclusion(writing, { work: () => sayDone(text) })
      },
    },
    new AbortController().signal,
  )
  // It stays in the inbox, and is run at the next start.
  if (compacted.kind === 'closing') return undefined
  if (compacted.kind !== 'done') {
    const why = sayWhyNot(desk, compacted)
    return conclude(desk, order, () => why)
  }
  const { said } = compacted
  if (said !== undefined) follow(agent, said)
  return said
}

function sayDone(text: string): Said {
  return ok(`${text} ${HOW_TO_EXPAND}`)
}

function sayWhyNot(desk: Desk, compacted: Exclude<Compacted, { kind: 'done' }>): Said {
  switch (compacted.kind) {
    case 'not-due':
      return refusal(`Not compacted: ${whyNot(desk, compacted.why)}`)
    case 'refused':
      return sayRefusal(compacted.refusal)
    case 'abandoned':
      return refusal('Not compacted: the context changed meanwhile. /compact tries again.')
    case 'failed':
      return refusal(`Not compacted, nothing changed: ${sentence(compacted.error.message)}`)
    case 'stopped':
    case 'closing':
      return refusal('Not compacted: stopped, nothing changed.')
    default:
      return unreachable(compacted)
  }
}

function whyNot(desk: Desk, why: NotDue): string {
  if (why.because !== 'frees-too-little')
    return `there is nothing to summarize before the newest ${desk.settings().window.windowMessages} messages.`
  const [frees, of] = [why.frees.tokens, why.of.tokens].map((tokens) => tokenWords(Math.max(0, tokens)))
  return `it would free about ${frees} of ${of} tokens, which is less than a tenth.`
}

export function runExpand(desk: Desk, order: OrderOf<'expand'>): Promise<Said | undefined> {
  return conclude(desk, order, actExpand)
}

function actExpand(writing: Writing, actor: Actor): Said {
  const decided = expand(writing, actor)
  if (isRefusal(decided)) return sayRefusal(decided)
  writing.append(decided.draft)
  const { covers } = summaryAt(writing, decided.draft)
  const messages = messagesShown(writing, covers)
  const opened = messages === 1 ? '1 message is' : `${messages} messages are`
  const older = covers.some(isSummary) ? ' /expand again opens the summary before it.' : ''
  return ok(`Opened the newest summary: ${opened} shown in full again.${older} /undo closes it.`)
}
