import { cpus, loadavg } from 'node:os'
import { stripVTControlCharacters, styleText } from 'node:util'

export const groups = [
  'build',
  'append',
  'operations',
  'open',
  'forks',
  'turns',
  'v1',
  'telegram',
  'runs',
  'jobs',
  'start',
  'serve',
  'echo',
  'box',
  'streams',
  'river',
  'pages',
] as const
export type Group = (typeof groups)[number]

export type Unit = 'ms' | '/s' | 'MB' | 'bytes' | '%' | 'events' | 'calls'

/** One line of the table. */
export interface Measure {
  readonly group: Group
  readonly measure: string
  readonly value: number
  readonly unit: Unit
  /** What it is divided by, or what is divided by it: the ratio says which way round. */
  readonly comparedWith?: { readonly name: string; readonly value: number }
  readonly ratio?: number
  readonly goal?: Goal
}

/** What was promised, of the value itself or of its ratio. */
export interface Goal {
  readonly of: 'value' | 'ratio'
  readonly is: 'at most' | 'at least'
  readonly bound: number
}

export function atMost(bound: number, of: Goal['of'] = 'ratio'): Goal {
  return { of, is: 'at most', bound }
}

export function atLeast(bound: number, of: Goal['of'] = 'ratio'): Goal {
  return { of, is: 'at least', bound }
}

export function isMet({ goal, value, ratio }: Measure): boolean | undefined {
  if (goal === undefined) return undefined
  const measured = goal.of === 'value' ? value : (ratio ?? Number.NaN)
  return goal.is === 'at most' ? measured <= goal.bound : measured >= goal.bound
}

export function machine(): string {
  const [first, ...others] = cpus()
  const model = first?.model.trim() || 'processor of unknown make'
  return `node ${process.version}, ${process.platform} ${process.arch}, ${model}, ${others.length + 1} cores, ${load()}`
}

/** A machine that has other things to do makes all things alike: waiting for a turn is what is then measured. */
function load(): string {
  const [lately = 0] = loadavg()
  const busy = lately > cpus().length ? ' (busy: measure again when it is quiet)' : ''
  return `load ${lately.toFixed(1)}${busy}`
}

const HEAD = ['group', 'measure', 'value', 'compared with', 'ratio', 'goal', 'met']
const TO_THE_RIGHT = new Set([2, 4])

/** A Markdown table whose columns stand under each other, so that it reads the same in a terminal. */
export function table(measures: readonly Measure[]): string {
  const rows = measures.map(cells)
  const widths = HEAD.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => stripVTControlCharacters(row[column] ?? '').length)),
  )
  const rule = widths.map((width, column) => '-'.repeat(width - 1) + (TO_THE_RIGHT.has(column) ? ':' : '-'))
  return [HEAD, rule, ...rows].map((row) => line(row, widths)).join('\n')
}

function line(row: readonly string[], widths: readonly number[]): string {
  const padded = row.map((cell, column) => {
    const space = ' '.repeat((widths[column] ?? 0) - stripVTControlCharacters(cell).length)
    return TO_THE_RIGHT.has(column) ? space + cell : cell + space
  })
  return `| ${padded.join(' | ')} |`
}

function cells(measure: Measure): string[] {
  const { group, unit, value, comparedWith, ratio, goal } = measure
  const met = isMet(measure)
  return [
    group,
    measure.measure,
    amount(value, unit),
    comparedWith ? `${comparedWith.name}: ${amount(comparedWith.value, unit)}` : '',
    ratio === undefined ? '' : ratio.toFixed(2),
    goal === undefined ? '' : goalText(goal, unit),
    met === undefined ? '' : met ? styleText('green', 'yes') : styleText('red', 'no'),
  ]
}

function goalText({ of, is, bound }: Goal, unit: Unit): string {
  return `${is} ${of === 'value' ? amount(bound, unit) : bound.toFixed(2)}`
}

function amount(value: number, unit: Unit): string {
  if (unit === '/s') return `${Math.round(value).toLocaleString('en')}/s`
  if (unit === 'calls') return `${value.toLocaleString('en')} calls`
  if (unit === 'bytes') return `${Math.round(value).toLocaleString('en')} bytes`
  return `${value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toFixed(3)} ${unit}`
}
