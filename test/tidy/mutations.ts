import { rowsOf, type Section } from '../mutations/mutation.ts'
import type { Check } from './tree.ts'

/** Mutations that no longer fit their source, or whose test is gone. */
export function unfitMutations(sections: readonly Section[]): Check {
  return (files) => {
    const texts = new Map(files.map(({ path, text }) => [path, text]))
    return rowsOf(sections).flatMap(({ promise, guard, file, find, replace, test }) => {
      const times = (texts.get(file) ?? '').split(find).length - 1
      return [
        ...(times === 1 ? [] : [`${promise}: ${guard}: its text occurs ${times} times in ${file}`]),
        ...(find === replace ? [`${promise}: ${guard}: its replacement changes nothing`] : []),
        ...(texts.has(test) ? [] : [`${promise}: ${guard}: ${test} does not exist`]),
      ]
    })
  }
}

/** Promises of docs/security.md without a mutation, and mutations without a promise. */
export function unbrokenPromises(sections: readonly Section[]): Check {
  return (files) => {
    const document = files.find(({ path }) => path === 'docs/security.md')?.text ?? ''
    const made = new Set(promisesIn(document))
    const broken = new Set(
      sections.flatMap(({ section, promises }) =>
        Object.keys(promises).map((promise) => `${section} / ${promise}`),
      ),
    )
    return [
      ...[...made.difference(broken)].map((promise) => `test/mutations has no row for: ${promise}`),
      ...[...broken.difference(made)].map((promise) => `docs/security.md does not promise: ${promise}`),
    ]
  }
}

/** The rows of its tables, as section and attack. */
function promisesIn(document: string): string[] {
  return document.split(/^## /m).flatMap((part) => {
    const [section = ''] = part.split('\n', 1)
    const cells = Array.from(part.matchAll(/^\| (.+?) \|/gm), ([, cell = '']) => cell)
    return cells
      .filter((cell) => !/^attack\b/.test(cell))
      .map((cell) => `${section} / ${/\*\*(.+?)\*\*/.exec(cell)?.[1] ?? cell}`)
  })
}
