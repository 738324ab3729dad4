import { unreachable } from '../../../base/unreachable.ts'
import type { Entry, ScreenHappening, Status } from '../port.ts'

/** What goes on right now, apart from the text that is being written. */
export interface Live {
  readonly status: Status
  readonly turn: { readonly startedAt: number } | null
  readonly calls: readonly Call[]
  /** Of the person, those that are not done yet. */
  readonly commands: readonly { readonly id: number; readonly text: string; readonly at: number }[]
}

export interface Call {
  readonly name: string
  readonly summary: string
}

/** What is to be done with the pieces of the answer so far; `whole` is the answer that they became. */
export type Pieces = 'keep' | 'drop' | { readonly add: string } | { readonly whole: string }

export interface Told {
  readonly live: Live
  readonly entry: Entry | null
  readonly pieces: Pieces
  readonly isLeaving: boolean
}

export function told(live: Live, happening: ScreenHappening): Told {
  const nothing: Told = { live, entry: null, pieces: 'keep', isLeaving: false }
  switch (happening.kind) {
    case 'entry':
      return entryTold(nothing, happening.entry)
    case 'turn-started':
      return { ...nothing, live: { ...live, turn: { startedAt: happening.at }, calls: [] } }
    case 'turn-ended':
      return { ...nothing, live: { ...live, turn: null, calls: [] } }
    case 'piece':
      return { ...nothing, pieces: { add: happening.text } }
    case 'pieces-void':
      return { ...nothing, pieces: 'drop' }
    case 'call-started':
      return { ...nothing, live: { ...live, calls: [...live.calls, callOf(happening)] } }
    case 'command-started': {
      const { id, text, at } = happening
      return { ...nothing, live: { ...live, commands: [...live.commands, { id, text, at }] } }
    }
    case 'command-ended': {
      const commands = live.commands.filter(({ id }) => id !== happening.id)
      return { ...nothing, live: { ...live, commands } }
    }
    case 'question-asked':
    case 'question-closed':
      return nothing
    case 'status':
      return { ...nothing, live: { ...live, status: happening.status } }
    case 'leave':
      return { ...nothing, isLeaving: true }
    default:
      return unreachable(happening)
  }
}

function callOf({ name, summary }: Call): Call {
  return { name, summary }
}

/** An answer of the branch shown here is the whole of the pieces; one of another branch has nothing to do with them. */
function entryTold(nothing: Told, entry: Entry): Told {
  const { live } = nothing
  if (entry.kind === 'tool')
    return { ...nothing, entry, live: { ...live, calls: withoutCall(live.calls, entry) } }
  const isWhole = entry.kind === 'answer' && entry.branch === live.status.branch
  return { ...nothing, entry, pieces: isWhole ? { whole: entry.text } : 'keep' }
}

/** The call that this result belongs to: the one it begins with, else the oldest of that name. */
function withoutCall(calls: readonly Call[], { name, summary }: Call): readonly Call[] {
  const begins = calls.findIndex((call) => call.name === name && summary.startsWith(call.summary))
  const at = begins === -1 ? calls.findIndex((call) => call.name === name) : begins
  return at === -1 ? calls : calls.toSpliced(at, 1)
}
