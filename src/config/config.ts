import { statSync } from 'node:fs'
import { readText as readFile } from '../base/regular-file.ts'
import { readEnvFile, unknownName } from './file/env-file.ts'
import { readJsonFile } from './file/json-file.ts'
import {
  environmentNames,
  findKey,
  HOME_NAME,
  HOOK_PREFIX,
  nearestKey,
  PREFIX,
  seedName,
  specOf,
} from './table/key.ts'
import { type Config, type FlatConfig, type Key, keys } from './table/settings.ts'
import {
  configFile,
  type Environment,
  envFile,
  type Found,
  MODEL_FLAG,
  NOTHING,
  type Place,
  type Problem,
  type Reading,
  type Source,
  sourceText,
} from './table/source.ts'
import { IN_KEYRING, KEPT_KEYS, Keyring } from './keyring.ts'
import { wrongValue } from './table/wording.ts'

/** The configuration is wrong or cannot be read. The message lists everything that needs fixing. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly Problem[]
  /** Nothing is wrong but what the command line said. */
  readonly isOfFlags: boolean

  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    const texts = problems.map(({ text, origins }) =>
      origins === undefined ? text : `${text} (${origins}.)`,
    )
    const listed = texts.map((text) => `\n  ${text}`).join('')
    super(texts.length === 1 ? texts[0] : `The configuration has ${texts.length} problems:${listed}`, options)
    this.problems = problems
    this.isOfFlags = problems.every(({ isFlag = false }) => isFlag)
  }
}

/** A value and where it comes from. */
export interface Setting {
  readonly value: unknown
  readonly source: Source
}

/** A configuration in which every value is valid. */
export type ReadConfig = ReturnType<typeof readConfig>

/** Reads every source. Throws a ConfigError that lists every invalid value, also one that a later source overrides. */
export function readConfig(place: Place) {
  const { settings, problems, warnings } = judge(place, readText(configFile(place.home)))
  if (problems.length > 0) throw new ConfigError(problems)
  const settingOf = (key: Key): Setting => settings[key]
  return { values: nested(settings), warnings, settingOf, sourceOf: (key: Key) => settingOf(key).source }
}

/** The valid values of every source. Invalid ones are left out, and nothing is thrown. */
export function rightValues(place: Place): Config {
  return nested(judge(place, readText(configFile(place.home))).settings)
}

export type Settings = Readonly<Record<Key, Setting>>

/** Reads all sources, as if config.json held `text`, or were not there. A wrong setting has its best valid value. */
export function judge(place: Place, text: Text) {
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
    keys.map((key): [Key, Setting] => [key, { value: specOf(key).default, source: { kind: 'default' } }]),
  ) as Record<Key, Setting>
  for (const found of readings.flatMap((one) => one.found)) {
    const { key, source, json } = found
    if (isInKeyring(found)) {
      settings[key] = { value: specOf(key).default, source: { kind: 'keyring' } }
      continue
    }
    const parsed = specOf(key).type.schema.safeParse(json)
    if (parsed.success) settings[key] = { value: parsed.data, source }
    else problems.push({ keys: [key], text: wrongValue(found), isFlag: source.kind === 'flag' })
  }
  warnings.push(...fillFromKeyring(place, settings), ...openToOthers(home, readings))
  return { settings, problems: [...problems, ...brokenRelations(settings, problems)], warnings }
}

/** Keys in files that people wrote themselves; those that are written here are closed. */
function openToOthers(home: string, readings: readonly Reading[]): string[] {
  const held = readings
    .flatMap(({ found }) => found)
    .filter((one) => specOf(one.key).isSecret && !isInKeyring(one))
  const paths = new Set(held.flatMap(({ source }) => ('path' in source ? [source.path] : [])))
  if (process.platform === 'win32' || isClosed(home, 0o011)) return []
  return [...paths]
    .filter((path) => !isClosed(path, 0o044))
    .map((path) => `Other users can read the keys in ${path}. Close it to them: chmod 600 ${path}`)
}

function isClosed(path: string, bits: number): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & bits) === 0
}

export function isInKeyring({ key, source, json }: Found): boolean {
  return source.kind === 'file' && json === IN_KEYRING && KEPT_KEYS.includes(key)
}

/** Only what no later source overrides is asked for. Without its keys everything else goes on. */
function fillFromKeyring(place: Place, settings: Record<Key, Setting>): string[] {
  const wanted = KEPT_KEYS.filter((key) => settings[key].source.kind === 'keyring')
  const keyring = new Keyring(place)
  for (const [index, key] of wanted.entries()) {
    const found = keyring.read(key)
    // Nobody waits once more for each of the others.
    if ('problem' in found) {
      const missing = wanted.slice(index).join(', ')
      return [
        `The keyring ${found.problem}: ${missing}. Unlock it and start again, or set it with 'mainstem config set'.`,
      ]
    }
    settings[key] = { value: found.secret, source: { kind: 'keyring' } }
  }
  return []
}

