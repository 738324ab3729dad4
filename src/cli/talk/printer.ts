import { pingAnswers } from '../../channel/terminal/text/ping-lines.ts'
import type { Said, Told } from '../../runtime/terminal/conversation.ts'
import type { World } from '../frame/command.ts'
import { jsonText } from '../frame/output.ts'

/** Prints a conversation without a screen. Every function resolves once its text is written. */
export interface Printer {
  /** A delivery. Results may be left for `outcome`, which contains their text. */
  readonly said: (said: Said) => Promise<void>
  readonly outcome: (input: string, told: Omit<Told, 'deliveries'>) => Promise<void>
  /** Prints why an input was refused. */
  readonly refused: (input: string, because: string) => Promise<void>
}

type Outputs = Pick<World, 'out' | 'err'>

/** Prints everything as it comes. The host's remarks on a turn go to standard error. */
export function textPrinter({ out, err }: Outputs): Printer {
  return {
    said: (said) => (isRemark(said) ? err : out).now(shownText(said)),
    outcome: async () => undefined,
    refused: (_, because) => err.now(because),
  }
}

/** One object for each input, and one for each event. */
export function jsonPrinter({ out }: Outputs): Printer {
  return {
    said: async (said) => {
      if (said.part !== 'result') await out.now(jsonText({ event: eventJson(said) }))
    },
    outcome: (input, { branch, turn, results, isFailed, isStopped, failure }) => {
      const output = results.map(({ text }) => text).join('\n')
      const cause = failure && { failure: { reason: failure.reason, message: failure.message } }
      return out.now(
        jsonText({
          input,
          output,
          branch,
          turn,
          ...(isStopped && { stopped: true }),
          ...(isFailed && { error: true, ...cause }),
        }),
      )
    },
    refused: (input, because) =>
      out.now(jsonText({ input, output: because, branch: null, turn: null, error: true })),
  }
}

/** A delivery for programs. */
function eventJson({ form, text, branch, turn, choices, isAgain, number, embed, from }: Said): object {
  const isCard = form === 'question' || (form === 'ping' && choices.length > 0)
  return {
    form,
    text,
    branch,
    turn,
    ...(number !== undefined && { number, from }),
    ...(embed && { embed }),
    ...(isCard && { choices }),
    ...(isAgain && { again: true }),
  }
}

/** Prints only the answer, for scripts. Everything else goes to standard error. */
export function answerPrinter({ out, err }: Outputs): Printer {
  return {
    said: async (said) => {
      if (said.part !== 'result') await err.now(shownText(said))
    },
    outcome: async (_, { results }) => {
      for (const { form, text } of results) await (form === 'notice' ? err : out).now(text)
    },
    refused: (_, because) => err.now(because),
  }
}

/** The same as it comes, for a person who waits: a model that fails is seen at once. */
export function liveAnswerPrinter({ out, err }: Outputs): Printer {
  return {
    ...answerPrinter({ out, err }),
    said: (said) => {
      const isAnswer = said.part !== 'nothing' && (said.form === 'answer' || said.form === 'output')
      return isAnswer ? out.now(said.text) : err.now(shownText(said))
    },
    outcome: async () => undefined,
  }
}

/** News of other branches, such as a finished child, is not a remark: the person who piped in its task wants it. */
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
