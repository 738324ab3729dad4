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
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { assert } from '../../base/assert.ts'
import type { Json } from '../../base/json.ts'
import { ConfigError, judge, type Judged, readText, type Setting } from '../config.ts'
import { defaultConfigText, SCHEMA_NAME } from './default-text.ts'
import { hasValue, withoutValue, withValue } from './edit.ts'
import { parseJsonFile } from './json-file.ts'
import { parameterOf } from '../key.ts'
import type { Key } from '../settings.ts'
import { configSchema } from './schema.ts'
import { configFile, type Place, type Source } from '../source.ts'
import { refusedValue } from '../wording.ts'

/** What came of changing config.json. */
export type Change =
  | { readonly kind: 'changed'; readonly before: Setting; readonly after: Setting }
  /** The file says so already, or does not name it. */
  | { readonly kind: 'unchanged'; readonly setting: Setting }
  /** The file was not touched: what it says would not hold against this source. */
  | { readonly kind: 'pinned'; readonly setting: Setting }
  /** The file was not touched: the value, or what it makes of others, is wrong. */
  | { readonly kind: 'wrong'; readonly because: string }

/** Sets a parameter in config.json, to JSON as it stands there. Throws a ConfigError if the file cannot be read. */
export function setInFile(place: Place, key: Key, json: Json): Change {
  const { text, judged } = look(place)
  const before = judged.settings[key]
  if (isPinned(before.source)) return { kind: 'pinned', setting: before }
  const parsed = parameterOf(key).type.schema.safeParse(json)
  if (!parsed.success) {
    return { kind: 'wrong', because: refusedValue(key, json) }
  }
  const changed = withValue(text ?? defaultConfigText(), key.split('.'), json)
  const outcome = write({ place, key, text, changed, before })
  if (outcome.kind === 'changed') {
    assert(isDeepStrictEqual(outcome.after.value, parsed.data), `config.json says of ${key} what was set`)
  }
  return outcome
}

/** Sets one entry of a parameter that is a table, such as `mcp.servers`; the others keep their comments. */
export function setEntryInFile(place: Place, key: Key, entry: Entry): Change {
  const { text, judged } = look(place)
  const before = judged.settings[key]
  if (isPinned(before.source)) return { kind: 'pinned', setting: before }
  const alone: Json = { [entry.name]: entry.json }
  if (!parameterOf(key).type.schema.safeParse(alone).success)
    return { kind: 'wrong', because: refusedValue(key, alone) }
  const changed = withValue(text ?? defaultConfigText(), [...key.split('.'), entry.name], entry.json)
  return write({ place, key, text, changed, before })
}

export interface Entry {
  readonly name: string
  readonly json: Json
}

/** Whether config.json names such an entry, be it right or wrong. */
export function hasEntryInFile(place: Place, key: Key, name: string): boolean {
  const { text } = look(place)
  return text !== undefined && hasValue(text, [...key.split('.'), name])
}

/** Takes one entry of it out again. */
export function unsetEntryInFile(place: Place, key: Key, name: string): Change {
  return without(place, key, [...key.split('.'), name])
}

/** Takes a parameter out of config.json, so that its default holds. */
export function unsetInFile(place: Place, key: Key): Change {
  return without(place, key, key.split('.'))
}

function without(place: Place, key: Key, path: readonly string[]): Change {
  const { text, judged } = look(place)
  const before = judged.settings[key]
  const changed = text === undefined ? undefined : withoutValue(text, path)
  if (changed !== undefined && changed !== text) return write({ place, key, text, changed, before })
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

interface Looked {
  /** Undefined: there is no file yet. */
  readonly text: string | undefined
  readonly judged: Judged
}

function look(place: Place): Looked {
  const path = configFile(place.home)
  const text = readText(path)
  if (typeof text === 'object') throw new ConfigError([text])
  const tree = text === undefined ? undefined : parseJsonFile(path, text)
  if (tree !== undefined && 'keys' in tree) throw new ConfigError([tree])
  return { text, judged: judge(place, text) }
}

function isPinned({ kind }: Source): boolean {
  return kind !== 'default' && kind !== 'file'
}

interface Writing {
  readonly place: Place
  readonly key: Key
  readonly text: string | undefined
  readonly changed: string
  readonly before: Setting
}

/** Problems of other parameters do not stand in the way: one after the other can be mended. */
function write({ place, key, text, changed, before }: Writing): Change {
  const { settings, problems } = judge(place, changed)
  const after = settings[key]
  const own = problems.filter((problem) => problem.keys.includes(key))
  if (own.length > 0) return { kind: 'wrong', because: own.map((problem) => problem.text).join(' ') }
  if (changed === text) return { kind: 'unchanged', setting: after }
  replaceFile(configFile(place.home), changed)
  if (text === undefined) keepSchema(place.home)
  return { kind: 'changed', before, after }
}

/** All or nothing: whoever reads meanwhile, and whatever fails, the file holds the old text or the new one. */
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
    const advice = 'Make room, or make the folder yours to write'
    throw new ConfigError([{ keys: [], text: `${file} cannot be written: ${why}. ${advice}.` }], { cause })
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