/** Reads MAINSTEM_* and the names that other programs use too. */
function readEnvironment(environment: Environment): Reading {
  const found: Found[] = []
  const warnings: string[] = []
  for (const key of keys) {
    const name = environmentNames(key).find((one) => (environment[one] ?? '').trim() !== '')
    if (name === undefined) continue
    const { type } = specOf(key)
    const raw = environment[name] ?? ''
    const one: Found = { key, source: { kind: 'environment', name }, json: type.fromText(raw), raw }
    // A variable of another program must not keep this one from starting.
    if (!name.startsWith(PREFIX) && !type.schema.safeParse(one.json).success)
      warnings.push(`${wrongValue(one)} Ignored.`)
    else found.push(one)
  }
  const known = new Set([HOME_NAME, ...keys.flatMap(environmentNames)])
  for (const name of Object.keys(environment)) {
    const isSecret = name.startsWith(HOOK_PREFIX)
    if (name.startsWith(PREFIX) && !isSecret && !known.has(name))
      warnings.push(unknownName(name, 'the environment'))
    warnings.push(...seedName(name, 'the environment'))
  }
  return { found, problems: [], warnings }
}

/** Reads what `--set` gave, by any spelling of a key, and what `--model` gave. */
function readFlags(flags: Readonly<Record<string, string>>): Reading {
  const found: Found[] = []
  const problems: Problem[] = []
  for (const [word, raw] of Object.entries(flags)) {
    const key = findKey(word)
    if (key === undefined) {
      const near = nearestKey(word)
      const meant = near === undefined ? '' : ` Did you mean ${near}?`
      const text = `--set: there is no setting ${JSON.stringify(word)}.${meant} 'mainstem config list' lists all.`
      problems.push({ keys: [], text, isFlag: true })
      continue
    }
    const source = { kind: 'flag', name: word === MODEL_FLAG ? MODEL_FLAG : '--set' } as const
    found.push({ key, source, json: specOf(key).type.fromText(raw), raw })
  }
  return { found, problems, warnings: [] }
}

/** The text of a file; undefined when there is none; a problem when it cannot be read. */
export type Text = string | Problem | undefined

export function readText(path: string): Text {
  const read = readFile(path)
  if ('text' in read) return read.text.replace(/^\uFEFF/, '')
  if (read.code === 'ENOENT') return undefined
  return { keys: [], text: `Could not read ${path}: it ${read.problem}. Fix that, or move the file away.` }
}

function reading(text: Text, path: string, read: (path: string, text: string) => Reading): Reading {
  if (text === undefined) return NOTHING
  return typeof text === 'string' ? read(path, text) : { ...NOTHING, problems: [text] }
}

/** Relations are checked only between values that are valid by themselves. */
function brokenRelations(settings: Settings, problems: readonly Problem[]): Problem[] {
  // Each value came through the schema of its own key.
  const values = Object.fromEntries(keys.map((key) => [key, settings[key].value])) as FlatConfig
  const wrongKeys = new Set(problems.flatMap((problem) => problem.keys))
  return relations.flatMap((relation) => {
    if (relation.keys.some((key) => wrongKeys.has(key))) return []
    const what = relation.wrong(values)
    if (what === undefined) return []
    const origins = relation.keys.map((key) => `${key}: ${sourceText(settings[key].source)}`).join('; ')
    const isFlag = relation.keys.some((key) => settings[key].source.kind === 'flag')
    return { keys: relation.keys, text: what, origins, isFlag }
  })
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

/** What has to hold between several settings; else what is wrong and what to do, in whole sentences. */
const relations: readonly {
  readonly keys: readonly Key[]
  wrong(values: FlatConfig): string | undefined
}[] = [
  {
    keys: ['historyWindow', 'compactionThreshold', 'truncationLimit'],
    wrong: ({ historyWindow, compactionThreshold, truncationLimit }) =>
      historyWindow < compactionThreshold && compactionThreshold < truncationLimit
        ? undefined
        : `historyWindow (${historyWindow}) must be less than compactionThreshold (${compactionThreshold}), which must be less than truncationLimit (${truncationLimit}).`,
  },
  {
    keys: ['model', 'fallbackModels'],
    wrong: ({ model, fallbackModels }) =>
      model !== null && fallbackModels.includes(model)
        ? `fallbackModels contains ${model}, which is already the model. Remove it from fallbackModels.`
        : undefined,
  },
  {
    keys: ['cbBackoff', 'cbResetMs'],
    wrong: ({ cbBackoff, cbResetMs }) => {
      const longest = Math.max(...cbBackoff)
      // Otherwise each opening is forgotten before the next, and only the first wait ever holds.
      return longest >= cbResetMs
        ? `cbResetMs (${cbResetMs}) must be more than the longest wait in cbBackoff (${longest}). Raise one or lower the other.`
        : undefined
    },
  },
]
