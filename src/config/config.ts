import { readFileSync, statSync } from 'node:fs'
import { readEnvFile } from './file/env-file.ts'
import { readEnvironment, readFlags } from './environment.ts'
import { readJsonFile } from './file/json-file.ts'
import { parameterOf } from './key.ts'
import { type Config, type FlatConfig, type Key, keys } from './settings.ts'
import { relations } from './relations.ts'
import {
  configFile,
  envFile,
  NOTHING,
  type Place,
  type Problem,
  type Reading,
  type Source,
  sourceText,
} from './source.ts'
import { wrongValue } from './wording.ts'

/** The configuration is wrong or cannot be read. The message lists everything that has to be mended. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    const texts = problems.map(({ text, origins }) =>
      origins === undefined ? text : `${text} (${origins}.)`,
    )
    const listed = texts.map((text) => `\n  ${text}`).join('')
    super(texts.length === 1 ? texts[0] : `the configuration has ${texts.length} problems:${listed}`, options)
    this.problems = problems
  }
}

/** A value and where it comes from. */
export interface Setting {
  readonly value: unknown
  readonly source: Source
}

/** A configuration in which every value is right. */
export interface ReadConfig {
  readonly values: Config
  readonly warnings: readonly string[]
  readonly settingOf: (key: Key) => Setting
  readonly sourceOf: (key: Key) => Source
}

/** Reads every source. Throws a ConfigError that lists every wrong value, also where a later source hides it. */
export function readConfig(place: Place): ReadConfig {
  const { settings, problems, warnings } = judge(place, readText(configFile(place.home)))
  if (problems.length > 0) throw new ConfigError(problems)
  const settingOf = (key: Key): Setting => settings[key]
  return { values: nested(settings), warnings, settingOf, sourceOf: (key) => settingOf(key).source }
}

/** What is right of every source; nothing is thrown, whatever else is wrong there. */
export function rightValues(place: Place): Config {
  return nested(judge(place, readText(configFile(place.home))).settings)
}

/** What all sources amount to; a parameter with a problem has the best value that is right. */
export interface Judged {
  readonly settings: Settings
  readonly problems: readonly Problem[]
  readonly warnings: readonly string[]
}

type Settings = Readonly<Record<Key, Setting>>

/** As if config.json held `text`; undefined: as if there were none. */
export function judge(place: Place, text: Text): Judged {
  const { home, environment, flags } = place
  const readings = [
    reading(text, configFile(home), readJsonFile),
    reading(readText(envFile(home)), envFile(home), readEnvFile),
    readEnvironment(environment),
    readFlags(flags ?? {}),
  ]
  const problems = readings.flatMap((one) => one.problems)
  const warnings = readings.flatMap((one) => one.warnings)
  const settings = Object.fromEntries(
    keys.map((key): [Key, Setting] => [
      key,
      { value: parameterOf(key).default, source: { kind: 'default' } },
    ]),
  ) as Record<Key, Setting>
  for (const found of readings.flatMap((one) => one.found)) {
    const { key, source, json } = found
    const parsed = parameterOf(key).type.schema.safeParse(json)
    if (parsed.success) settings[key] = { value: parsed.data, source }
    else problems.push({ keys: [key], text: wrongValue(found) })
  }
  return { settings, problems: [...problems, ...brokenRelations(settings, problems)], warnings }
}

/** The text of a file; undefined when there is none; a problem when it cannot be read. */
export type Text = string | Problem | undefined

const FILE_BYTES_MAX = 256 * 1024

export function readText(path: string): Text {
  const failed = (why: string): Problem => ({
    keys: [],
    text: `${path} cannot be read: ${why}. Mend that, or move the file away.`,
  })
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return undefined
    if (!stats.isFile()) return failed('it is no file')
    if (stats.size > FILE_BYTES_MAX)
      return failed(`it has ${stats.size} bytes, and at most ${FILE_BYTES_MAX} are expected`)
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
  } catch (error) {
    return failed(error instanceof TypeError ? 'it is no UTF-8 text' : (error as Error).message)
  }
}

function reading(text: Text, path: string, read: (path: string, text: string) => Reading): Reading {
  if (text === undefined) return NOTHING
  return typeof text === 'string' ? read(path, text) : { ...NOTHING, problems: [text] }
}

/** Relations are looked at only where each value is right by itself. */
function brokenRelations(settings: Settings, problems: readonly Problem[]): Problem[] {
  const values = flat(settings)
  const wrongKeys = new Set(problems.flatMap((problem) => problem.keys))
  return relations.flatMap((relation) => {
    if (relation.keys.some((key) => wrongKeys.has(key))) return []
    const what = relation.wrong(values)
    if (what === undefined) return []
    const origins = relation.keys.map((key) => `${key}: ${sourceText(settings[key].source)}`).join('; ')
    return { keys: relation.keys, text: what, origins }
  })
}

function flat(settings: Settings): FlatConfig {
  // Each value came through the schema of its own key.
  return Object.fromEntries(keys.map((key) => [key, settings[key].value])) as FlatConfig
}

function nested(settings: Settings): Config {
  const config: Record<string, unknown> = {}
  for (const key of keys) {
    const { value } = settings[key]
    const [head = key, tail] = key.split('.')
    config[head] =
      tail === undefined ? value : { ...(config[head] as Record<string, unknown> | undefined), [tail]: value }
  }
  return config as Config
}
