import { type TimePhrase, timePhrases } from './time-words.ts'

/** What is to be done, and the words that say when. */
export interface TimeCut {
  readonly task: string
  /** Undefined: no time is named, or none that a clock could be set by. */
  readonly when: string | undefined
  /** It is the first thing said. */
  readonly isFirst: boolean
}

export interface Cutting {
  /** `2026-03-01`, as far as the host said it. */
  readonly today: string | undefined
  /** Words that may lead to the time: "for Friday" is when a reminder is set for, but not when a table is to be booked. */
  readonly links: RegExp
}

export const REMINDED_AT = /^(?:at|on|by|around|over|@)?$/u
export const REMINDED_FOR = /^(?:at|on|by|around|over|for|@)?$/u
export const DUE_BY = /^(?:at|on|by|around|over|for|until|till|before|due|@)?$/u

/** Cuts the time out of what is said behind "remind me", and leaves times that belong to the task. */
export function cutTime(text: string, { today, links }: Cutting): TimeCut {
  const all = timePhrases(text, today)
  const first = all.find(({ start, link }) => isStart(text, start) && REMINDED_FOR.test(link))
  const fitting = all.filter((phrase) => links.test(phrase.link))
  const last = fitting.findLast(({ end }) => isEnd(text, end))
  const chosen = chosenOf({ first, last, fitting })
  const task = without(text, chosen)
  const isVague = chosen.some(({ has }) => has.includes('vague'))
  const when = chosen
    .toSorted((a, b) => Number(hasDay(b)) - Number(hasDay(a)))
    .map((phrase) => phrase.when)
    .join(' ')
  return { task, when: isVague || when === '' ? undefined : when, isFirst: first !== undefined }
}

const AND = /^\s*(?:,|&|\/|(?:,\s*)?(?:and|or)(?:\s+(?:then|again|also))?)\s*$/iu
const AND_NUMBER =
  /^\s*(?:,|&|(?:,\s*)?(?:and|or)(?:\s+(?:then|again))?)\s*(?:at\s+)?\d{1,2}(?::\d\d)?(?:\s?[ap]\.?m\.?|\s+o'?clock)?(?=\s*(?:$|[.,;!?]|(?:to|about|today|tomorrow|tonight|please|and|or)\b))/iu

/** "At 9 and at 10", "call mum at 9 and dad at 10": which one is meant, or for what, rules cannot tell. */
export function twoTimes(text: string, { today, links }: Cutting): boolean {
  const all = timePhrases(text, today).filter(({ has }) => !has.includes('vague'))
  const isAdjacent = all.some((phrase, at) => {
    const next = all[at + 1]
    if (phrase.has.includes('clock') && AND_NUMBER.test(text.slice(phrase.end))) return true
    return next !== undefined && AND.test(text.slice(phrase.end, next.start)) && !completes(phrase, next)
  })
  if (isAdjacent || all.some((phrase, at) => at > 0 && isAnother(text, phrase))) return true
  const clocks = all.filter(({ has, link }) => has.includes('clock') && links.test(link))
  const [first, last] = [clocks[0], clocks.at(-1)]
  if (first === undefined || last === undefined || first === last) return false
  if (isStart(text, first.start) || !isEnd(text, last.end)) return false
  return /\s(?:and|or|then)\s/iu.test(text.slice(first.end, last.start))
}

/** "… about the tea, and tomorrow at 8 to pack": a second wish, with a time of its own. */
function isAnother(text: string, { start, end }: TimePhrase): boolean {
  const isJoined = /(?:^|[\s,;])(?:and|then)(?:\s+(?:then|again|also))?\s+$/iu.test(text.slice(0, start))
  return isJoined && /^,?\s+(?:to|about|that|of)\s/iu.test(text.slice(end))
}

interface Choice {
  readonly first: TimePhrase | undefined
  readonly last: TimePhrase | undefined
  readonly fitting: readonly TimePhrase[]
}

/** What stands first counts, else what stands last; a day and a time of day that stand apart are one time. */
function chosenOf({ first, last, fitting }: Choice): TimePhrase[] {
  const one = first ?? last ?? fitting.findLast(({ has }) => !has.includes('vague')) ?? fitting.at(-1)
  if (one === undefined) return []
  const others = first === undefined ? fitting.toReversed() : last === undefined ? [] : [last]
  const other = others.find((phrase) => phrase !== one && completes(one, phrase))
  return [one, ...(other === undefined ? [] : [other])]
}

function completes(one: TimePhrase, other: TimePhrase): boolean {
  const [day, time] = hasDay(one) ? [one, other] : [other, one]
  const isDay = day.has.every((sort) => sort === 'day')
  return isDay && time.has.every((sort) => sort === 'clock' || sort === 'part')
}

function hasDay({ has }: TimePhrase): boolean {
  return has.includes('day') || has.includes('span')
}

function isStart(text: string, start: number): boolean {
  return /^[\s,:–-]*$/u.test(text.slice(0, start))
}

function isEnd(text: string, end: number): boolean {
  return /^[\s.,;:!?…)]*$/u.test(text.slice(end))
}

function without(text: string, phrases: readonly TimePhrase[]): string {
  let rest = ''
  let from = 0
  for (const { start, end } of phrases.toSorted((a, b) => a.start - b.start)) {
    rest += `${text.slice(from, start)} `
    from = end
  }
  return tidied(rest + text.slice(from))
}

export function tidied(text: string): string {
  return text
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/ (?=[,.;:!?])/gu, '')
    .replace(/^[\s,;:.!–-]+/u, '')
    .replace(/(?:[\s,;:–-]|(?<![.!?…])[.!?…](?![.!?…]))+$/u, '')
    .trim()
}

/** A text that says when and nothing else. */
export function onlyTime(text: string, today: string | undefined): string | undefined {
  const { task, when } = cutTime(text, { today, links: DUE_BY })
  const left = task
    .toLowerCase()
    .replaceAll(
      /\b(?:please|pls|thanks|thank you|ok|okay|hm+|well|so|make it|let's say|say|i think|then|how about|maybe|perhaps|sharp|would be|is|fine|good|great|works|yes|at|on|oh|the|it)\b|[,.!?]/gu,
      '',
    )
  return when !== undefined && left.trim() === '' ? when : undefined
}
