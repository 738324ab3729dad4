import { jsonText } from '../frame/output.ts'
import { parsedJson, type JsonObject } from '../../base/json.ts'
import type { Paint, Style } from '../../base/style.ts'
import { ageText, counted } from '../../base/words.ts'
import { moneyWords, tokenWords } from '../../view/words.ts'
import type { EndReason, Event, EventOf } from '../../event/event.ts'
import { handleOf, type BranchId } from '../../event/id.ts'
import { callSummary, resultSummary } from '../../runtime/terminal/call-lines.ts'

/** A step of a run, as the person who started it sees it. */
export type RunLine =
  | { readonly what: 'started'; readonly run: string; readonly tag: string; readonly how: string }
  | { readonly what: 'said'; readonly by: string | null; readonly text: string }
  | { readonly what: 'called'; readonly by: string | null; readonly tool: string; readonly args: JsonObject }
  | {
      readonly what: 'result'
      readonly by: string | null
      readonly tool: string
      readonly text: string
      readonly isError: boolean
    }
  | { readonly what: 'reported'; readonly text: string; readonly isByHost: boolean }
  /** A message to the person, who can reply to the number. */
  | ({ readonly what: 'wrote'; readonly number: number } & Pick<
      EventOf<'delivery-intended'>,
      'form' | 'text' | 'embed'
    >)
  | { readonly what: 'sent-back' }
  | { readonly what: 'waits'; readonly seconds: number }
  | ({ readonly what: 'ended' } & RunEnd)

export interface RunEnd {
  readonly reason: EndReason
  readonly ms: number
  /** Model calls of the run and of its children. */
  readonly calls: number
  readonly tokens: number
  /** Null if no price is known. */
  readonly cost: number | null
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
    if (event.kind === 'update-reported' && event.from === this.#run)
      return [{ what: 'reported', text: event.text, isByHost: event.author.by === 'policy' }]
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
        return [{ what: 'sent-back' }]
      case 'turn-ended':
        return event.outcome === 'deferred' && event.retryAt !== undefined
          ? [{ what: 'waits', seconds: Math.max(1, Math.round((event.retryAt - event.at) / 1_000)) }]
          : []
      default:
        return []
    }
  }

  #written({ number, form, text, embed }: EventOf<'delivery-intended'>): RunLine[] {
    if (number === undefined) return []
    this.numbers.add(number)
    return [{ what: 'wrote', number, form, text, ...(embed && { embed }) }]
  }
}

function startLine({ branch, tag, job, isolated, model }: EventOf<'run-started'>): RunLine {
  const how = [isolated ? 'isolated' : 'forked', ...(model === null ? [] : [model])].join(', ')
  return { what: 'started', run: handleOf(branch), tag: `[${tag}:${job}]`, how }
}

function messageLines({ message }: EventOf<'message-added'>, by: string | null): RunLine[] {
  if (message.role === 'tool') {
    const { tool, text } = message
    return [{ what: 'result', by, tool, text, isError: /^\s*\{"error":/.test(text) }]
  }
  if (message.role !== 'assistant') return []
  const { text, calls } = message
  return [
    ...(text.trim() === '' ? [] : [{ what: 'said', by, text: text.trim() } as const]),
    ...calls.map(({ tool, args }) => ({ what: 'called', by, tool, args }) as const),
  ]
}

/** For people. */
export function textOf(line: RunLine): string {
  switch (line.what) {
    case 'started':
      return `${line.tag} started as ${line.run} (${line.how})`
    case 'said':
      return `${whose(line.by)}${line.text}`
    case 'called':
      return `${whose(line.by)}· ${line.tool} ${callSummary(line.tool, JSON.stringify(line.args))}`.trimEnd()
    case 'result': {
      const { tool, text, isError } = line
      return `${whose(line.by)}  ${tool} ${resultSummary({ tool, args: '', text, isError })}`
    }
    case 'reported':
      return `Reported to main${line.isByHost ? ' by the host' : ''}: ${line.text}`
    case 'wrote':
      return `#${line.number} ${line.text}`
    case 'sent-back':
      return 'It tried to finish without its report, so it was sent back to write one.'
    case 'waits':
      return `Could not reach the model; trying again in ${ageText(line.seconds * 1_000)}.`
    case 'ended':
      return endText(line)
  }
}

const SHOWN_ITSELF: ReadonlySet<string> = new Set(['report_updates', 'ping_user', 'send_embed'])

/** People see what such a call does, so its success is not printed. */
export function isEcho(line: RunLine): boolean {
  return line.what === 'result' && !line.isError && SHOWN_ITSELF.has(line.tool)
}

/** Steps are paler than results. */
export function paintOf(line: RunLine, { dim, yellow }: Style): Paint {
  if (line.what === 'called') return dim
  if (line.what === 'result') return line.isError ? yellow : dim
  return line.what === 'sent-back' || line.what === 'waits' ? yellow : (text) => text
}

function whose(by: string | null): string {
  return by === null ? '' : `${by}: `
}

const ENDS: Readonly<Partial<Record<EndReason, string>>> = {
  finished: 'Finished',
  failed: 'Failed',
  'timed-out': 'Timed out',
  killed: 'Killed',
}

function endText({ reason, ms, calls, tokens, cost }: RunEnd): string {
  const spent = cost === null ? `${tokenWords(tokens)} tokens` : moneyWords(cost)
  return `${ENDS[reason] ?? reason} after ${ageText(ms)}: ${counted(calls, 'model call')}, ${spent}.`
}

/** For programs. JSON results are not nested as strings. */
export function jsonOf({ what, ...rest }: RunLine): string {
  return jsonText({
    [what]: 'tool' in rest && 'text' in rest ? { ...rest, ...resultOf(rest.text) } : rest,
  })
}

/** The text of `{"text": …}` or `{"error": …}`; otherwise the data. */
function resultOf(text: string): { readonly text: string } | { readonly text: null; readonly data: unknown } {
  const data = parsedJson(text)
  if (typeof data !== 'object' || data === null) return { text }
  const [[name, words] = [], ...others] = Object.entries(data)
  const isWords = (name === 'text' || name === 'error') && typeof words === 'string' && others.length === 0
  return isWords ? { text: words } : { text: null, data }
}
