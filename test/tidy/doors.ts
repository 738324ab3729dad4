import { posix } from 'node:path'
import { HOUSE, rankOf, roomOf } from './house.ts'
import { importsOf, INDEX, resolve } from './imports.ts'
import { complaint } from './syntax.ts'
import { type SourceFile, isProduct } from './tree.ts'

const FILES_MAX = 25

/** A folder of the product that the house does not list, or with too many files to keep in mind. */
export function unfitRooms(files: readonly SourceFile[]): string[] {
  const counts = new Map<string, number>()
  for (const { path } of files.filter(isInRoom)) counts.set(roomOf(path), (counts.get(roomOf(path)) ?? 0) + 1)
  return [...counts].flatMap(([room, count]) => [
    ...(rankOf(room) < 0 ? [`src/${room} has no rank in test/tidy/house.ts`] : []),
    ...(count > FILES_MAX
      ? [`src/${room} has ${count} files; more than ${FILES_MAX} need rooms of their own`]
      : []),
  ])
}

/** Imports of a file that stands behind the door of another room. */
export function importsPastDoors(files: readonly SourceFile[]): string[] {
  return files.filter(isInRoom).flatMap((file) =>
    importsOf(file).flatMap(({ node, specifier }) => {
      const target = resolve(file, specifier)
      if (target === undefined || roomOf(target) === roomOf(file.path) || isDoor(target)) return []
      return complaint(file, node, `imports ${target}, which is no door of its room`)
    }),
  )
}

/** Doors that nobody outside uses: the list says what a room really offers. */
export function unusedDoors(files: readonly SourceFile[]): string[] {
  const used = new Set(
    files.filter(isProduct).flatMap((file) =>
      importsOf(file).flatMap(({ specifier }) => {
        const target = resolve(file, specifier)
        return target === undefined || roomOf(target) === roomOf(file.path) ? [] : target
      }),
    ),
  )
  const rooms = new Set(files.filter(isInRoom).map(({ path }) => roomOf(path)))
  return HOUSE.flatMap((rank) =>
    Object.entries(rank).flatMap(([room, doors]) =>
      doors === '*' || !rooms.has(room)
        ? []
        : doors
            .split(/\s+/)
            .filter((door) => door !== '' && !used.has(`src/${room}/${door}.ts`))
            .map((door) => `src/${room}/${door}.ts is listed as a door, and nobody outside imports it`),
    ),
  )
}

function isDoor(path: string): boolean {
  const doors = HOUSE[rankOf(roomOf(path))]?.[roomOf(path)]
  return doors === '*' || doors?.split(/\s+/).includes(posix.basename(path, '.ts')) === true
}

function isInRoom(file: SourceFile): boolean {
  return isProduct(file) && file.path !== INDEX
}
