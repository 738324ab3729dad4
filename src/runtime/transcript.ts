import { estimateTokens } from '../base/tokens.ts'
import type { Call, Message } from '../event/event.ts'

/** One message of a conversation that another program wrote down, before it is known to be sound. */
export interface Entry {
  /** Milliseconds since 1970; null where the transcript does not tell. */
  readonly at: number | null
  readonly said:
    | { readonly role: 'user' | 'note'; readonly text: string }
    | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly Call[] }
    | { readonly role: 'tool'; readonly call: string; readonly text: string }
}

export interface Transcript {
  readonly name: string
  readonly entries: readonly Entry[]
  /** Lines or messages that are no part of the conversation. */
  readonly skipped: number
}

export interface SoundEntry {
  readonly at: number | null
  readonly message: Message
  readonly tokens: number
}

/** What had to be changed so that every call has its result and every result its call (CTX3). */
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

/** Puts each result behind its call, invents those that are missing, and keeps those without a call as notes. */
export function repair(entries: readonly Entry[]): Sound {
  const results = resultsByCall(entries)
  const taken = new Set<number>()
  const names = new Set<string>()
  const sound: SoundEntry[] = []
  const repairs = { resultsInvented: 0, resultsMoved: 0, resultsToNotes: 0, callsRenamed: 0 }
  for (const [index, { at, said }] of entries.entries()) {
    if (said.role === 'tool') {
      if (taken.has(index)) continue
      repairs.resultsToNotes++
      sound.push(weighed(at, note(`[result without a call, ${said.call || 'no id'}] ${said.text}`)))
    } else if (said.role === 'assistant') {
      const calls = said.calls.map((call) => ({ ...call, id: freshName(call.id, names) }))
      repairs.callsRenamed += calls.filter(({ id }, place) => id !== said.calls[place]?.id).length
      sound.push(weighed(at, { role: 'assistant', text: said.text, calls }))
      for (const [place, call] of calls.entries()) {
        const result = nextResult(results, said.calls[place]?.id ?? '', index)
        if (result === undefined) repairs.resultsInvented++
        else taken.add(result.index)
        sound.push(weighed(result?.at ?? at, resultOf(call, result)))
      }
    } else sound.push(weighed(at, said.role === 'note' ? note(said.text) : { role: 'user', text: said.text }))
  }
  return { entries: sound, repairs: { ...repairs, resultsMoved: countMoved(entries, taken) } }
}

/** By the id of a call: where results of it stand, and where calls of that id are made. */
type Results = ReadonlyMap<string, { readonly found: Indexed<'tool'>[]; readonly calls: number[] }>

function resultsByCall(entries: readonly Entry[]): Results {
  const results = new Map<string, { found: Indexed<'tool'>[]; calls: number[] }>()
  const of = (id: string) => {
    const known = results.get(id) ?? { found: [], calls: [] }
    results.set(id, known)
    return known
  }
  for (const [index, { at, said }] of entries.entries()) {
    if (said.role === 'tool') of(said.call).found.push({ index, at, said })
    if (said.role === 'assistant') for (const { id } of said.calls) of(id).calls.push(index)
  }
  return results
}

/** The first result behind the call and before the next call that has the same id. */
function nextResult(results: Results, id: string, index: number): Indexed<'tool'> | undefined {
  const { found, calls } = results.get(id) ?? { found: [], calls: [] }
  const before = calls.find((call) => call > index) ?? Number.MAX_SAFE_INTEGER
  const place = found.findIndex((result) => result.index > index)
  const result = found[place]
  if (result === undefined || result.index > before) return undefined
  found.splice(0, place + 1)
  return result
}

function resultOf({ id, tool }: Call, result: Indexed<'tool'> | undefined): Message {
  if (result !== undefined) return { role: 'tool', call: id, tool, text: result.said.text }
  return { role: 'tool', call: id, tool, text: 'no result in the transcript', synthetic: 'imported' }
}

/** Two calls of a conversation never share an id. */
function freshName(id: string, names: Set<string>): string {
  const wanted = id === '' ? 'call' : id
  let name = wanted
  for (let count = 2; names.has(name); count++) name = `${wanted}~${count}`
  names.add(name)
  return name
}

/** Results between which and their call something else was said. */
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
