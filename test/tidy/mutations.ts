import { rowsOf, type Section } from '../mutations/mutation.ts'
import type { Check, SourceFile } from './tree.ts'

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

/** Tests that docs/security.md names, and that no file has: `file`: *title*, *title*. An … is what a table puts in. */
export function promisesWithoutTest(files: readonly SourceFile[]): string[] {
  const texts = new Map(files.map(({ path, text }) => [path, text.replaceAll(/\\(?=['"`])/g, '')]))
  const rows = (texts.get('docs/security.md') ?? '').split('\n').filter((line) => line.startsWith('| '))
  return rows.flatMap((row) => {
    const shown = row.split(' | ').at(-1) ?? ''
    let text = ''
    return Array.from(shown.matchAll(/`([\w./-]+\.test\.ts)`|\*([^*]+)\*/g)).flatMap(
      ([, path, title = '']) => {
        if (path !== undefined) text = texts.get(path) ?? ''
        const words = title
          .replaceAll(/\[[A-Z]+\d+\]/g, '…$&…')
          .split('…')
          .map((part) => part.replaceAll(/^[\s,:]+|[\s,:]+$/g, ''))
        const isThere = words.every((part) => isIn(text, part))
        return isThere ? [] : [`docs/security.md names a test that is not there: ${title}`]
      },
    )
  })
}

/** A table may give the first words of a title, and the test the others. */
function isIn(text: string, words: string): boolean {
  const cuts = [words.length, ...Array.from(words.matchAll(/ /g), ({ index }) => index)]
  return cuts.some((at) => text.includes(words.slice(0, at)) && text.includes(words.slice(at).trim()))
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
