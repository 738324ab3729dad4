import { isJsonObject, parsedJson } from '../../base/json.ts'
import { oneLine, shorten } from '../../base/width.ts'
import { cutText } from '../../base/words.ts'
import { withoutFences } from '../../event/fence.ts'

const ARGUMENTS_WIDTH = 60
const RESULT_WIDTH = 120

/** `mark TASK` of a `slash` call, `ids: k3f9ab; until: all` of another. */
export function callSummary(tool: string, args: string): string {
  const given = parsed(args)
  if (given === undefined) return shorten(oneLine(args), ARGUMENTS_WIDTH)
  const words =
    tool === 'slash'
      ? [given['command'], given['args']].filter((word) => typeof word === 'string').join(' ')
      : Object.entries(given)
          .map(([name, value]) => `${name}: ${argumentWords(value)}`)
          .join('; ')
  return shorten(oneLine(words), ARGUMENTS_WIDTH)
}

/** A list of words is shown, of other lists only how long they are: nobody could read raw data on one line. */
function argumentWords(value: unknown): string {
  if (isPlain(value)) return String(value)
  if (!Array.isArray(value)) return '…'
  return value.every(isPlain) ? value.join(', ') : String(value.length)
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}

interface Called {
  readonly tool: string
  readonly args: string
  /** The result, as the model gets it. */
  readonly text: string
  readonly isError: boolean
}

/** As `callSummary`, with what came of it: `mark TASK → Checkpoint 'TASK' created.` */
export function resultSummary({ tool, args, text, isError }: Called): string {
  const plain = programWords(text, isError) ?? unfenced(text)
  const told = shorten(oneLine(toldIn(plain) ?? (isError ? 'failed' : 'done')), RESULT_WIDTH)
  return `${callSummary(tool, args)} → ${told}`.trim()
}

const DETAILS_MAX = 10_000

/** All arguments and the result, each as named lines: text as text, and no JSON. */
export function callDetails({ args, text }: Called): string {
  const plain = unfenced(text).trim()
  const result = parsed(plain)
  const told = result?.['error'] ?? result?.['text']
  const isWords = typeof told === 'string' && Object.keys(result ?? {}).length === 1
  const data = isWords ? told : (parsedJson(plain) ?? plain)
  const lines = [
    ...readable(parsedJson(args) ?? args),
    '→',
    ...(isWords ? unfenced(told).split('\n') : readable(data)),
  ]
  return cutText(lines.join('\n'), DETAILS_MAX)
}

/** A value as lines: `name: value`, or the name and what belongs to it indented below. */
function readable(value: unknown): string[] {
  if (isPlain(value)) return String(value).split('\n')
  const isList = Array.isArray(value)
  return Object.entries(value as object).flatMap(([name, one]) => {
    const words = Array.isArray(one) && one.every(isPlain) ? one.join(', ') : one
    const lines = readable(words)
    const [first = ''] = lines
    if (isList) return lines.map((line, index) => `${index === 0 ? '- ' : '  '}${line}`)
    if (isPlain(words) && lines.length === 1) return `${name}: ${first}`.trimEnd()
    return [`${name}:`, ...lines.map((line) => `  ${line}`)]
  })
}

/**
 * For a program that wrote to both streams: its output or, if it failed, the last line of stderr, which mostly says why,
 * and how it ended.
 */
function programWords(text: string, isError: boolean): string | undefined {
  const [, how = '', stderr = '', stdout = ''] = PROGRAM.exec(text) ?? []
  if (stderr === '') return undefined
  if (!isError) return unfenced(stdout)
  const last = unfenced(stderr).trim().split('\n').at(-1) ?? ''
  return how === '' ? last : `${last} (${how})`
}

const PROGRAM = /^(?:(.*)\n)?stderr:\n(<data source="[^"\n]*">\n[\s\S]*?\n<\/data>)(?:\nstdout:\n([\s\S]*))?$/

/** Removes the fences around untrusted text. A text that was cut off has no closing fence. */
function unfenced(text: string): string {
  return withoutFences(text).replaceAll(/<data source="[^"\n]*">\n/g, '')
}

/** The words of a result, or how many items it has: nobody could read raw data on one line. */
function toldIn(text: string): string | undefined {
  const data = parsed(text)
  // A text that looks like data is a list, or JSON that was cut off.
  if (data === undefined) return /^\s*(?:[[{]|$)/.test(text) ? undefined : text
  const words = data['error'] ?? data['text']
  if (typeof words === 'string' && words.trim() !== '') return unfenced(words)
  const counts = Object.entries(data).flatMap(([name, value]) =>
    Array.isArray(value) ? [countText(name, value.length)] : [],
  )
  return counts.length === 0 ? undefined : counts.join(', ')
}

/** `3 messages`; `1 message` if the singular can be guessed. */
function countText(name: string, count: number): string {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
  if (count !== 1) return `${count} ${words}`
  return `1 ${words.replace(/ies$/, 'y').replace(/(?<=ch|sh|x|ss)es$|(?<!s)s$/, '')}`
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parsedJson(text)
  return isJsonObject(value) ? value : undefined
}
