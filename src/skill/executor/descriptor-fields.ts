import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'

/** Without these a tool would do more, or something else, than whoever wrote it meant. */
const NEEDED_FIELDS = {
  execution: ['binaryWrapper', 'condition'],
  arg: ['denyPattern', 'denyResolveCommand', 'denyAlwaysResolve', 'subcommandOverride'],
}

/** A field that this program does not know what to do with, and must not pass over. */
export function unsupportedField(raw: JsonObject): string | undefined {
  for (const { place, entry, kind } of entriesOf(raw)) {
    const fields: readonly string[] = kind === 'execution' || kind === 'arg' ? NEEDED_FIELDS[kind] : []
    const field = fields.find((name) => Object.hasOwn(entry, name) && entry[name] !== null)
    if (field !== undefined)
      return `tools.json: ${place}.${field} is not supported, and without it the tool would do something else`
  }
  return undefined
}

export type KnownFields = Readonly<Record<EntryKind, readonly string[]>>
type EntryKind = 'root' | 'tool' | 'execution' | 'arg' | 'resolve'

export function unknownFields(raw: JsonObject, knownFields: KnownFields): string[] {
  return entriesOf(raw).flatMap(({ place, entry, kind }) => {
    const known = knownFields[kind]
    const unknown = Object.keys(entry).filter((name) => !known.includes(name))
    return unknown.map(
      (name) => `tools.json: ${place === '' ? '' : `${place}.`}${name} is unknown and ignored`,
    )
  })
}

interface Entry {
  readonly place: string
  readonly kind: EntryKind
  readonly entry: JsonObject
}

/** Every object of the file that has a fixed set of fields. */
function entriesOf(raw: JsonObject): Entry[] {
  const executions = objectsIn(raw['execution'], 'execution')
  const args = executions.flatMap(({ place, entry }) => objectsIn(entry['args'], `${place}.args`))
  const resolves = args.flatMap(({ place, entry }) =>
    objectsIn([entry['resolveCommand'] ?? null], '').map((found) => ({
      place: `${place}.resolveCommand`,
      entry: found.entry,
    })),
  )
  return [
    { place: '', kind: 'root', entry: raw },
    ...objectsIn(raw['tools'], 'tools').map((found): Entry => ({ ...found, kind: 'tool' })),
    ...executions.map((found): Entry => ({ ...found, kind: 'execution' })),
    ...args.map((found): Entry => ({ ...found, kind: 'arg' })),
    ...resolves.map((found): Entry => ({ ...found, kind: 'resolve' })),
  ]
}

function objectsIn(value: Json | undefined, place: string): { place: string; entry: JsonObject }[] {
  const list = Array.isArray(value) ? (value as readonly Json[]) : []
  return list.flatMap((entry, index) => (isJsonObject(entry) ? [{ place: `${place}[${index}]`, entry }] : []))
}
