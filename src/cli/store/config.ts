import { text } from 'node:stream/consumers'
import { parsedJson, type Json } from '../../base/json.ts'
import { systemClock } from '../../base/clock.ts'
import { meantText } from '../../base/nearest.ts'
import { refusedHere } from '../../command/read/rights.ts'
import { readConfig, type Setting } from '../../config/config.ts'
import { findKey, nearestKey, specOf } from '../../config/table/key.ts'
import { configJson, configLines, jsonValue } from '../../config/listing.ts'
import type { Key } from '../../config/table/settings.ts'
import { presets } from '../../config/table/presets.ts'
import { configFile, type Place } from '../../config/table/source.ts'
import { shownValue } from '../../config/table/wording.ts'
import { type Change, setAllInFile, setEntryInFile, setInFile, unsetInFile } from '../../config/write.ts'
import { CommandError, UsageError, type Command, type CommandCall } from '../frame/command.ts'
import { flagsOf } from '../frame/command-line.ts'
import { costNotes } from '../../runtime/home/model-shelf.ts'
import { changeSaid, EFFECT, pinnedText } from '../../runtime/home/config-change.ts'

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
  --yes            lets a program, or a pipe, change what only a terminal may: links, addresses,
                   tokens of channels, folders, programs, bypassPermissions

A value comes from the default, HOME/config.json, HOME/.env, the environment or --set; the last
one of these that has it wins. KEY may be written maxToolCalls, MAX_TOOL_CALLS or
MAINSTEM_MAX_TOOL_CALLS. Secrets are never shown.`,
  verbs: {
    list: { takes: '', run: list },
    get: { takes: 'KEY', run: (call, [word = '']) => get(call, keyNamed(word)) },
    set: {
      takes: 'KEY VALUE…',
      run: (call, [word = '', ...value]) => set(call, word, value.join(' ')),
    },
    unset: { takes: 'KEY', run: (call, [word = '']) => unset(call, word) },
    preset: {
      takes: '[NAME]',
      run: (call, [name]) => (name === undefined ? listPresets(call) : preset(call, name)),
    },
    path: { takes: '', run: (call) => call.say(configFile(call.home)) },
  },
}

/** `guests.costDayMax`: one entry of the setting, whose others stay. */
function guestNamed(word: string): string | undefined {
  return /^guests\.(.+)$/.exec(word)?.[1]
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
  const notes = costNotes(config, systemClock)
  return call.print(configJson(config, notes), () => [
    ...configLines(config, { style, columns: Math.max(80, columns), detail, notes }),
    ...(detail === 'long' ? [] : [`\n'mainstem config list --long' explains each one.`]),
  ])
}

function get(call: CommandCall, key: Key): Promise<number> {
  const { settingOf, warnings } = readConfig(placeOf(call))
  warn(call, warnings)
  const { value } = settingOf(key)
  return call.print(jsonValue(key, value), () => shownValue(key, value))
}

async function set(call: CommandCall, named: string, word: string): Promise<number> {
  const given = word === '-' ? await text(call.input) : word
  const name = guestNamed(named)
  if (name !== undefined) {
    const json = (parsedJson(given) as Json | undefined) ?? given
    requireRight(call, 'guests', json)
    return tell(call, 'guests', setEntryInFile(placeOf(call), 'guests', { name, json }))
  }
  const key = keyNamed(named)
  const json: Json = specOf(key).type.fromText(given)
  requireRight(call, key, json)
  return tell(call, key, setInFile(placeOf(call), key, json))
}

function unset(call: CommandCall, named: string): number {
  const name = guestNamed(named)
  const key = name === undefined ? keyNamed(named) : 'guests'
  requireRight(call, key, undefined)
  return tell(call, key, unsetInFile(placeOf(call), key, name))
}

/** A program without `--yes` must not loosen what Mainstem may do (RIGHT1). */
export function requireRight({ origin }: CommandCall, key: Key, json: Json | undefined): void {
  const because = refusedHere(origin, { key, json })
  if (because !== undefined) throw new CommandError(because)
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
  for (const [key, json] of Object.entries(values)) requireRight(call, key as Key, json)
  const outcome = setAllInFile(placeOf(call), values)
  if (outcome.kind === 'wrong') throw new UsageError(outcome.because)
  if (outcome.kind === 'pinned') throw pinned(call, outcome.key, outcome.setting)
  const { before, after } = outcome
  for (const key of Object.keys(values) as Key[])
    call.say(`${key} is ${shownValue(key, after[key].value)} (was ${shownValue(key, before[key].value)}).`)
  call.say(`Saved in ${configFile(call.home)}. ${EFFECT.live}`)
  return 0
}

function pinned({ home }: CommandCall, key: Key, setting: Setting): CommandError {
  return new CommandError(pinnedText(home, key, setting))
}

function tell(call: CommandCall, key: Key, change: Change): number {
  const said = changeSaid(placeOf(call), key, change)
  if (said.kind !== 'told')
    throw said.kind === 'wrong' ? new UsageError(said.because) : new CommandError(said.because)
  for (const line of said.lines) call.say(line)
  return 0
}

function warn({ err }: CommandCall, warnings: readonly string[]): void {
  for (const warning of warnings) void err.line(`Warning: ${warning}`)
}
