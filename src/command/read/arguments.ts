import { momentOf, MOMENT_FORMS } from '../../base/iso-time.ts'
import { limits } from '../../base/limits.ts'
import { markNameSchema } from '../../event/item.ts'

/** What the arguments of a command mean, or why they do not fit: words that go on after the command's name. */
export type Reading<T extends object> = { readonly fits: T } | { readonly misfit: string }

/** `text` is all that follows the name, without spaces at its ends. */
export type ArgumentReader<T extends object> = (text: string) => Reading<T>

export function nothing(text: string): Reading<object> {
  return text === '' ? { fits: {} } : { misfit: 'takes no arguments.' }
}

export function optionalMark(text: string): Reading<{ readonly mark: string | null }> {
  const mark = withoutRemark(text)
  if (mark === '') return { fits: { mark: null } }
  if (markNameSchema.safeParse(mark).success) return { fits: { mark } }
  const most = `at most ${limits.markNameMax} characters`
  return { misfit: `takes the name of one mark: ${most}, no spaces, no '-' at its beginning.` }
}

export interface ForkArguments {
  /** As typed. Of several words it is no mark: the person may have meant a goal. */
  readonly mark: string | null
  readonly enter: boolean
  /** With `enter`: the topic. */
  readonly goal: string | null
  /** With `enter`: after so many minutes without a word the agent is asked to wrap up. */
  readonly idle: number | null
}

/** Phones write `—` for two hyphens. */
const SEPARATOR = /^(?:--|[–—])$/
const ENTER = /^(?:--|[–—])enter$/

export function forkArguments(text: string): Reading<ForkArguments> {
  const [first, rest] = firstWord(text)
  const [second, after] = firstWord(rest)
  const bare: ForkArguments = { mark: null, enter: false, goal: null, idle: null }
  if (first === '') return { fits: bare }
  if (SEPARATOR.test(first)) return withGoal(bare, rest)
  if (ENTER.test(first)) return enterArguments({ ...bare, enter: true }, rest)
  if (IDLE.test(first)) return enterArguments({ ...bare, enter: true }, text)
  if (first.startsWith('-')) {
    return { misfit: `has no option '${quotable(first)}'; a goal follows '--' and a space.` }
  }
  if (SEPARATOR.test(second)) return withGoal({ ...bare, mark: first }, after)
  const entered = { ...bare, mark: first, enter: true }
  if (ENTER.test(second)) return enterArguments(entered, after)
  if (IDLE.test(second)) return enterArguments(entered, rest)
  return { fits: { ...bare, mark: withoutRemark(text) } }
}

function enterArguments(bare: ForkArguments, text: string): Reading<ForkArguments> {
  const [first, rest] = firstWord(text)
  if (first === '') return { fits: bare }
  if (SEPARATOR.test(first)) return withGoal(bare, rest)
  if (!IDLE.test(first) || bare.idle !== null)
    return { misfit: `takes a topic only after '--', as in '--enter -- ${quotable(text)}'.` }
  const [minutes, after] = firstWord(rest)
  if (!/^[1-9]\d{0,3}$/.test(minutes) || Number(minutes) > IDLE_MINUTES_MAX)
    return { misfit: `takes minutes from 1 to ${IDLE_MINUTES_MAX} after '--idle'.` }
  return enterArguments({ ...bare, idle: Number(minutes) }, after)
}

const IDLE = /^(?:--|[–—])idle$/
const IDLE_MINUTES_MAX = 1_440

export interface ReplyArguments {
  readonly number: number
  readonly message: string
}

