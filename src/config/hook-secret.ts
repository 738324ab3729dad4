import { readText } from './config.ts'
import { variableIn } from './file/env-file.ts'
import { type Environment, envFile } from './table/source.ts'

/** Finds the secret that a variable holds; undefined: it is not set. */
export type HookSecrets = (name: string) => string | undefined

/** Secrets of webhooks as they are now: from the environment, or else from HOME/.env. */
export function hookSecretsIn(home: string, environment: Environment): HookSecrets {
  return (name) => {
    const own = environment[name]?.trim() ?? ''
    if (own !== '') return own
    const text = readText(envFile(home))
    const value = typeof text === 'string' ? variableIn(text, name)?.trim() : undefined
    return value === '' ? undefined : value
  }
}

/** A shorter secret could be guessed. */
export const SECRET_CHARS_MIN = 16
const CODED = /^whsec_[A-Za-z\d+/]{16,}={0,2}$/

/** After `whsec_` comes a key in base 64; another text there would make a key that is empty, or nearly so. */
export function isStrongSecret(secret: string): boolean {
  return secret.startsWith('whsec_') ? CODED.test(secret) : secret.length >= SECRET_CHARS_MIN
}
