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
