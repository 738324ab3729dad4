import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type SourceFile = { readonly path: string; readonly text: string }

/** Takes files, says what is wrong with them. Knows no disk, so that a test can plant what it should find. */
export type Check = (files: readonly SourceFile[]) => string[]

/** What git would commit: tracked files, and new ones that are not ignored. */
export function readTree(root: string): SourceFile[] {
  const listed = execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  return listed
    .split('\0')
    .filter((path) => path !== '' && existsSync(join(root, path)))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

export function isCode({ path }: SourceFile): boolean {
  return /^(?:src|web|test|bench|examples|scripts)\/.*\.tsx?$/.test(path)
}

export function isTest({ path }: SourceFile): boolean {
  return path.startsWith('test/') || /\.test\.tsx?$/.test(path)
}

export function isSource(file: SourceFile): boolean {
  return isCode(file) && file.path.startsWith('src/')
}

/** The product itself: src without its tests. */
export function isProduct(file: SourceFile): boolean {
  return isSource(file) && !isTest(file)
}

/** The page: web without its tests. */
export function isOfPage(file: SourceFile): boolean {
  return isCode(file) && file.path.startsWith('web/') && !isTest(file)
}
