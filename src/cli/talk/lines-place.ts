import type { SocketOrigin } from '../../client/socket.ts'
import type { BranchId } from '../../event/id.ts'
import type { Owner } from '../../owner/owner-file.ts'
import type { BegunRun, RunWish } from '../../runtime/terminal/asked-run.ts'
import type { Said, Told } from '../../runtime/terminal/conversation.ts'
import type { Patience } from '../../runtime/terminal/exchange.ts'
import type { Ending, TalkCall } from './live.ts'
import type { OwnLifeOptions } from './own-life.ts'
import type { Printer } from './printer.ts'

export interface LinesOptions extends Pick<OwnLifeOptions, 'command' | 'schedules'> {
  readonly origin: SocketOrigin
  readonly printer: Printer
  /** Prints what comes without an input, too. */
  readonly sits?: boolean
  /** `/exit` was typed. */
  readonly exit?: () => void
  /** How long to wait for a process that has the log. */
  readonly timeoutMs?: number | undefined
  /** Ends the wait for what an earlier process left. */
  readonly opening?: AbortSignal
}

/** What both ways of saying lines need. */
export interface Here {
  readonly call: Pick<TalkCall, 'home' | 'environment' | 'flags' | 'err'>
  readonly options: LinesOptions
  readonly ending: Ending
  readonly thread: string
  readonly print: (said: Said) => Promise<void>
  readonly remark: (text: string) => void
  /** The log belongs to another process now, or will: for this long it is waited for. */
  readonly lost: (nextOwnerMs: number) => void
}

export interface Wish {
  readonly key: string
  readonly text: string
  readonly folder?: string | undefined
  /** Whole paths of files that go with it. */
  readonly files?: readonly string[]
  readonly patience?: Pick<Patience, 'ms' | 'with'> | undefined
}

/** Where lines are said: at the process that owns the log, or in a life of this process. Throws OwnerGone. */
export interface Place {
  say(wish: Wish): Promise<Told | undefined>
  begin(wish: RunWish): Promise<BegunRun>
  /** Stops a run; whether it was still there. */
  kill(run: BranchId): Promise<boolean>
  /** Resolves once what is on its way was printed. */
  flush(): Promise<void>
  /** Waits at most this long until no branch has work, and says what is left that nobody works on. */
  rest(waitMs: number): Promise<void>
  /** The process that goes on when this one ends. */
  readonly owner?: Owner
}
