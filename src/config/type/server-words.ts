import type { ServerEntry } from './tool-type.ts'

/** A server as people read it: what is run or where it is, with the names of its keys and without anything that could be one. */
export function serverWords(entry: ServerEntry): string {
  if ('url' in entry) return `${placeOf(entry.url)}${namesText('headers', entry.headers)}`
  const { command, args = [], env, cwd, folders = [], network = false } = entry
  const words = args.map((word, index) => shownWord(word, args[index - 1]))
  const where = cwd === undefined ? '' : ` in ${cwd}`
  const shown = folders.length === 0 ? '' : ` (folders: ${folders.join(', ')})`
  return `${[command, ...words].join(' ')}${where}${namesText('env', env)}${shown}${network ? ' (network)' : ''}`
}

/** An address without what often holds a key: its query, and parts of its path that look like one. */
export function placeOf(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  const path = pathname.split('/').map((part) => (looksSecret(part) ? '…' : part))
  return `${protocol}//${host}${path.join('/')}`
}

function namesText(what: string, pairs: Readonly<Record<string, string>> | undefined): string {
  const names = Object.keys(pairs ?? {})
  return names.length === 0 ? '' : ` (${what}: ${names.join(', ')})`
}

/** Options whose next word is a key or a password. */
const SECRET_OPTION = /^--?(?:p|u|.*(?:key|token|secret|pass|auth|credential|bearer|header|env).*)$/i
/** `-y`, `--stdio`, `server-files`, `@scope/server@2`, `/srv/notes`: what nobody takes for a key. */
const PLAIN_WORD =
  /^(?:--?[a-z-]*|[a-z._-]{1,32}|@?[\w.-]+\/[\w.-]+(?:@[\w.^~-]+)?|(?:~|\.{0,2})\/[^\s?=]*|\d{1,5})$/i

function shownWord(word: string, before: string | undefined): string {
  const isValue = before !== undefined && SECRET_OPTION.test(before) && !before.includes('=')
  if (isValue || looksSecret(word)) return '…'
  const [, option] = /^(-{1,2}[a-z-]+=)/i.exec(word) ?? []
  if (option !== undefined) return `${option}…`
  if (/^https?:\/\//i.test(word) && URL.canParse(word)) return placeOf(word)
  return PLAIN_WORD.test(word) && !word.split('/').some(looksSecret) ? word : '…'
}

const TOKEN_MIN = 16

/** Long, and letters and digits in a mixture. */
function looksSecret(word: string): boolean {
  return word.length >= TOKEN_MIN && /^[\w~+=-]+$/.test(word) && /\d/.test(word) && /[a-z]/i.test(word)
}
