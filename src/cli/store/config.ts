import { text } from 'node:stream/consumers'
import type { Json } from '../../base/json.ts'
import { meantText } from '../../base/nearest.ts'
import { unreachable } from '../../base/assert.ts'
import { readConfig, rightValues, type Setting } from '../../config/config.ts'
import { findKey, nearestKey, specOf } from '../../config/table/key.ts'
import { configJson, configLines, jsonValue } from '../../config/listing.ts'
import type { Key, Config } from '../../config/table/settings.ts'
import { presets } from '../../config/table/presets.ts'
import { configFile, type Place, sourceText } from '../../config/table/source.ts'
import { shownValue } from '../../config/table/wording.ts'
import { type Change, setAllInFile, setInFile, unsetInFile } from '../../config/write.ts'
import { CommandError, UsageError, type Command, type CommandCall } from '../frame/command.ts'
import { flagsOf } from '../frame/command-line.ts'
import { statSync } from 'node:fs'
import { searchNeeds } from '../../config/search-needs.ts'
import { withoutTilde } from '../../runtime/home/skill-places.ts'

export const configCommand: Command = {
  name: 'config',
  summary: 'show and change the settings',
  usage: '[list [--long] [--json] | get KEY | set KEY VALUE | unset KEY | preset [NAME] | path]',
  details: `  list             every setting, its value and where the value comes from; 'mainstem config'
                   does the same
  get KEY          the value of one setting, for scripts
  set KEY VALUE    changes config.json and keeps its comments; '-' reads VALUE from the standard
                   input, so that a key does not end up in the shell's history
  unset KEY        removes it from config.json
  preset NAME      writes the settings of a preset to config.json; without NAME, lists the presets
  path             where config.json is

  --long           adds what each setting does, its allowed values, and its name in the environment
  --json           all of that as JSON
  --set KEY=VALUE  as if this were set; can be repeated

A value comes from the default, HOME/config.json, HOME/.env, the environment or --set; the last
one of these that has it wins. KEY may be written maxToolCalls, MAX_TOOL_CALLS or
MAINSTEM_MAX_TOOL_CALLS. Secrets are never shown.`,
  verbs: {
    list: { takes: '', run: list },
    get: { takes: 'KEY', run: (call, [word = '']) => get(call, keyNamed(word)) },
    set: {
      takes: 'KEY VALUE…',
      run: (call, [word = '', ...value]) => set(call, keyNamed(word), value.join(' ')),
    },
    unset: { takes: 'KEY', run: (call, [word = '']) => unset(call, keyNamed(word)) },
    preset: {
      takes: '[NAME]',
      run: (call, [name]) => (name === undefined ? listPresets(call) : preset(call, name)),
    },
    path: { takes: '', run: (call) => call.say(configFile(call.home)) },
  },
}

function keyNamed(word: string): Key {
  const key = findKey(word)
  if (key !== undefined) return key
  throw new UsageError(
    `There is no setting '${word}'${meantText(nearestKey(word))} 'mainstem config list' lists all`,
  )
}

function placeOf({ home, environment, texts }: CommandCall): Place {
  return { home, environment, flags: flagsOf({ set: texts('set') }) }
}

function list(call: CommandCall): Promise<number> {
  const config = readConfig(placeOf(call))
  warn(call, config.warnings)
  const { style, columns = 80 } = call.out
  const detail = call.isSet('long') ? 'long' : 'short'
  return call.print(configJson(config), () => [
    ...configLines(config, { style, columns: Math.max(80, columns), detail }),
    ...(detail === 'long' ? [] : [`\n'mainstem config list --long' explains each one.`]),
  ])
}

function get(call: CommandCall, key: Key): Promise<number> {
  const { settingOf, warnings } = readConfig(placeOf(call))
  warn(call, warnings)
  const { value } = settingOf(key)
  return call.print(jsonValue(key, value), () => shownValue(key, value))
}

async function set(call: CommandCall, key: Key, word: string): Promise<number> {
  const given = word === '-' ? await text(call.input) : word
  const json: Json = specOf(key).type.fromText(given)
  return tell(call, key, setInFile(placeOf(call), key, json))
}

