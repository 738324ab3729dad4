import { systemClock } from '../../src/base/clock.ts'
import type {
  Completion,
  Entry,
  ScreenHappening,
  Status,
  TerminalPort,
} from '../../src/channel/terminal/port.ts'

/** The agent as the screen sees it: it says whatever a test tells it to. */
export interface FakePort extends TerminalPort {
  tell(happening: ScreenHappening): void
  /** The submitted texts, in order. */
  readonly submitted: readonly string[]
  readonly stops: () => number
}

export interface FakePortOptions {
  readonly past?: readonly Entry[]
  readonly typed?: readonly string[]
  readonly status?: Partial<Status>
  readonly completions?: readonly Completion[]
  /** Default: any answer to a question is heard, and closes it. */
  readonly onSubmit?: (text: string) => Promise<void>
  /** Without it, whatever is sent is taken at once. */
  readonly onTaken?: (text: string) => Promise<void>
  readonly onStop?: () => Promise<boolean>
  /** Called at once for whoever starts watching. */
  readonly onWatch?: (listener: (happening: ScreenHappening) => void) => void
}

export const someStatus: Status = {
  branch: 'main',
  mode: 'main',
  model: 'anthropic/claude-opus-4-5',
  tokens: 3_200,
  tokensMax: 32_000,
  unreadMail: 0,
  approvals: 0,
  updates: 0,
  openFork: null,
  permissions: 'dontAsk',
  costToday: null,
  running: 0,
}

export function fakePort(options: FakePortOptions = {}): FakePort {
  const listeners = new Set<(happening: ScreenHappening) => void>()
  const submitted: string[] = []
  const tell = (happening: ScreenHappening): void => {
    for (const listener of listeners) listener(happening)
  }
  const said = (text: string): void =>
    tell({ kind: 'entry', entry: { kind: 'said', text, at: systemClock() } })
  let waiting: readonly string[] = []
  let stops = 0
  return {
    past: options.past ?? [],
    typed: options.typed ?? [],
    status: () => ({ ...someStatus, ...options.status }),
    submit: async (text) => {
      submitted.push(text)
      const approval = Number(/^\/(?:approve|deny) (\d+)/.exec(text)?.[1] ?? 0)
      if (options.onSubmit !== undefined) await options.onSubmit(text)
      else if (approval > 0) tell({ kind: 'question-closed', approval, how: 'answered' })
      const isCommand = /^\/[^/]/.test(text)
      if (options.onTaken === undefined || isCommand) return said(text)
      tell({ kind: 'queued', texts: (waiting = [...waiting, text]) })
      void options.onTaken(text).then(() => {
        tell({ kind: 'queued', texts: (waiting = waiting.filter((one) => one !== text)) })
        return said(text)
      })
    },
    stop: async () => {
      stops += 1
      return (await options.onStop?.()) ?? true
    },
    complete: (line) => (options.completions ?? []).filter((each) => each.line.startsWith(line)),
    watch: (listener) => {
      options.onWatch?.(listener)
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    tell,
    submitted,
    stops: () => stops,
  }
}
