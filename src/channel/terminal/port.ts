import type { Happening } from '../../event/happening.ts'
import type { Choice, Embed } from '../../event/work.ts'

/** What the terminal's screen needs from whoever runs the agent; the screen knows nothing else. */
export interface TerminalPort {
  /** What was said here lately, oldest first, so that a person finds the place where they left. */
  readonly past: readonly Entry[]
  /** Lines typed here before, oldest first, for the arrow keys. */
  readonly typed: readonly string[]
  status(): Status
  /**
   * A message or commands, as typed. Resolves once it is admitted; what follows from it is told to the listener. The
   * screen has shown the text by then: a `said` of the same text, up to a second later, is not shown again. What an
   * answer to a question closes is told of before it resolves.
   */
  submit(text: string): Promise<void>
  /** Stops the running turn; whether there was one. */
  stop(): Promise<boolean>
  /** What may stand where the cursor is, best first. */
  complete(line: string): readonly Completion[]
  /** Calls the listener for everything that happens from now on; the returned function ends that. */
  watch(listener: (happening: ScreenHappening) => void): () => void
}

/** Something that stays on the screen. */
export type Entry =
  | { readonly kind: 'said'; readonly text: string; readonly at: number }
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
      /** Where nobody asked for it: the job that fell due, `reminder call-mum`. */
      readonly job?: string
    }
  /** Of a model, in words (Markdown) or as a card. One that nobody waited for has a number, by which it is answered. */
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
  /** Of a command: plain text, its lines kept where they fit. */
  | { readonly kind: 'output'; readonly text: string; readonly isError: boolean }
  /** Of the host, one line mostly: a child finished, a retry, what a start found. With a number it can be answered. */
  | { readonly kind: 'notice'; readonly text: string; readonly number?: number }
  /** Of the host, to the person: a line that asks, what it is about, a line that says how to answer. */
  | { readonly kind: 'question'; readonly text: string }
  /** One line for a call and its result, `slash mark TASK → Checkpoint 'TASK' created.` */
  | { readonly kind: 'tool'; readonly name: string; readonly summary: string; readonly isError: boolean }

/** What waits for a word of the person. Its whole text is an entry, or `unshown`. */
export interface Question {
  readonly approval: number
  readonly title: string
  /** The first line of what it is about; null: the title says it all. */
  readonly about: string | null
  /** Its whole text where no entry of the transcript has it: it is shown before anybody can answer. */
  readonly unshown: string | null
  /** Whoever picks one means its command, as if they had typed it. */
  readonly choices: readonly Choice[]
  /** No answer by then is a no; null: it waits as long as it takes. */
  readonly until: number | null
}

export interface Status {
  /** `main`, or a branch's handle. */
  readonly branch: string
  readonly mode: 'main' | 'fork' | 'background' | 'child'
  readonly model: string
  /** Of the next prompt, about. */
  readonly tokens: number
  /** What the model can take. */
  readonly tokensMax: number
  readonly unreadMail: number
  /** What waits for a word of the person, wherever it was asked. */
  readonly approvals: number
  /** What main was not told yet. */
  readonly updates: number
  /** The fork that is open while the person talks elsewhere; null: none is. */
  readonly openFork: string | null
  /** Money spent today; null where no model has a price. */
  readonly costToday: number | null
  /** How calls are decided; `dontAsk` is usual. */
  readonly permissions: 'dontAsk' | 'default' | 'acceptEdits' | 'bypassPermissions'
  /** Other branches at work now. */
  readonly running: number
}

/** What the agent does in the branch shown here. The finished answer comes as an entry and replaces the pieces. */
type Here<Kind extends Happening['kind']> = Kind extends unknown
  ? Omit<Extract<Happening, { kind: Kind }>, 'branch' | 'turn'>
  : never

export type ScreenHappening =
  | Here<'turn-started' | 'turn-ended' | 'piece' | 'pieces-void'>
  | { readonly kind: 'entry'; readonly entry: Entry }
  /** A call runs now; when it is done an entry of kind `tool` follows. */
  | { readonly kind: 'call-started'; readonly name: string; readonly summary: string }
  /** A command is being done; `command-ended` with the same id follows. */
  | { readonly kind: 'command-started'; readonly id: number; readonly text: string; readonly at: number }
  | { readonly kind: 'command-ended'; readonly id: number }
  /**
   * It can be answered until `question-closed`. `aside`: it waited before this screen was there, and whoever wants to
   * answer it turns to it first.
   */
  | { readonly kind: 'question-asked'; readonly question: Question; readonly where: 'in-front' | 'aside' }
  | { readonly kind: 'question-closed'; readonly approval: number; readonly how: Closing }
  /** `movedBy`: the conversation is in another branch now, and who took it there. */
  | { readonly kind: 'status'; readonly status: Status; readonly movedBy?: 'person' | 'other' }
  /** The person asked to leave (`/exit` in main). */
  | { readonly kind: 'leave' }

/** `void`: its turn ended. `restarted`: the process that waited for the answer is gone. */
export type Closing = 'answered' | 'expired' | 'void' | 'restarted'

export interface Completion {
  /** What the whole line becomes. */
  readonly line: string
  /** `/rewind [MARK]` */
  readonly label: string
  readonly help: string
}
