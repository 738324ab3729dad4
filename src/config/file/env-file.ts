import {
  environmentName,
  environmentNames,
  findKey,
  HOME_NAME,
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
    if (parsed.kind === 'wrong') problems.push({ keys: [], text: `${place}: ${parsed.because}` })
    if (parsed.kind !== 'entry') continue
    const { name, value } = parsed
    const key = keyByName.get(name)
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
    else if (findKey(name) !== undefined) warnings.push(bareName(name, place))
    else warnings.push(...seedName(name, place))
  }
  return { found: found.toSorted(byRankOfName), problems, warnings }
}

type Line =
  | { readonly kind: 'blank' }
  | { readonly kind: 'entry'; readonly name: string; readonly value: string }
  /** Never told with the line itself: it may hold a key. */
  | { readonly kind: 'wrong'; readonly because: string }

function parseLine(line: string): Line {
  const content = line.trim()
  if (content === '' || content.startsWith('#')) return { kind: 'blank' }
  const [, name, raw = ''] = /^(?:export\s+)?([A-Za-z_]\w*)\s*=(.*)$/s.exec(content) ?? []
  if (name === undefined) return { kind: 'wrong', because: `this is not a setting; ${FORM}` }
  const value = parseValue(raw)
  if (typeof value === 'object') return { kind: 'entry', name, ...value }
  return { kind: 'wrong', because: `the value of ${name} ${value}` }
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
  return { value: quote === '"' ? inner.replaceAll(/\\([nrt"\\$])/g, unescaped) : inner }
}

const DOUBLE = /^"((?:[^"\\]|\\.)*)"(.*)$/s
const SINGLE = /^'([^']*)'(.*)$/s
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

function unescaped(_: string, letter: string): string {
  return ESCAPES[letter] ?? letter
}

const keyByName = new Map<string, Key>(
  keys.flatMap((key) => environmentNames(key).map((name) => [name, key] as const)),
)

/** If two names give one setting, Mainstem's own name wins, wherever it stands; of the same name, the last line. */
function byRankOfName(a: Found, b: Found): number {
  return rankOfName(a) - rankOfName(b)
}

function rankOfName({ key, source }: Found): number {
  return source.kind === 'env-file' ? -environmentNames(key).indexOf(source.name) : 0
}

export function unknownName(name: string, where: string): string {
  const near = nearestKey(name)
  const meant = near === undefined ? '' : ` Did you mean ${environmentName(near)}?`
  return `There is no setting ${name} (in ${where}).${meant} 'mainstem config list' lists all.`
}

function bareName(name: string, place: string): string {
  const key = findKey(name)
  return `${name} in ${place} has no effect. Did you mean ${key === undefined ? name : environmentName(key)}?`
}
