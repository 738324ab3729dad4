import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/**
 * The file that a bare name means on this PATH. Entries that are no whole path are passed over: they would mean another
 * program in every folder.
 */
export function findBinary(name: string, path: string): string | undefined {
  if (name === '' || /[/\\\0]/.test(name)) return undefined
  const endings = process.platform === 'win32' ? ['', '.exe', '.com'] : ['']
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .flatMap((folder) => endings.map((ending) => join(folder, `${name}${ending}`)))
    .find(isProgram)
}

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
