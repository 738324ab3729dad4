import { statSync } from 'node:fs'
import { rightValues, type Setting } from '../../config/config.ts'
import { searchNeeds } from '../../config/search-needs.ts'
import { specOf } from '../../config/table/key.ts'
import type { Config, Key } from '../../config/table/settings.ts'
import { configFile, sourceText, type Place } from '../../config/table/source.ts'
import { shownValue } from '../../config/table/wording.ts'
import type { Change } from '../../config/write.ts'
import { withoutTilde } from './skill-places.ts'

/** What a person is told about a change of config.json, in the terminal and on the page. */
export function changeSaid(
  place: Place,
  key: Key,
  change: Change,
):
  | { readonly kind: 'told'; readonly lines: readonly string[] }
  | { readonly kind: 'pinned' | 'wrong'; readonly because: string } {
  switch (change.kind) {
    case 'changed': {
      const { before, after } = change
      const from = before.source.kind === 'default' ? '' : 'from '
      const was = `${shownValue(key, before.value)}, ${from}${sourceText(before.source)}`
      const file = configFile(place.home)
      const told = `${key} is now ${shownValue(key, after.value)} (was ${was}). Saved in ${file}.`
      return { kind: 'told', lines: [told, EFFECT[specOf(key).change], ...notesOn(place, key)] }
    }
    case 'unchanged': {
      const { value, source } = change.setting
      const told = `${key} is ${shownValue(key, value)} already (${sourceText(source)}); nothing changed.`
      return { kind: 'told', lines: [told, ...notesOn(place, key)] }
    }
    case 'pinned':
      return { kind: 'pinned', because: pinnedText(place.home, key, change.setting) }
    case 'wrong':
      return change
  }
}

export function pinnedText(home: string, key: Key, { value, source }: Setting): string {
  const where = `${sourceText(source)}, which takes precedence over ${configFile(home)}`
  return `${key} is ${shownValue(key, value)} from ${where}. Change or remove it there`
}

export const EFFECT = {
  live: 'Takes effect with the next turn, also in a running mainstem.',
  reload: 'Takes effect after a restart or /reload.',
  restart: 'Takes effect after a restart.',
} as const

/** A valid setting may not be enough on its own. */
function notesOn(place: Place, key: Key): string[] {
  const values = rightValues(place)
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
