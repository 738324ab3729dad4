import type { Outgoing } from '../../channel/channel.ts'
import { pingAnswers } from '../../channel/terminal/text/ping-lines.ts'
import type { TurnId } from '../../event/id.ts'
import type { Outcome } from '../../runtime/terminal/exchange.ts'
import { jsonText, type Output } from '../frame/output.ts'

/** A delivery, and where it comes from. */
export interface Said extends Omit<Outgoing, 'id' | 'conversation'> {
  /** As people call it. */
  readonly branch: string
  /** The sender: `routine morning-brief`, `child k3f9ab`. */
  readonly from: string
  readonly turn: TurnId | null
}

/** Prints a conversation without a screen. Every function resolves once its text is written. */
export interface Printer {
  /** Prints what belongs to the last input. If undefined, results wait for `outcome`, and the rest are events. */
  readonly own: ((said: Said) => Promise<void>) | undefined
  /** Prints anything else. */
  readonly event: (said: Said) => Promise<void>
  readonly outcome: (input: string, outcome: Outcome) => Promise<void>
  /** Prints why an input was refused. */
  readonly refused: (input: string, because: string) => Promise<void>
}

interface Outputs {
  readonly out: Output
  readonly err: Output
}

/** Prints everything as it comes. The host's remarks on a turn go to standard error. */
export function textPrinter({ out, err }: Outputs): Printer {
  const print = (said: Said): Promise<void> => (isRemark(said) ? err : out).now(shownText(said))
  return {
    own: print,
    event: print,
    outcome: async () => undefined,
    refused: (_, because) => err.now(because),
  }
}

/** One object for each input, and one for each event. */
export function jsonPrinter({ out }: Outputs): Printer {
  return {
    own: undefined,
    event: (said) => out.now(jsonText({ event: eventJson(said) })),
    outcome: (input, { branch, turn, results, isFailed, failure }) => {
      const output = results.map(({ text }) => text).join('\n')
      const cause = failure && { failure: { reason: failure.reason, message: failure.message } }
      return out.now(jsonText({ input, output, branch, turn, ...(isFailed && { error: true, ...cause }) }))
    },
    refused: (input, because) =>
      out.now(jsonText({ input, output: because, branch: null, turn: null, error: true })),
  }
}

/** A delivery for programs. */
export function eventJson(said: Said): object {
  const { form, text, branch, turn } = said
  return { form, text, branch, turn, ...details(said) }
}

function details({ form, choices, isAgain, number, embed, from }: Said): object {
  const isCard = form === 'question' || (form === 'ping' && choices.length > 0)
  return {
    ...(number !== undefined && { number, from }),
    ...(embed && { embed }),
    ...(isCard && { choices }),
    ...(isAgain && { again: true }),
  }
}

/** Prints only the answer, for scripts. Everything else goes to standard error. */
export function answerPrinter({ out, err }: Outputs): Printer {
  return {
    own: undefined,
    event: (said) => err.now(shownText(said)),
    outcome: async (_, { results }) => {
      for (const { form, text } of results) await (form === 'notice' ? err : out).now(text)
    },
    refused: (_, because) => err.now(because),
  }
}

/** The same as it comes, for whoever waits: a model that fails is seen at once. */
export function liveAnswerPrinter(outputs: Outputs): Printer {
  const printer = answerPrinter(outputs)
  const own: Printer['own'] = (said) =>
    said.form === 'answer' || said.form === 'output' ? outputs.out.now(said.text) : printer.event(said)
  return { ...printer, own, outcome: async () => undefined }
}

/** News of other branches, such as a finished child, is not a remark: whoever piped in its task wants it. */
function isRemark({ form, turn }: Said): boolean {
  return form === 'notice' && turn !== null
}

/** After a crash it is unknown whether the text was already written, so it is marked as repeated. */
export function shownText(said: Said): string {
  const text = withNumber(said)
  return said.isAgain ? `(again, after a restart)\n${text}` : text
}

/** Adds the number for `/reply`, and the other possible answers. */
function withNumber({ form, text, number, from, choices }: Said): string {
  if (number === undefined) return text
  if (form !== 'ping') return `#${number} ${text}`
  const answers = pingAnswers(number, choices)
  return [`#${number} from ${from}:`, text, ...(answers === undefined ? [] : [answers])].join('\n')
}
