import { noteMemory } from '../../agent/state/memory.ts'
import { changeSetup, type Setup } from '../../agent/state/setup.ts'
import type { Author } from '../../event/event.ts'
import type { BranchId } from '../../event/id.ts'
import type { Writing } from '../../log/log.ts'

/** What was read from files and servers for the prompts to come. */
export interface ReadSetup extends Setup {
  /** The lines of memory.md. */
  readonly memory: readonly string[]
  /** What could not be loaded, and why: for the person. */
  readonly notes: readonly string[]
}

/** Or why a file cannot be read: a command that breaks in the inbox would break again at every start. */
export async function setupOrProblem(
  desk: { readonly readSetup: (what: SetupPart) => Promise<ReadSetup> },
  what: SetupPart,
): Promise<ReadSetup | string> {
  try {
    return await desk.readSetup(what)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return error.message
    throw error
  }
}

/** `files`: servers are not asked anew what they offer. */
export type SetupPart = 'all' | 'files'

/** Makes it the setup of every prompt from here on; whether anything in it changed. */
export function takeSetup(
  writing: Writing,
  setup: ReadSetup,
  act: { readonly branch: BranchId; readonly at: number; readonly author: Author },
): boolean {
  const { branch, at, author } = act
  noteMemory(writing, { lines: setup.memory, branch, at, author })
  return changeSetup(writing, setup, { branch, at, author })
}
