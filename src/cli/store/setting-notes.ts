import { statSync } from 'node:fs'
import type { Config, Key } from '../../config/settings.ts'
import { searchNeeds } from '../../config/search-needs.ts'
import { withoutTilde } from '../../runtime/home/skill-places.ts'

/** What a person who sets this should still know; a setting that is right may not be enough. */
export function settingNotes(key: Key, values: Config): string[] {
  switch (key) {
    case 'skills.directory':
      return folderNotes(values.skills.directory === null ? [] : [values.skills.directory])
    case 'skills.extraDirs':
      return folderNotes(values.skills.extraDirs)
    case 'skills.roots':
      return folderNotes(values.skills.roots)
    case 'web.searchProvider':
    case 'web.searchKey':
    case 'web.searchUrl':
      return searchNotes(values)
    default:
      return []
  }
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
