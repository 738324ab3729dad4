import type { Clock } from '../base/clock.ts'
import { fence } from '../event/fence.ts'

const EACH_MS = 10_000
const ALL_MS = 30_000
const CHARACTERS_MAX = 2_000

export interface DynamicParts {
  readonly allowScripts: boolean
  /** Runs a program without a shell, and ends it after `timeoutMs` or when the signal is aborted. */
  readonly run: (
    argv: readonly string[],
    limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ) => Promise<{ readonly text: string } | { readonly problem: string }>
  readonly now: Clock
  readonly signal: AbortSignal
}

const DYNAMIC = /!`([^`\r\n]+)`/g

/** Whether its text differs each time it is loaded for a job. */
export function isDynamic(body: string): boolean {
  return body.search(DYNAMIC) >= 0
}

/**
 * Replaces each !`command` of a skill's body with the command's output, as data (SAFE2), or why there is none. Never
 * throws for one.
 */
export async function expandDynamic(body: string, parts: DynamicParts): Promise<string> {
  let [expanded, end, leftMs] = ['', 0, ALL_MS]
  for (const found of body.matchAll(DYNAMIC)) {
    const startedAt = parts.now()
    const timeoutMs = Math.min(EACH_MS, leftMs)
    const text = await outputOf(found[1] ?? '', timeoutMs, parts)
    // A clock that jumps uses up no more time than the command had.
    leftMs -= Math.min(Math.max(0, parts.now() - startedAt), timeoutMs)
    expanded += body.slice(end, found.index) + text
    end = found.index + found[0].length
  }
  return expanded + body.slice(end)
}

async function outputOf(command: string, timeoutMs: number, parts: DynamicParts): Promise<string> {
  if (!parts.allowScripts) return '(not run: skills.allowScripts is off)'
  const words = splitWords(command)
  if ('problem' in words) return failure(words.problem)
  if (parts.signal.aborted) return failure('stopped')
  if (timeoutMs <= 0) return failure(`the commands before it took all of ${ALL_MS / 1_000} s`)
  const result = await parts.run(words.argv, { timeoutMs, signal: parts.signal })
  const text = 'problem' in result ? failure(result.problem) : cut(result.text.trimEnd())
  return text === '' ? '' : fence('SKILL COMMAND', text)
}

function failure(because: string): string {
  return `(failed: ${cut(because.trim().replaceAll(/\s+/g, ' '))})`
}

function cut(text: string): string {
  if (text.length <= CHARACTERS_MAX) return text
  const start = text.slice(0, CHARACTERS_MAX).replace(/[\uD800-\uDBFF]$/, '')
  return `${start}… (cut: the first ${CHARACTERS_MAX.toLocaleString('en')} of ${text.length.toLocaleString('en')} characters)`
}

/** A quoted piece, a bare one, or a blank; the last alternative is anything that only a shell understands. */
const PIECE = /'([^']*)'|"((?:[^"\\$`]|\\.|\$(?![\w({]))*)"|((?:[^\s'"|&;<>$]|\$(?![\w({]))+)|(\s+)|([^])/g

/** Words as a shell would split them; refused if it takes a shell. */
export function splitWords(
  command: string,
): { readonly argv: readonly string[] } | { readonly problem: string } {
  const argv: string[] = []
  let isWithin = false
  for (const [, single, double, bare, blank, other] of command.matchAll(PIECE)) {
    if (other !== undefined) return { problem: notUnderstood(other) }
    const piece = single ?? double?.replaceAll(/\\(["\\])/g, '$1') ?? bare
    if (blank !== undefined) isWithin = false
    if (piece === undefined) continue
    if (isWithin) argv.push(`${argv.pop() ?? ''}${piece}`)
    else argv.push(piece)
    isWithin = true
  }
  return argv[0] === undefined || argv[0] === '' ? { problem: 'no command' } : { argv }
}

function notUnderstood(character: string): string {
  return /['"]/.test(character)
    ? `a quotation after ${character} does not end, or needs a shell`
    : `${character} needs a shell, and none is used`
}
