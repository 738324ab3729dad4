import type { ScreenHappening, Status } from '../port.ts'

/** What is going on right now, except for the answer being written. */
export interface Live {
  readonly status: Status
  readonly turn: { readonly startedAt: number } | null
  readonly calls: readonly Call[]
  /** The person's commands that are still running. */
  readonly commands: readonly { readonly id: number; readonly text: string; readonly at: number }[]
}

interface Call {
  readonly name: string
  readonly summary: string
}

export function liveAfter(live: Live, happening: ScreenHappening): Live {
  switch (happening.kind) {
    case 'entry':
      return happening.entry.kind === 'tool'
        ? { ...live, calls: withoutCall(live.calls, happening.entry) }
        : live
    case 'turn-started':
      return { ...live, turn: { startedAt: happening.at }, calls: [] }
    case 'turn-ended':
      return { ...live, turn: null, calls: [] }
    case 'call-started': {
      const { name, summary } = happening
      return { ...live, calls: [...live.calls, { name, summary }] }
    }
    case 'command-started': {
      const { id, text, at } = happening
      return { ...live, commands: [...live.commands, { id, text, at }] }
    }
    case 'command-ended':
      return { ...live, commands: live.commands.filter(({ id }) => id !== happening.id) }
    case 'status': {
      const { status } = happening
      if (status.branch === live.status.branch) return { ...live, status }
      // What the branch that was left still does is not shown; a turn of the new one is told of behind this.
      return { ...live, status, turn: null, calls: [] }
    }
    default:
      return live
  }
}

/** The call that this result belongs to: the one it begins with, else the oldest of that name. */
function withoutCall(calls: readonly Call[], { name, summary }: Call): readonly Call[] {
  const begins = calls.findIndex((call) => call.name === name && summary.startsWith(call.summary))
  const at = begins === -1 ? calls.findIndex((call) => call.name === name) : begins
  return at === -1 ? calls : calls.toSpliced(at, 1)
}
