import type { Outgoing } from '../../channel/channel.ts'
import { pingAnswers } from '../../channel/terminal/text/ping-lines.ts'
import type { TurnId } from '../../event/id.ts'
import type { Outcome } from '../../runtime/terminal/exchange.ts'
import type { Output } from '../frame/output.ts'

/** A delivery, and what is known of where it comes from. */
export interface Said extends Omit<Outgoing, 'id' | 'conversation'> {
  /** As people call it. */
  readonly branch: string
  /** What says more about it: `routine morning-brief`, `child k3f9ab`. */
  readonly from: string
  readonly turn: TurnId | null
}

/** How a conversation without a screen is written down. Everything resolves once it is written. */
export interface Printer {
  /** Of what was typed last; undefined: its results wait for `outcome`, and what comes on the way is an event. */
  readonly own: ((said: Said) => Promise<void>) | undefined
  /** Of anything else. */
  readonly event: (said: Said) => Promise<void>
  readonly outcome: (input: string, outcome: Outcome) => Promise<void>
  /** What was typed could not even be taken. */
  readonly refused: (input: string, because: string) => Promise<void>
}

interface Outputs {
  readonly out: Output
  readonly err: Output
}

/** Everything as it comes. What the host remarks on a turn is no answer. */
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
    event: (said) => out.now(JSON.stringify({ event: eventJson(said) })),
    outcome: (input, { branch, turn, results, isFailed }) => {
      const output = results.map(({ text }) => text).join('\n')
      return out.now(JSON.stringify({ input, output, branch, turn, ...(isFailed && { error: true }) }))
    },
    refused: (input, because) =>
      out.now(JSON.stringify({ input, output: because, branch: null, turn: null, error: true })),
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

/** The answer alone, so that a script can use it; whatever else there is to say goes to the standard error. */
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

/** Not what comes of other branches, as that a child has finished: who piped its task in wants to know. */
function isRemark({ form, turn }: Said): boolean {
  return form === 'notice' && turn !== null
}

/** A pipe cannot tell whether a process that died had written it already. */
export function shownText(said: Said): string {
  const text = withNumber(said)
  return said.isAgain ? `(again, after a restart)\n${text}` : text
}

/** By which `/reply` answers it, and what else can be said to it. */
function withNumber({ form, text, number, from, choices }: Said): string {
  if (number === undefined) return text
  if (form !== 'ping') return `#${number} ${text}`
  const answers = pingAnswers(number, choices)
  return [`#${number} from ${from}:`, text, ...(answers === undefined ? [] : [answers])].join('\n')
}