export function replyArguments(text: string): Reading<ReplyArguments> {
  const [word, message] = firstWord(text)
  const number = word.replace(/^#/, '')
  if (!/^[1-9]\d{0,8}$/.test(number)) return { misfit: 'needs the number of a message and a text.' }
  if (message === '') return { misfit: 'needs a text after the number.' }
  return { fits: { number: Number(number), message } }
}

function withGoal(fork: ForkArguments, goal: string): Reading<ForkArguments> {
  if (goal !== '') return { fits: { ...fork, goal } }
  return { misfit: `needs a ${fork.enter ? 'topic' : 'goal'} after '--'.` }
}

/** For a model: there is nobody who could enter what it forks. */
export function childArguments(text: string): Reading<ForkArguments> {
  const [first, rest] = firstWord(text)
  const [second] = SEPARATOR.test(first) ? [''] : firstWord(rest)
  if ([first, second].some((word) => ENTER.test(word) || IDLE.test(word)))
    return { misfit: 'does not take --enter, which is for people.' }
  return forkArguments(text)
}

export function branch(text: string): Reading<{ readonly id: string }> {
  if (text !== '' && firstWord(text)[0] === text) return { fits: { id: text } }
  return { misfit: 'takes the ID of one branch.' }
}

export function branchAndMessage(text: string): Reading<{ readonly id: string; readonly message: string }> {
  const [id, rest] = firstWord(text)
  const message = unquoted(rest)
  if (message.trim() !== '') return { fits: { id, message } }
  return { misfit: id === '' ? 'needs an ID and a message.' : 'needs a message after the ID.' }
}

/** One pair of quotes goes if it surrounds the text, which that of `"yes" or "no"` does not. */
function unquoted(text: string): string {
  const quote = text.charAt(0)
  if (text.length < 2 || !/["']/.test(quote) || !text.endsWith(quote)) return text
  const inside = text.slice(1, -1)
  const next = inside.indexOf(quote)
  const closesBefore = /\S/.test(inside.charAt(next - 1)) && /\s/.test(inside.charAt(next + 1))
  return closesBefore ? text : inside
}

export function requiredText(text: string): Reading<{ readonly text: string }> {
  return text === '' ? { misfit: 'needs a text.' } : { fits: { text } }
}

export function requiredFile(text: string): Reading<{ readonly text: string }> {
  return text === '' ? { misfit: 'needs a file.' } : { fits: { text } }
}

export function optionalText(text: string): Reading<{ readonly text: string | null }> {
  return { fits: { text: text === '' ? null : text } }
}

export function contextArguments(text: string): Reading<{ readonly policy: 'managed' | 'explicit' | null }> {
  if (text === '') return { fits: { policy: null } }
  const [, policy] = /^policy\s+(managed|explicit)$/i.exec(text) ?? []
  if (policy === undefined) return { misfit: `takes 'policy managed', 'policy explicit' or nothing.` }
  return { fits: { policy: policy.toLowerCase() as 'managed' | 'explicit' } }
}

export interface RecallArguments {
  readonly words: string
  /** As typed: a day begins where the person is. */
  readonly since: string | null
  readonly until: string | null
  readonly by: string | null
  readonly limit: number | null
  readonly why: boolean
}

const OPTION = /^(?:--|[–—])(?=\p{L})/u
const RECALL_LIMIT_MAX = 50

/** Options stand anywhere among the words; behind `--` there are none. */
export function recallArguments(text: string): Reading<RecallArguments> {
  const words: string[] = []
  const found: RecallArguments = { words: '', since: null, until: null, by: null, limit: null, why: false }
  for (let rest = text; rest !== '';) {
    const [word, after] = firstWord(rest)
    if (word === '--') {
      words.push(after)
      break
    }
    if (!OPTION.test(word)) {
      words.push(word)
      rest = after
      continue
    }
    const [value, behind] = quotedWord(after)
    const option = recallOption(word.replace(OPTION, '').toLowerCase(), value)
    if ('misfit' in option) return option
    Object.assign(found, option.fits)
    rest = option.fits.why === true ? after : behind
  }
  const wanted = words.join(' ').trim()
  if (wanted === '') return { misfit: 'needs words to look for.' }
  return { fits: { ...found, words: wanted } }
}

function recallOption(name: string, value: string): Reading<Partial<RecallArguments>> {
  if (name === 'why') return { fits: { why: true } }
  if (name !== 'since' && name !== 'until' && name !== 'by' && name !== 'limit')
    return {
      misfit: `has no option '--${quotable(name)}'; to look for that, put '--' and a space before it.`,
    }
  if (value === '') return { misfit: `needs something after '--${name}'.` }
  if (name === 'by') return { fits: { by: value } }
  if (name === 'limit')
    return /^[1-9]\d?$/.test(value) && Number(value) <= RECALL_LIMIT_MAX
      ? { fits: { limit: Number(value) } }
      : { misfit: `takes a number from 1 to ${RECALL_LIMIT_MAX} after '--limit'.` }
  // What a time is does not depend on the zone or on now.
  return momentOf(value, { zone: 'UTC', now: 0, edge: 'start' }) === undefined
    ? { misfit: `takes a time after '--${name}': ${MOMENT_FORMS}.` }
    : { fits: { [name]: value } }
}

/** A name of several words stands in quotes. */
function quotedWord(text: string): readonly [word: string, rest: string] {
  const [, inside, rest] = /^["“](.*?)["”](?:\s+|$)(.*)$/su.exec(text) ?? []
  return inside === undefined ? firstWord(text) : [inside.trim(), rest ?? '']
}

export function thinking(text: string): Reading<{ readonly thinking: 'off' | 'adaptive' | number | null }> {
  if (text === '') return { fits: { thinking: null } }
  if (text === 'off' || text === 'adaptive') return { fits: { thinking: text } }
  if (/^[1-9]\d{0,6}$/.test(text)) return { fits: { thinking: Number(text) } }
  return { misfit: `takes 'off', 'adaptive' or a number of tokens from 1 to 9999999.` }
}

/** One word or none; `what` says which word is wanted. */
export function optionalWord<K extends string>(
  key: K,
  what: string,
): ArgumentReader<Readonly<Record<K, string | null>>> {
  return (text) => {
    if (firstWord(text)[0] !== text) return { misfit: `takes ${what}.` }
    return { fits: { [key]: text === '' ? null : text } as Record<K, string | null> }
  }
}

/** That very word or none. */
export function flag<K extends string>(word: K): ArgumentReader<Readonly<Record<K, boolean>>> {
  return (text) => {
    if (text !== '' && text !== word) return { misfit: `takes '${word}' or nothing.` }
    return { fits: { [word]: text === word } as Record<K, boolean> }
  }
}

export function firstWord(text: string): readonly [word: string, rest: string] {
  const end = text.search(/\s/)
  return end < 0 ? [text, ''] : [text.slice(0, end), text.slice(end).trimStart()]
}

/** `MARK   # why`, as people write it in notes that they paste. */
function withoutRemark(text: string): string {
  const [word, rest] = firstWord(text)
  return firstWord(rest)[0] === '#' ? word : text
}

const QUOTED_MAX = 40

/** Somebody's words, short enough for a sentence, and without control characters that a terminal would obey. */
export function quotable(text: string): string {
  const signs = Array.from(text.slice(0, 2 * QUOTED_MAX + 2).replaceAll(/[\p{Cc}\p{Cs}]/gu, '�'))
  return signs.length > QUOTED_MAX ? `${signs.slice(0, QUOTED_MAX).join('')}…` : signs.join('')
}
