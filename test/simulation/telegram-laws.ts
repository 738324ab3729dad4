import type { Message } from 'grammy/types'
import { AGAIN } from '../../src/channel/telegram/sending.ts'
import type { Event } from '../../src/event/event.ts'
import { hashOf, type FileStore } from '../../src/file/file-store.ts'
import { BotError } from '../stand-ins/telegram/bot-error.ts'
import type { Call, TelegramStandIn } from '../stand-ins/telegram/server.ts'
import type { Place } from '../stand-ins/telegram/people.ts'

/** Everything that is written has a word of its own, which tells in which chat it was written. */
export const WORD = /z(olga|ana|ben|club|quiet|stranger)\d+e?/g

/** A chat in which people are answered, and what they asked, in the order of Telegram's updates. */
export interface Talk {
  readonly name: string
  readonly place: Place
  readonly asked: string[]
}

const BEGINNING = 'Answer to '

/** What the model says to these words. `padding`: how many words more, so that it is long. */
export function answerTo(words: readonly string[], padding: number): string {
  const pads = Array.from({ length: padding }, (_, index) => (index % 40 === 39 ? 'pad\n\n' : 'pad '))
  return `${BEGINNING}${words.join(' and ')}: ${pads.join('')}End of ${words.join(' and ')}.`
}

interface Shown {
  readonly text: string
  readonly isMarked: boolean
}

export interface Heard {
  /** The words of each complete answer, in order. */
  readonly answers: readonly (readonly string[])[]
  /** Messages with the mark that they may have been sent before. */
  readonly repeats: number
}

/** Reads the answers in a chat. Throws if one is there by half, or twice without a mark. */
export function heardIn({ name, place }: Talk): Heard {
  const answers: string[][] = []
  let parts: string[] = []
  let isAgain = false
  const shown = place.texts().flatMap(shownAs)
  const fail = (what: string): never => {
    const all = shown.map(({ text, isMarked }) => `${isMarked ? 'again: ' : ''}${abridged(text)}`)
    throw new Error(`in the chat of ${name}, ${what}:\n${all.join('\n')}`)
  }
  for (const { text, isMarked } of shown) {
    const isBegin = isBeginning(text)
    const isOpen = parts.length > 0 && !isWhole(parts)
    if (isMarked && (parts.at(-1) === text || (isBegin && isOpen))) {
      // The same part again, or the answer whose preview could not be found again.
      parts.pop()
      if (isBegin && parts.length > 0) fail(`an answer begins again after ${parts.length} parts`)
    } else if (isBegin && isOpen) fail('a part of an answer is left behind')
    else if (isBegin) parts = []
    else if (!isOpen) fail('there is the end of an answer that has no beginning')
    if (isBegin) isAgain = isMarked
    parts.push(text)
    if (!isWhole(parts)) continue
    const words = wordsIn(/^Answer to ([^:]*):/.exec(parts.join(' '))?.[1] ?? '')
    // What stands there before may be its preview, as far as it had come, or the same answer.
    const isRepeat = (isAgain || isMarked) && answers.at(-1)?.some((word) => words.includes(word)) === true
    if (isRepeat) answers.pop()
    answers.push(words)
  }
  if (parts.length > 0 && !isWhole(parts)) fail('the last answer is not complete')
  return { answers, repeats: shown.filter(({ isMarked }) => isMarked).length }
}

/** The parts of answers; whatever else the bot says is not looked at. */
function shownAs(message: string): Shown[] {
  const isMarked = message.startsWith(AGAIN)
  // Without the lines about what happened elsewhere.
  const text = (isMarked ? message.slice(AGAIN.length) : message)
    .replace(/^\s*\(meanwhile [^)]*\)/, '')
    .replace(/\n\(AGENTS.md [^)]*\)$/, '')
    .trim()
  return isBeginning(text) || /^(?:pad|End of) /.test(text) ? [{ text, isMarked }] : []
}

/** A preview may have come as far as "Ans". */
function isBeginning(text: string): boolean {
  return text.startsWith(BEGINNING) || (text !== '' && BEGINNING.startsWith(text))
}

function isWhole(parts: readonly string[]): boolean {
  return / ?End of [^:]*\.$/.test(parts.at(-1) ?? '')
}

export function wordsIn(text: string): string[] {
  return Array.from(text.matchAll(WORD), ([word]) => word)
}

/**
 * Everything that was asked is answered once, in order. A message that was changed is answered as it was or as it is; if
 * as it was, the change may be answered besides. Returns what is not answered yet; throws if it can never come right.
 */
export function missingIn(talk: Talk, { answers }: Heard): readonly string[] {
  const said = answers.flat()
  const twice = said.filter((word, index) => said.indexOf(word) !== index)
  if (twice.length > 0)
    throw new Error(
      `${talk.name}: ${twice.join(', ')} answered more than once: ${talk.place.texts().map(abridged).join('\n')}`,
    )
  const first = said.filter((word) => !word.endsWith('e') || !said.includes(word.slice(0, -1)))
  const slots = first.map((word) => talk.asked.indexOf(word.replace(/e$/, '')))
  if (slots.includes(-1)) throw new Error(`${talk.name}: answers to what nobody asked: ${said.join(' ')}`)
  if (slots.some((slot, index) => slot < (slots[index - 1] ?? -1)))
    throw new Error(
      `${talk.name}: answered in another order: ${said.join(' ')}, asked ${talk.asked.join(' ')}`,
    )
  return talk.asked.filter((_, slot) => !slots.includes(slot))
}

