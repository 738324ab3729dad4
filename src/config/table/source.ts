import { join } from 'node:path'
import { unreachable } from '../../base/assert.ts'
import type { Json } from '../../base/json.ts'
import type { Key } from './settings.ts'

/** Where a value comes from; of several, the last in this order holds. */
export type Source =
  | { readonly kind: 'default' }
  /** HOME/config.json */
  | { readonly kind: 'file'; readonly path: string; readonly line: number; readonly column: number }
  /** The keyring of the system, as HOME/config.json says */
  | { readonly kind: 'keyring' }
  /** HOME/.env */
  | { readonly kind: 'env-file'; readonly path: string; readonly line: number; readonly name: string }
  | { readonly kind: 'environment'; readonly name: string }
  | { readonly kind: 'flag'; readonly name: '--set' | typeof MODEL_FLAG }

/** Among the flags, what `--model` gave stands under this word. */
export const MODEL_FLAG = '--model'

export type Environment = Readonly<Record<string, string | undefined>>

/** Where a configuration is read from. */
export interface Place {
  readonly home: string
  readonly environment: Environment
  /** What `--set KEY=VALUE` gave, by key; what `--model` gave, by that word. */
  readonly flags?: Readonly<Record<string, string>>
}

/** A value as it was found, not checked yet. */
export interface Found {
  readonly key: Key
  readonly source: Source
  readonly json: Json
  /** As it is written there. */
  readonly raw: string
}

/** Something wrong, in whole sentences; `keys` are the settings it is about. */
export interface Problem {
  readonly keys: readonly Key[]
  readonly text: string
  /** The command line said it. */
  readonly isFlag?: boolean
  /** Where several values come from that do not go together. */
  readonly origins?: string
}

/** The values of one source. */
export interface Reading {
  readonly found: readonly Found[]
  readonly problems: readonly Problem[]
  readonly warnings: readonly string[]
}

export const NOTHING: Reading = { found: [], problems: [], warnings: [] }

/** The process's own environment, for those who start a program. */
export function systemEnvironment(): Environment {
  return process.env
}

export const CONFIG_FILE = 'config.json'
export const ENV_FILE = '.env'

export function configFile(home: string): string {
  return join(home, CONFIG_FILE)
}

export function envFile(home: string): string {
  return join(home, ENV_FILE)
}

/** A source in one word, as the log keeps it; null: nobody set it. */
export function sourceWord(source: Source): string | null {
  switch (source.kind) {
    case 'default':
      return null
    case 'file':
      return CONFIG_FILE
    case 'env-file':
      return ENV_FILE
    case 'keyring':
      return 'keyring'
    case 'environment':
    case 'flag':
      return source.name
    default:
      return unreachable(source)
  }
}

/** Ends "… comes from", "… stands in". */
export function sourceText(source: Source): string {
  if (source.kind === 'default') return 'the default'
  if (source.kind === 'keyring') return 'the keyring'
  if (source.kind === 'environment') return `the environment (${source.name})`
  if (source.kind === 'flag') return source.name
  const column = source.kind === 'file' ? `, column ${source.column}` : ''
  return `${source.path}, line ${source.line}${column}`
}
