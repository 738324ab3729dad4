import { cpSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { insideOf, kindOf } from './skill-files.ts'

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
    let entries = 0
    const filter = (path: string): boolean => {
      if (entries++ > ENTRIES_MAX) throw new Error(`it holds more than ${ENTRIES_MAX} files`)
      const problem = path === root ? undefined : entryProblem(root, path)
      if (problem !== undefined) throw new Error(`${relative(root, path)} ${problem}`)
      return true
    }
    const whole = join(copy, 'skill')
    cpSync(root, whole, { recursive: true, dereference: true, filter })
    renameSync(whole, to)
    return undefined
  } catch (cause) {
    return { problem: (cause as Error).message }
  } finally {
    if (copy !== undefined) rmSync(copy, { recursive: true, force: true })
  }
}

function entryProblem(root: string, path: string): string | undefined {
  if (lstatSync(path).isSymbolicLink()) {
    const target = insideOf(root, relative(root, path))
    if (target === undefined) return 'is a link that leads out of it, or to nothing'
    const isAbove = `${realpathSync(dirname(path))}${sep}`.startsWith(`${target}${sep}`)
    if (isAbove) return 'is a link that leads into a circle'
  }
  return kindOf(path) === undefined ? 'is neither a file nor a folder' : undefined
}
