import {
  closeSync,
  existsSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { assert } from '../base/assert.ts'
import { systemClock } from '../base/clock.ts'
import type { Json } from '../base/json.ts'
import { ConfigError, isInKeyring, judge, readText, type Setting, type Settings } from './config.ts'
import { hasValue, withoutValue, withValue } from './file/edit.ts'
import { parseJsonFile, readJsonFile } from './file/json-file.ts'
import { IN_KEYRING, KEPT_KEYS, Keyring } from './keyring.ts'
import { specOf } from './table/key.ts'
import { type Key, settings } from './table/settings.ts'
import { configSchema } from './file/schema.ts'
import { configFile, type Place, type Source } from './table/source.ts'
import { refusedValue } from './table/wording.ts'

/** The result of changing config.json. */
export type Change =
  | { readonly kind: 'changed'; readonly before: Setting; readonly after: Setting }
  /** The file has this value already, or does not have this setting. */
  | { readonly kind: 'unchanged'; readonly setting: Setting }
  /** The file was not touched: this source would override it. */
  | { readonly kind: 'pinned'; readonly setting: Setting }
  /** The file was not touched: the value is invalid, or does not go with others. */
  | { readonly kind: 'wrong'; readonly because: string }

/** Sets a value in config.json. Throws a ConfigError if the file cannot be read. */
export function setInFile(place: Place, key: Key, json: Json): Change {
  if (key === 'keyStore' && (json === 'file' || json === IN_KEYRING)) return moveKeys(place, json)
  const outcome = put(place, key, { path: key.split('.'), json, checked: json })
  if (outcome.kind === 'changed') {
    const value = specOf(key).type.schema.parse(json)
    assert(isDeepStrictEqual(outcome.after.value, value), `config.json says of ${key} what was set`)
  }
  return outcome
}

/** Sets one entry of a setting that is a table, such as `mcp.servers`; the others keep their comments. */
export function setEntryInFile(
  place: Place,
  key: Key,
  { name, json }: { readonly name: string; readonly json: Json },
): Change {
  return put(place, key, { path: [...key.split('.'), name], json, checked: { [name]: json } })
}

/** `checked` is the value of the whole setting, without entries that the file has already. */
function put(
  place: Place,
  key: Key,
  { path, json, checked }: { path: readonly string[]; json: Json; checked: Json },
): Change {
  const { text, judged } = look(place)
  const before = judged.settings[key]
  if (isPinned(before.source)) return { kind: 'pinned', setting: before }
  if (!specOf(key).type.schema.safeParse(checked).success || (KEPT_KEYS.includes(key) && json === IN_KEYRING))
    return { kind: 'wrong', because: refusedValue(key, checked) }
  const isKept = judged.settings.keyStore.value === IN_KEYRING && KEPT_KEYS.includes(key)
  const keyring = new Keyring(place)
  const problem = isKept && typeof json === 'string' ? keyring.write(key, json) : undefined
  if (problem !== undefined) return { kind: 'wrong', because: `The keyring ${problem}. ${key} is as it was.` }
  const changed = withValue(text ?? defaultConfigText(), path, isKept && json !== null ? IN_KEYRING : json)
  const change = write({ place, key, text, changed, before })
  if (change.kind === 'changed' && before.source.kind === 'keyring' && change.after.source.kind !== 'keyring')
    keyring.remove(key)
  if (!isKept || change.kind !== 'unchanged' || before.value === json) return change
  // Another process notices a new key by the time of the file.
  const now = systemClock() / 1_000
  utimesSync(configFile(place.home), now, now)
  return { kind: 'changed', before, after: change.setting }
}

/**
 * Sets `keyStore` and moves the keys of config.json there, all or none. Each is read back where it goes before it is
 * taken from where it was, so that none is in neither place, whenever this ends.
 */
function moveKeys(place: Place, to: 'file' | typeof IN_KEYRING): Change {
  const { text, judged } = look(place)
  const before = judged.settings.keyStore
  if (isPinned(before.source)) return { kind: 'pinned', setting: before }
  const keyring = new Keyring(place)
  const { found } = readJsonFile(configFile(place.home), text ?? '')
  const moved = found.filter((one) => KEPT_KEYS.includes(one.key) && isInKeyring(one) === (to === 'file'))
  let changed = withValue(text ?? defaultConfigText(), ['keyStore'], to)
  for (const { key, json } of moved) {
    if (typeof json !== 'string') continue
    const read = to === 'file' ? keyring.read(key) : { secret: json }
    const problem = 'problem' in read ? read.problem : to === 'file' ? undefined : keyring.write(key, json)
    if (problem !== undefined)
      return { kind: 'wrong', because: `The keyring ${problem}. No key was moved (${key} is where it was).` }
    changed = withValue(changed, key.split('.'), 'secret' in read && to === 'file' ? read.secret : IN_KEYRING)
  }
  const change = write({ place, key: 'keyStore', text, changed, before })
  if (to === 'file' && change.kind === 'changed') for (const { key } of moved) keyring.remove(key)
  return change
}

/** Sets several values, or none of them: how they relate to each other is checked at the end. */
export function setAllInFile(
  place: Place,
  values: Readonly<Partial<Record<Key, Json>>>,
):
  | { readonly kind: 'set'; readonly before: Settings; readonly after: Settings }
  | { readonly kind: 'pinned'; readonly key: Key; readonly setting: Setting }
  | { readonly kind: 'wrong'; readonly because: string } {
  const { text, judged } = look(place)
  const entries = Object.entries(values) as [Key, Json][]
  const keys = entries.map(([key]) => key)
  const pinned = keys.find((key) => isPinned(judged.settings[key].source))
  if (pinned !== undefined) return { kind: 'pinned', key: pinned, setting: judged.settings[pinned] }
  const start = text ?? defaultConfigText()
  const changed = entries.reduce((so, [key, json]) => withValue(so, key.split('.'), json), start)
  const stored = store({ place, keys, text, changed })
  if (typeof stored === 'string') return { kind: 'wrong', because: stored }
  return { kind: 'set', before: judged.settings, after: stored }
}

/** Whether config.json has such an entry, valid or not. */
export function hasEntryInFile(place: Place, key: Key, name: string): boolean {
  const { text } = look(place)
  return text !== undefined && hasValue(text, [...key.split('.'), name])
}

/** Removes a setting from config.json, so that its default applies, or one entry of it. */
export function unsetInFile(place: Place, key: Key, entry?: string): Change {
  const { text, judged } = look(place)
  const before = judged.settings[key]
  const path = [...key.split('.'), ...(entry === undefined ? [] : [entry])]
  const changed = text === undefined ? undefined : withoutValue(text, path)
  if (changed !== undefined && changed !== text) {
    const change = write({ place, key, text, changed, before })
    if (change.kind === 'changed' && before.source.kind === 'keyring') new Keyring(place).remove(key)
    return change
  }
  return isPinned(before.source)
    ? { kind: 'pinned', setting: before }
    : { kind: 'unchanged', setting: before }
}

/** At first start: the commented config.json if there is none, and beside it the schema of this program for editors. */
export function createConfigFile(home: string): void {
  if (!existsSync(configFile(home))) replaceFile(configFile(home), defaultConfigText())
  keepSchema(home)
}

function keepSchema(home: string): void {
  const file = join(home, SCHEMA_NAME)
  const schema = `${JSON.stringify(configSchema(), undefined, 2)}\n`
  if (readText(file) !== schema) replaceFile(file, schema)
}

/** The config.json of a new home: nothing is set, and the settings people change first are there to be uncommented. */
export function defaultConfigText(): string {
  const shown = examples.map(([key, json]) => `\n  // ${settings[key].help}\n  // "${key}": ${json},\n`)
  return `// The configuration of Mainstem. Comments and trailing commas are allowed.
// 'mainstem config list' shows every setting, its value and where the value comes from.
// 'mainstem config set KEY VALUE' changes a setting in this file and keeps the comments.
{
  "$schema": "./${SCHEMA_NAME}",
${shown.join('')}}
`
}

/** Beside config.json, where editors find it on every machine and without a network. */
const SCHEMA_NAME = 'config.schema.json'

const examples: readonly (readonly [Key, string])[] = [
  ['model', '"anthropic/claude-sonnet-5"'],
  ['fallbackModels', '["openai/gpt-6-luna", "ollama/qwen3"]'],
  ['thinking', '"adaptive"'],
  ['timezone', '"Europe/Berlin"'],
  ['costDayMax', '"$2.50"'],
]

/** No text: there is no file yet. */
function look(place: Place) {
  const path = configFile(place.home)
  const text = readText(path)
  if (typeof text === 'object') throw new ConfigError([text])
  const tree = text === undefined ? undefined : parseJsonFile(path, text)
  if (tree !== undefined && 'keys' in tree) throw new ConfigError([tree])
  return { text, judged: judge(place, text) }
}

function isPinned({ kind }: Source): boolean {
  return kind !== 'default' && kind !== 'file' && kind !== 'keyring'
}

interface Storing {
  readonly place: Place
  readonly text: string | undefined
  readonly changed: string
}

function write({ key, before, ...storing }: Storing & { key: Key; before: Setting }): Change {
  const stored = store({ ...storing, keys: [key] })
  if (typeof stored === 'string') return { kind: 'wrong', because: stored }
  const after = stored[key]
  return storing.changed === storing.text
    ? { kind: 'unchanged', setting: after }
    : { kind: 'changed', before, after }
}

/** The settings afterwards, or why nothing was written. Problems of other settings do not matter: they can be fixed later. */
function store({ place, keys, text, changed }: Storing & { keys: readonly Key[] }): Settings | string {
  const { settings, problems } = judge(place, changed)
  const own = problems.filter((problem) => problem.keys.some((key) => keys.includes(key)))
  if (own.length > 0) return own.map((problem) => problem.text).join(' ')
  if (changed !== text) replaceFile(configFile(place.home), changed)
  if (text === undefined) keepSchema(place.home)
  return settings
}

/** Atomic: a reader, or a failure at any moment, sees the old text or the new one. */
function replaceFile(file: string, text: string): void {
  const folder = dirname(file)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    // A link stays a link: people keep such files elsewhere and link to them.
    const target = existsSync(file) ? realpathSync(file) : file
    const unfinished = `${target}.${process.pid}.unfinished`
    try {
      rmSync(unfinished, { force: true })
      writeWhole(unfinished, text, statSync(existsSync(target) ? target : folder))
      renameSync(unfinished, target)
    } finally {
      rmSync(unfinished, { force: true })
    }
  } catch (cause) {
    const why = (cause as Error).message
    const advice = 'Free some space, or make the folder writable'
    throw new ConfigError([{ keys: [], text: `Could not write ${file}: ${why}. ${advice}.` }], { cause })
  }
}

function writeWhole(file: string, text: string, owner: { readonly uid: number; readonly gid: number }): void {
  const handle = openSync(file, 'wx', 0o600)
  try {
    // Otherwise root would leave a file behind that the person's own process cannot read.
    if (process.getuid?.() === 0) fchownSync(handle, owner.uid, owner.gid)
    writeFileSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
