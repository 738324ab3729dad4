import type { Built } from './recall-scale-data.ts'
import type { Lived } from './recall-scale-live.ts'
import type { Searched, SearchTimes } from './recall-scale-search.ts'

/** All that was measured at one size. */
export interface Scale {
  readonly built: Built
  readonly searched: Searched
  readonly lived: Readonly<Record<'quiet' | 'searched', Lived>>
  readonly isReused: boolean
}

interface Row {
  readonly measure: string
  readonly value: string
  readonly goal?: string
  readonly isMet?: boolean
}

const RSS_MB_MAX = 250
const DELAY_MS_MAX = 50
const RATE_MIN = 500
/** Timers are a little late, and so is the last message of a measured second. */
const RATE_TOLERANCE = 0.99

/** In milliseconds, hybrid and warm. */
function p95Goal(messages: number): number {
  return messages <= 100_000 ? 20 : 50
}

export function rowsOf({ built, searched, lived, isReused }: Scale): Row[] {
  const { messages } = built
  const then = isReused ? ' (an earlier run)' : ''
  const bytes = (all: number) => `${(all / messages).toFixed(0)} bytes`
  return [
    { measure: `written to the log${then}`, value: rate(built.writtenPerSecond) },
    { measure: `indexed${then}`, value: rate(built.indexedPerSecond) },
    { measure: `vectors made${then}`, value: rate(built.vectorsPerSecond) },
    { measure: 'log, a message', value: bytes(built.logBytes) },
    { measure: 'index, a message', value: bytes(built.indexBytes) },
    { measure: 'vectors, a message', value: bytes(built.vectorBytes) },
    { measure: 'open and search, in a new process', value: ms(searched.firstMs) },
    ...searched.kinds.map((kind) => searchRow(kind, messages)),
    atMost('resident memory at most, searching', searched.rssMb, { max: RSS_MB_MAX, unit: 'MB' }),
    ...livedRows('', lived.quiet),
    ...livedRows(', two searches a second', lived.searched),
  ]
}

function searchRow({ name, by, p50, p95, most, cpuP50, cpuP95 }: SearchTimes, messages: number): Row {
  const how = by === 'both' ? 'hybrid' : 'lexical'
  const value = `${ms(p50)} / ${ms(p95)} / ${ms(most)}; processor ${ms(cpuP50)} / ${ms(cpuP95)}`
  const measure = `${how}, ${name}: p50 / p95 / most`
  if (by !== 'both') return { measure, value }
  return { measure, value, goal: `p95 under ${p95Goal(messages)} ms`, isMet: p95 < p95Goal(messages) }
}

function livedRows(how: string, lived: Lived): Row[] {
  const { perSecond, delayP50, delayP95, delayMost, cpuShare, searchP50, searchP95, caughtUpMs } = lived
  const delays = `${ms(delayP50)} / ${ms(delayP95)} / ${ms(delayMost)}`
  return [
    {
      measure: `logged and indexed meanwhile${how}`,
      value: `${rate(perSecond)}, all of it ${ms(caughtUpMs)} later; ${(100 * cpuShare).toFixed(0)} % of a core`,
      goal: `${RATE_MIN}/s`,
      isMet: perSecond >= RATE_MIN * RATE_TOLERANCE,
    },
    {
      measure: `event loop late by${how}: p50 / p95 / most`,
      value: delays,
      goal: `p95 under ${DELAY_MS_MAX} ms`,
      isMet: delayP95 < DELAY_MS_MAX,
    },
    ...(searchP50 === null || searchP95 === null
      ? []
      : [{ measure: 'hybrid, mixed, meanwhile: p50 / p95', value: `${ms(searchP50)} / ${ms(searchP95)}` }]),
  ]
}

function atMost(measure: string, value: number, { max, unit }: { max: number; unit: string }): Row {
  return { measure, value: `${value.toFixed(0)} ${unit}`, goal: `under ${max} ${unit}`, isMet: value < max }
}

function rate(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString('en')}/s`
}

function ms(value: number): string {
  return `${value >= 100 ? value.toFixed(0) : value.toFixed(1)} ms`
}

export function isAllMet(rows: readonly Row[]): boolean {
  return rows.every(({ isMet }) => isMet !== false)
}

export function drawn(scale: Scale): string {
  const head = `| ${scale.built.messages.toLocaleString('en')} messages | | goal | met |\n|---|---|---|---|`
  const rows = rowsOf(scale).map(({ measure, value, goal = '', isMet }) => {
    return `| ${measure} | ${value} | ${goal} | ${isMet === undefined ? '' : isMet ? 'yes' : 'no'} |`
  })
  return `${[head, ...rows].join('\n')}\n`
}