function unset(call: CommandCall, key: Key): number {
  return tell(call, key, unsetInFile(placeOf(call), key))
}

function listPresets(call: CommandCall): Promise<number> {
  const width = Math.max(...Object.keys(presets).map((name) => name.length))
  return call.print(presets, () =>
    Object.entries(presets).flatMap(([name, { for: what, values }]) => [
      `${name.padEnd(width)}  ${what}`,
      `${' '.repeat(width)}  ${Object.entries(values)
        .map(([key, value]) => `${key} ${value}`)
        .join(', ')}`,
    ]),
  )
}

function preset(call: CommandCall, name: string): number {
  if (!Object.hasOwn(presets, name))
    throw new UsageError(`There is no preset '${name}'. The presets are ${Object.keys(presets).join(', ')}`)
  const { values } = presets[name as keyof typeof presets]
  const outcome = setAllInFile(placeOf(call), values)
  if (outcome.kind === 'wrong') throw new UsageError(outcome.because)
  if (outcome.kind === 'pinned') throw pinned(call, outcome.key, outcome.setting)
  const { before, after } = outcome
  for (const key of Object.keys(values) as Key[])
    call.say(`${key} is ${shownValue(key, after[key].value)} (was ${shownValue(key, before[key].value)}).`)
  call.say(`Saved in ${configFile(call.home)}. ${EFFECT.live}`)
  return 0
}

function pinned({ home }: CommandCall, key: Key, { value, source }: Setting): CommandError {
  const where = `${sourceText(source)}, which takes precedence over ${configFile(home)}`
  return new CommandError(`${key} is ${shownValue(key, value)} from ${where}. Change or remove it there`)
}

function tell(call: CommandCall, key: Key, change: Change): number {
  const file = configFile(call.home)
  switch (change.kind) {
    case 'changed': {
      const { before, after } = change
      const from = before.source.kind === 'default' ? '' : 'from '
      const was = `${shownValue(key, before.value)}, ${from}${sourceText(before.source)}`
      call.say(`${key} is now ${shownValue(key, after.value)} (was ${was}). Saved in ${file}.`)
      call.say(EFFECT[specOf(key).change])
      return note(call, key)
    }
    case 'unchanged':
      call.say(
        `${key} is ${shownValue(key, change.setting.value)} already (${sourceText(change.setting.source)}); nothing changed.`,
      )
      return note(call, key)
    case 'pinned':
      throw pinned(call, key, change.setting)
    case 'wrong':
      throw new UsageError(change.because)
    default:
      return unreachable(change)
  }
}

function note(call: CommandCall, key: Key): number {
  for (const text of settingNotes(key, rightValues(placeOf(call)))) call.say(text)
  return 0
}

const EFFECT = {
  live: 'Takes effect with the next turn, also in a running mainstem.',
  reload: 'Takes effect after a restart or /reload.',
  restart: 'Takes effect after a restart.',
} as const

function warn({ err }: CommandCall, warnings: readonly string[]): void {
  for (const warning of warnings) void err.line(`Warning: ${warning}`)
}

/** Notes after a change: a valid setting may not be enough on its own. */
function settingNotes(key: Key, values: Config): string[] {
  const { directory, extraDirs, roots } = values.skills
  if (key === 'skills.directory') return folderNotes(directory === null ? [] : [directory])
  if (key === 'skills.extraDirs') return folderNotes(extraDirs)
  if (key === 'skills.roots') return folderNotes(roots)
  return key.startsWith('web.search') ? searchNotes(values) : []
}

function folderNotes(folders: readonly string[]): string[] {
  return folders.flatMap((folder) => {
    const stats = statSync(withoutTilde(folder), { throwIfNoEntry: false })
    if (stats === undefined) return [`${folder} (that folder is not there yet)`]
    return stats.isDirectory() ? [] : [`${folder} (that is a file and no folder)`]
  })
}

function searchNotes(values: Config): string[] {
  const needed = searchNeeds(values)
  if (needed === undefined) return []
  const how =
    needed === 'web.searchKey'
      ? "'mainstem config set web.searchKey -' reads it from the standard input"
      : "'mainstem config set web.searchUrl ADDRESS' sets it"
  return [`Still needed for web_search: ${needed}. ${how}.`]
}