/** A kill after so many calls, and what had been noted as on its way, by position in the log. */
export interface Kill {
  readonly after: number
  readonly onItsWay: readonly number[]
}

/**
 * A message is marked as a repeat if the log never learned what became of the call before it, or if a kill came between
 * its note and the network; and only then. What is no answer may stand between the beginning of an answer and the whole.
 * Returns how many were marked for a note whose call never came.
 */
export function checkMarks(
  calls: readonly Call[],
  { events, kills }: { readonly events: readonly Event[]; readonly kills: readonly Kill[] },
): number {
  const chats = new Map<number, string>()
  const known = new Set<string>()
  for (const event of events) {
    if (event.kind === 'delivery-intended' || event.kind === 'preview-begun')
      chats.set(event.position, event.to.conversation)
    if (!('platformId' in event)) continue
    const chat = chats.get(event.intent) ?? ''
    chats.set(event.position, chat)
    known.add(`${chat} ${event.platformId}`)
  }
  const before = new Map<string, { readonly index: number; readonly isHidden: boolean }>()
  let unseen = 0
  for (const [index, { method, params, outcome }] of calls.entries()) {
    if (method !== 'sendMessage') continue
    const chat = String(params['chat_id'])
    const text = String(params['text']).replace(/<\/?i>/g, '')
    const [shown] = shownAs(text)
    const talk = `${chat} ${shown === undefined ? 'else' : 'answers'}`
    const { index: last, isHidden } = before.get(talk) ?? { index: -1, isHidden: false }
    const isMarked = text.startsWith(AGAIN)
    const isNoted = kills.some(
      ({ after, onItsWay }) =>
        last < after && after <= index && onItsWay.some((position) => chats.get(position) === chat),
    )
    if (isHidden && !isMarked) throw new Error(`in ${chat}, a repeat has no mark: ${abridged(text)}`)
    if (isMarked && !isHidden && !isNoted)
      throw new Error(`in ${chat}, a mark is on something new (call ${index}): ${abridged(text)}`)
    // It will be tried again, with the same mark or without.
    if (outcome instanceof BotError && outcome.code < 500) continue
    if (isMarked && !isHidden) unseen++
    const id = outcome && 'result' in outcome ? (outcome.result as Message).message_id : null
    before.set(talk, { index, isHidden: !known.has(`${chat} ${id}`) })
  }
  return unseen
}

/** Something with files that was sent: an album is several messages. */
export interface SentFiles {
  readonly messages: Message[]
  readonly contents: readonly Uint8Array[]
}

/** Each file that was sent to us is kept and readable, once in its message, and no other files are kept. */
export async function checkFiles(
  sent: readonly SentFiles[],
  { events, store }: { readonly events: readonly Event[]; readonly store: FileStore },
): Promise<void> {
  const admitted = events.flatMap((event) =>
    event.kind === 'inbound-admitted' && event.source.from === 'person'
      ? [{ ...event.source, hashes: (event.files ?? []).map(({ hash, note }) => hash ?? note ?? '') }]
      : [],
  )
  for (const { messages, contents } of sent) {
    const ids = new Set(messages.map(({ chat, message_id: id }) => `${chat.id} ${id}`))
    const found = admitted.filter(({ conversation, key, parts = [] }) =>
      [key, ...parts].some((id) => ids.has(`${conversation} ${id}`)),
    )
    const hashes = found.flatMap((one) => one.hashes)
    if (hashes.toSorted().join() !== contents.map(hashOf).toSorted().join()) {
      const what = `${contents.length} files in the messages ${[...ids].join(', ')}`
      throw new Error(`${what}, and kept: ${JSON.stringify(found.map((one) => one.hashes))}`)
    }
    for (const hash of hashes)
      if ((await store.read(hash)) === undefined) throw new Error(`the file ${hash} cannot be read`)
  }
  const kept = admitted.flatMap((one) => one.hashes).length
  const expected = sent.flatMap(({ contents }) => contents).length
  if (kept !== expected) throw new Error(`${kept} files are kept of ${expected}`)
}

/** Nothing of one chat was ever shown in another, not even for a moment. */
export function checkSecrets(telegram: TelegramStandIn, talks: readonly Talk[]): void {
  for (const { method, params } of telegram.calls) {
    const owner = talks.find(({ place }) => place.id === Number(params['chat_id']))?.name
    const others = Array.from(JSON.stringify(params).matchAll(WORD)).filter(([, name]) => name !== owner)
    if (others.length > 0)
      throw new Error(
        `${method} to ${owner ?? 'a stranger'} shows ${others.map(([word]) => word).join(', ')}`,
      )
  }
}

export function abridged(text: string): string {
  return text.length < 200 ? text : `${text.slice(0, 120)}… (${text.length}) …${text.slice(-60)}`
}
