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
