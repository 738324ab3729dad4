import { z } from 'zod'
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import { nearest } from '../../base/nearest.ts'
import { firstOf } from '../../base/words.ts'
import { jsonProblem } from '../../base/json-syntax.ts'

const SERVERS_MAX = 50
export const SERVER_NAME = /^[a-z\d][a-z\d-]{0,31}$/

const IS_TEXT = 'must be a text in double quotes'
const ARE_TEXTS = 'must be a list of texts: ["--port", "8080"]'
const plain = z.string(IS_TEXT).regex(/^\P{Cc}*$/u, 'contains a line break or another control character')
const named = plain.min(1, IS_TEXT)

/** Each field of a server. The messages follow its name. */
export const serverFields = {
  command: named,
  args: z.array(z.string(ARE_TEXTS), ARE_TEXTS),
  env: pairs(z.string().regex(/^[A-Za-z_]\w*$/), z.string(IS_TEXT), 'variable'),
  cwd: named,
  folders: z.array(
    named.regex(/^(?:\/|~(?:\/|$))/, 'must start with / or ~/'),
    'must be a list of folders: ["/srv/notes"]',
  ),
  network: z.boolean('must be true or false'),
  url: z
    .string(IS_TEXT)
    .refine((url) => /^https?:\/\//i.test(url), { error: 'must start with http:// or https://', abort: true })
    .refine((url) => URL.canParse(url), { error: 'is not a valid address', abort: true })
    // Requests are refused with such an address, and the refusal would show it.
    .refine((url) => new URL(url).username === '' && new URL(url).password === '', {
      error: 'contains a user name or password; put them into headers, as Authorization',
    }),
  headers: pairs(z.string().regex(/^[\w-]+$/), plain, 'header'),
}

function pairs(name: z.ZodString, value: z.ZodString, what: string) {
  const error = ({ code }: { readonly code: string }) =>
    code === 'invalid_key' ? `is not a valid name for a ${what}` : 'must be an object: {"NAME": "VALUE"}'
  return z.record(name, value, { error })
}

/** The fault in the JSON of servers, and where. Values are never shown, as they may be secrets. */
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

const KINDS = {
  command: ['command', 'args', 'env', 'cwd', 'folders', 'network'],
  url: ['url', 'headers'],
} as const

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
  if (!isField(key)) return unknownKey(key)
  const kind = 'url' in entry ? 'url' : 'command'
  if (kind in entry && !(KINDS[kind] as readonly string[]).includes(key))
    return `'${key}' goes with a ${kind === 'url' ? 'command' : 'url'}, but this server has a ${kind}`
  return valueProblem(key, entry[key] ?? null)
}

function isField(key: string): key is keyof typeof serverFields {
  return Object.hasOwn(serverFields, key)
}

function unknownKey(key: string): string {
  const word = key.toLowerCase()
  const meant = OTHER_WORDS[word] ?? nearest(word, Object.keys(serverFields))
  if (meant !== undefined) return `${quoted(key)} is unknown (did you mean '${meant}'?)`
  return `${quoted(key)} is unknown; use ${KINDS.command.join(', ')}, or ${KINDS.url.join(', ')}`
}

function valueProblem(key: keyof typeof serverFields, json: Json): string | undefined {
  const [issue] = serverFields[key].safeParse(json).error?.issues ?? []
  if (issue === undefined) return undefined
  const [name] = issue.path
  return `${typeof name === 'string' ? `${quoted(name)} in ${key}` : key} ${issue.message}`
}

const NAME_SHOWN_MAX = 60

function quoted(name: string): string {
  const plain = name.replaceAll(/[\p{Cc}\p{Cs}\u{202A}-\u{202E}\u{2066}-\u{2069}]/gu, '�')
  return plain.length > NAME_SHOWN_MAX ? `'${plain.slice(0, NAME_SHOWN_MAX)}…'` : `'${plain}'`
}
