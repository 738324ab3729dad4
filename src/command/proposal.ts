import type { Approval } from '../agent/approvals.ts'
import { contentOf } from '../agent/setup.ts'
import { sentence } from '../base/words.ts'
import { addLine, MEMORY_FILE, memoryLines, replaceLine } from '../memory/memory-file.ts'
import { PathError } from '../tool/files/path.ts'
import type { Desk } from './desk.ts'
import type { ReadSetup } from './setup-change.ts'

/** What was done about a proposal, and what prompts begin with since then. */
export type Carried = { readonly text: string; readonly setup: ReadSetup } | { readonly problem: string }

const lasts = new WeakMap<Desk, Promise<unknown>>()

/**
 * What people say to proposals, and what they have remembered, is done one by one. Two at once, from two conversations,
 * would lose a line that was read before the other wrote it, or write what was denied meanwhile.
 */
export function oneByOne<T>(desk: Desk, work: () => Promise<T>): Promise<T> {
  const done = (lasts.get(desk) ?? Promise.resolve()).then(work)
  lasts.set(
    desk,
    done.catch(() => undefined),
  )
  return done
}

/**
 * Does what was approved. A process that dies behind it finds the file as it was to be, and the approval still open:
 * approved again, nothing is written twice.
 */
export async function carryOut(desk: Desk, { asked }: Approval, words: string | null): Promise<Carried> {
  const { wish } = asked
  try {
    const text =
      wish.kind === 'memory'
        ? await remember(desk, { line: words ?? wish.line, replaces: wish.replaces })
        : wish.kind === 'file'
          ? await change(desk, wish)
          : undefined
    if (text === undefined) return { problem: 'There is nothing to carry out.' }
    return { text, setup: await desk.readSetup() }
  } catch (error) {
    // What the disk refuses is the person's to mend; the approval stays open.
    if (error instanceof PathError) return { problem: `It could not be written: ${sentence(error.message)}` }
    throw error
  }
}

async function change(
  { log, workspace }: Desk,
  { path, before, after }: { path: string; before: string | null; after: string },
): Promise<string> {
  const [old, wanted] = await log.read((reader) => [
    before === null ? undefined : contentOf(reader, before),
    contentOf(reader, after),
  ])
  const now = await workspace.read(path)
  if (now === wanted) return `${path} is written.`
  if (now !== old) throw changedSince(path)
  await workspace.write(path, wanted)
  return `${path} is written.`
}

function changedSince(path: string): PathError {
  const message = `${path} was changed since this was proposed, so it would be lost; /deny it, and have it proposed anew`
  return new PathError(message)
}

/** Adds a line to memory.md, or puts it in the place of another. */
export async function remember(
  { workspace }: Pick<Desk, 'workspace'>,
  { line, replaces }: { line: string; replaces: string | null },
): Promise<string> {
  const file = (await workspace.read(MEMORY_FILE)) ?? ''
  if (memoryLines(file).includes(line)) return `It stands in ${MEMORY_FILE} already: ${line}`
  const replaced = replaces === null ? undefined : replaceLine(file, replaces, line)
  await workspace.write(MEMORY_FILE, replaced ?? addLine(file, line))
  return replaced === undefined ? `Remembered: ${line}` : `Remembered: ${line} (in place of: ${replaces})`
}
