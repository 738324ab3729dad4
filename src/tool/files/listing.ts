import { statSync } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import type { OpenFolder } from './folder.ts'
import { codeOf, isHidden, isMarkdown, isPlain, PATH_PARTS_MAX, PathError } from './path.ts'

/** An entry of the workspace: its path, and its real place. They differ behind links. */
export interface Listed {
  readonly place: string
  readonly real: string
}

export interface Listing {
  /** Markdown files, by place. */
  readonly files: readonly Listed[]
  /** Links that stay inside, including those to folders and to missing files. */
  readonly links: readonly Listed[]
  /** False: there is more than the limit. */
  readonly isWhole: boolean
}

export const ENTRIES_MAX = 20_000

export interface ListingParts {
  readonly root: string
  readonly openFolder: OpenFolder
  readonly realOf: (place: string) => string
}

interface Walk extends ListingParts {
  readonly files: Listed[]
  readonly links: Listed[]
  readonly waiting: Met[]
  looked: number
  isWhole: boolean
}

/** A folder on the way, with the real places of those above it. */
interface Met extends Listed {
  readonly above: readonly string[]
}

/** Entries near the top come first, so that the limit leaves out the deepest. */
export async function listFiles(parts: ListingParts): Promise<Listing> {
  const top = { place: '', real: '', above: [] }
  const walk: Walk = { ...parts, files: [], links: [], waiting: [top], looked: 0, isWhole: true }
  for (let met = walk.waiting.shift(); met !== undefined; met = walk.waiting.shift()) {
    if (walk.looked >= ENTRIES_MAX) walk.isWhole = false
    else await lookInto(walk, met).catch(unlessUnreadable)
  }
  const files = walk.files.toSorted((a, b) => (a.place < b.place ? -1 : 1))
  return { files, links: walk.links, isWhole: walk.isWhole }
}

async function lookInto(walk: Walk, met: Met): Promise<void> {
  const parts = met.real === '' ? [] : met.real.split('/')
  const folder = await walk.openFolder({ root: walk.root, parts, missing: 'leave' })
  if (folder === undefined) return
  try {
    for await (const entry of await opendir(folder.at('.'))) {
      if (++walk.looked > ENTRIES_MAX) {
        walk.isWhole = false
        return
      }
      const { name } = entry
      if (isHidden(name) || !isPlain(name)) continue
      const found = { place: under(met.place, name), real: under(met.real, name) }
      if (entry.isSymbolicLink()) meetLink(walk, met, found.place)
      else if (entry.isDirectory()) meetFolder(walk, met, found)
      else if (entry.isFile() && isMarkdown(name)) walk.files.push(found)
    }
  } finally {
    await folder.close()
  }
}

function meetFolder(walk: Walk, from: Met, found: Listed): void {
  const above = [...from.above, from.real]
  // A link to a folder above would lead in circles.
  if (above.includes(found.real)) return
  if (above.length >= PATH_PARTS_MAX) walk.isWhole = false
  else walk.waiting.push({ ...found, above })
}

function meetLink(walk: Walk, from: Met, place: string): void {
  const real = insideOnly(walk, place)
  if (real === undefined) return
  const found = { place, real }
  walk.links.push(found)
  const target = statSync(join(walk.root, real), { throwIfNoEntry: false })
  if (target?.isDirectory() === true) meetFolder(walk, from, found)
  else if (target?.isFile() === true && isMarkdown(place) && isMarkdown(real)) walk.files.push(found)
}

function insideOnly({ realOf }: Walk, place: string): string | undefined {
  try {
    return realOf(place)
  } catch (error) {
    if (error instanceof PathError) return undefined
    throw error
  }
}

function under(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

/** An unreadable or moved folder hides only itself. */
function unlessUnreadable(error: unknown): void {
  if (!(error instanceof PathError) && codeOf(error) === undefined) throw error
}
