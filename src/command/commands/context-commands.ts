import { type Actor, type Said, ok, refusal } from '../../agent/contract/act.ts'
import {
  actClear,
  actMark,
  actRedo,
  actRewind,
  actTakeBack,
  actUndo,
} from '../../agent/branch/context-acts.ts'
import { knownMarks, sayRefusal } from '../../agent/branch/refusals.ts'
import { admittedAt, isCommand, waiting } from '../../agent/state/inbox.ts'
import { add, inOneText, notedIn } from '../../agent/step/take-inbox.ts'
import { getBranch } from '../../context/branch.ts'
import { expand } from '../../context/compaction.ts'
import { isRefusal } from '../../context/decision.ts'
import { summaryAt } from '../../context/list.ts'
import { messagesShown } from '../../context/part.ts'
import { listOf, marksOf } from '../../context/version.ts'
import { isSummary } from '../../event/item.ts'
import type { Writing } from '../../event/table.ts'
import { concluding, follow, type Commands, type Desk } from '../desk/desk.ts'
import { tokenWords } from '../../view/words.ts'
import { sentence } from '../../base/words.ts'
import { unreachable } from '../../base/assert.ts'
import { HOW_TO_EXPAND } from '../../agent/compaction/compaction-notice.ts'
import type { Compacted } from '../../agent/compaction/compactor.ts'
import type { NotDue } from '../../context/window.ts'
import { parseInput } from '../read/parse.ts'

export const contextCommands: Commands<
  'mark' | 'clear' | 'rewind' | 'new' | 'undo' | 'redo' | 'note' | 'expand' | 'compact' | 'edit'
> = {
  mark: (_, { command: { mark, place }, took }) => ({
    work: (writing, actor) => {
      if (mark !== null) return actMark(writing, actor, { name: mark, place })
      const marks = marksOf(writing, getBranch(writing, actor.branch))
      return ok(knownMarks(marks))
    },
    behind: (writing, actor) => {
      if (took !== null && mark !== null) takeTask(writing, actor, mark)
    },
  }),

  clear:
    (_, { command: { mark } }) =>
    (writing, actor) =>
      mark === null ? actClear(writing, actor) : actRewind(writing, actor, mark),

  rewind:
    (_, { command: { mark } }) =>
    (writing, actor) =>
      actRewind(writing, actor, mark ?? undefined),

  new: () => (writing, actor) => {
    const said = actClear(writing, actor)
    return said.isError ? said : ok('Session restarted. Next message starts with a clean history.')
  },

  edit:
    (_, { command: { text }, source }) =>
    (writing, actor) => {
      const said = actTakeBack(writing, actor, source)
      if (said.isError) return said
      const { branch, at } = actor
      // The platform's id of this message is the command's.
      const words = { source: { ...source, key: null }, form: 'message', text } as const
      writing.append({ kind: 'inbound-admitted', branch, at, ...words })
      return { ...said, wake: [branch] }
    },

  undo: () => actUndo,
  redo: () => actRedo,
  expand:
    (_, { command: { summary } }) =>
    (writing, actor) =>
      actExpand(writing, actor, summary),

  /** Waits for the summary: what follows in the same text is meant for the shorter context. */
  compact: async (desk, order) => {
    const agent = desk.agent()
    const compacted = await agent.compact(
      {
        branch: order.branch,
        demand: 'by-person',
        focus: order.command.text,
        author: { by: 'person' },
        // In one transaction: after a crash in between, the command would be performed again and find nothing to do.
        within: () => {
          const conclusion = concluding(desk, order)
          return (writing, text) => conclusion(writing, { work: () => ok(`${text} ${HOW_TO_EXPAND}`) })
        },
      },
      new AbortController().signal,
    )
    if (compacted.kind === 'closing') return { concluded: undefined }
    if (compacted.kind !== 'done') return sayWhyNot(desk, compacted)
    const { said } = compacted
    if (said !== undefined) follow(agent, said)
    return { concluded: said }
  },

  note:
    (_, { command }) =>
    (writing, { branch, at, author }) => {
      const text = notedIn(writing, { branch, author }, command.text)
      add(writing, { branch, at, message: { role: 'note', author, text } })
      return ok('Noted.')
    },
}

/**
 * Messages that wait between this `/mark M` and a `/fork M` are the child's task: they become notes, because the branch
 * would answer messages before it forks.
 */
function takeTask(writing: Writing, { branch, at }: Actor, mark: string): void {
  const entries = waiting(writing, branch)
  const end = entries.findIndex(isCommand)
  const command = entries[end] && parseInput(admittedAt(writing, entries[end].position).text)[0]
  if (command?.kind !== 'command' || command.command.name !== 'fork') return
  if (command.command.mark !== mark || command.command.goal !== null) return
  for (const { position: took } of entries.slice(0, end)) {
    const text = inOneText(writing, admittedAt(writing, took))
    add(writing, { branch, at, message: { role: 'note', author: { by: 'person' }, text }, took })
  }
}

function actExpand(writing: Writing, actor: Actor, summary: number | undefined): Said {
  const decided = expand(writing, { ...actor, summary })
  if (isRefusal(decided)) {
    const shown = listOf(writing, getBranch(writing, actor.branch)).filter(isSummary)
    const others = [...new Set(shown.map((one) => one.summary))]
    if (summary === undefined || others.length === 0 || others.some((one) => one === summary))
      return sayRefusal(decided)
    return refusal(
      `No summary is shown at ${summary}. Summaries here: ${others.join(', ')}; /expand opens the newest.`,
    )
  }
  writing.append(decided.draft)
  const { covers } = summaryAt(writing, decided.draft)
  const messages = messagesShown(writing, covers)
  const opened = messages === 1 ? '1 message is' : `${messages} messages are`
  const isNewest = summary === undefined
  const older = isNewest && covers.some(isSummary) ? ' /expand again opens the summary before it.' : ''
  return ok(
    `Opened the ${isNewest ? 'newest ' : ''}summary: ${opened} shown in full again.${older} /undo closes it.`,
  )
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
  return `a summary would free only about ${frees} of ${of} tokens. /rewind or /clear removes messages.`
}
