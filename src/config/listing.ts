import { basename } from 'node:path'
import type { Json, JsonObject } from '../base/json.ts'
import type { Style } from '../base/style.ts'
import { filledLines, oneLine, padTo, shorten, widthOf } from '../base/width.ts'
import type { ReadConfig } from './config.ts'
import { environmentNames, specOf } from './table/key.ts'
import { type Group, groups, type Key, keys } from './table/settings.ts'
import type { Source } from './table/source.ts'
import { shownValue, TAKES_EFFECT } from './table/wording.ts'

export interface Layout {
  readonly style: Style
  readonly columns: number
  readonly detail: 'short' | 'long'
  readonly notes?: Notes
}

/** What there is to say of a setting here, after its help: what a value costs with the model in use. */
export type Notes = Readonly<Partial<Record<Key, string>>>

/** Every setting by its group: key, value, and where the value comes from. Defaults are dimmed. */
export function configLines(config: ReadConfig, layout: Layout): string[] {
  const rows = keys.map((key) => rowOf(config, key))
  const keyWidth = Math.max(...rows.map(({ key }) => key.length))
  const sourceWidth = Math.max(...rows.map(({ source }) => widthOf(source)))
  const room = layout.columns - INDENT.length - keyWidth - sourceWidth - 2 * GAP.length
  const valueWidth = Math.min(room, Math.max(...rows.map(({ value }) => widthOf(value))))
  const line = ({ key, value, source, isDefault }: Row): string => {
    const shown = padTo(shorten(value, valueWidth), valueWidth)
    const whole = `${INDENT}${key.padEnd(keyWidth)}${GAP}${shown}${GAP}${source}`
    return isDefault ? layout.style.dim(whole) : whole
  }
  const block = (group: Group): string[] => [
    layout.style.bold(group),
    ...rows
      .filter(({ key }) => specOf(key).group === group)
      .flatMap((row) =>
        layout.detail === 'long' ? [line(row), ...explained(row.key, layout)] : [line(row)],
      ),
  ]
  return groups.flatMap((group, index) => (index === 0 ? block(group) : ['', ...block(group)]))
}

/** The same for programs. */
export function configJson(config: ReadConfig, notes: Notes = {}): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(
    keys.map((key): [string, JsonObject] => {
      const { value, source } = config.settingOf(key)
      const { group, change, type, isSecret = false, default: standard } = specOf(key)
      const about = {
        group,
        help: helpOf(key, notes),
        allowed: type.allowed,
        change,
        environment: environmentNames(key),
      }
      const form = { isSecret, choices: choicesOf(key) }
      const texts = { text: shownValue(key, value), defaultText: shownValue(key, standard) }
      const named: JsonObject = { ...source }
      return [
        key,
        {
          value: jsonValue(key, value),
          default: jsonValue(key, standard),
          source: named,
          ...about,
          ...form,
          ...texts,
        },
      ]
    }),
  )
}

/** The words of a setting that takes only these. */
function choicesOf(key: Key): Json {
  const { type } = specOf(key)
  const isTaken = (value: unknown): boolean => type.schema.safeParse(value).success
  if (isTaken(true)) return [true, false].map((value) => type.toText(value))
  const words = type.allowed.split(' or ')
  return words.length > 1 && words.every(isTaken) ? words : null
}

/** A value as JSON, secrets hidden. */
export function jsonValue(key: Key, value: unknown): Json {
  const isHidden = specOf(key).isSecret === true && value !== null
  return isHidden ? shownValue(key, value) : (value as Json)
}

const INDENT = '  '
const GAP = '  '

type Row = ReturnType<typeof rowOf>

function rowOf(config: ReadConfig, key: Key) {
  const { value, source } = config.settingOf(key)
  const isDefault = source.kind === 'default'
  return { key, value: oneLine(shownValue(key, value)), source: shortSource(source), isDefault }
}

/** `config.json:3`, or the name of a variable or flag. */
function shortSource(source: Source): string {
  if ('line' in source) return `${basename(source.path)}:${source.line}`
  return 'name' in source ? source.name : source.kind
}

function helpOf(key: Key, notes: Notes): string {
  const note = notes[key]
  return note === undefined ? specOf(key).help : `${specOf(key).help} ${note}`
}

function explained(key: Key, { style, columns, notes = {} }: Layout): string[] {
  const { type, change, default: standard } = specOf(key)
  const told = [
    helpOf(key, notes),
    `Allowed: ${type.allowed}. Default: ${shownValue(key, standard)}.`,
    `Environment: ${environmentNames(key).join(', ')}.${TAKES_EFFECT[change]}`,
  ]
  return told
    .flatMap((text) => filledLines(text.split(' '), columns - 2 * INDENT.length))
    .map((line) => style.dim(`${INDENT}${INDENT}${line}`))
}
