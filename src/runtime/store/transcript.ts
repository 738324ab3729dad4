import { estimateTokens } from '../../base/tokens.ts'
import type { Call, Message } from '../../event/event.ts'

/** One message of a conversation from another program, before it is checked. */
export interface Entry {
  /** Milliseconds since 1970; null when the transcript has no time. */
  readonly at: number | null
  readonly said:
    | { readonly role: 'user' | 'note'; readonly text: string }
    | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly Call[] }
    | { readonly role: 'tool'; readonly call: string; readonly text: string }
}

export interface Transcript {
  readonly name: string
  readonly entries: readonly Entry[]
  /** Lines or messages that don't belong to the conversation. */
  readonly skipped: number
}

export interface SoundEntry {
  readonly at: number | null
  readonly message: Message
  readonly tokens: number
}

/** Changes made so that every call has its result and every result its call (CTX3). */
export interface Repairs {
  readonly resultsInvented: number
  readonly resultsMoved: number
  readonly resultsToNotes: number
  readonly callsRenamed: number
}

export interface Sound {
  readonly entries: readonly SoundEntry[]
  readonly repairs: Repairs
}

type Indexed<R extends Entry['said']['role']> = {
  index: number
  at: Entry['at']
  said: Extract<Entry['said'], { role: R }>
}

/** Puts each result after its call, adds missing ones, and turns results without a call into notes. */
export function repair(entries: readonly Entry[]): Sound {
  const results = new Results(entries)
  const taken = new Set<number>()
  const names = new Names()
  const sound: SoundEntry[] = []
  const repairs = { resultsInvented: 0, resultsMoved: 0, resultsToNotes: 0, callsRenamed: 0 }
  for (const [index, { at, said }] of entries.entries()) {
    if (said.role === 'tool') {
      if (taken.has(index)) continue
      repairs.resultsToNotes++
      sound.push(weighed(at, note(`[result without a call, ${said.call || 'no id'}] ${said.text}`)))
    } else if (said.role === 'assistant') {
      const calls = said.calls.map((call) => ({ ...call, id: names.fresh(call.id) }))
      repairs.callsRenamed += calls.filter(({ id }, place) => id !== said.calls[place]?.id).length
      sound.push(weighed(at, { role: 'assistant', text: said.text, calls }))
      for (const [place, call] of calls.entries()) {
        const result = results.next(said.calls[place]?.id ?? '', index)
        if (result === undefined) repairs.resultsInvented++
        else taken.add(result.index)
        sound.push(weighed(result?.at ?? at, resultOf(call, result)))
      }
    } else sound.push(weighed(at, said.role === 'note' ? note(said.text) : { role: 'user', text: said.text }))
  }
  return { entries: sound, repairs: { ...repairs, resultsMoved: countMoved(entries, taken) } }
}

/** By the id of a call: the places of its results, and of calls with that id. */
class Results {
  readonly #found = new Map<string, Queue<Indexed<'tool'>>>()
  readonly #calls = new Map<string, Queue<{ index: number }>>()

  constructor(entries: readonly Entry[]) {
    for (const [index, { at, said }] of entries.entries()) {
      if (said.role === 'tool') queueOf(this.#found, said.call).all.push({ index, at, said })
      if (said.role === 'assistant')
        for (const { id } of said.calls) queueOf(this.#calls, id).all.push({ index })
    }
  }

  /** The first result after the call and before the next call with the same id. Must be called in order. */
  next(id: string, call: number): Indexed<'tool'> | undefined {
    const found = queueOf(this.#found, id)
    const result = firstBehind(found, call)
    const nextCall = firstBehind(queueOf(this.#calls, id), call)
    if (result === undefined || (nextCall !== undefined && result.index > nextCall.index)) return undefined
    found.done++
    return result
  }
}

/** Read once from the front, so a transcript that uses one id for every call is no slower. */
interface Queue<T> {
  readonly all: T[]
  done: number
}

function queueOf<T>(queues: Map<string, Queue<T>>, id: string): Queue<T> {
  const known = queues.get(id) ?? { all: [], done: 0 }
  queues.set(id, known)
  return known
}

function firstBehind<T extends { index: number }>(queue: Queue<T>, index: number): T | undefined {
  while ((queue.all[queue.done]?.index ?? Number.MAX_SAFE_INTEGER) <= index) queue.done++
  return queue.all[queue.done]
}

function resultOf({ id, tool }: Call, result: Indexed<'tool'> | undefined): Message {
  if (result !== undefined) return { role: 'tool', call: id, tool, text: result.said.text }
  return { role: 'tool', call: id, tool, text: 'no result in the transcript', synthetic: 'imported' }
}

/** Two calls of a conversation never share an id. */
class Names {
  readonly #taken = new Set<string>()
  readonly #counts = new Map<string, number>()

  fresh(id: string): string {
    const wanted = id === '' ? 'call' : id
    let name = wanted
    let count = this.#counts.get(wanted) ?? 1
    while (this.#taken.has(name)) name = `${wanted}~${++count}`
    this.#counts.set(wanted, count)
    this.#taken.add(name)
    return name
  }
}

/** Counts results that were separated from their call by other messages. */
function countMoved(entries: readonly Entry[], taken: ReadonlySet<number>): number {
  let moved = 0
  let inStep = false
  for (const [index, { said }] of entries.entries()) {
    if (said.role === 'tool') {
      if (taken.has(index) && !inStep) moved++
    } else inStep = said.role === 'assistant'
  }
  return moved
}

function note(text: string): Message {
  return { role: 'note', author: { by: 'policy', name: 'import' }, text }
}

function weighed(at: number | null, message: Message): SoundEntry {
  const text = message.role === 'assistant' ? message.text + callsText(message.calls) : message.text
  return { at, message, tokens: estimateTokens(text) }
}

function callsText(calls: readonly Call[]): string {
  return calls.length === 0 ? '' : JSON.stringify(calls.map(({ tool, args }) => ({ tool, args })))
}
