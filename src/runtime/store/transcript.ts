import { estimateTokens } from '../../base/tokens.ts'
import type { Call, Message } from '../../event/event.ts'
import { fence, withoutHostLines } from '../../event/fence.ts'

/** One message of a conversation from another program, before it is checked. */
export interface Entry {
  /** Milliseconds since 1970; null when the transcript has no time. */
  readonly at: number | null
  readonly said:
    | { readonly role: 'user' | 'note'; readonly text: string }
    | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly Call[] }
    /** `isError`: left out if the transcript does not say. */
    | {
        readonly role: 'tool'
        readonly call: string
        readonly text: string
        readonly isError?: boolean
      }
}

export interface Transcript {
  readonly name: string
  readonly entries: readonly Entry[]
  /** Lines or messages that don't belong to the conversation. */
  readonly skipped: number
}

type SoundEntry = ReturnType<typeof weighed>
export type Sound = ReturnType<typeof repair>

/** The place of a result after its call; empty until the result is found. */
interface Slot {
  at: number | null
  readonly call: Call
  result?: Pick<Extract<Entry['said'], { role: 'tool' }>, 'text' | 'isError'>
}

/** Puts each result after its call, adds missing ones, and turns results without a call into notes. */
export function repair(entries: readonly Entry[]) {
  const names = new Names()
  const sound: (SoundEntry | Slot)[] = []
  /** By the id of a call: the slots of the last message that has such calls. */
  const open = new Map<string, Slot[]>()
  /** Changes made so that every call has its result and every result its call (CTX3). */
  const repairs = { resultsInvented: 0, resultsMoved: 0, resultsToNotes: 0, callsRenamed: 0 }
  let isAfterCalls = false
  for (const { at, said } of entries) {
    if (said.role === 'tool') {
      const slot = open.get(said.call)?.shift()
      if (slot === undefined) {
        repairs.resultsToNotes++
        sound.push(weighed(at, note(`[result without a call, ${said.call || 'no id'}] ${said.text}`)))
        continue
      }
      const { text, isError } = said
      Object.assign(slot, {
        at: at ?? slot.at,
        result: { text, ...(isError !== undefined && { isError }) },
      })
      if (!isAfterCalls) repairs.resultsMoved++
      continue
    }
    isAfterCalls = said.role === 'assistant'
    if (said.role !== 'assistant') {
      sound.push(weighed(at, said.role === 'note' ? note(said.text) : { role: 'user', text: said.text }))
      continue
    }
    const slots = said.calls.map((call) => ({
      given: call.id,
      at,
      call: { ...call, id: names.fresh(call.id) },
    }))
    repairs.callsRenamed += slots.filter(({ given, call }) => given !== call.id).length
    for (const [id, own] of Map.groupBy(slots, ({ given }) => given)) open.set(id, own)
    sound.push(weighed(at, { role: 'assistant', text: said.text, calls: slots.map(({ call }) => call) }))
    // One by one: a hundred thousand arguments overflow the stack.
    for (const slot of slots) sound.push(slot)
  }
  const whole = sound.map((one) => ('call' in one ? resultIn(one) : one))
  repairs.resultsInvented = sound.filter((one) => 'call' in one && one.result === undefined).length
  return { entries: whole, repairs }
}

function resultIn({ at, call: { id, tool }, result }: Slot): SoundEntry {
  if (result !== undefined) return weighed(at, { role: 'tool', call: id, tool, ...result })
  const missing = 'no result in the transcript'
  return weighed(at, { role: 'tool', call: id, tool, text: missing, synthetic: 'imported' })
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

function note(text: string): Message {
  return { role: 'note', author: { by: 'policy', name: 'import' }, text }
}

/** Its own system messages are not our host's, and no line of it reads as the host's (SAFE2). */
function asData(message: Message): Message {
  const { role, text } = message
  return {
    ...message,
    text: role === 'note' ? fence('import', text) : withoutHostLines(text),
  }
}

function weighed(at: number | null, said: Message) {
  const message = asData(said)
  const calls = message.role === 'assistant' ? message.calls : []
  const called = calls.length === 0 ? '' : JSON.stringify(calls.map(({ tool, args }) => ({ tool, args })))
  return { at, message, tokens: estimateTokens(message.text + called) }
}
