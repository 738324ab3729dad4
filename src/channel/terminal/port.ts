import type { Happening } from '../../event/happening.ts'
import type { Choice, Embed } from '../../event/work.ts'

/** All that the terminal's screen knows of the agent. */
export interface TerminalPort {
  /** The recent conversation, oldest first, so that a person can pick up where they left off. */
  readonly past: readonly Entry[]
  /** Lines typed here before, oldest first: the arrow keys bring them back. */
  readonly typed: readonly string[]
  status(): Status
  /**
   * A message or commands, as typed. Resolves once it is admitted; what follows from it is told to the listener, also
   * where the text itself stands: among what is queued, then as an entry. What an answer to a question closes is told of
   * before it resolves.
   */
  submit(text: string): Promise<void>
  /** Stops the running turn. Resolves with whether there was one. */
  stop(): Promise<boolean>
  /** Completions for the line up to the cursor, best first. */
  complete(line: string): readonly Completion[]
  /** Calls the listener for everything that happens from now on; the returned function ends that. */
  watch(listener: (happening: ScreenHappening) => void): () => void
}

/** Something that stays on the screen. `drawsAnswer`: a `y` below it may be meant for it, and not for a question above. */
export type Entry = AnyEntry & { readonly drawsAnswer?: true }

type AnyEntry =
  /** `key` is that of the person who typed it. `place`: the channel, if it was not said here. */
  | {
      readonly kind: 'said'
      readonly text: string
      readonly at: number
      readonly key?: string
      readonly place?: string
    }
  /**
   * Markdown, of a model. `from` says more about a branch than its name: `fork k3f9ab`. `shown` is the branch that was
   * talked to when it came, where that may be another one than now.
   */
  | {
      readonly kind: 'answer'
      readonly text: string
      readonly at: number
      readonly branch: string
      readonly from?: string
      readonly shown?: string
      /** The job that caused it, if nobody asked for it: `reminder call-mum`. */
      readonly job?: string
    }
  /** A message of a model, as Markdown or as a card. If nobody waited for it, it has a number to answer it by. */
  | {
      readonly kind: 'ping'
      readonly text: string
      readonly embed?: Embed
      readonly choices: readonly Choice[]
      readonly number?: number
      readonly isCritical?: true
      readonly at: number
      readonly branch: string
      /** `routine morning-brief`, `child k3f9ab` */
      readonly from: string
      readonly shown?: string
    }
  /** The output of a command: plain text. Its line breaks stay where they fit. */
  | { readonly kind: 'output'; readonly text: string; readonly isError: boolean }
  /** A remark of the host, mostly one line: a child finished, a retry. With a number it can be answered. */
  | { readonly kind: 'notice'; readonly text: string; readonly number?: number }
  /** A question of the host: a line that asks, what it is about, and a line that says how to answer. */
  | { readonly kind: 'question'; readonly text: string }
  /** One line for a call and its result, `slash mark TASK → Checkpoint 'TASK' created.` */
  | {
      readonly kind: 'tool'
      readonly name: string
      readonly summary: string
      readonly isError: boolean
      /** Its arguments and its result, shown when the line is opened. */
      readonly details?: string
    }

/** A question that waits for the person. Its whole text is an entry, or in `unshown`. */
export interface Question {
  readonly approval: number
  /** A call waits for it, and `y`, `n` and `a` answer it. */
  readonly isCall?: true
  readonly title: string
  /** The first line of the details; null if the title says it all. */
  readonly about: string | null
  /** Its whole text if no entry of the transcript has it. It must be shown before anybody can answer. */
  readonly unshown: string | null
  /** Picking one runs its command, as if it had been typed. */
  readonly choices: readonly Choice[]
  /** No answer by then counts as a no; null if it waits forever. */
  readonly until: number | null
}

export interface Status {
  /** `main`, or a branch's handle. */
  readonly branch: string
  readonly mode: 'main' | 'fork' | 'background' | 'child'
  readonly model: string
  /** Of the next prompt, estimated. */
  readonly tokens: number
  /** The context size of the model. */
  readonly tokensMax: number
  readonly unreadMail: number
  /** Open approvals, wherever they were asked. */
  readonly approvals: number
  /** Updates that main was not told yet. */
  readonly updates: number
  /** The fork that is open while the person talks elsewhere; null if there is none. */
  readonly openFork: string | null
  /** Money spent today; null where no model has a price. */
  readonly costToday: number | null
  /** How tool calls are decided; `dontAsk` is the default. */
  readonly permissions: 'dontAsk' | 'default' | 'acceptEdits' | 'bypassPermissions'
  /** Other branches at work now. */
  readonly running: number
  /** While a message waits for a model that failed: how often it was tried, why, and how many are queued behind it. */
  readonly retry?: {
    readonly tries: number
    readonly seconds: number
    readonly waiting: number
    readonly why: string | null
  }
}

/** What the agent does in the branch shown here. The finished answer comes as an entry and replaces the pieces. */
type Here<Kind extends Happening['kind']> = Kind extends unknown
  ? Omit<Extract<Happening, { kind: Kind }>, 'branch' | 'turn'>
  : never

export type ScreenHappening =
  | Here<'turn-started' | 'piece' | 'pieces-void'>
  /** Whether its answer comes as an entry, however late, or went to another conversation; left out: it has none. */
  | { readonly kind: 'turn-ended'; readonly answer?: 'follows' | 'elsewhere' }
  | { readonly kind: 'entry'; readonly entry: Entry }
  /** All messages that no turn has taken yet, oldest first: those of this screen and of others. */
  | { readonly kind: 'queued'; readonly texts: readonly string[] }
  /** A tool call has started; an entry of kind `tool` follows when it ends. */
  | { readonly kind: 'call-started'; readonly name: string; readonly summary: string }
  /** A command has started; `command-ended` with the same id follows. */
  | { readonly kind: 'command-started'; readonly id: number; readonly text: string; readonly at: number }
  | { readonly kind: 'command-ended'; readonly id: number }
  /**
   * It can be answered until `question-closed`. `aside`: it was asked before this screen opened, so the person has to
   * press Tab before they can answer it.
   */
  | { readonly kind: 'question-asked'; readonly question: Question; readonly where: 'in-front' | 'aside' }
  | { readonly kind: 'question-closed'; readonly approval: number; readonly how: Closing }
  /** `movedBy`: who moved the conversation to another branch, if somebody did. */
  | { readonly kind: 'status'; readonly status: Status; readonly movedBy?: 'person' | 'other' }
  /** The person asked to leave (`/exit` in main). */
  | { readonly kind: 'leave' }

/** `void`: its turn ended. `restarted`: the process that waited for the answer is gone. */
export type Closing = 'answered' | 'expired' | 'void' | 'restarted'

export interface Completion {
  /** The whole line, completed. */
  readonly line: string
  /** `/rewind [MARK]` */
  readonly label: string
  readonly help: string
}
