import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { insideOf } from './skill-files.ts'

const ENTRIES_MAX = 10_000

/**
 * Copies a folder whole or not at all: half of a skill would be loaded too. A link is replaced by its target; one that
 * leads out of the folder, or into a circle, is refused, because nobody would have looked at its content.
 */
export function copyFolder(from: string, to: string): { readonly problem: string } | undefined {
  let copy: string | undefined
  try {
    mkdirSync(dirname(to), { recursive: true })
    // Hidden, so that nobody takes it for a skill meanwhile.
    copy = mkdtempSync(join(dirname(to), '.adding-'))
    const root = realpathSync(from)
    const problem = copyInto(copy, { root, folder: root, above: [root], left: { entries: ENTRIES_MAX } })
    if (problem === undefined) renameSync(copy, to)
    return problem === undefined ? undefined : { problem }
  } catch (cause) {
    return { problem: (cause as Error).message }
  } finally {
    if (copy !== undefined) rmSync(copy, { recursive: true, force: true })
  }
}

interface Copying {
  /** The folder that is copied. */
  readonly root: string
  /** The current folder in it, links followed. */
  readonly folder: string
  /** That folder and those above it. */
  readonly above: readonly string[]
  readonly left: { entries: number }
}

function copyInto(target: string, copying: Copying): string | undefined {
  const { root, folder, above, left } = copying
  chmodSync(target, statSync(folder).mode & 0o777)
  for (const name of readdirSync(folder)) {
    if (--left.entries < 0) return `it holds more than ${ENTRIES_MAX} files`
    const path = relative(root, join(folder, name))
    const real = lstatSync(join(folder, name)).isSymbolicLink() ? insideOf(root, path) : join(folder, name)
    if (real === undefined) return `${path} is a link that leads out of it, or to nothing`
    const stats = lstatSync(real)
    if (stats.isDirectory()) {
      if (above.includes(real)) return `${path} is a link that leads into a circle`
      mkdirSync(join(target, name))
      const problem = copyInto(join(target, name), { root, folder: real, above: [...above, real], left })
      if (problem !== undefined) return problem
    } else if (stats.isFile()) copyFileSync(real, join(target, name))
    else return `${path} is neither a file nor a folder`
  }
  return undefined
}
