import { closeSync, openSync, readSync } from 'node:fs'
import { seededRandom, type Random } from '../src/base/random.ts'
import { isStopWord } from '../src/recall/words/stop-words.ts'
import { STATIC_WEIGHTS_FILE } from '../src/recall/vector/static-encoder.ts'

/** Raised when the same number gives another talk: logs made before are then made anew. */
export const TALK_VERSION = 1

export const PEOPLE = ['Amina', 'Bertil', 'Chiara', 'Dmitri', 'Elif', 'Farid']
const SESSIONS_AT_ONCE = 2
const SESSION_MESSAGES = 24
const TOPIC_WORDS = 40
/** Words of a session come from its topic so often. */
const OF_TOPIC = 0.3
const START = Date.UTC(2023, 0, 1)
const BETWEEN_MESSAGES_MS = 40_000
const BETWEEN_SESSIONS_MS = 1_200_000

export interface Said {
  /** Which of the people's branches it stands in. */
  readonly person: number
  readonly role: 'user' | 'assistant'
  readonly at: number
  readonly text: string
}

const HEAD_BYTES = 24
const VOCABULARY_BYTES_AT = 20

/** Real words, the most frequent first: those of the built-in encoder, without its vectors, whose memory would count. */
export function vocabulary(): readonly string[] {
  const handle = openSync(STATIC_WEIGHTS_FILE, 'r')
  const head = Buffer.alloc(HEAD_BYTES)
  readSync(handle, head, 0, HEAD_BYTES, 0)
  const words = Buffer.alloc(head.readUInt32LE(VOCABULARY_BYTES_AT))
  readSync(handle, words, 0, words.length, HEAD_BYTES)
  closeSync(handle)
  return words
    .toString()
    .split('\n')
    .filter((word) => /^[a-z]{2,}$/.test(word))
}

/** Draws a word as often as people use it (Zipf). */
export function wordsByUse(words: readonly string[]): (random: Random) => string {
  let sum = 0
  const sums = Float64Array.from(words, (_, rank) => (sum += 1 / (rank + 3)))
  return (random) => {
    const wanted = chance(random) * sum
    let [low, high] = [0, words.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] as number) < wanted) low = middle + 1
      else high = middle
    }
    return words[low] as string
  }
}

interface Session {
  readonly person: number
  readonly topic: readonly string[]
  left: number
  isAnswered: boolean
}

/** People who talk with an assistant, a session at a time and two of them at once; without end. */
export function* talk(seed: number): Generator<Said, never> {
  const random = seededRandom(seed)
  const words = vocabulary()
  const draw = wordsByUse(words)
  const content = wordsByUse(words.filter((word) => !isStopWord(word)))
  let now = START
  let begun = 0
  const begin = (): Session => ({
    person: begun++ % PEOPLE.length,
    topic: Array.from({ length: TOPIC_WORDS }, () => content(random)),
    left: 1 + (random() % (2 * SESSION_MESSAGES)),
    isAnswered: true,
  })
  const sessions = Array.from({ length: SESSIONS_AT_ONCE }, begin)
  for (;;) {
    const number = random() % SESSIONS_AT_ONCE
    const session = sessions[number] as Session
    now += random() % (2 * BETWEEN_MESSAGES_MS)
    session.isAnswered = !session.isAnswered
    const role = session.isAnswered ? 'assistant' : 'user'
    const text = sentences(lengthOf(role, random), () =>
      chance(random) < OF_TOPIC ? (session.topic[random() % TOPIC_WORDS] as string) : draw(random),
    )
    yield { person: session.person, role, at: now, text }
    if (--session.left > 0) continue
    sessions[number] = begin()
    now += random() % (2 * BETWEEN_SESSIONS_MS)
  }
}

/** What people type is short; an assistant sometimes goes on for pages. */
function lengthOf(role: Said['role'], random: Random): number {
  if (role === 'user') return 3 + (random() % 25)
  return random() % 10 === 0 ? 100 + (random() % 300) : 8 + (random() % 45)
}

const SENTENCE_WORDS = 11

function sentences(length: number, next: () => string): string {
  let text = ''
  for (let at = 0; at < length; at++) {
    const isFirst = at % SENTENCE_WORDS === 0
    const word = next()
    text += isFirst ? `${at === 0 ? '' : '. '}${word.charAt(0).toUpperCase()}${word.slice(1)}` : ` ${word}`
  }
  return `${text}.`
}

export function chance(random: Random): number {
  return random() / 2 ** 32
}
