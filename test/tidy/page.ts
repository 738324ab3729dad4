import { posix } from 'node:path'
import { importsOf, resolve } from './imports.ts'
import { complaint } from './syntax.ts'
import { isOfPage, type SourceFile } from './tree.ts'

const FILES_MAX = 25
/** What every view may use. Views do not know each other. */
const SHARED = new Set(['app', 'api', 'ui', 'text', 'style'])

/** The page gets its data over the API: of the sources it knows types only. */
export function importsOfPage(files: readonly SourceFile[]): string[] {
  return files.filter(isOfPage).flatMap((file) =>
    importsOf(file).flatMap(({ node, specifier, isTypeOnly }) => {
      const target = resolve(file, specifier)
      if (target === undefined) return []
      if (target.startsWith('src/'))
        return isTypeOnly ? [] : complaint(file, node, `imports ${target}, and not only its types`)
      const [own, other] = [roomOf(file.path), roomOf(target)]
      if (own === other || own === 'app' || SHARED.has(other)) return []
      return complaint(file, node, `may not import ${target}, a part of another view`)
    }),
  )
}

export function unfitRoomsOfPage(files: readonly SourceFile[]): string[] {
  const folders = files.filter(({ path }) => path.startsWith('web/')).map(({ path }) => posix.dirname(path))
  return [...new Set(folders)].flatMap((folder) => {
    const count = folders.filter((one) => one === folder).length
    return count > FILES_MAX
      ? `${folder} has ${count} files; more than ${FILES_MAX} need rooms of their own`
      : []
  })
}

const COLOUR = /#[\da-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(/i

/** Colours stand in one file, so that both themes have all of them. */
export function straightColours(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => (isOfPage(file) || file.path.endsWith('.css')) && !file.path.endsWith('tokens.css'))
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, index) => {
        const found = COLOUR.exec(line)
        return found === null ? [] : `${path}:${index + 1} has a colour of its own: ${found[0]}`
      }),
    )
}

function roomOf(path: string): string {
  return path.split('/')[1] ?? ''
}
