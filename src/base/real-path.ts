import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, sep } from 'node:path'

const LINKS_MAX = 40

/**
 * Where a whole path leads with all links followed, also for what is not there yet: through the folders above it, and
 * through links that lead nowhere yet, for whoever writes through one of those makes what it names. Throws as realpath
 * does for anything but what is missing.
 */
export function realPath(path: string, links = 0): string {
  try {
    // As the system spells it: where case does not count, other spellings of one path would differ.
    return realpathSync.native(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || links > LINKS_MAX || dirname(path) === path) throw error
  }
  const folder = realPath(dirname(path), links)
  const here = join(folder, basename(path))
  const target = linkAt(here)
  if (target === undefined) return here
  // Not joined: that would take `x/..` away before anybody looked where x leads.
  return realPath(isAbsolute(target) ? target : `${folder}${sep}${target}`, links + 1)
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'EINVAL') return undefined
    throw error
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
