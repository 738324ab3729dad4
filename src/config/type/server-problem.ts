import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import { nearest } from '../../base/nearest.ts'
import { firstOf } from '../../base/words.ts'
import { jsonProblem } from '../../base/json-syntax.ts'

const SERVERS_MAX = 50
export const SERVER_NAME = /^[a-z\d][a-z\d-]{0,31}$/
export const VARIABLE_NAME = /^[A-Za-z_]\w*$/
export const HEADER_NAME = /^[\w-]+$/
export const PLAIN = /^\P{Cc}*$/u

/** What is wrong with the JSON of servers, and where. Values are never shown, as they may be secrets. */
export function serversProblem(json: Json): string | undefined {
  if (typeof json === 'string') return textProblem(json)
  if (!isJsonObject(json)) return `it must be an object: ${SHAPE}`
  const found = Object.entries(json).flatMap(([name, entry]) => serverProblems(name, entry))
  const count = Object.keys(json).length
  if (count > SERVERS_MAX) found.push(`there are ${count} servers; the maximum is ${SERVERS_MAX}`)
  return found.length === 0 ? undefined : firstOf(found)
}

const SHAPE = '{"NAME": {"command": "PROGRAM", "args": ["…"]}} or {"NAME": {"url": "https://…"}}'

/** What could not be read as JSON arrives as the text that it is. */
function textProblem(text: string): string {
  const broken = jsonProblem(text)
  return broken === undefined || !/^\s*[{[]/.test(text)
    ? `it must be an object, not a text: ${SHAPE}`
    : `it is not JSON: ${broken}`
}

function serverProblems(name: string, entry: Json | undefined): string[] {
  if (!SERVER_NAME.test(name))
    return [
      `${quoted(name)} is not a valid server name (use at most 32 lowercase letters, digits and -, not starting with -)`,
    ]
  const server = `server ${name}`
  if (!isJsonObject(entry))
    return [`${server} must be an object: {"command": "PROGRAM"} or {"url": "https://…"}`]
  if ('command' in entry && 'url' in entry)
    return [`${server} has both a command and a url; keep one of them`]
  const found = Object.keys(entry).flatMap((key) => keyProblem(entry, key) ?? [])
  const isMeant = found.some((problem) => /did you mean '(?:command|url)'/.test(problem))
  if (!('command' in entry) && !('url' in entry) && !isMeant) found.push('it needs a command or a url')
  return found.map((problem) => `${server}: ${problem}`)
}

const KINDS = { command: ['command', 'args', 'env', 'cwd'], url: ['url', 'headers'] } as const
const KEYS: readonly string[] = [...KINDS.command, ...KINDS.url]

/** As other programs and people call them. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  cmd: 'command',
  program: 'command',
  arguments: 'args',
  argv: 'args',
  environment: 'env',
  directory: 'cwd',
  uri: 'url',
  address: 'url',
  endpoint: 'url',
  serverurl: 'url',
}

function keyProblem(entry: JsonObject, key: string): string | undefined {
  if (!KEYS.includes(key)) return unknownKey(key)
  const kind = 'url' in entry ? 'url' : 'command'
  if (kind in entry && !(KINDS[kind] as readonly string[]).includes(key))
    return `'${key}' goes with a ${kind === 'url' ? 'command' : 'url'}, but this server has a ${kind}`
  return valueProblem(key, entry[key] ?? null)
}

function unknownKey(key: string): string {
  const word = key.toLowerCase()
  const meant = OTHER_WORDS[word] ?? nearest(word, KEYS)
  if (meant !== undefined) return `${quoted(key)} is unknown (did you mean '${meant}'?)`
  return `${quoted(key)} is unknown; use ${KINDS.command.join(', ')}, or ${KINDS.url.join(', ')}`
}

function valueProblem(key: string, json: Json): string | undefined {
  switch (key) {
    case 'command':
    case 'cwd':
      if (typeof json !== 'string' || json === '') return `${key} must be a text in double quotes`
      return PLAIN.test(json) ? undefined : `${key} contains a line break or another control character`
    case 'args':
      if (Array.isArray(json) && json.every((one) => typeof one === 'string')) return undefined
      return 'args must be a list of texts: ["--port", "8080"]'
    case 'url':
      return urlProblem(json)
    default:
      return pairsProblem(key === 'env' ? 'env' : 'headers', json)
  }
}

function urlProblem(json: Json): string | undefined {
  if (typeof json !== 'string') return 'url must be a text in double quotes'
  if (!/^https?:\/\//i.test(json)) return 'url must start with http:// or https://'
  if (!URL.canParse(json)) return 'url is not a valid address'
  const { username, password } = new URL(json)
  // Requests are refused with such an address, and the refusal would show it.
  if (username !== '' || password !== '')
    return 'url contains a user name or password; put them into headers, as Authorization'
  return undefined
}

function pairsProblem(key: 'env' | 'headers', json: Json): string | undefined {
  if (!isJsonObject(json)) return `${key} must be an object: {"NAME": "VALUE"}`
  const [form, what] = key === 'env' ? [VARIABLE_NAME, 'variable'] : [HEADER_NAME, 'header']
  for (const [name, value] of Object.entries(json)) {
    if (!form.test(name)) return `${quoted(name)} in ${key} is not a valid name for a ${what}`
    if (typeof value !== 'string') return `${quoted(name)} in ${key} must be a text in double quotes`
    if (key === 'headers' && !PLAIN.test(value))
      return `${quoted(name)} in headers contains a line break or another control character`
  }
  return undefined
}

const NAME_SHOWN_MAX = 60

function quoted(name: string): string {
  const plain = name.replaceAll(/[\p{Cc}\p{Cs}\u{202A}-\u{202E}\u{2066}-\u{2069}]/gu, '�')
  return plain.length > NAME_SHOWN_MAX ? `'${plain.slice(0, NAME_SHOWN_MAX)}…'` : `'${plain}'`
}
