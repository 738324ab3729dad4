import { unknownName } from './file/env-file.ts'
import { environmentNames, findKey, HOME_NAME, nearestKey, specOf, PREFIX } from './table/key.ts'
import { type Key, keys } from './table/settings.ts'
import { type Environment, type Found, MODEL_FLAG, type Problem, type Reading } from './table/source.ts'
import { wrongValue } from './table/wording.ts'

/** Reads MAINSTEM_* and the names that other programs use too. */
export function readEnvironment(environment: Environment): Reading {
  const found: Found[] = []
  const warnings: string[] = []
  for (const key of keys) {
    const one = foundIn(environment, key)
    if (one === undefined) continue
    // A variable of another program must not keep this one from starting.
    if (isForeign(one) && !specOf(key).type.schema.safeParse(one.json).success)
      warnings.push(`${wrongValue(one)} Ignored.`)
    else found.push(one)
  }
  const known = new Set([HOME_NAME, ...keys.flatMap(environmentNames)])
  for (const name of Object.keys(environment)) {
    if (name.startsWith(PREFIX) && !known.has(name)) warnings.push(unknownName(name, 'the environment'))
  }
  return { found, problems: [], warnings }
}

/** Reads what `--set` gave, by any spelling of a key, and what `--model` gave. */
export function readFlags(flags: Readonly<Record<string, string>>): Reading {
  const found: Found[] = []
  const problems: Problem[] = []
  for (const [word, raw] of Object.entries(flags)) {
    const key = findKey(word)
    if (key === undefined) {
      const near = nearestKey(word)
      const meant = near === undefined ? '' : ` Did you mean ${near}?`
      const text = `--set: there is no setting ${JSON.stringify(word)}.${meant} 'mainstem config list' lists all.`
      problems.push({ keys: [], text })
      continue
    }
    const source = { kind: 'flag', name: word === MODEL_FLAG ? MODEL_FLAG : '--set' } as const
    found.push({ key, source, json: specOf(key).type.fromText(raw), raw })
  }
  return { found, problems, warnings: [] }
}

function foundIn(environment: Environment, key: Key): Found | undefined {
  for (const name of environmentNames(key)) {
    const raw = environment[name] ?? ''
    if (raw.trim() === '') continue
    return {
      key,
      source: { kind: 'environment', name },
      json: specOf(key).type.fromText(raw),
      raw,
    }
  }
  return undefined
}

function isForeign({ source }: Found): boolean {
  return source.kind === 'environment' && !source.name.startsWith(PREFIX)
}
