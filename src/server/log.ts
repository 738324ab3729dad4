import { readText } from '../base/regular-file.ts'
import { hookSecretsIn } from '../config/hook-secret.ts'
import { HOOK_PREFIX, specOf } from '../config/table/key.ts'
import { keys, type Config, type Key } from '../config/table/settings.ts'
import { envFile, type Place } from '../config/table/source.ts'
import type { ServerLog } from './contract/route.ts'

export interface ServerLogOptions {
  readonly level: Config['logLevel']
  /** Gets one line, with its end. */
  readonly write: (line: string) => void
  /** Texts that no line may hold; `hide` adds to them. */
  readonly secrets: readonly string[]
}

/** Loads pino, so only for those who want such lines. */
export async function openServerLog({ level, write, secrets }: ServerLogOptions): Promise<ServerLog> {
  const { pino, stdTimeFunctions } = await import('pino')
  const hidden = new Set(secrets)
  const hooks = { streamWrite: (line: string) => withoutSecrets(line, [...hidden]) }
  const formatters = { level: (name: string) => ({ level: name }) }
  const base = { pid: process.pid }
  const logger = pino({ level, hooks, formatters, base, timestamp: stdTimeFunctions.isoTime }, { write })
  return {
    debug: (text, fields) => logger.debug(fields, text),
    info: (text, fields) => logger.info(fields, text),
    warn: (text, fields) => logger.warn(fields, text),
    error: (text, fields) => logger.error(fields, text),
    hide: (secret) => void hidden.add(secret),
  }
}

const HIDDEN = '[hidden]'
const SECRET_MIN = 6

/** What secrets look like when nobody knows them by value: headers, cookies, codes of links, what follows a `?`. */
const LOOKS: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic) +[^\s"\\]+/gi, `$1 ${HIDDEN}`],
  [/\b((?:__Host-)?mainstem(?:-\d+)?=)[\w-]+/g, `$1${HIDDEN}`],
  [/#code=[^\s"\\]*/g, `#code=${HIDDEN}`],
  [
    /"((?:set-)?cookie|authorization|token|secret|x-hub-signature(?:-256)?)":"(?:[^"\\]|\\.)*"/gi,
    `"$1":"${HIDDEN}"`,
  ],
  // A token, the code of a link, the secret of a session.
  [/(?<![\w-])[\w-]{43}(?![\w-])/g, HIDDEN],
  [/(\/[^\s"\\?]*)\?[^\s"\\]+/g, `$1?${HIDDEN}`],
]

export function withoutSecrets(line: string, secrets: readonly string[]): string {
  // As JSON spells them, and the longest first: one may be part of another. A short one is part of many words.
  const spelled = secrets
    .filter(({ length }) => length >= SECRET_MIN)
    .map((secret) => JSON.stringify(secret).slice(1, -1))
    .toSorted((a, b) => b.length - a.length)
  const known = spelled.reduce((text, secret) => text.replaceAll(secret, HIDDEN), line)
  return LOOKS.reduce((text, [look, shown]) => text.replaceAll(look, shown), known)
}

/** Every secret that settings hold, and those of hooks, which are in the environment or in HOME/.env. */
export function knownSecrets(values: Config, { home, environment }: Place): string[] {
  const settings = keys.filter((key) => specOf(key).isSecret === true).map((key) => settingIn(values, key))
  const file = readText(envFile(home))
  const names = [...Object.keys(environment), ...(('text' in file && file.text.match(/\w+/g)) || [])]
  const hooks = names.filter((name) => name.startsWith(HOOK_PREFIX)).map(hookSecretsIn(home, environment))
  return [...settings, ...hooks].filter((one) => typeof one === 'string')
}

function settingIn(values: Config, key: Key): unknown {
  return key.split('.').reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], values)
}
