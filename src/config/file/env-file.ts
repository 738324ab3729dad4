import {
  environmentName,
  environmentNames,
  findKey,
  HOME_NAME,
  HOOK_PREFIX,
  nearestKey,
  seedName,
  specOf,
  PREFIX,
} from '../table/key.ts'
import { type Key, keys } from '../table/settings.ts'
import type { Found, Problem, Reading } from '../table/source.ts'

/** Reads HOME/.env: `NAME=VALUE` lines, with quotes, comments and `export`; nothing in them is expanded. */
export function readEnvFile(path: string, text: string): Reading {
  const found: Found[] = []
  const problems: Problem[] = []
  const warnings: string[] = []
  for (const [index, content] of text.split(/\r\n|\n|\r/).entries()) {
    const source = { kind: 'env-file', path, line: index + 1 } as const
    const place = `${path}, line ${source.line}`
    const parsed = parseLine(content)
    if (typeof parsed === 'string') problems.push({ keys: [], text: `${place}: ${parsed}` })
    if (typeof parsed !== 'object') continue
    const { name, value } = parsed
    if (name.startsWith(HOOK_PREFIX)) continue
    const [key, bareKey] = [keyByName.get(name), findKey(name)]
    if (key !== undefined) {
      if (value.trim() === '') continue
      found.push({
        key,
        source: { ...source, name },
        json: specOf(key).type.fromText(value),
        raw: value,
      })
    } else if (name === HOME_NAME)
      warnings.push(
        `${HOME_NAME} has no effect in ${place}, because the home folder is found before this file is read.`,
      )
    else if (name.startsWith(PREFIX)) problems.push({ keys: [], text: unknownName(name, place) })
    else if (bareKey !== undefined)
      warnings.push(`${name} in ${place} has no effect. Did you mean ${environmentName(bareKey)}?`)
    else warnings.push(...seedName(name, place))
  }
  return { found: found.toSorted((a, b) => rankOfName(a) - rankOfName(b)), problems, warnings }
}

/** The value of a variable that is not a setting. Of several lines, the last counts. */
export function variableIn(text: string, name: string): string | undefined {
  const lines = text.split(/\r\n|\n|\r/).map(parseLine)
  return lines.flatMap((line) => (typeof line === 'object' && line.name === name ? line.value : [])).at(-1)
}

/** What is wrong is told without the line itself, which may hold a key. Undefined: it says nothing. */
function parseLine(line: string): { name: string; value: string } | string | undefined {
  const content = line.trim()
  if (content === '' || content.startsWith('#')) return undefined
  const [, name, raw = ''] = /^(?:export\s+)?([A-Za-z_]\w*)\s*=(.*)$/s.exec(content) ?? []
  if (name === undefined) return `this is not a setting; ${FORM}`
  const value = parseValue(raw)
  return typeof value === 'object' ? { name, ...value } : `the value of ${name} ${value}`
}

const FORM = 'write NAME=VALUE, or start the line with # to comment it out.'

/** The value, or what is wrong with it. */
function parseValue(raw: string): { readonly value: string } | string {
  const text = raw.trim()
  const quote = text[0]
  if (quote !== '"' && quote !== "'") return { value: raw.replace(/\s#.*$/s, '').trim() }
  const [, inner, rest = ''] = (quote === '"' ? DOUBLE : SINGLE).exec(text) ?? []
  if (inner === undefined) return `has no closing ${quote}; add it, or remove the opening one.`
  if (!/^\s*(?:#.*)?$/s.test(rest)) return `continues after its closing ${quote}; start a comment with #.`
  if (quote === "'") return { value: inner }
  return { value: inner.replaceAll(/\\([nrt"\\$])/g, (_, letter: string) => ESCAPES[letter] ?? letter) }
}

const DOUBLE = /^"((?:[^"\\]|\\.)*)"(.*)$/s
const SINGLE = /^'([^']*)'(.*)$/s
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

const keyByName = new Map<string, Key>(
  keys.flatMap((key) => environmentNames(key).map((name) => [name, key] as const)),
)

/** If two names give one setting, Mainstem's own name wins, wherever it stands; of the same name, the last line. */
function rankOfName({ key, source }: Found): number {
  return source.kind === 'env-file' ? -environmentNames(key).indexOf(source.name) : 0
}

export function unknownName(name: string, where: string): string {
  const near = nearestKey(name)
  const meant = near === undefined ? '' : ` Did you mean ${environmentName(near)}?`
  return `There is no setting ${name} (in ${where}).${meant} 'mainstem config list' lists all.`
}
