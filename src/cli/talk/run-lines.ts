import { parsedJson } from '../../base/json.ts'
import { ageText, counted } from '../../base/words.ts'
import { moneyWords, tokenWords } from '../../view/words.ts'
import type { EndReason, Event, EventOf } from '../../event/event.ts'
import { handleOf, type BranchId } from '../../event/id.ts'
import { callSummary, resultSummary } from '../../view/chat/call-lines.ts'

/** A step of a run, as the person who started it sees it. */
export interface RunLine {
  /** Undefined where another line shows the same. */
  readonly text: string | undefined
  /** Steps are paler than results. */
  readonly paint?: 'dim' | 'yellow'
  /** For programs. */
  readonly json: object
}

/** Picks the steps of a run and of its children from the log. */
export class RunView {
  readonly #run: BranchId
  readonly #ours: Set<BranchId>

  constructor(run: BranchId) {
    this.#run = run
    this.#ours = new Set([run])
  }

  /** The numbers of its messages to the person. */
  readonly numbers = new Set<number>()

  /** Events must come in order. */
  linesOf(event: Event): readonly RunLine[] {
    if (event.kind === 'update-reported' && event.from === this.#run) return [reportLine(event)]
    if (event.kind === 'branch-created' && event.parent !== null && this.#ours.has(event.parent))
      this.#ours.add(event.branch)
    if (!this.#ours.has(event.branch)) return []
    const by = event.branch === this.#run ? null : handleOf(event.branch)
    switch (event.kind) {
      case 'run-started':
        return [startLine(event)]
      case 'message-added':
        return messageLines(event, by)
      case 'delivery-intended':
        return this.#written(event)
      case 'run-sent-back':
        return [{ text: SENT_BACK, paint: 'yellow', json: { 'sent-back': {} } }]
      case 'turn-ended':
        return waitLines(event)
      default:
        return []
    }
  }

  /** A message to the person, who can reply to the number. */
  #written({ number, form, text, embed }: EventOf<'delivery-intended'>): RunLine[] {
    if (number === undefined) return []
    this.numbers.add(number)
    const wrote = { number, form, text, ...(embed && { embed }) }
    return [{ text: `#${number} ${text}`, json: { wrote } }]
  }
}

const SENT_BACK = 'It tried to finish without its report, so it was sent back to write one.'

function reportLine({ text, author }: EventOf<'update-reported'>): RunLine {
  const isByHost = author.by === 'policy'
  return {
    text: `Reported to main${isByHost ? ' by the host' : ''}: ${text}`,
    json: { reported: { text, isByHost } },
  }
}

function startLine({ branch, tag: kind, job, isolated, model }: EventOf<'run-started'>): RunLine {
  const how = [isolated ? 'isolated' : 'forked', ...(model === null ? [] : [model])].join(', ')
  const [run, tag] = [handleOf(branch), `[${kind}:${job}]`]
  return { text: `${tag} started as ${run} (${how})`, json: { started: { run, tag, how } } }
}

function waitLines({ outcome, retryAt, at }: EventOf<'turn-ended'>): RunLine[] {
  if (outcome !== 'deferred' || retryAt === undefined) return []
  const seconds = Math.max(1, Math.round((retryAt - at) / 1_000))
  const text = `Could not reach the model; trying again in ${ageText(seconds * 1_000)}.`
  return [{ text, paint: 'yellow', json: { waits: { seconds } } }]
}

const SHOWN_ITSELF: ReadonlySet<string> = new Set(['report_updates', 'ping_user', 'send_embed'])

function messageLines({ message }: EventOf<'message-added'>, by: string | null): RunLine[] {
  const whose = by === null ? '' : `${by}: `
  if (message.role === 'tool') {
    const { tool, text } = message
    const isError = /^\s*\{"error":/.test(text)
    const shown = `${whose}  ${tool} ${resultSummary({ tool, args: '', text, isError })}`
    return [
      {
        // People see what such a call does, so its success is not printed.
        text: !isError && SHOWN_ITSELF.has(tool) ? undefined : shown,
        paint: isError ? 'yellow' : 'dim',
        json: { result: { by, tool, ...resultOf(text), isError } },
      },
    ]
  }
  if (message.role !== 'assistant') return []
  const text = message.text.trim()
  return [
    ...(text === '' ? [] : [{ text: `${whose}${text}`, json: { said: { by, text } } }]),
    ...message.calls.map(({ tool, args }): RunLine => {
      const shown = `${whose}· ${tool} ${callSummary(tool, JSON.stringify(args))}`.trimEnd()
      return { text: shown, paint: 'dim', json: { called: { by, tool, args } } }
    }),
  ]
}

/** The text of `{"text": …}` or `{"error": …}`; otherwise the data. JSON results are not nested as strings. */
function resultOf(text: string): { readonly text: string } | { readonly text: null; readonly data: unknown } {
  const data = parsedJson(text)
  if (typeof data !== 'object' || data === null) return { text }
  const [[name, words] = [], ...others] = Object.entries(data)
  const isWords = (name === 'text' || name === 'error') && typeof words === 'string' && others.length === 0
  return isWords ? { text: words } : { text: null, data }
}

export interface RunEnd {
  readonly reason: EndReason
  readonly ms: number
  /** Model calls of the run and of its children. */
  readonly calls: number
  readonly tokens: number
  /** Null if no price is known. */
  readonly cost: number | null
}

const ENDS: Readonly<Partial<Record<EndReason, string>>> = {
  finished: 'Finished',
  failed: 'Failed',
  'timed-out': 'Timed out',
  killed: 'Killed',
}

export function endLine(ended: RunEnd): RunLine {
  const { reason, ms, calls, tokens, cost } = ended
  const spent = cost === null ? `${tokenWords(tokens)} tokens` : moneyWords(cost)
  const text = `${ENDS[reason] ?? reason} after ${ageText(ms)}: ${counted(calls, 'model call')}, ${spent}.`
  return { text, json: { ended } }
}
