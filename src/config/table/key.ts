import { assert } from '../../base/assert.ts'
import { nearest } from '../../base/nearest.ts'
import { type Key, keys, settings, type SettingSpec } from './settings.ts'

export function specOf(key: Key): SettingSpec {
  return settings[key]
}

/** `skills.contextMode` is MAINSTEM_SKILLS_CONTEXT_MODE. */
export function environmentName(key: Key): string {
  return `${PREFIX}${key
    .replaceAll('.', '_')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toUpperCase()}`
}

/** All names by which the environment may give this setting; an earlier one wins. */
export function environmentNames(key: Key): readonly string[] {
  return [environmentName(key), ...(specOf(key).usualNames ?? [])]
}

export function isKey(word: string): word is Key {
  return Object.hasOwn(settings, word)
}

/** The setting a person means: `maxToolCalls`, `MAX_TOOL_CALLS` and `MAINSTEM_MAX_TOOL_CALLS` are one. */
export function findKey(word: string): Key | undefined {
  return keyByName.get(bare(word))
}

/** The key that was probably meant by a word that is none. */
export function nearestKey(word: string): Key | undefined {
  const known = findKey(word)
  if (known !== undefined || word.length > WORD_MAX) return known
  return keyByName.get(nearest(bare(word), [...keyByName.keys()]) ?? '')
}

export const PREFIX = 'MAINSTEM_'

/** Variables that begin with this are secrets of webhooks, not settings. */
export const HOOK_PREFIX = 'MAINSTEM_HOOK_'

/** Fetch called its settings FETCH_HISTORY_WINDOW and so on; says what to write instead, where we have that setting. */
export function seedName(name: string, where: string): string[] {
  const own = name.replace(/^FETCH_/, PREFIX)
  return own !== name && ownNames.includes(own)
    ? [`${name} in ${where} has no effect. Use ${own} instead.`]
    : []
}

/** No setting: it says where the configuration is. */
export const HOME_NAME = 'MAINSTEM_HOME'

/** Longer words are nobody's slip, and comparing them with all known ones takes long. */
const WORD_MAX = 64

function bare(word: string): string {
  return word
    .replace(/^MAINSTEM_/, '')
    .replaceAll(/[._-]/g, '')
    .toLowerCase()
}

const keyByName = new Map(
  keys.flatMap((key) => [key, ...environmentNames(key)].map((name) => [bare(name), key] as const)),
)

const ownNames = keys.map(environmentName)
assert(new Set(ownNames).size === keys.length, 'no two settings have the same name in the environment')
assert(
  keys.every((key) => findKey(key) === key),
  'no two settings have the same name without its case',
)
